"""Train MaskablePPO on many maps, and test it on other maps: python examples/many_maps_ppo.py [steps] [games]

An action is one of nine candidate turns. An observation is the position as a padded graph.
"""

import sys

import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks
from stable_baselines3.common.vec_env import DummyVecEnv

from warlight_env.envs import GeneratedMaps, WarlightMapsEnv

torch.set_num_threads(1)  # more threads do not help, because the networks are small
numbers = [int(word) for word in sys.argv[1:]]
steps, games = (numbers + [60_000, 100][len(numbers) :])[:2]
train_maps, test_maps = GeneratedMaps(8, 24, count=100, seed=0), GeneratedMaps(8, 24, count=100, seed=1)


def make():
    return WarlightMapsEnv(train_maps, action="strategies", opponent="smart_random")


model = MaskablePPO(
    "MultiInputPolicy", DummyVecEnv([make] * 8), n_steps=128, batch_size=256, device="cpu", seed=1, verbose=1
)
model.learn(steps)

env, won = WarlightMapsEnv(test_maps, map_limits=train_maps.map_limits, action="strategies", opponent="smart_random"), 0
for seed in range(games):
    observation, info = env.reset(seed=seed)
    done = False
    while not done:
        action, _ = model.predict(observation, deterministic=True, action_masks=get_action_masks(env))
        observation, _, terminated, truncated, info = env.step(int(action))
        done = terminated or truncated
    won += bool(info["is_success"])
print(f"after {steps:,} steps: {won} of {games} games won on maps that were not used in training")
