"""Readers for text and JSON in map files.

The readers raise a `MapError` that names the file and the place of the fault.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from warlight_env import bounded_io
from warlight_env.arguments import short_repr
from warlight_env.maps.errors import MapError
from warlight_env.maps.types import converted


def read_text(path: Path) -> str:
    """Return the text of a map file (UTF-8, with or without a byte order mark)."""
    return bounded_io.read_text(path, bounded_io.MAP_BYTES, MapError, "map")


def parse_json(text: str, place: str) -> Any:
    """Return the value of a JSON text. Raise MapError for values that are not JSON (NaN) and for repeated keys."""
    return bounded_io.parse_json(text, place, MapError, digits=18)


def plain_data(value: Any, place: str) -> Any:
    """Return a copy of a value that consists of dicts, lists, strings, numbers, booleans and None.

    Raises:
        MapError: the value contains another type, is nested too deeply, or contains an integer with too many digits.
    """
    return _plain(value, place, bounded_io.DEPTH)


def _plain(value: Any, place: str, depth: int) -> Any:
    if value is None or isinstance(value, bool):
        return value
    if not isinstance(value, dict | list):
        if not isinstance(value, str | int | float):
            raise MapError(f"{place}: {short_repr(value)}: a value of type {type(value).__name__} is not JSON")
        kind = str if isinstance(value, str) else float if isinstance(value, float) else int
        return converted(value, kind, place)
    if not depth:
        raise MapError(f"{place}: nested too deeply")
    try:
        items = list(value.items()) if isinstance(value, dict) else list(enumerate(value))
    except Exception:  # methods of an object of the caller may raise any exception
        raise MapError(f"{place}: {short_repr(value)}: its items cannot be read") from None
    if isinstance(value, dict):
        if not all(isinstance(key, str) for key, _ in items):
            raise MapError(f"{place}: keys must be strings")
        return {key: _plain(item, place, depth - 1) for key, item in items}
    return [_plain(item, place, depth - 1) for _, item in items]
