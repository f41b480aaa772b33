"""Base classes of the project's errors, and the hint for a mistyped word."""

from __future__ import annotations

import traceback
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import Final

#: The maximum number of characters of a message. Quoted text may have any length, but a message must stay readable.
LONGEST: Final = 2000
#: Beginning of the note that names the user's function in which an exception was raised.
IN_FUNCTION: Final = "in the "
#: The maximum length of words that get a suggestion or are suggested, and the maximum number of words to compare.
_WORD, _WORDS = 100, 2000


def clipped(text: str, most: int = LONGEST) -> str:
    """Return a text; if it has more than `most` characters, only its beginning and its end."""
    if len(text) <= most:
        return text
    return f"{text[: most * 2 // 3]} … {text[len(text) + 3 - most // 3 :]}"


def crash_reason(error: BaseException) -> str:
    """Return an exception as one line, with the place where it was raised.

    If a note names a user's function (`engine.callback_errors`), this function is the place, because tracebacks do not
    contain lines of compiled code.
    """
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
    notes = getattr(error, "__notes__", None)
    if isinstance(notes, list | tuple):
        place = next((f", {note}" for note in notes if isinstance(note, str) and note.startswith(IN_FUNCTION)), place)
    text = " ".join(str(error).split())
    return f"{type(error).__name__}{': ' if text else ''}{text}{place}"


def readable(text: str) -> str:
    """Return a text for a terminal, with unprintable characters escaped and without the middle of a long text."""
    text = clipped(text)
    if text.isprintable():
        return text
    shown = "".join(c if c.isprintable() or c == "\n" else c.encode("unicode_escape").decode("ascii") for c in text)
    return readable(shown) if len(shown) > LONGEST else shown


class InputError(ValueError):
    """An error for unusable input: the message names the place and the reason, and nothing has changed."""

    def __str__(self) -> str:
        return readable(super().__str__())


class RunError(RuntimeError):
    """An error during a run that is not caused by the input."""

    def __str__(self) -> str:
        return readable(super().__str__())


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return `` (did you mean 'X'?)`` for the known word closest to ``word``, or an empty text."""
    from difflib import get_close_matches

    if len(word) > _WORD:
        return ""
    by_key = {k.casefold(): k for k in islice(known, _WORDS) if len(k) <= _WORD}
    close = get_close_matches(word.casefold(), list(by_key), n=1, cutoff=0.5)
    return f" (did you mean {by_key[close[0]]!r}?)" if close else ""
