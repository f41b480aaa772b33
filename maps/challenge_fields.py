"""Readers for values in the JSON of the challenge: numbers, ids and grid positions, also as strings."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from warlight_env.maps.errors import MapError
from warlight_env.maps.parts import MAX_REGIONS, Point

#: The objects in a JSON list, each with its place in the file.
Items = list[tuple[str, dict[str, Any]]]

#: The largest number of columns and of rows of a grid.
MAX_SIDE: Final = 10_000

_ID = re.compile(r"[1-9][0-9]{0,8}", re.ASCII)
_INTEGER = re.compile(r"-?[0-9]{1,9}", re.ASCII)
_DECIMAL = re.compile(r"[0-9]{1,5}(\.[0-9]{1,9})?", re.ASCII)
_APART = re.compile(r"[\s,;]+")


def items(data: dict[str, Any], key: str, place: str) -> Items:
    """Return the objects in the list data[key], each with its place in the file."""
    entries = data.get(key)
    if not isinstance(entries, list):
        raise MapError(f"{place}: {key}: expected a list")
    if len(entries) > MAX_REGIONS:
        raise MapError(f"{place}: {len(entries)} {key}: at most {MAX_REGIONS} are supported")
    for i, item in enumerate(entries):
        if not isinstance(item, dict):
            raise MapError(f"{place}: {key}[{i}]: expected an object")
    return [(f"{place}: {key}[{i}] (id {item.get('id')!s:.20})", item) for i, item in enumerate(entries)]


def integer(location: str, value: Any) -> int:
    """Return a value of the JSON data as a whole number.

    Raises MapError if the value is not a whole number; its message begins with `location`.
    """
    if type(value) is int:
        return value
    if not isinstance(value, str) or not _INTEGER.fullmatch(value.strip()):
        raise MapError(f"{location}: {str(value)[:40]!r} is not a whole number")
    return int(value)


def identifier(location: str, value: Any) -> int:
    """Return a value as an id, a whole number from 1. Raises MapError if the value is not an id."""
    text = str(value).strip() if type(value) in (int, str) else ""
    if not _ID.fullmatch(text):
        raise MapError(f"{location}: {str(value)[:40]!r} is not an id (a whole number from 1)")
    return int(text)


def identifiers(location: str, value: Any) -> list[int]:
    """Return the ids in a list, or in a string with spaces or commas between them."""
    ids = [word for word in _APART.split(value) if word] if isinstance(value, str) else value
    if not isinstance(ids, list):
        raise MapError(f"{location}: expected a list of ids")
    if len(ids) > MAX_REGIONS:
        raise MapError(f"{location}: {len(ids)} ids: at most {MAX_REGIONS} are supported")
    return [identifier(location, entry) for entry in ids]


def pair(location: str, value: Any, names: Sequence[str] = ("x", "y")) -> Point:
    """Return a value as two numbers from 0 to MAX_SIDE. The value is an object, a list or a string.

    names: the keys of the object.
    """
    numbers: Any = value
    if isinstance(value, dict):
        numbers = [value.get(name) for name in names]
    elif isinstance(value, str):
        numbers = [word for word in _APART.split(value) if word]
    if not isinstance(numbers, list) or len(numbers) != 2:
        raise MapError(f"{location}: expected two numbers, {names[0]} and {names[1]}")
    x, y = (_coordinate(f"{location}: {name}", number) for name, number in zip(names, numbers, strict=True))
    return x, y


def cell(location: str, value: Any) -> tuple[int, int]:
    """Return a value as a cell, a pair of whole numbers below MAX_SIDE."""
    x, y = pair(location, value)
    if not (x.is_integer() and y.is_integer() and max(x, y) < MAX_SIDE):
        raise MapError(f"{location}: a cell must be two whole numbers below {MAX_SIDE}")
    return int(x), int(y)


def _coordinate(location: str, value: Any) -> float:
    if type(value) in (int, float) and 0 <= value <= MAX_SIDE:
        return float(value)
    if not isinstance(value, str) or not _DECIMAL.fullmatch(value.strip()) or float(value) > MAX_SIDE:
        raise MapError(f"{location}: {str(value)[:40]!r} is not a number from 0 to {MAX_SIDE}")
    return float(value)
