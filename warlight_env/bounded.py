"""Bounds on what is read from outside, and reading within them: bytes, values, nesting, digits, before more is built.

Whoever reads a file, an upload or a text goes through here: what is too large is refused with its place and the bound
before anything that costs more is made of it, and so is what no parser can take. The bounds let through all that this
project writes; each is documented beside its form.
"""

from __future__ import annotations

import errno
import json
import math
import os
import re
import stat
from io import BufferedReader
from pathlib import Path
from typing import Any, Final, NoReturn

from warlight_env.errors import InputError, clipped, readable
from warlight_env.file_kinds import not_regular

MIB: Final = 1 << 20

#: Bytes of a log, uncompressed, of one of its lines, and how many lines it has.
LOG_BYTES: Final = 64 * MIB
LOG_LINE: Final = 24 * MIB
LOG_LINES: Final = 250_000
#: What may be in a log, or in another text of JSON, see `weight`. What makes most of it holds some 170 bytes of memory
#: for each, while a log is read, written and drawn.
VALUES: Final = 5_000_000
#: Bytes of a map.
MAP_BYTES: Final = 16 * MIB
#: Elements of a map in XML.
ELEMENTS: Final = 200_000
#: Bytes of what people write by hand: settings, tournaments, weights.
SETTINGS_BYTES: Final = MIB
#: Bytes of what runs write: descriptions, results, and lines of journals.
RESULT_BYTES: Final = 64 * MIB
#: Bytes of arrays, which a policy or a checkpoint has, and how many of them.
ARRAYS_BYTES: Final = 192 * MIB
ARRAYS: Final = 4000
#: Bytes of a model that another library reads.
MODEL_BYTES: Final = 4096 * MIB
#: Objects and lists within each other.
DEPTH: Final = 64
#: Of an integer: those of so many still are numbers for computers, too.
DIGITS: Final = 300
#: Parts of a key in TOML, as in a.b.c; and of all such keys of a text together.
KEY_PARTS: Final = 16
ALL_KEY_PARTS: Final = 20_000

Error = type[InputError]

#: To open a file without waiting for the other end of a FIFO. A process that we start does not inherit the file.
_READ: Final = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)

_PART: Final = r"""(?:[\w-]+|"(?:\\.|[^"\\\n])*"?|'[^'\n]*'?)"""
#: What stands in a text of TOML: strings of several lines and comments, or a word, a string, or parts with dots between
#: them, which are a key, or a number.
_TOML: Final = re.compile(
    rf'''"""(?:\\.|[^\\])*?(?:"""|\Z)|\'\'\'.*?(?:\'\'\'|\Z)|\#[^\n]*|({_PART}(?:[ \t]*\.[ \t]*{_PART})*)''',
    re.ASCII | re.DOTALL,
)
_TOML_PART: Final = re.compile(_PART, re.ASCII)
#: Where a text of JSON may have a number of too many digits or one that is not finite. Most texts have none, and their
#: numbers need not be looked at one by one.
_ODD_NUMBER: Final = re.compile(r"[0-9]{200}|[eE]\+?[0-9]{3}")


def reason(error: Exception) -> str:
    """Why the system did not do it, in short; also for names that no file can have."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return "no file can be called so" if isinstance(error, UnicodeError) else str(error)


def open_file(path: Path) -> BufferedReader:
    """Open a regular file to read; never wait at another kind of file.

    Raises:
        OSError: the file cannot be opened, or is no regular file. ValueError: no file has such a name.
    """
    _check_regular(os.stat(path), path)  # to open a device may do something, and a socket cannot be opened
    descriptor = os.open(path, _READ)
    try:
        _check_regular(os.fstat(descriptor), path)  # another file may have taken the name
        return open(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def _check_regular(found: os.stat_result, path: Path) -> None:
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if (wrong := not_regular(found.st_mode)) is not None:
        raise OSError(errno.EINVAL, wrong, str(path))


def read_bytes(path: Path, most: int, error: Error, what: str) -> bytes:
    """A file's bytes, if it has at most so many.

    Raises:
        error: it cannot be read, is no regular file, or is larger; `what` says what it should have been.
    """
    try:
        with open_file(path) as file:
            data = file.read(most + 1)
    except (OSError, ValueError) as problem:
        raise error(f"{shown(path)}: cannot be read: {reason(problem)}") from None
    if len(data) > most:
        raise error(f"{shown(path)}: more than {in_words(most)}: that is no {what}")
    return data


def read_text(path: Path, most: int, error: Error, what: str) -> str:
    """A file's text in UTF-8, with or without a byte order mark; see `read_bytes`."""
    return decode_text(read_bytes(path, most, error, what), shown(path), error)


