"""Tianshou: its vector environments."""

import gymnasium
import numpy as np
from tianshou.env import DummyVectorEnv
from tianshou.env.pettingzoo_env import PettingZooEnv

import warlight_env.envs
from warlight_env import warlight_v0

gymnasium.register_envs(warlight_env.envs)
envs = DummyVectorEnv([lambda: gymnasium.make("warlight/WarlightSmallStrategies-v0") for _ in range(4)])
envs.reset(seed=1)
for _ in range(50):
    _, _, terminated, truncated, _ = envs.step(np.zeros(4, dtype=np.int64))
    over = np.flatnonzero(terminated | truncated)
    if len(over):
        envs.reset(over)
turns = PettingZooEnv(warlight_v0.env(map="small", players=2, action="strategies", observation="flat"))
observation, _ = turns.reset()
assert "mask" in observation
for _ in range(20):
    action = int(np.flatnonzero(np.asarray(observation["mask"]))[0])
    observation, _, terminated, truncated, _ = turns.step(action)
    if terminated or truncated:
        break
print("passed")
