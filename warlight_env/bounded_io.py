"""Limits on the size of files, uploads and texts from outside, and functions that check these limits.

All code of the package that reads a file, an upload or a text uses this module. The module rejects input that exceeds
a limit, before this input uses more memory or time. The error names the place in the input and the limit. The module
also rejects texts that are not valid JSON, TOML or UTF-8. All files that this project writes are within the limits. The
documentation of each file format states its limits.
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

#: Limits of an uncompressed game log: the number of bytes, the number of bytes of one line, and the number of lines.
LOG_BYTES: Final = 64 * MIB
LOG_LINE: Final = 24 * MIB
LOG_LINES: Final = 250_000
#: The maximum result of `json_object_bound` for a game log or another JSON text. If the result is n, code that reads,
#: writes or draws the log uses at most about 170 n bytes of memory.
VALUES: Final = 5_000_000
#: The maximum number of bytes of a map.
MAP_BYTES: Final = 16 * MIB
#: The maximum number of elements of a map in XML.
ELEMENTS: Final = 200_000
#: The maximum number of bytes of a file that people write by hand: settings, a tournament, or evaluation weights.
SETTINGS_BYTES: Final = MIB
#: The maximum number of bytes of a description file or result file of a run, and of a line of a training journal.
RESULT_BYTES: Final = 64 * MIB
#: The maximum number of bytes of all arrays in a policy file or a checkpoint, and the maximum number of the arrays.
ARRAYS_BYTES: Final = 192 * MIB
ARRAYS: Final = 4000
#: The maximum number of bytes of a model file that another library wrote, for example Stable-Baselines3.
MODEL_BYTES: Final = 4096 * MIB
#: The maximum number of levels of nested objects and lists.
DEPTH: Final = 64
#: The maximum number of decimal digits of an integer. An integer of this size can still be converted to a float.
DIGITS: Final = 300
#: The maximum number of parts of a dotted key in TOML (a.b.c has 3 parts), and of all dotted keys of a text together.
KEY_PARTS: Final = 16
ALL_KEY_PARTS: Final = 20_000

Error = type[InputError]

#: Flags of `os.open`. They open a FIFO without waiting for a writer, and child processes do not inherit the file.
_READ: Final = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)

_PART: Final = r"""(?:[\w-]+|"(?:\\.|[^"\\\n])*"?|'[^'\n]*'?)"""
#: Matches a token of a TOML text: a multi-line string, a comment, or the parts of a key or number. Group 1 contains
#: only the last kind of token: a word, a string, or several words and strings with dots between them.
_TOML: Final = re.compile(
    rf'''"""(?:\\.|[^\\])*?(?:"""|\Z)|\'\'\'.*?(?:\'\'\'|\Z)|\#[^\n]*|({_PART}(?:[ \t]*\.[ \t]*{_PART})*)''',
    re.ASCII | re.DOTALL,
)
_TOML_PART: Final = re.compile(_PART, re.ASCII)
#: Matches JSON text that may contain a number with too many digits or an infinite number. If a text has no match, the
#: decoder does not check each number.
_ODD_NUMBER: Final = re.compile(r"[0-9]{200}|[eE]\+?[0-9]{3}")