#: How files begin that hold no text in UTF-8, and what they are; the longer beginnings first.
_BEGINNINGS: Final = (
    (b"\xff\xfe\0\0", "UTF-32 text"),
    (b"\0\0\xfe\xff", "UTF-32 text"),
    (b"\xff\xfe", "UTF-16 text"),
    (b"\xfe\xff", "UTF-16 text"),
    (b"\x1f\x8b", "gzip data"),
    (b"\x89PNG\r\n\x1a\n", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF8", "a GIF picture"),
    (b"PK\x03\x04", "a ZIP archive"),
    (b"PK\x05\x06", "a ZIP archive"),
    (b"%PDF-", "a PDF document"),
)


def decode_text(data: bytes, place: str, error: Error, more: str = "") -> str:
    """The text of a file's bytes in UTF-8, with or without a byte order mark.

    Raises:
        error: it is no such text; the message begins with `place`, names what the bytes appear to be, ends with `more`.
    """
    if (kind := _kind_of(data)) is not None:
        convert = "; convert it to UTF-8" if kind.startswith("UTF-") else ""
        raise error(f"{place}: not UTF-8 text: the file appears to be {kind}{convert}{more}")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise error(f"{place}: not UTF-8 text: {problem.reason} at byte {problem.start}{more}") from None


def _kind_of(data: bytes) -> str | None:
    """What a file appears to be by its first bytes; None: it may be text in UTF-8."""
    for beginning, kind in _BEGINNINGS:
        if data.startswith(beginning):
            return kind
    low, high = data[:2], data[2:4]
    if len(data) >= 4 and (low[0] == 0) != (low[1] == 0) and (low[0] == 0, low[1] == 0) == (high[0] == 0, high[1] == 0):
        return "UTF-16 text"  # without a byte order mark: each second byte of plain letters is 0
    return None


def shown(path: object) -> str:
    """A file's name in a message: what cannot be printed escaped, and not too long."""
    return clipped(readable(str(path)), 300)


def in_words(size: int) -> str:
    """A number of bytes as people say it."""
    return f"{size // MIB} MiB" if size >= MIB else f"{size} bytes"


def weight(text: str | bytes) -> int:
    """How much would be built of a text of JSON at most; numbers, strings and keys weigh 1, lists 2, objects 4."""
    if isinstance(text, str):
        return text.count(",") + text.count(":") + 2 * text.count("[") + 4 * text.count("{")
    return text.count(b",") + text.count(b":") + 2 * text.count(b"[") + 4 * text.count(b"{")


def deeper_than(value: Any, most: int = DEPTH) -> bool:
    """Whether lists and objects lie within each other more than so many deep."""
    level = [value] if isinstance(value, (dict, list)) else []
    for _ in range(most):
        if not level:
            return False
        level = [
            inner
            for outer in level
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, (dict, list))
        ]
    return bool(level)


class _LiteralError(ValueError):
    """A number that none is made of."""

    def __init__(self, literal: str, why: str) -> None:
        super().__init__(why)
        self.literal = literal


class _TwiceError(ValueError):
    """A key that an object has twice."""


def _decoder(digits: int) -> json.JSONDecoder:
    """Takes JSON without what it does not have (NaN), what it leaves open, and what no computer can count with."""

    def constant(literal: str) -> NoReturn:
        raise _LiteralError(literal, f"{literal} is not a number")

    def whole(literal: str) -> int:
        if len(literal) > digits:
            raise _LiteralError(literal, f"number of {len(literal)} digits")
        return int(literal)

    def real(literal: str) -> float:
        value = float(literal)
        if math.isinf(value):
            raise _LiteralError(literal, f"{clipped(literal, 60)} is beyond all numbers")
        return value

    odd: dict[str, Any] = {"parse_int": whole, "parse_float": real} if digits else {}
    return json.JSONDecoder(parse_constant=constant, object_pairs_hook=_pairs, **odd)


