"""`GameLog`, a logged game, and functions that read log files: complete or partial logs, compressed or not.

The last part of a file may be missing.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from warlight_env import bounded_io
from warlight_env.arguments import path_of
from warlight_env.errors import clipped
from warlight_env.record.checks import JsonFields
from warlight_env.record.decode import Decoder, decode_end, decode_failure, decode_header
from warlight_env.record.encode import log_lines
from warlight_env.record.errors import LogError
from warlight_env.record.files import GZIP, LEVEL, replace_file
from warlight_env.record.model import End, Header, LoggedFailure, LoggedGame, Status, status_of
from warlight_env.record.names import COMPRESSED, suffix_of
from warlight_env.registration_hooks import html_of

#: The maximum number of members (compressed parts) of a gzip file, and the number of bytes to decompress at a time.
_MEMBERS: Final = 1000
_CHUNK: Final = 1 << 16

_LOG: Final = "game's log"
#: The first bytes of an event's line that this package has written.
_EVENT_PREFIX: Final = b'{"event":"'


class GameLog(LoggedGame):
    """The log of a game. The log of an interrupted game contains only the part before the interruption.

    Regions and players are numbered from 0, rounds from 1.
    """

    @classmethod
    def from_logged_game(cls, game: LoggedGame) -> GameLog:
        """Convert a `LoggedGame` to a `GameLog`."""
        return cls(
            game.header, game.start, game.steps, game.failures, game.end, game.insights, game.draw, game.variations
        )

    @classmethod
    def load(cls, path: str | Path) -> GameLog:
        """Read a log file of any version of the format up to the current one.

        If the end of the file is missing, the result contains the complete rounds, and `complete` is False.

        Raises:
            LogError: the file cannot be read, is not a log, has a newer version, or is damaged before its end.
        """
        path = path_of(path, "path", LogError)
        return read(read_text(path), path)

    def save(self, path: str | Path) -> None:
        """Write a log file in one step. The file is compressed if its name ends in ``.gz``.

        Raises:
            LogError: the name does not end in ``.wl.jsonl`` or ``.wl.jsonl.gz``.
            LogWriteError: the file cannot be written; if a file with this name exists, it is unchanged.
        """
        path = path_of(path, "path", LogError)
        compressed = suffix_of(path) == COMPRESSED
        data = b"".join(line + b"\n" for line in log_lines(self))
        replace_file(path, zlib.compress(data, LEVEL, GZIP) if compressed else data)

    def _repr_html_(self) -> str | None:
        """Return an HTML frame with the replay page, for notebooks; None if the page is not installed."""
        return html_of(self)


def read(text: bytes, path: Path) -> GameLog:
    """Decode the text of a log that `read_text` returned. Error messages begin with `path`."""
    header, lines = _header_and_lines(text, path)
    decoder = Decoder(header)
    for line, place in lines:
        decoder.add_line(_parse(line, place), place)
    return GameLog.from_logged_game(decoder.finish())


@dataclass(frozen=True)
class LogSummary:
    """The data that a list of logs shows about a log: header, number of rounds, failures and result of the game."""

    header: Header
    rounds: int
    failures: tuple[LoggedFailure, ...]
    end: End | None
    picks: int = 0  #: number of steps in the picking phase

    @property
    def status(self) -> Status:
        """The status of the log. See `GameLog.status`."""
        return status_of(self.rounds, self.failures, self.end)


def summarize(path: Path) -> LogSummary:
    """Return the summary of a log. The function is much faster than `GameLog.load`, because it does not decode rounds.

    The function raises the same errors as `GameLog.load`, except for errors in the content of rounds.
    """
    path = path_of(path, "path", LogError)
    header, lines = _header_and_lines(read_text(path), path)
    rounds, end, failures, picks, players = 0, None, [], 0, len(header.players)
    for line, place in lines:
        kind = _kind(line, place)
        if kind == "round":
            rounds += 1
        elif kind == "picks":
            picks += 1
        elif kind == "failure":
            failures.append(decode_failure(JsonFields(_parse(line, place), place), players))
        elif kind == "end":
            end = decode_end(JsonFields(_parse(line, place), place), players, rounds)
    return LogSummary(header, rounds, tuple(failures), end, picks)


def _kind(line: bytes, place: str) -> str:
    """Return the type of the event in a line.

    If this package has written the line, the line begins with the type of the event. A line that another program has
    written is decoded as JSON.
    """
    if line.startswith(_EVENT_PREFIX):
        return line[len(_EVENT_PREFIX) :].partition(b'"')[0].decode("utf-8", "replace")
    return JsonFields(_parse(line, place), place).text("event")


def read_text(path: Path, values: int = bounded_io.VALUES) -> bytes:
    """Return the uncompressed text of a log file. The end of the file may be missing.

    Args:
        path: the log file.
        values: the maximum result of `bounded_io.json_object_bound` for the text.

    Raises:
        LogError: the file cannot be read, the compressed data are damaged, or the file exceeds a limit for logs.
    """
    data = bounded_io.read_bytes(
        path, bounded_io.LOG_BYTES, LogError, _LOG
    )  # read first, so that a missing file is reported before a wrong suffix
    text = _decompress(data, path) if suffix_of(path) == COMPRESSED else data
    if text.count(b"\n") > bounded_io.LOG_LINES:
        raise LogError(f"{path}: not a {_LOG}: the file has more than {bounded_io.LOG_LINES:,} lines")
    if bounded_io.json_object_bound(text) > values:
        raise LogError(f"{path}: the log has more than {values:,} values, the limit for reading it")
    return text


def _decompress(data: bytes, path: Path) -> bytes:
    """Return the content of a gzip file.

    The end of the file may be missing; the file may consist of several gzip streams.

    The function decompresses small parts, so that it never uses more memory than the limit for logs.
    """
    text: list[bytes] = []
    size, members, decompressor = 0, 0, zlib.decompressobj(GZIP)
    for start in range(0, len(data), _CHUNK):
        chunk = data[start : start + _CHUNK]
        while chunk:
            if decompressor.eof:
                decompressor = zlib.decompressobj(GZIP)
                members += 1
            try:
                text.append(decompressor.decompress(chunk, bounded_io.LOG_BYTES + 1 - size))
            except zlib.error as error:
                raise LogError(f"{path}: the compressed data is damaged: {error}") from None
            size += len(text[-1])
            if size > bounded_io.LOG_BYTES:
                raise LogError(f"{path}: not a {_LOG}: it has more than {bounded_io.format_size(bounded_io.LOG_BYTES)}")
            if members > _MEMBERS:
                raise LogError(f"{path}: the file consists of more than {_MEMBERS} compressed parts")
            chunk = decompressor.unused_data
    return b"".join(text)


def _header_and_lines(text: bytes, path: Path) -> tuple[Header, Iterator[tuple[bytes, str]]]:
    """Return the header of a log, and its other complete lines, each with its place for error messages."""
    first, *others = text[: text.rfind(b"\n") + 1].split(b"\n")
    if not others:
        raise LogError(f"{path}: the log is cut off within the first line, before any data of the game")
    header = decode_header(_parse(first, f"{path}: line 1"), f"{path}: line 1")
    return header, ((line, f"{path}: line {number}") for number, line in enumerate(others[:-1], 2))


def _parse(line: bytes, place: str) -> Any:
    if len(line) > bounded_io.LOG_LINE:
        raise LogError(f"{place}: the line has more than {bounded_io.format_size(bounded_io.LOG_LINE)}")
    try:
        data = bounded_io.decode_json(line.decode())
        if b"\\ud" in line or b"\\uD" in line:
            json.dumps(data, ensure_ascii=False).encode()  # an unpaired surrogate raises an error
    except RecursionError:
        raise LogError(f"{place}: not JSON: nested too deeply") from None
    except UnicodeEncodeError as error:
        raise LogError(f"{place}: not text: {error.reason}") from None
    except ValueError as error:
        raise LogError(f"{place}: not JSON: {clipped(str(error), 200)}") from None
    return data
