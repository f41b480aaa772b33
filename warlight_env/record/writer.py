"""A class that writes the log of a running game to a file during the game."""

from __future__ import annotations

import functools
import os
import time
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from warlight_env.arguments import path_of
from warlight_env.output import check_output, move_output, open_output, write_all
from warlight_env.record.errors import LogError, LogWriteError
from warlight_env.record.files import GZIP, LEVEL, replace_file, writing
from warlight_env.record.model import Player
from warlight_env.record.names import COMPRESSED, partial_of, suffix_of
from warlight_env.record.recorder import FinishedGame, Recorder

#: The time in seconds between two writes to the partial file.
FLUSH_SECONDS: Final = 0.05


class LogWriter(Recorder):
    """A `GameObserver` and context manager that writes the log of a game to a file during the game.

    During the game, the lines are in a partial file, ``NAME.partial.wl.jsonl``. A new line is written at once if
    `FLUSH_SECONDS` have passed since the last write, and otherwise together with a later line. If the process is
    killed, the log therefore lacks only the lines after the last write. When the game ends, the complete log gets its
    final name in one step. The log is compressed if its name ends in ``.gz``. If the game does not end, the partial
    file remains.

    Args:
        path: the log file, ``NAME.wl.jsonl`` or ``NAME.wl.jsonl.gz``. An existing file is replaced at the game's end.
        players, match, insight: see `Recorder`.

    Raises:
        LogError: the name does not end in ``.wl.jsonl`` or ``.wl.jsonl.gz``.
        OutputError: the path exists and is not a regular file.
        LogWriteError: the file cannot be written.
    """

    def __init__(
        self,
        path: str | Path,
        players: Sequence[Player] | None = None,
        match: dict[str, Any] | None = None,
        *,
        insight: bool = False,
    ) -> None:
        super().__init__(players, match, insight=insight)
        self.path = path_of(path, "path", LogError)
        self._compressor = zlib.compressobj(LEVEL, zlib.DEFLATED, GZIP) if suffix_of(self.path) == COMPRESSED else None
        with writing(self.path):
            check_output(self.path)  # check before the game, because the file is replaced only at its end
        self._compressed: list[bytes] = []
        self._lines: list[bytes] = []
        self._last_write = time.monotonic()
        self._file: int | None = None

    @functools.cached_property
    def partial(self) -> Path:
        """The path of the partial file that contains the log during the game."""
        return partial_of(self.path)

    def write(self, line: bytes) -> None:
        """Store a line; write all stored lines to the partial file after `FLUSH_SECONDS`. See `Recorder.write`."""
        self._lines.append(line)
        if time.monotonic() - self._last_write >= FLUSH_SECONDS:
            self.flush()

    def flush(self) -> None:
        """Write all lines that are not written yet to the partial file."""
        data = self._take_lines()
        if data:
            with writing(self.partial):
                if self._file is None:
                    self._file = open_output(self.partial)
                write_all(self._file, data)
        self._last_write = time.monotonic()

    def _take_lines(self) -> bytes:
        """Return the lines that are not written yet, as bytes, and remove these lines from the buffer."""
        if not self._lines:
            return b""
        self._lines.append(b"")
        data = b"\n".join(self._lines)
        self._lines.clear()
        if self._compressor is not None:
            self._compressed.append(self._compressor.compress(data))
        return data

    def ended(self, record: FinishedGame) -> None:
        """Write the result of the game, and give the complete log its final name. See `GameObserver.ended`."""
        super().ended(record)
        if self._compressor is None:
            self.flush()
            self._close()
            with writing(self.path):
                move_output(self.partial, self.path)
        else:
            self._take_lines()
            self._compressed.append(self._compressor.flush())
            replace_file(self.path, b"".join(self._compressed))
            if self._file is not None:
                self._close()
                with writing(self.partial):
                    os.unlink(self.partial)

    def close(self) -> None:
        """Write all lines that are not written yet, and close the partial file.

        The partial file remains if the game has not ended.
        """
        try:
            self.flush()
        finally:
            self._close()

    def _close(self) -> None:
        if self._file is not None:
            file, self._file = self._file, None
            with writing(self.partial):
                os.close(file)

    def __enter__(self) -> LogWriter:
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if isinstance(error, LogWriteError):
            self._close()
        else:
            self.close()
