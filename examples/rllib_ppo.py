"""Train RLlib's PPO by self-play; all players share one masked policy: python examples/rllib_ppo.py [iterations]

Install the requirements with ``pip install -c constraints-rllib.txt ".[rllib]"`` in a separate virtual environment,
because RLlib requires an older Gymnasium.
"""

import sys
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo.utils import BaseParallelWrapper
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.env.wrappers.pettingzoo_env import ParallelPettingZooEnv
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
from ray.tune.registry import register_env

from warlight_env import warlight_v0


class ForRLlib(BaseParallelWrapper):
    """Rename the keys and convert the dtypes of observations for RLlib's `ActionMaskingTorchRLModule`."""

    def observation_space(self, agent: str) -> spaces.Dict:
        inner = self.env.observation_space(agent)
        mask = spaces.Box(0.0, 1.0, inner["action_mask"].shape)
        return spaces.Dict({"observations": inner["observation"], "action_mask": mask})

    def reset(self, seed: int | None = None, options: dict | None = None) -> Any:
        observations, infos = self.env.reset(seed=seed, options=options)
        return self.renamed(observations), infos

    def step(self, actions: dict) -> Any:
        observations, *results = self.env.step(actions)
        return self.renamed(observations), *results

    @staticmethod
    def renamed(observations: dict) -> dict:
        return {
            agent: {"observations": obs["observation"], "action_mask": obs["action_mask"].astype(np.float32)}
            for agent, obs in observations.items()
        }


def make(config: dict) -> ParallelPettingZooEnv:
    return ParallelPettingZooEnv(
        ForRLlib(warlight_v0.parallel_env(map="small", players=2, action="strategies", observation="flat"))
    )


if __name__ == "__main__":
    register_env("warlight", make)
    module = RLModuleSpec(module_class=ActionMaskingTorchRLModule, model_config={"head_fcnet_hiddens": [64, 64]})
    config = (
        PPOConfig()
        .environment("warlight")
        .env_runners(num_env_runners=0)
        .multi_agent(policies={"shared"}, policy_mapping_fn=lambda agent, episode, **_: "shared")
        .training(train_batch_size_per_learner=1000, minibatch_size=250, num_epochs=2)
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs={"shared": module}))
    )
    algorithm = config.build_algo()
    for i in range(int(sys.argv[1]) if len(sys.argv) > 1 else 5):
        result = algorithm.train()
        episodes, learner = result["env_runners"], result["learners"]["shared"]
        print(
            f"iteration {i}: {episodes['num_episodes_lifetime']:.0f} games of {episodes['episode_len_mean']:.1f} "
            f"rounds, entropy {learner['entropy']:.2f}",
            flush=True,
        )
    algorithm.stop()
