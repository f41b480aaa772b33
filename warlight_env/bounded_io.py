"""Limits on input from outside, and functions that check them: bytes, values, nesting, digits.

All code that reads a file, an upload or a text uses this module. It rejects input beyond a limit before this input
costs more memory or time; the error names the place and the limit. It also rejects input that no parser can read. All
files that this project writes are within the limits. The documentation of each file format names its limits.
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

#: The maximum number of bytes of an uncompressed log, of bytes of one of its lines, and of its lines.
LOG_BYTES: Final = 64 * MIB
LOG_LINE: Final = 24 * MIB
LOG_LINES: Final = 250_000
#: The largest `json_object_bound` of a log or of another JSON text. To read, write or draw a log takes at most about
#: 170 bytes of memory for each unit of this bound.
VALUES: Final = 5_000_000
#: The maximum number of bytes of a map.
MAP_BYTES: Final = 16 * MIB
#: The maximum number of elements of a map in XML.
ELEMENTS: Final = 200_000
#: The maximum number of bytes of files that people write by hand: settings, tournaments, weights.
SETTINGS_BYTES: Final = MIB
#: The maximum number of bytes of files that runs write: descriptions, results, and lines of journals.
RESULT_BYTES: Final = 64 * MIB
#: The maximum number of bytes of the arrays of a policy or a checkpoint, and the maximum number of these arrays.
ARRAYS_BYTES: Final = 192 * MIB
ARRAYS: Final = 4000
#: The maximum number of bytes of a model file of another library.
MODEL_BYTES: Final = 4096 * MIB
#: The maximum number of levels of nested objects and lists.
DEPTH: Final = 64
#: The maximum number of digits of an integer; numbers of this size still fit a float.
DIGITS: Final = 300
#: The maximum number of parts of a key in TOML (a.b.c has 3), and of all such keys of a text together.
KEY_PARTS: Final = 16
ALL_KEY_PARTS: Final = 20_000

Error = type[InputError]

#: Flags that open a file without waiting for the other end of a FIFO. Child processes do not inherit the file.
_READ: Final = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)

_PART: Final = r"""(?:[\w-]+|"(?:\\.|[^"\\\n])*"?|'[^'\n]*'?)"""
#: The tokens of a TOML text: multi-line strings and comments, or (group 1) a word, a string, or several of them with
#: dots between them, which are a key or a number.
_TOML: Final = re.compile(
    rf'''"""(?:\\.|[^\\])*?(?:"""|\Z)|\'\'\'.*?(?:\'\'\'|\Z)|\#[^\n]*|({_PART}(?:[ \t]*\.[ \t]*{_PART})*)''',
    re.ASCII | re.DOTALL,
)
_TOML_PART: Final = re.compile(_PART, re.ASCII)
#: Finds places where a JSON text may have a number with too many digits or a number that is not finite. Most texts have
#: none; then the numbers need no check one by one.
_ODD_NUMBER: Final = re.compile(r"[0-9]{200}|[eE]\+?[0-9]{3}")


def reason(error: Exception) -> str:
    """Return the short reason of an error from the system, also for an invalid file name."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return "this is not a valid file name" if isinstance(error, UnicodeError) else str(error)


def open_file(path: Path) -> BufferedReader:
    """Open a regular file to read; never block on another kind of file.

    Raises:
        OSError: the file cannot be opened, or is not a regular file. ValueError: the name is not a valid file name.
    """
    _check_regular(os.stat(path), path)  # opening a device may have effects, and a socket cannot be opened
    descriptor = os.open(path, _READ)
    try:
        _check_regular(os.fstat(descriptor), path)  # the name may belong to another file now
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
    """Return a file's bytes, if their number is at most `most`.

    Raises:
        error: the file cannot be read, is not a regular file, or is larger; `what` names the expected kind of file.
    """
    try:
        with open_file(path) as file:
            data = file.read(most + 1)
    except (OSError, ValueError) as problem:
        raise error(f"{shown(path)}: cannot be read: {reason(problem)}") from None
    if len(data) > most:
        raise error(f"{shown(path)}: more than {format_size(most)}, the limit for this kind of file ({what})")
    return data


def read_text(path: Path, most: int, error: Error, what: str) -> str:
    """Return the text of a UTF-8 file, with or without a byte order mark; see `read_bytes`."""
    return decode_text(read_bytes(path, most, error, what), shown(path), error)


#: First bytes of files that do not contain UTF-8 text, and the kinds of these files; longer beginnings first.
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
    """Return the text of a file's bytes in UTF-8, with or without a byte order mark.

    Raises:
        error: the bytes are not UTF-8 text. The message begins with `place`, names the apparent kind of file, and ends
            with `more`.
    """
    if (kind := _kind_of(data)) is not None:
        convert = "; convert it to UTF-8" if kind.startswith("UTF-") else ""
        raise error(f"{place}: not UTF-8 text: the file appears to be {kind}{convert}{more}")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise error(f"{place}: not UTF-8 text: {problem.reason} at byte {problem.start}{more}") from None


def _kind_of(data: bytes) -> str | None:
    """Return the apparent kind of a file from its first bytes; None: it may be UTF-8 text."""
    for beginning, kind in _BEGINNINGS:
        if data.startswith(beginning):
            return kind
    low, high = data[:2], data[2:4]
    if len(data) >= 4 and (low[0] == 0) != (low[1] == 0) and (low[0] == 0, low[1] == 0) == (high[0] == 0, high[1] == 0):
        return "UTF-16 text"  # without a byte order mark; ASCII letters have 0 as every second byte
    return None


def shown(path: object) -> str:
    """Return a file's name for a message: shortened, with unprintable characters escaped."""
    return clipped(readable(str(path)), 300)