def reason(error: Exception) -> str:
    """Return a short text with the reason of an `OSError` or of an invalid file name."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return "this is not a valid file name" if isinstance(error, UnicodeError) else str(error)


def open_file(path: Path) -> BufferedReader:
    """Open a regular file for reading. The call never waits, even if the path is the name of a FIFO or a device.

    Raises:
        OSError: the file cannot be opened, or is not a regular file. ValueError: the name is not a valid file name.
    """
    _check_regular(os.stat(path), path)  # check first: opening a device may have effects, opening a socket fails
    descriptor = os.open(path, _READ)
    try:
        _check_regular(os.fstat(descriptor), path)  # check again: another file may have this name now
        return open(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def _check_regular(status: os.stat_result, path: Path) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if (problem := not_regular(status.st_mode)) is not None:
        raise OSError(errno.EINVAL, problem, str(path))


def read_bytes(path: Path, limit: int, error: Error, kind: str) -> bytes:
    """Return the bytes of a file that has at most `limit` bytes.

    Raises:
        error: the file cannot be read, is not a regular file, or has more than `limit` bytes. The message contains
            `kind`, the name of the expected kind of file.
    """
    try:
        with open_file(path) as file:
            data = file.read(limit + 1)
    except (OSError, ValueError) as problem:
        raise error(f"{shown(path)}: cannot be read: {reason(problem)}") from None
    if len(data) > limit:
        raise error(f"{shown(path)}: more than {format_size(limit)}, the limit for this kind of file ({kind})")
    return data


def read_text(path: Path, limit: int, error: Error, kind: str) -> str:
    """Return the text of a UTF-8 file, without its byte order mark. The arguments are those of `read_bytes`."""
    return decode_text(read_bytes(path, limit, error, kind), shown(path), error)


#: The first bytes of file formats that are not UTF-8 text, with the names of the formats. The UTF-32 entries precede
#: the UTF-16 entries, because a UTF-32 file can begin with the bytes of the UTF-16 mark.
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


def decode_text(data: bytes, place: str, error: Error, suffix: str = "") -> str:
    """Decode a file's bytes from UTF-8, and remove a byte order mark.

    Raises:
        error: the bytes are not UTF-8 text. The message begins with `place` and ends with `suffix`. If the first bytes
            are those of another file format, the message names this format.
    """
    if (kind := _kind_of(data)) is not None:
        convert = "; convert it to UTF-8" if kind.startswith("UTF-") else ""
        raise error(f"{place}: not UTF-8 text: the file appears to be {kind}{convert}{suffix}")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise error(f"{place}: not UTF-8 text: {problem.reason} at byte {problem.start}{suffix}") from None


def _kind_of(data: bytes) -> str | None:
    """Guess the format of a file from its first bytes. Return None if the file may be UTF-8 text."""
    for beginning, kind in _BEGINNINGS:
        if data.startswith(beginning):
            return kind
    low, high = data[:2], data[2:4]
    if len(data) >= 4 and (low[0] == 0) != (low[1] == 0) and (low[0] == 0, low[1] == 0) == (high[0] == 0, high[1] == 0):
        return "UTF-16 text"  # without a byte order mark: every second byte of an ASCII text in UTF-16 is 0
    return None


def shown(path: object) -> str:
    """Return a file's name for an error message: unprintable characters are escaped, and a long name is shortened."""
    return clipped(readable(str(path)), 300)


def format_size(size: int) -> str:
    """Return a number of bytes as text, in MiB if it is at least 1 MiB."""
    return f"{size // MIB} MiB" if size >= MIB else f"{size} bytes"


def json_object_bound(text: str | bytes) -> int:
    """Return an upper bound on the number of objects that decoding a JSON text makes, without decoding it.

    The bound is the sum over all values in the text: 1 for a number, a string or a key, 2 for a list, 4 for an object.
    """
    if isinstance(text, str):
        return text.count(",") + text.count(":") + 2 * text.count("[") + 4 * text.count("{")
    return text.count(b",") + text.count(b":") + 2 * text.count(b"[") + 4 * text.count(b"{")


def too_deep(value: Any) -> bool:
    """Return whether lists and objects are nested more than `DEPTH` levels deep."""
    level = [value] if isinstance(value, (dict, list)) else []
    for _ in range(DEPTH):
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
    """An error for a number in a JSON text that is not finite or has too many digits."""

    def __init__(self, literal: str, message: str) -> None:
        super().__init__(message)
        self.literal = literal


class _TwiceError(ValueError):
    """An error for a key that occurs twice in one JSON object."""


def _decoder(digits: int) -> json.JSONDecoder:
    """Return a JSON decoder that rejects NaN and duplicate keys.

    The decoder also rejects infinite numbers and integers with more than `digits` characters, unless `digits` is 0.
    """

    def constant(literal: str) -> NoReturn:
        raise _LiteralError(literal, f"{literal} is not a number")

    def parse_integer(literal: str) -> int:
        if len(literal) > digits:
            raise _LiteralError(literal, f"a number has {len(literal)} digits, more than {digits}")
        return int(literal)

    def parse_float(literal: str) -> float:
        value = float(literal)
        if math.isinf(value):
            raise _LiteralError(literal, f"{clipped(literal, 60)} is too large for a number")
        return value

    limits: dict[str, Any] = {"parse_int": parse_integer, "parse_float": parse_float} if digits else {}
    return json.JSONDecoder(parse_constant=constant, object_pairs_hook=_pairs, **limits)


