"""AgileRL: its vector environment of parallel environments with four players; some players are eliminated early."""

import numpy as np
from agilerl.vector.pz_async_vec_env import AsyncPettingZooVecEnv

from warlight_env import warlight_v0

SETTINGS = {"map": "small", "action": "strategies", "observation": "flat", "mask": "info", "picking": "random"}


def make():
    return warlight_v0.parallel_env(players=4, **SETTINGS)


if __name__ == "__main__":
    envs = AsyncPettingZooVecEnv([make] * 2)
    envs.reset(seed=1)
    for _ in range(60):
        observations, *_ = envs.step({agent: np.zeros(2, dtype=np.int64) for agent in envs.agents})
    assert all(value.shape[0] == 2 for value in observations.values())
    envs.close()
    print("passed")