def format_size(size: int) -> str:
    """Return a number of bytes as text, in MiB if it is large."""
    return f"{size // MIB} MiB" if size >= MIB else f"{size} bytes"


def json_object_bound(text: str | bytes) -> int:
    """Return an upper bound on the size of a JSON text; numbers, strings and keys count 1, lists 2, objects 4."""
    if isinstance(text, str):
        return text.count(",") + text.count(":") + 2 * text.count("[") + 4 * text.count("{")
    return text.count(b",") + text.count(b":") + 2 * text.count(b"[") + 4 * text.count(b"{")


def deeper_than(value: Any, most: int = DEPTH) -> bool:
    """Return whether lists and objects are nested more than `most` levels deep."""
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
    """An error for a number that cannot be used."""

    def __init__(self, literal: str, why: str) -> None:
        super().__init__(why)
        self.literal = literal


class _TwiceError(ValueError):
    """An error for a key that an object contains twice."""


def _decoder(digits: int) -> json.JSONDecoder:
    """Return a decoder that rejects NaN, duplicate keys, infinite numbers and integers with too many digits."""

    def constant(literal: str) -> NoReturn:
        raise _LiteralError(literal, f"{literal} is not a number")

    def whole(literal: str) -> int:
        if len(literal) > digits:
            raise _LiteralError(literal, f"number of {len(literal)} digits")
        return int(literal)

    def real(literal: str) -> float:
        value = float(literal)
        if math.isinf(value):
            raise _LiteralError(literal, f"{clipped(literal, 60)} is too large for a number")
        return value

    odd: dict[str, Any] = {"parse_int": whole, "parse_float": real} if digits else {}
    return json.JSONDecoder(parse_constant=constant, object_pairs_hook=_pairs, **odd)


def _pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(items)
    if len(found) < len(items):
        seen: set[str] = set()
        twice = next(key for key, _ in items if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise _TwiceError(f"key {clipped(twice, 100)!r} occurs twice in one object")
    return found


#: Decoders by the maximum number of digits of an integer; 0: for texts in which `_ODD_NUMBER` finds nothing.
_DECODERS: Final = {digits: _decoder(digits) for digits in (0, DIGITS)}


def decode_json(text: str) -> Any:
    """Return the value of a JSON text with a checked `json_object_bound`; reject NaN and duplicate keys.

    Raises:
        ValueError: the text is not JSON, has a key twice in an object, or a number that is not finite or has too many
            digits.
        RecursionError: its nesting is too deep for the parser.
    """
    return _DECODERS[DIGITS if _ODD_NUMBER.search(text) else 0].decode(text)


def decode_line(line: bytes) -> Any:
    """Return the value of a line of JSON of any origin, for example from a file that a run wrote.

    Raises:
        ValueError: the line is not JSON, see `decode_json`, or beyond the limits. RecursionError: see `decode_json`.
    """
    if json_object_bound(line) > VALUES:
        raise ValueError(f"more than {VALUES:,} values")
    value = decode_json(line.decode())
    if deeper_than(value):
        raise ValueError(f"nested too deeply: more than {DEPTH} levels")
    return value


def parse_json(text: str, place: str, error: Error, *, digits: int = DIGITS) -> Any:
    """Return the value of a JSON text; reject parts that are not JSON (NaN) or ambiguous (a key that occurs twice).

    Raises:
        error: the text is not JSON, or beyond the limits; the message begins with `place`.
    """
    if json_object_bound(text) > VALUES:
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
    """Return the table of a TOML text.

    Raises:
        error: the text is not TOML, or beyond the limits; the message begins with `place`.
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
    except ValueError:  # Python's own limit of a few thousand digits
        raise error(f"{place}: a number has too many digits") from None
    _check_digits(value, place, error)
    return value


def _check_keys(text: str, place: str, error: Error) -> None:
    """Reject keys with too many parts: the parser's time grows with the square of the number of parts."""
    parts = 0
    for found in _TOML.finditer(text):
        key = found[1]
        if key is None or "." not in key:
            continue
        there = len(_TOML_PART.findall(key))
        if there > KEY_PARTS:
            line = text.count("\n", 0, found.start()) + 1
            raise error(f"{place}: line {line}: a key has more than {KEY_PARTS} parts: {clipped(key, 60)}")
        parts += there if there > 1 else 0
    if parts > ALL_KEY_PARTS:
        raise error(f"{place}: dotted keys have more than {ALL_KEY_PARTS:,} parts in total")


def _check_digits(value: Any, place: str, error: Error) -> None:
    """Reject integers of more than `DIGITS` digits anywhere in plain data of limited depth."""
    if isinstance(value, int):
        if abs(value) >= 10**DIGITS:
            raise error(f"{place}: a number has too many digits")
        return
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for one in inner:
        _check_digits(one, place, error)
