"""A list of functions that register agents in the agent registry. The registry calls them before its first use."""

from __future__ import annotations

import threading
from collections.abc import Callable

_waiting: list[Callable[[], None]] = []
_lock = threading.RLock()


def add(registrar: Callable[[], None]) -> None:
    """Add a function. The agent registry calls it once, before the registry's next use."""
    _waiting.append(registrar)


def run() -> None:
    """Call all added functions that have not been called yet."""
    with _lock:
        while _waiting:
            _waiting.pop(0)()
