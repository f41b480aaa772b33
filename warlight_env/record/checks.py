"""Taking plain data apart with every type and number checked; errors name the line and the key."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from warlight_env.record.errors import LogError

T = TypeVar("T")


class Fields:
    """An object of a log's line.

    Args:
        data: what was read.
        place: begins every error message.
    """

    def __init__(self, data: Any, place: str) -> None:
        if not isinstance(data, dict):
            raise LogError(f"{place}: must be an object, not {type(data).__name__}")
        self.data, self.place = data, place

    def fail(self, key: str, what: str) -> LogError:
        """The error of a key's value that should be something else."""
        return LogError(f"{self.place}: {key!r} must be {what}, not {self.data.get(key)!r:.60}")

    def get(self, key: str) -> Any:
        """A value that must be there."""
        if key not in self.data:
            raise LogError(f"{self.place}: {key!r} is missing")
        return self.data[key]

    def text(self, key: str) -> str:
        """A string."""
        value = self.get(key)
        if not isinstance(value, str):
            raise self.fail(key, "a string")
        return value

    def whole(self, key: str, low: int | None = None, high: int | None = None) -> int:
        """An integer within bounds."""
        if not _fits(self.get(key), low, high):
            raise self.fail(key, f"an integer{_bounds(low, high)}")
        return int(self.data[key])

    def maybe_whole(self, key: str, low: int | None = None, high: int | None = None) -> int | None:
        """An integer within bounds, or null."""
        return None if self.get(key) is None else self.whole(key, low, high)

    def flag(self, key: str) -> bool:
        """A boolean."""
        if not isinstance(self.get(key), bool):
            raise self.fail(key, "true or false")
        return bool(self.data[key])

    def record(self, key: str) -> dict[str, Any]:
        """An object."""
        if not isinstance(self.get(key), dict):
            raise self.fail(key, "an object")
        return dict(self.data[key])

    def listed(self, key: str, length: int | None = None) -> list[Any]:
        """A list, of a given length if one is asked for."""
        value = self.get(key)
        if not isinstance(value, list) or (length is not None and len(value) != length):
            raise self.fail(key, "a list" if length is None else f"a list of {length}")
        return value

    def wholes(
        self, key: str, length: int | None = None, low: int | None = None, high: int | None = None
    ) -> tuple[int, ...]:
        """A list of integers within bounds."""
        value = self.listed(key, length)
        if not all(_fits(v, low, high) for v in value):
            raise self.fail(key, f"a list of integers{_bounds(low, high)}")
        return tuple(value)

    def each(self, key: str, length: int | None, read: Callable[[Any, str], T]) -> tuple[T, ...]:
        """The elements of a list, each read by a function that takes it and its place."""
        return tuple(read(v, f"{self.place}: {key}[{i}]") for i, v in enumerate(self.listed(key, length)))


def _fits(value: Any, low: int | None, high: int | None) -> bool:
    return type(value) is int and (low is None or value >= low) and (high is None or value <= high)


def _bounds(low: int | None, high: int | None) -> str:
    if low is not None and high is not None:
        return f" in {low} .. {high}"
    return "" if low is None else f" from {low} up"


def row(value: Any, place: str, *lengths: int) -> list[Any]:
    """A list of one of the given lengths."""
    if not isinstance(value, list) or len(value) not in lengths:
        raise LogError(f"{place}: must be a list of {' or '.join(map(str, lengths))}, not {value!r:.60}")
    return value


def whole(value: Any, place: str, low: int | None = None, high: int | None = None) -> int:
    """An integer within bounds."""
    if not _fits(value, low, high):
        raise LogError(f"{place}: must be an integer{_bounds(low, high)}, not {value!r:.60}")
    return int(value)
