"""Log the metrics of MaskablePPO to MLflow through Stable-Baselines3's logger: python examples/track_mlflow.py [steps]

Install MLflow with ``pip install mlflow``. The file mlflow.db stores the runs. To view them, run
``mlflow ui --backend-store-uri sqlite:///mlflow.db``.
"""

import sys
from typing import Any

import mlflow
from sb3_contrib import MaskablePPO
from stable_baselines3.common.logger import HumanOutputFormat, KVWriter, Logger

from warlight_env.envs.sb3 import make_vec_env


class MlflowWriter(KVWriter):
    """Send the metrics of Stable-Baselines3's logger to MLflow."""

    def write(self, key_values: dict[str, Any], key_excluded: dict[str, Any], step: int = 0) -> None:
        mlflow.log_metrics({key: float(value) for key, value in key_values.items() if not isinstance(value, str)}, step)

    def close(self) -> None:
        pass


steps = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
settings = {"map": "small", "action": "strategies", "opponent": "aggressive"}
mlflow.set_tracking_uri("sqlite:///mlflow.db")
mlflow.set_experiment("warlight")
with mlflow.start_run():
    mlflow.log_params({**settings, "steps": steps})
    model = MaskablePPO(
        "MlpPolicy", make_vec_env(16, seed=1, **settings), n_steps=64, batch_size=256, device="cpu", seed=1
    )
    model.set_logger(Logger(None, [HumanOutputFormat(sys.stdout), MlflowWriter()]))
    model.learn(steps)
print("tracked in mlflow.db")
