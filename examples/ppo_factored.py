"""Train PPO with the action encoding `factored` on the small map against "random": python examples/ppo_factored.py

The argument is the number of steps; the default takes about a minute.
"""

import sys

import numpy as np
import torch
from stable_baselines3 import PPO

from warlight_env.envs.sb3 import make_vec_env
from warlight_env.train.sb3_ppo.masked_policy import MaskedFactoredPolicy

if __name__ == "__main__":
    steps, world = int((*sys.argv, 150_000)[1]), {"map": "small", "action": "factored", "mask": "observation"}
    torch.set_num_threads(1)  # more threads do not help, because the networks are small
    env = make_vec_env(16, seed=1, opponent="random", **world)
    model = PPO(MaskedFactoredPolicy, env, 1e-3, n_steps=128, batch_size=256, n_epochs=4, device="cpu", seed=1)
    games, finished, won = make_vec_env(100, seed=1000, opponent="random", **world), np.zeros(100, bool), 0
    model.learn(steps)
    observations = games.reset()
    while not finished.all():  # count only the first game of each environment
        observations, _, done, infos = games.step(model.predict(observations, deterministic=True)[0])
        won += sum(infos[b]["is_success"] for b in np.flatnonzero(done & ~finished))
        finished |= done
    print(f"after {steps:,} steps: {won} of 100 games won")
