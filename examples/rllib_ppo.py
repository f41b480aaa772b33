"""RLlib's PPO with masks, all players sharing a policy: python examples/rllib_ppo.py [iterations]

Needs ``pip install ".[rllib]"`` in an environment of its own: RLlib wants an older Gymnasium.
"""

import sys

import gymnasium
from gymnasium import spaces
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
from ray.tune.registry import register_env

import warlight_env.envs

gymnasium.register_envs(warlight_env.envs)


class ForRLlib(gymnasium.ObservationWrapper):
    """Gives the observation the keys that RLlib's module with masks looks for."""

    def __init__(self, env: gymnasium.Env) -> None:
        super().__init__(env)
        inner = env.observation_space
        mask = spaces.Box(0.0, 1.0, inner["action_mask"].shape)
        self.observation_space = spaces.Dict({"observations": inner["observation"], "action_mask": mask})

    def observation(self, observation: dict) -> dict:
        return {
            "observations": observation["observation"],
            "action_mask": observation["action_mask"].astype("float32"),
        }


def make(config: dict) -> gymnasium.Env:
    return ForRLlib(
        gymnasium.make("warlight/Warlight-v0", map="small", action="strategies", opponent="random", mask="observation")
    )


if __name__ == "__main__":
    register_env("warlight", make)
    config = (
        PPOConfig()
        .environment("warlight")
        .env_runners(num_env_runners=0, num_envs_per_env_runner=4)
        .training(train_batch_size_per_learner=1000, minibatch_size=250, num_epochs=2)
        .rl_module(
            rl_module_spec=RLModuleSpec(
                module_class=ActionMaskingTorchRLModule, model_config={"head_fcnet_hiddens": [64, 64]}
            )
        )
    )
    algorithm = config.build_algo()
    for i in range(int(sys.argv[1]) if len(sys.argv) > 1 else 5):
        result = algorithm.train()["env_runners"]
        print(f"iteration {i}: mean return {result.get('episode_return_mean', float('nan')):.2f}", flush=True)
    algorithm.stop()