def _pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(items)
    if len(found) < len(items):
        seen: set[str] = set()
        twice = next(key for key, _ in items if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise _TwiceError(f"key {clipped(twice, 100)!r} twice in one object")
    return found


#: By the digits that an integer may have; 0: no number of the text is odd.
_DECODERS: Final = {digits: _decoder(digits) for digits in (0, DIGITS)}


def decode_json(text: str) -> Any:
    """The value of a JSON text whose `weight` is known, without what JSON does not have or leaves open.

    Raises:
        ValueError: it is no JSON, has a key twice in an object, or a number that is not finite or of too many digits.
        RecursionError: it is nested too deeply for any computer.
    """
    return _DECODERS[DIGITS if _ODD_NUMBER.search(text) else 0].decode(text)


def decode_line(line: bytes) -> Any:
    """The value of a line of JSON that a run wrote, or that might be of anybody.

    Raises:
        ValueError: it is none, see `decode_json`, or beyond the bounds. RecursionError: see there.
    """
    if weight(line) > VALUES:
        raise ValueError(f"more than {VALUES:,} values")
    value = decode_json(line.decode())
    if deeper_than(value):
        raise ValueError(f"nested too deeply: more than {DEPTH} levels")
    return value


def parse_json(text: str, place: str, error: Error, *, digits: int = DIGITS) -> Any:
    """The value of a JSON text, without what JSON itself does not have (NaN) or leaves open (a key given twice).

    Raises:
        error: it is no JSON, or beyond the bounds; `place` begins the message.
    """
    if weight(text) > VALUES:
        raise error(f"{place}: more than {VALUES:,} values")
    try:
        value = decode_json(text) if digits == DIGITS else _decoder(digits).decode(text)
    except _LiteralError as problem:
        line = text.count("\n", 0, max(text.find(problem.literal), 0)) + 1
        raise error(f"{place}: line {line}: {problem}") from None
    except _TwiceError as problem:
        raise error(f"{place}: {problem}") from None
    except json.JSONDecodeError as problem:
        raise error(f"{place}: line {problem.lineno}, column {problem.colno}: malformed JSON: {problem.msg}") from None
    except RecursionError:
        raise error(f"{place}: malformed JSON: nested too deeply") from None
    if deeper_than(value):
        raise error(f"{place}: malformed JSON: nested too deeply: more than {DEPTH} levels")
    return value


def parse_toml(text: str, place: str, error: Error) -> dict[str, Any]:
    """The table of a TOML text.

    Raises:
        error: it is no TOML, or beyond the bounds; `place` begins the message.
    """
    import tomllib

    _check_keys(text, place, error)
    try:
        value = tomllib.loads(text)
        if deeper_than(value):
            raise RecursionError
    except tomllib.TOMLDecodeError as problem:
        raise error(f"{place}: {problem}") from None
    except RecursionError:
        raise error(f"{place}: nested too deeply") from None
    except ValueError:  # Python's own limit, of thousands of digits
        raise error(f"{place}: a number of too many digits") from None
    _check_digits(value, place, error)
    return value


def _check_keys(text: str, place: str, error: Error) -> None:
    """Refuse keys of so many parts that the time it takes to read them, which grows with their square, is long."""
    parts = 0
    for found in _TOML.finditer(text):
        key = found[1]
        if key is None or "." not in key:
            continue
        there = len(_TOML_PART.findall(key))
        if there > KEY_PARTS:
            line = text.count("\n", 0, found.start()) + 1
            raise error(f"{place}: line {line}: a key of more than {KEY_PARTS} parts: {clipped(key, 60)}")
        parts += there if there > 1 else 0
    if parts > ALL_KEY_PARTS:
        raise error(f"{place}: more than {ALL_KEY_PARTS:,} parts of keys with dots")


def _check_digits(value: Any, place: str, error: Error) -> None:
    """Refuse integers of more than `DIGITS` digits anywhere in plain data that is not nested too deeply."""
    if isinstance(value, int):
        if abs(value) >= 10**DIGITS:
            raise error(f"{place}: a number of too many digits")
        return
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for one in inner:
        _check_digits(one, place, error)
