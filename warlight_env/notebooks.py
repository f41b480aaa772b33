"""The display of games and logs in notebooks. Another package registers the function that makes the HTML."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

#: Makes the HTML of a game or of a log; None if that is not possible.
Maker = Callable[[Any], str | None]

_maker: Maker | None = None


def register_html_renderer(maker: Maker) -> None:
    """Register the function that makes the HTML of games and logs from now on."""
    global _maker
    _maker = maker


def html_of(shown: Any) -> str | None:
    """Return the HTML of a game or of a log, or None; a notebook then uses another representation."""
    return None if _maker is None else _maker(shown)
