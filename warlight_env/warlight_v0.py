"""Warlight environments under the names that PettingZoo uses, and ``vector_env`` for many games at once.

``parallel_env``, ``env`` and ``raw_env`` have the same arguments as `WarlightParallelEnv`.

>>> from warlight_env import warlight_v0
>>> env = warlight_v0.parallel_env(players=3)
>>> observations, infos = env.reset(seed=1)
>>> while env.agents:
...     actions = {a: env.action_space(a).sample(observations[a]["action_mask"]) for a in env.agents}
...     observations, rewards, terminations, truncations, infos = env.step(actions)
"""

from __future__ import annotations

from typing import Any, overload

from warlight_env.envs import WarlightParallelEnv, WarlightParallelVectorEnv
from warlight_env.envs.aec import env, raw_env
from warlight_env.tensor_env import WarlightTensorEnv

__all__ = ["env", "parallel_env", "raw_env", "vector_env"]


parallel_env = WarlightParallelEnv


@overload
def vector_env(num_envs: int = 1, *, device: None = None, **arguments: Any) -> WarlightParallelVectorEnv: ...


@overload
def vector_env(num_envs: int = 1, *, device: str, **arguments: Any) -> WarlightTensorEnv: ...


def vector_env(
    num_envs: int = 1, *, device: str | None = None, **arguments: Any
) -> WarlightParallelVectorEnv | WarlightTensorEnv:
    """Return an environment of B games at once, with an agent on every seat.

    Args:
        num_envs: B.
        device: None for NumPy arrays (`WarlightParallelVectorEnv`), or "cpu" or "cuda" for PyTorch tensors on this
            device (`WarlightTensorEnv`).
        arguments: the other arguments of this environment's class.

    Raises the errors of the environment's class.
    """
    if device is None:
        return WarlightParallelVectorEnv(num_envs, **arguments)
    return WarlightTensorEnv(num_envs, device=device, **arguments)
