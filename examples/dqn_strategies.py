"""DQN of Stable-Baselines3, which chooses among nine generated turns: python examples/dqn_strategies.py

DQN knows no masks: where a strategy's way to deploy does not apply, its armies go to the region that is closest to a
foreign one. Arguments: steps (the default takes a minute), the file of the model, games of a match. The file is
an agent from then on: ``warlight match sb3:file=dqn.zip,trust=yes,play=likeliest aggressive``.
"""

import sys

import torch
from stable_baselines3 import DQN

from warlight_env.arena import Match
from warlight_env.envs.sb3 import SavePolicyCallback, make_vec_env


def learner(seed):
    """A model that has learned nothing yet."""
    torch.set_num_threads(1)  # the network is too small for more
    env = make_vec_env(16, seed=seed, opponent={"aggressive": 1, "smart_random": 1, "random": 1}, action="strategies")
    return DQN(
        "MlpPolicy", env, learning_rate=5e-4, buffer_size=50_000, learning_starts=2000, batch_size=128, gamma=0.97,
        train_freq=4, gradient_steps=4, target_update_interval=2000, exploration_fraction=0.3, device="cpu", seed=seed,
    )  # fmt: skip


if __name__ == "__main__":
    told = sys.argv[1:]
    steps, path, games = (told + ["100000", "dqn.zip", "100"][len(told) :])[:3]
    learner(1).learn(int(steps), callback=SavePolicyCallback(path))
    print(Match([f"sb3:file={path},trust=yes,play=likeliest", "aggressive"], games=int(games), picks="random").run())
