"""Locks by key, for tasks of the event loop that change the same game or study."""

from __future__ import annotations

import asyncio
from weakref import WeakValueDictionary


class KeyedLocks:
    """An `asyncio.Lock` for each key. A lock exists as long as a task holds it or waits for it.

    Use a lock only as ``async with locks[key]``.
    """

    def __init__(self) -> None:
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def __getitem__(self, key: str) -> asyncio.Lock:
        return self._locks.setdefault(key, asyncio.Lock())
