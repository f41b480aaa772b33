"""The display of games and logs in notebooks; a package above this one registers the function that makes it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

#: Makes the HTML of a game or of a log; None if that is not possible.
Maker = Callable[[Any], str | None]

_maker: Maker | None = None


def register_html_renderer(maker: Maker) -> None:
    """Register the function that shows games and logs from now on."""
    global _maker
    _maker = maker


def html_of(shown: Any) -> str | None:
    """Return the HTML of a game or of a log; None if there is none, so that a notebook uses another form."""
    return None if _maker is None else _maker(shown)
