"""Write the log of a running game, round by round."""

from __future__ import annotations

import functools
import os
import time
import zlib
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from warlight_env.arguments import path_of
from warlight_env.output import check_output, move_output, open_output, write_all
from warlight_env.record.errors import LogError, LogWriteError
from warlight_env.record.files import GZIP, LEVEL, replace_file, writing
from warlight_env.record.model import Player
from warlight_env.record.names import COMPRESSED, partial_of, suffix_of
from warlight_env.record.recorder import FinishedGame, Recorder

#: The longest time in seconds between two writes, if new lines come.
FLUSH_SECONDS: Final = 0.05


class LogWriter(Recorder):
    """A `GameObserver` that writes the log during the game.

    Lines are written to the partial file as soon as `FLUSH_SECONDS` have passed since the last write. So a killed
    process loses at most the rounds of this short time; slower games lose nothing. When the game ends, the complete
    file gets its final name in one step; it is compressed if the name ends in ``.gz``. A game without an end stays
    partial. Use the writer as a context manager, which closes the file.

    Args:
        path: ``NAME.wl.jsonl`` or ``NAME.wl.jsonl.gz``; a file of that name is replaced at the end.
        players, match, insight: see `Recorder`.

    Raises:
        LogError: the name does not end like the name of a log.
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
        self._packer = zlib.compressobj(LEVEL, zlib.DEFLATED, GZIP) if suffix_of(self.path) == COMPRESSED else None
        with writing(self.path):
            check_output(self.path)  # check this before the game is played
        self._packed: list[bytes] = []
        self._lines: list[bytes] = []
        self._written = time.monotonic()
        self._file: int | None = None

    @functools.cached_property
    def partial(self) -> Path:
        """The file during the game."""
        return partial_of(self.path)

    def write(self, line: bytes) -> None:
        """See `Recorder`."""
        self._lines.append(line)
        if time.monotonic() - self._written >= FLUSH_SECONDS:
            self.flush()

    def flush(self) -> None:
        """Write all lines so far to the partial file."""
        data = self._take()
        if data:
            with writing(self.partial):
                if self._file is None:
                    self._file = open_output(self.partial)
                write_all(self._file, data)
        self._written = time.monotonic()

    def _take(self) -> bytes:
        """Return the lines that have not been written yet."""
        if not self._lines:
            return b""
        self._lines.append(b"")
        data = b"\n".join(self._lines)
        self._lines.clear()
        if self._packer is not None:
            self._packed.append(self._packer.compress(data))
        return data

    def ended(self, record: FinishedGame) -> None:
        """See `GameObserver`. Completes the file and gives it its final name."""
        super().ended(record)
        if self._packer is None:
            self.flush()
            self._close()
            with writing(self.path):
                move_output(self.partial, self.path)
        else:
            self._take()
            self._packed.append(self._packer.flush())
            replace_file(self.path, b"".join(self._packed))
            if self._file is not None:
                self._close()
                with writing(self.partial):
                    os.unlink(self.partial)

    def close(self) -> None:
        """Write the remaining lines. A game without an end stays partial."""
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

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, LogWriteError):
            self._close()
        else:
            self.close()
