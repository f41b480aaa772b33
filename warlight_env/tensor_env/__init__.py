"""Batches of games on the CPU or on a GPU, with PyTorch tensors as observations and actions.

`WarlightTensorEnv` is the environment of all seats, and `WarlightTensorVectorEnv` is a Gymnasium vector environment for
one learner in each game. `linking` compiles the kernels of the CPU for CUDA, `gpu` calls them with one thread for each
game, and `games` and `gpu` step the games. `arena`, `train` and users import this package. A new device needs a
subclass of `games.DeviceGames`.
"""

from __future__ import annotations

from warlight_env.tensor_env.env import WarlightTensorEnv
from warlight_env.tensor_env.toolkit import DeviceError
from warlight_env.tensor_env.vector_env import WarlightTensorVectorEnv

__all__ = ["DeviceError", "WarlightTensorEnv", "WarlightTensorVectorEnv"]
