"""skrl: PPO on a single and on a vector environment, and IPPO on the parallel environment."""

import gymnasium
import torch
from skrl.agents.torch.ppo import PPO
from skrl.envs.wrappers.torch import wrap_env
from skrl.memories.torch import RandomMemory
from skrl.models.torch import CategoricalMixin, DeterministicMixin, Model
from skrl.multi_agents.torch.ippo import IPPO
from skrl.trainers.torch import SequentialTrainer

import warlight_env.envs  # noqa: F401 -- registers the ids
from warlight_env import warlight_v0


class Policy(CategoricalMixin, Model):
    """Scores of the actions from a linear layer."""

    def __init__(self, observations, actions):
        Model.__init__(self, observation_space=observations, action_space=actions, device="cpu")
        CategoricalMixin.__init__(self)
        self.net = torch.nn.Linear(self.num_observations, self.num_actions)

    def compute(self, inputs, role):
        return self.net(inputs["observations"]), {}


class Value(DeterministicMixin, Model):
    """The value of a position from a linear layer."""

    def __init__(self, observations, actions):
        Model.__init__(self, observation_space=observations, action_space=actions, device="cpu")
        DeterministicMixin.__init__(self)
        self.net = torch.nn.Linear(self.num_observations, 1)

    def compute(self, inputs, role):
        return self.net(inputs["observations"]), {}


def train(env, agent):
    cfg = {"timesteps": 64, "headless": True, "close_environment_at_exit": False, "disable_progressbar": True}
    SequentialTrainer(env=env, agents=agent, cfg=cfg).train()


SETTINGS = {"map": "small", "action": "strategies"}
CFG = {"rollouts": 16, "experiment": {"write_interval": 0, "checkpoint_interval": 0}}
for games in (
    gymnasium.make("warlight/Warlight-v0", **SETTINGS),
    gymnasium.make_vec("warlight/Warlight-v0", num_envs=4, vectorization_mode="vector_entry_point", **SETTINGS),
):
    env = wrap_env(games)
    spaces = env.observation_space, env.action_space
    train(env, PPO(
        models={"policy": Policy(*spaces), "value": Value(*spaces)},
        memory=RandomMemory(memory_size=16, num_envs=env.num_envs, device="cpu"),
        observation_space=spaces[0], action_space=spaces[1], device="cpu", cfg=CFG,
    ))  # fmt: skip

env = wrap_env(warlight_v0.parallel_env(observation="flat", mask="info", picking="random", **SETTINGS))
spaces = {name: (env.observation_spaces[name], env.action_spaces[name]) for name in env.possible_agents}
# skrl 2.1.1 rejects its default values {} of these settings in all environments, so each agent gets a dict.
EMPTY = ("learning_rate_scheduler", "observation_preprocessor", "state_preprocessor", "value_preprocessor")
train(env, IPPO(
    possible_agents=env.possible_agents,
    models={name: {"policy": Policy(*both), "value": Value(*both)} for name, both in spaces.items()},
    memories={name: RandomMemory(memory_size=16, num_envs=env.num_envs, device="cpu") for name in spaces},
    observation_spaces=env.observation_spaces, state_spaces=env.state_spaces, action_spaces=env.action_spaces,
    device="cpu",
    cfg={**CFG, **{f"{name}_kwargs": {agent: {} for agent in spaces} for name in EMPTY}},
))  # fmt: skip
print("passed")
