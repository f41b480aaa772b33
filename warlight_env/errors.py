"""Base classes of the project's errors, and the hint for a mistyped word."""

from __future__ import annotations

import traceback
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import Final

#: Characters of a message at most: what is quoted may be of any length, what a person reads may not.
LONGEST: Final = 2000
#: How the note begins that names a user's function in which an exception was raised.
IN_FUNCTION: Final = "in the "
#: A longer word has no look-alike, and is none; so many are looked at.
_WORD, _WORDS = 100, 2000


def clipped(text: str, most: int = LONGEST) -> str:
    """A text of so many characters at most: of a longer one the beginning and the end."""
    if len(text) <= most:
        return text
    return f"{text[: most * 2 // 3]} … {text[len(text) + 3 - most // 3 :]}"


def crash_reason(error: BaseException) -> str:
    """An exception as one line, with the place where it was raised.

    That is a user's function where a note names one (`engine.raised`): of compiled code no traceback tells lines.
    """
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
    notes = getattr(error, "__notes__", None)
    if isinstance(notes, list | tuple):
        place = next((f", {note}" for note in notes if isinstance(note, str) and note.startswith(IN_FUNCTION)), place)
    text = " ".join(str(error).split())
    return f"{type(error).__name__}{': ' if text else ''}{text}{place}"


def readable(text: str) -> str:
    """A text as a terminal can show it: what cannot be printed escaped, the middle of one that is too long left out."""
    text = clipped(text)
    if text.isprintable():
        return text
    shown = "".join(c if c.isprintable() or c == "\n" else c.encode("unicode_escape").decode("ascii") for c in text)
    return readable(shown) if len(shown) > LONGEST else shown


class InputError(ValueError):
    """Something given that cannot be used: the message names the place and the reason, and nothing has changed."""

    def __str__(self) -> str:
        return readable(super().__str__())


class RunError(RuntimeError):
    """Something that failed while running through no fault of the input."""

    def __str__(self) -> str:
        return readable(super().__str__())


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`` (did you mean 'X'?)`` for the known word closest to ``word``, or nothing."""
    from difflib import get_close_matches

    if len(word) > _WORD:
        return ""
    by_key = {k.casefold(): k for k in islice(known, _WORDS) if len(k) <= _WORD}
    close = get_close_matches(word.casefold(), list(by_key), n=1, cutoff=0.5)
    return f" (did you mean {by_key[close[0]]!r}?)" if close else ""
