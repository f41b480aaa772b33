"""The error of every map that cannot be used, and the hint for a mistyped name."""

from __future__ import annotations

from collections.abc import Iterable


class MapError(ValueError):
    """A map that cannot be used; the message names the place (file, line or region) and the reason."""


def suggestion(word: str, known: Iterable[str]) -> str:
    """`` (did you mean 'X'?)`` for the known word closest to ``word``, or nothing."""
    from difflib import get_close_matches

    by_key = {k.casefold(): k for k in known}
    close = get_close_matches(word.casefold(), list(by_key), n=1, cutoff=0.6)
    return f" (did you mean {by_key[close[0]]!r}?)" if close else ""
