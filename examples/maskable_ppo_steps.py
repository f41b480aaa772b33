"""Train MaskablePPO of sb3-contrib with the action encoding `steps`: python examples/maskable_ppo_steps.py [steps]

After the default number of steps, which takes one or two minutes, the policy wins most games against `random`.
"""

import sys

import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy

from warlight_env.envs import Reward
from warlight_env.envs.sb3 import make_vec_env

torch.set_num_threads(1)  # more threads do not help, because the networks are small
steps = int(sys.argv[1]) if len(sys.argv) > 1 else 300_000
arguments = {"map": "small", "action": "steps", "opponent": "random"}
gamma = 0.999  # a turn has many steps, so a smaller discount factor would hide rewards of the next rounds
env = make_vec_env(32, seed=1, reward=Reward("regions", gamma=gamma), **arguments)
model = MaskablePPO(
    "MlpPolicy", env, n_steps=128, batch_size=512, n_epochs=4, gamma=gamma, learning_rate=1e-3, ent_coef=0.01, seed=1,
    verbose=1,
)  # fmt: skip
model.learn(steps)
model.save("maskable_ppo_steps")

mean, deviation = evaluate_policy(model, make_vec_env(10, seed=2, **arguments), n_eval_episodes=50)
print(f"mean reward {mean:.2f} ± {deviation:.2f}: 1 for a win, -1 for a loss, 0 for an unfinished game")
