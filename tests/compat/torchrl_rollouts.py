"""TorchRL: its wrappers for Gymnasium's and PettingZoo's environments, with action masks."""

import torch
from torchrl.envs import GymEnv, PettingZooWrapper
from torchrl.envs.libs.gym import set_gym_backend
from torchrl.envs.utils import check_env_specs

import warlight_env.envs  # noqa: F401 -- registers the ids
from warlight_env import warlight_v0

torch.manual_seed(1)
with set_gym_backend("gymnasium"):
    env = GymEnv("warlight/WarlightSmallStrategies-v0", opponent="random")
    check_env_specs(env)
    assert env.rollout(20).batch_size[0] >= 1
several = PettingZooWrapper(
    warlight_v0.parallel_env(map="small", players=2, action="strategies", observation="flat"), use_mask=True
)
several.reset()
assert several.rollout(5).batch_size[0] >= 1
print("passed")
