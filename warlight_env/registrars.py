"""What packages above the registry of agents register there: told here, and done when somebody asks the registry."""

from __future__ import annotations

import threading
from collections.abc import Callable

_waiting: list[Callable[[], None]] = []
_lock = threading.RLock()


def add(registrar: Callable[[], None]) -> None:
    """Have it called once, before the registry answers."""
    _waiting.append(registrar)


def run() -> None:
    """Call all that have not been called."""
    with _lock:
        while _waiting:
            _waiting.pop(0)()