def _pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
    mapping = dict(items)
    if len(mapping) < len(items):
        keys: set[str] = set()
        duplicate = next(key for key, _ in items if key in keys or keys.add(key))  # type: ignore[func-returns-value]
        raise _TwiceError(f"key {clipped(duplicate, 100)!r} occurs twice in one object")
    return mapping


#: JSON decoders. Key: the maximum number of digits of an integer, or 0 for texts in which `_ODD_NUMBER` finds no match.
_DECODERS: Final = {digits: _decoder(digits) for digits in (0, DIGITS)}


def decode_json(text: str) -> Any:
    """Return the value of a JSON text. The caller must first check the text with `json_object_bound`.

    Raises:
        ValueError: the text is not JSON, an object has a key twice, a number is not finite, or a number has too many
            digits.
        RecursionError: lists and objects are nested too deeply for the parser.
    """
    return _DECODERS[DIGITS if _ODD_NUMBER.search(text) else 0].decode(text)


def decode_line(line: bytes) -> Any:
    """Return the value of a line of JSON, after a check of the limits. The line may come from an untrusted file.

    Raises:
        ValueError: the line is not JSON (see `decode_json`) or exceeds a limit.
        RecursionError: lists and objects are nested too deeply for the parser.
    """
    if json_object_bound(line) > VALUES:
        raise ValueError(f"more than {VALUES:,} values")
    value = decode_json(line.decode())
    if too_deep(value):
        raise ValueError(f"nested too deeply: more than {DEPTH} levels")
    return value


def parse_json(text: str, place: str, error: Error, *, digits: int = DIGITS) -> Any:
    """Return the value of a JSON text. Reject NaN, which is not valid JSON, and a key that occurs twice in an object.

    Raises:
        error: the text is not JSON, or exceeds a limit of this module; the message begins with `place`.
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
    if too_deep(value):
        raise error(f"{place}: malformed JSON: nested too deeply: more than {DEPTH} levels")
    return value


def parse_toml(text: str, place: str, error: Error) -> dict[str, Any]:
    """Return the content of a TOML text as a dict.

    Raises:
        error: the text is not TOML, or exceeds a limit of this module; the message begins with `place`.
    """
    import tomllib

    _check_keys(text, place, error)
    try:
        value = tomllib.loads(text)
        if too_deep(value):
            raise RecursionError
    except tomllib.TOMLDecodeError as problem:
        raise error(f"{place}: {problem}") from None
    except RecursionError:
        raise error(f"{place}: nested too deeply") from None
    except ValueError:  # Python converts no text of more than a few thousand digits to an integer
        raise error(f"{place}: a number has too many digits") from None
    _check_digits(value, place, error)
    return value


def _check_keys(text: str, place: str, error: Error) -> None:
    """Raise `error` if dotted keys have too many parts: the TOML parser's time is quadratic in the number of parts."""
    parts = 0
    for match in _TOML.finditer(text):
        key = match[1]
        if key is None or "." not in key:
            continue
        count = len(_TOML_PART.findall(key))
        if count > KEY_PARTS:
            line = text.count("\n", 0, match.start()) + 1
            raise error(f"{place}: line {line}: a key has more than {KEY_PARTS} parts: {clipped(key, 60)}")
        parts += count if count > 1 else 0
    if parts > ALL_KEY_PARTS:
        raise error(f"{place}: dotted keys have more than {ALL_KEY_PARTS:,} parts in total")


def _check_digits(value: Any, place: str, error: Error) -> None:
    """Raise `error` if a number, or a number inside lists and dicts, has more than `DIGITS` digits.

    The caller must first check the nesting depth of the lists and dicts.
    """
    if isinstance(value, int):
        if abs(value) >= 10**DIGITS:
            raise error(f"{place}: a number has too many digits")
        return
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for element in inner:
        _check_digits(element, place, error)
