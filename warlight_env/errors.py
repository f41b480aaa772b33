"""Base classes of the project's errors, functions that format messages, and the suggestion for a mistyped word."""

from __future__ import annotations

import traceback
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import Final

#: The maximum number of characters of an error message. A message may quote a long text, so it is shortened.
LONGEST: Final = 2000
#: The first words of an exception's note that names the user's function in which the exception was raised.
IN_FUNCTION: Final = "in the "
#: Limits of `did_you_mean`: the number of characters of a word, and the number of known words to compare.
_WORD, _WORDS = 100, 2000


def clipped(text: str, limit: int = LONGEST) -> str:
    """Return `text`; if `text` has more than `limit` characters, replace its middle by an ellipsis."""
    if len(text) <= limit:
        return text
    return f"{text[: limit * 2 // 3]} … {text[len(text) + 3 - limit // 3 :]}"


def crash_reason(error: BaseException) -> str:
    """Return one line of text with an exception's type, its message, and the place where it was raised.

    The place is a file and a line. Tracebacks do not contain lines of compiled code. For an exception in compiled code,
    a note on the exception may name a user's function (see `engine.callback_errors`), and the text contains this note
    as the place.
    """
    # The message of a SyntaxError in a file names the place itself; the last frame is in Python's import system.
    in_file = isinstance(error, SyntaxError) and error.filename is not None and Path(error.filename).is_file()
    frames = [] if in_file else traceback.extract_tb(error.__traceback__)
    place = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
    notes = getattr(error, "__notes__", None)
    if isinstance(notes, list | tuple):
        place = next((f", {note}" for note in notes if isinstance(note, str) and note.startswith(IN_FUNCTION)), place)
    text = " ".join(str(error).split())
    return f"{type(error).__name__}{': ' if text else ''}{text}{place}"


def readable(text: str) -> str:
    """Return a text that is safe to print in a terminal: escape unprintable characters, and shorten a long text."""
    text = clipped(text)
    if text.isprintable():
        return text
    escaped = "".join(c if c.isprintable() or c == "\n" else c.encode("unicode_escape").decode("ascii") for c in text)
    return readable(escaped) if len(escaped) > LONGEST else escaped


class InputError(ValueError):
    """Invalid input. The message names the place and the reason. The call that raised the error changed nothing."""

    def __str__(self) -> str:
        return readable(super().__str__())


class RunError(RuntimeError):
    """A failure with valid input, for example a full disk or a failed worker process."""

    def __str__(self) -> str:
        return readable(super().__str__())


def did_you_mean(word: str, words: Iterable[str]) -> str:
    """Return `` (did you mean 'X'?)``, where X is the known word most similar to ``word``.

    Of equally similar words, one with the same first letter is chosen. If no known word is similar, return an empty
    text.
    """
    from difflib import SequenceMatcher, get_close_matches

    if len(word) > _WORD:
        return ""
    by_key = {k.casefold(): k for k in islice(words, _WORDS) if len(k) <= _WORD}
    key = word.casefold()
    close = get_close_matches(key, list(by_key), n=len(by_key) or 1, cutoff=0.5)
    if not close:
        return ""
    best = max(close, key=lambda candidate: (SequenceMatcher(None, candidate, key).ratio(), candidate[:1] == key[:1]))
    return f" (did you mean {by_key[best]!r}?)"
