"""Registrars: functions of higher packages that register agents, called before the registry's first answer."""

from __future__ import annotations

import threading
from collections.abc import Callable

_waiting: list[Callable[[], None]] = []
_lock = threading.RLock()


def add(registrar: Callable[[], None]) -> None:
    """Add a function that is called once, before the registry answers."""
    _waiting.append(registrar)


def run() -> None:
    """Call all functions that have not been called yet."""
    with _lock:
        while _waiting:
            _waiting.pop(0)()
