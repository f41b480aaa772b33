"""HTML of games and logs for Jupyter notebooks. `warlight_env/__init__.py` registers the function that makes HTML."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

#: A function that returns the HTML of a game or a game log, or None if it cannot make the HTML.
Maker = Callable[[Any], str | None]

_maker: Maker | None = None


def register_html_renderer(maker: Maker) -> None:
    """Register the function that `html_of` calls from now on."""
    global _maker
    _maker = maker


def html_of(item: Any) -> str | None:
    """Return the HTML of a game or a game log, or None; for None, a notebook shows another form, such as a picture."""
    return None if _maker is None else _maker(item)
