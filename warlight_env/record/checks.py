"""Functions that read values from the JSON data of a log, and check every type and number.

Each error message names the line of the log and the key.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from warlight_env import bounded_io
from warlight_env.record.errors import LogError

T = TypeVar("T")

#: For each column of a table of integers: the minimum and the maximum, or None for no maximum.
Columns = tuple[tuple[int, int | None], ...]


class JsonFields:
    """A JSON object from a line of a log, with methods that return checked values.

    All methods that return a value raise `LogError` if the key is missing or the value is not valid.

    Args:
        data: the decoded JSON object.
        place: the place in the log, with which every error message begins.
    """

    def __init__(self, data: Any, place: str) -> None:
        if not isinstance(data, dict):
            raise LogError(f"{place}: must be an object, not {type(data).__name__}")
        self.data, self.location = data, place

    @classmethod
    def of_format(cls, data: Any, place: str, format: str, description: str) -> JsonFields:
        """Return the data of a file's beginning; raise `LogError` if they do not name this format.

        description: the kind of the file in an error, such as "a study".
        """
        if not isinstance(data, dict) or data.get("format") != format:
            raise LogError(f'{place}: not {description}: it does not contain "format": "{format}"')
        return cls(data, place)

    def check_version(self, newest: int, noun: str) -> None:
        """Raise `LogError` if the key "version" is newer than `newest`. noun: the noun in an error, such as "study"."""
        version = self.integer("version", 1)
        if version > newest:
            reads = f"this program reads only versions up to {newest}"
            raise LogError(f"{self.location}: the {noun} has version {version}, but {reads}")

    def fail(self, key: str, expected: str) -> LogError:
        """Return the error for a key with an invalid value. `expected` describes the valid values."""
        return LogError(f"{self.location}: {key!r} must be {expected}, not {brief(self.data.get(key))}")

    def get(self, key: str) -> Any:
        """Return the value of a required key."""
        if key not in self.data:
            raise LogError(f"{self.location}: {key!r} is missing")
        return self.data[key]

    def text(self, key: str) -> str:
        """Return the value of a key, which must be a string."""
        value = self.get(key)
        if not isinstance(value, str):
            raise self.fail(key, "a string")
        return value

    def integer(self, key: str, low: int | None = None, high: int | None = None) -> int:
        """Return the value of a key, which must be an integer in low .. high; None: no limit."""
        if not _is_integer_in(self.get(key), low, high):
            raise self.fail(key, f"an integer{_bounds(low, high)}")
        return int(self.data[key])

    def optional_integer(self, key: str, low: int | None = None, high: int | None = None) -> int | None:
        """Return the value of a key, which must be an integer in low .. high, or null; null becomes None."""
        return None if self.get(key) is None else self.integer(key, low, high)

    def boolean(self, key: str) -> bool:
        """Return the value of a key, which must be true or false."""
        if not isinstance(self.get(key), bool):
            raise self.fail(key, "true or false")
        return bool(self.data[key])

    def object(self, key: str) -> dict[str, Any]:
        """Return the value of a key, which must be an object. The object's values may be nested up to a limit."""
        if not isinstance(self.get(key), dict):
            raise self.fail(key, "an object")
        if bounded_io.too_deep(self.data[key]):
            raise LogError(f"{self.location}: {key!r} is nested too deeply: it has more than {bounded_io.DEPTH} levels")
        return dict(self.data[key])

    def array(self, key: str, length: int | None = None) -> list[Any]:
        """Return the value of a key, which must be a list; if `length` is not None, the list must have this length."""
        value = self.get(key)
        if not isinstance(value, list) or (length is not None and len(value) != length):
            raise self.fail(key, "a list" if length is None else f"a list with {length} elements")
        return value

    def integers(
        self, key: str, length: int | None = None, low: int | None = None, high: int | None = None
    ) -> tuple[int, ...]:
        """Return the value of a key, which must be a list of integers in low .. high, as a tuple."""
        value = self.array(key, length)
        if not all(_is_integer_in(v, low, high) for v in value):
            raise self.fail(key, f"a list of integers{_bounds(low, high)}")
        return tuple(value)

    def rows(self, key: str, *forms: Columns) -> tuple[tuple[int, ...], ...]:
        """Return the value of a key, which must be a table: a list of rows of integers.

        forms: for each allowed type of row, the limits of its columns. The length of a row determines its type.
        """
        by_length = {len(form): form for form in forms}
        table = []
        for i, values in enumerate(self.array(key)):
            form = by_length.get(len(values)) if type(values) is list else None
            if form is None:
                row(values, f"{self.location}: {key}[{i}]", *by_length)
                continue
            for value, (low, high) in zip(values, form, strict=True):
                if type(value) is not int or value < low or (high is not None and value > high):
                    integer(value, f"{self.location}: {key}[{i}]", low, high)
            table.append(tuple(values))
        return tuple(table)

    def plain_rows(self, key: str, length: int) -> list[tuple[int, ...]] | None:
        """Return the value of a key as a list of rows with `length` integers of 64 bits.

        Return None if a row does not have `length` elements, or if an element is not an integer of 64 bits.
        """
        table = self.array(key)
        for values in table:
            if type(values) is not list or len(values) != length:
                return None
            for value in values:
                if type(value) is not int or not -(2**63) <= value < 2**63:
                    return None
        return [tuple(values) for values in table]

    def each(self, key: str, length: int | None, read: Callable[[Any, str], T]) -> tuple[T, ...]:
        """Return the converted elements of the list that is the value of a key.

        read: a function that converts an element. The arguments of `read` are the element and the element's place in
        the log.
        """
        return tuple(read(v, f"{self.location}: {key}[{i}]") for i, v in enumerate(self.array(key, length)))


def brief(value: Any) -> str:
    """Return a short text that describes a value of any size in an error message."""
    if isinstance(value, int) and abs(value) >= 10**bounded_io.DIGITS:
        return "an integer with too many digits"
    if isinstance(value, (list, dict)) and len(value) > 20:
        return f"a list with {len(value)} elements" if isinstance(value, list) else f"an object with {len(value)} keys"
    try:
        return f"{value!r:.60}"
    except RecursionError:
        return f"{type(value).__name__} nested too deeply"


def _is_integer_in(value: Any, low: int | None, high: int | None) -> bool:
    return type(value) is int and (low is None or value >= low) and (high is None or value <= high)


def _bounds(low: int | None, high: int | None) -> str:
    if low is not None and high is not None:
        return f" in {low} .. {high}"
    return "" if low is None else f" from {low} up"


def row(value: Any, place: str, *lengths: int) -> list[Any]:
    """Return `value` if it is a list whose length is in `lengths`; otherwise raise `LogError`."""
    if not isinstance(value, list) or len(value) not in lengths:
        raise LogError(f"{place}: must be a list with {' or '.join(map(str, lengths))} elements, not {brief(value)}")
    return value


def integer(value: Any, place: str, low: int | None = None, high: int | None = None) -> int:
    """Return `value` if it is an integer in low .. high (None: no limit); otherwise raise `LogError`."""
    if not _is_integer_in(value, low, high):
        raise LogError(f"{place}: must be an integer{_bounds(low, high)}, not {brief(value)}")
    return int(value)
