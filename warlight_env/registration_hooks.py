"""Functions of other packages that register agents. They are called before the registry is first used."""

from __future__ import annotations

import threading
from collections.abc import Callable

_waiting: list[Callable[[], None]] = []
_lock = threading.RLock()


def add(registrar: Callable[[], None]) -> None:
    """Add a function to call once, before the registry is used next."""
    _waiting.append(registrar)


def run() -> None:
    """Call all functions that have not been called yet."""
    with _lock:
        while _waiting:
            _waiting.pop(0)()
