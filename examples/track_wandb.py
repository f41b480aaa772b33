"""Log the metrics of MaskablePPO to Weights & Biases with its callback: python examples/track_wandb.py [steps]

Install the requirements with ``pip install wandb tensorboard``. ``WANDB_MODE=offline`` stores the run in the folder
wandb/; ``wandb sync`` uploads it later.
"""

import sys

import wandb
from sb3_contrib import MaskablePPO
from wandb.integration.sb3 import WandbCallback

from warlight_env.envs.sb3 import make_vec_env

steps = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
settings = {"map": "small", "action": "strategies", "opponent": "aggressive"}
run = wandb.init(project="warlight", config={**settings, "steps": steps}, sync_tensorboard=True)
model = MaskablePPO(
    "MlpPolicy", make_vec_env(16, seed=1, **settings), n_steps=64, batch_size=256, device="cpu", seed=1,
    tensorboard_log=f"tensorboard/{run.id}",
)  # fmt: skip
model.learn(steps, callback=WandbCallback())
run.finish()
print("tracked by Weights & Biases")
