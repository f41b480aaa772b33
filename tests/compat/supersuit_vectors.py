"""SuperSuit: vector environments from a parallel environment, as in its tutorials for Stable-Baselines3 and CleanRL."""

import numpy as np
import supersuit

from warlight_env import warlight_v0

SETTINGS = {"map": "small", "action": "strategies", "observation": "flat", "mask": "info", "picking": "random"}
env = warlight_v0.parallel_env(players=2, **SETTINGS)
env = supersuit.black_death_v3(env)
envs = supersuit.pettingzoo_env_to_vec_env_v1(env)
envs = supersuit.concat_vec_envs_v1(envs, 2, num_cpus=1, base_class="gymnasium")
envs.reset(seed=1)
for _ in range(100):
    observations, *_ = envs.step(np.zeros(4, dtype=np.int64))
assert observations.shape[0] == 4
print("passed")
