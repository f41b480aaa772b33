"""Train DQN of Stable-Baselines3 to choose among nine candidate turns: python examples/dqn_strategies.py

DQN does not support action masks. If a strategy's rule for deploys does not apply, its armies go to the own region that
is closest to a region of another owner. Arguments: the number of steps (the default takes about a minute), the file for
the model, the number of games of the match. The saved file is an agent:
``warlight match sb3:file=dqn.zip,trust=yes,play=likeliest aggressive``.
"""

import sys

import torch
from stable_baselines3 import DQN

from warlight_env.arena import Match
from warlight_env.envs.sb3 import SavePolicyCallback, make_vec_env


def learner(seed):
    """Return an untrained model."""
    torch.set_num_threads(1)  # more threads do not help, because the network is small
    env = make_vec_env(16, seed=seed, opponent={"aggressive": 1, "smart_random": 1, "random": 1}, action="strategies")
    return DQN(
        "MlpPolicy", env, learning_rate=5e-4, buffer_size=50_000, learning_starts=2000, batch_size=128, gamma=0.97,
        train_freq=4, gradient_steps=4, target_update_interval=2000, exploration_fraction=0.3, device="cpu", seed=seed,
    )  # fmt: skip


if __name__ == "__main__":
    arguments = sys.argv[1:]
    steps, path, games = (arguments + ["100000", "dqn.zip", "100"][len(arguments) :])[:3]
    learner(1).learn(int(steps), callback=SavePolicyCallback(path))
    print(Match([f"sb3:file={path},trust=yes,play=likeliest", "aggressive"], games=int(games), picks="random").run())
