"""Functions that higher layers give to lower layers: to register agents, and to make environments with tensors.

The agent registry calls the functions that register agents before its first use.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

_waiting: list[Callable[[], None]] = []
_lock = threading.RLock()


def add(registrar: Callable[[], None]) -> None:
    """Add a function, which the agent registry calls once, before the registry's next use."""
    _waiting.append(registrar)


def run() -> None:
    """Call all added functions that have not been called yet."""
    with _lock:
        while _waiting:
            _waiting.pop(0)()


_tensor_env_makers: list[Callable[..., Any]] = []


def set_tensor_env(make: Callable[..., Any]) -> None:
    """Set the function that makes Gymnasium vector environments with tensors, see `tensor_env`."""
    _tensor_env_makers[:] = [make]


def tensor_env(num_envs: int, **arguments: Any) -> Any:
    """Make a Gymnasium vector environment with tensors."""
    return _tensor_env_makers[0](num_envs, **arguments)
