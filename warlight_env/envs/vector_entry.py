"""The function with which Gymnasium's `make_vec` makes a vector environment: as NumPy arrays, or as tensors."""

from __future__ import annotations

from typing import Any

from gymnasium.vector import VectorEnv

from warlight_env import registration_hooks
from warlight_env.envs.vector import WarlightVectorEnv


def make_vector_env(num_envs: int = 1, device: str | None = None, **arguments: Any) -> VectorEnv[Any, Any, Any]:
    """Return the vector environment of B games with one learner in each game.

    Args:
        num_envs: B.
        device: None for NumPy arrays (`WarlightVectorEnv`), or "cpu" or "cuda" for PyTorch tensors on this device
            (`tensor_env.WarlightTensorVectorEnv`).
        arguments: the other arguments of this environment's class.

    Raises the errors of the environment's class.
    """
    if device is None:
        return WarlightVectorEnv(num_envs, **arguments)
    env: VectorEnv[Any, Any, Any] = registration_hooks.tensor_env(num_envs, device=device, **arguments)
    return env
