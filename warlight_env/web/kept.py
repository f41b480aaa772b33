"""What is kept as long as there is room."""

from __future__ import annotations

from collections import OrderedDict


class Kept:
    """Bytes by key; those that were asked for last are kept, as many as there is room for."""

    def __init__(self, entries: int, size: int) -> None:
        self._entries, self._room = entries, size
        self._size = 0
        self._there: OrderedDict[str, bytes] = OrderedDict()

    def put(self, key: str, data: bytes) -> None:
        """Keep it, instead of those that were asked for longest ago."""
        self._size += len(data) - len(self._there.pop(key, b""))
        self._there[key] = data
        while len(self._there) > self._entries or (self._size > self._room and len(self._there) > 1):
            self._size -= len(self._there.popitem(last=False)[1])

    def get(self, key: str) -> bytes | None:
        """What is kept under the key."""
        if key in self._there:
            self._there.move_to_end(key)
        return self._there.get(key)
