"""Reading text and JSON so that every failure is a map error with its line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NoReturn

from warlight_env.maps.errors import MapError

MAX_BYTES = 16 * 1024 * 1024


def read_text(path: Path) -> str:
    """The text of a map file (UTF-8, a byte order mark is fine)."""
    try:
        size = path.stat().st_size
        if size > MAX_BYTES:
            raise MapError(f"{path}: {size} bytes: a map file has at most {MAX_BYTES}")
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as e:
        raise MapError(f"{path}: not UTF-8 text: {e.reason} at byte {e.start}") from None
    except (OSError, ValueError) as e:
        if isinstance(e, MapError):
            raise
        reason = e.strerror if isinstance(e, OSError) and e.strerror else str(e)
        raise MapError(f"{path}: cannot be read: {reason}") from None


def parse_json(text: str, place: str) -> Any:
    """The value of a JSON text; refuses what JSON itself does not have (NaN) and an object's repeated key."""

    def fail(literal: str, reason: str) -> NoReturn:
        line = text.count("\n", 0, max(text.find(literal), 0)) + 1
        raise MapError(f"{place}: line {line}: {reason}")

    def constant(literal: str) -> NoReturn:
        fail(literal, f"{literal} is not a number")

    def whole(literal: str) -> int:
        if len(literal) > 18:
            fail(literal, f"number of {len(literal)} digits")
        return int(literal)

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        d = dict(items)
        if len(d) < len(items):
            keys = [k for k, _ in items]
            twice = next(k for k in keys if keys.count(k) > 1)
            raise MapError(f"{place}: key {twice!r} twice in one object")
        return d

    try:
        return json.loads(text, parse_constant=constant, parse_int=whole, object_pairs_hook=pairs)
    except json.JSONDecodeError as e:
        raise MapError(f"{place}: line {e.lineno}, column {e.colno}: malformed JSON: {e.msg}") from None
    except RecursionError:
        raise MapError(f"{place}: malformed JSON: nested too deeply") from None
