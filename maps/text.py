"""Reading text and JSON so that every failure is a map error with its line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from warlight_env import bounded
from warlight_env.maps.errors import MapError


def read_text(path: Path) -> str:
    """The text of a map file (UTF-8, a byte order mark is fine)."""
    return bounded.read_text(path, bounded.MAP_BYTES, MapError, "map")


def parse_json(text: str, place: str) -> Any:
    """The value of a JSON text; refuses what JSON itself does not have (NaN) and an object's repeated key."""
    return bounded.parse_json(text, place, MapError, digits=18)
