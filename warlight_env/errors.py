"""Base classes of the project's errors, and the hint for a mistyped word."""

from __future__ import annotations

from collections.abc import Iterable


class InputError(ValueError):
    """Something given that cannot be used: the message names the place and the reason, and nothing has changed."""


class RunError(RuntimeError):
    """Something that failed while running through no fault of the input."""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`` (did you mean 'X'?)`` for the known word closest to ``word``, or nothing."""
    from difflib import get_close_matches

    by_key = {k.casefold(): k for k in known}
    close = get_close_matches(word.casefold(), list(by_key), n=1, cutoff=0.5)
    return f" (did you mean {by_key[close[0]]!r}?)" if close else ""
