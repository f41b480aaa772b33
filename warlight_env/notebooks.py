"""What a notebook shows of a game: made by packages far above it, which say here how."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

#: Makes the HTML of a game or of a log; None where it cannot.
Maker = Callable[[Any], str | None]

_maker: Maker | None = None


def shown_by(maker: Maker) -> None:
    """Have games and logs shown so from now on."""
    global _maker
    _maker = maker


def html_of(shown: Any) -> str | None:
    """The HTML of a game or of a log; None, so that a notebook shows something else, where there is none."""
    return None if _maker is None else _maker(shown)
