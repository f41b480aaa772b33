"""Writing logs: a game in play, round by round, and a finished one in one step."""

from __future__ import annotations

import contextlib
import functools
import os
import time
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from warlight_env.record.encode import log_lines
from warlight_env.record.errors import LogWriteError
from warlight_env.record.model import GameLog, Player
from warlight_env.record.names import COMPRESSED, partial_of, suffix_of
from warlight_env.record.recorder import Outcome, Recorder

#: Lines wait so long at most before they are written, if more follow.
FLUSH_SECONDS: Final = 0.05
_GZIP: Final = 31  # window bits of zlib that make gzip's header, too
_LEVEL: Final = 1  # a third less time than higher ones for a tenth more bytes
_FLAGS: Final = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)


class LogWriter(Recorder):
    """A `GameObserver` that writes the log while the game is played.

    Lines are written to the file's partial form as soon as `FLUSH_SECONDS` have passed since the last time: what kills
    the process costs at most the rounds of so short a while, and nothing of slower games. When the game ends, the file
    gets its name in one step, whole, and compressed if that is asked for; a game without an end stays partial. Use it
    as a context manager, which closes the file.

    Args:
        path: ``NAME.wl.jsonl`` or ``NAME.wl.jsonl.gz``; a file of that name is replaced at the end.
        players, match, insight: see `Recorder`.

    Raises:
        LogError: the name is no log's. LogWriteError: the file cannot be written.
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
        self.path = Path(path)
        self._packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, _GZIP) if suffix_of(self.path) == COMPRESSED else None
        self._packed: list[bytes] = []
        self._lines: list[bytes] = []
        self._written = time.monotonic()
        self._file: int | None = None

    @functools.cached_property
    def partial(self) -> Path:
        """The file while the game is played."""
        return partial_of(self.path)

    def write(self, line: bytes) -> None:
        """See `Recorder`."""
        self._lines.append(line)
        if time.monotonic() - self._written >= FLUSH_SECONDS:
            self.flush()

    def flush(self) -> None:
        """Have all lines so far in the partial file."""
        data = self._take()
        if data:
            with _writing(self.partial):
                if self._file is None:
                    self._file = os.open(self.partial, _FLAGS, 0o666)
                _write_all(self._file, data)
        self._written = time.monotonic()

    def _take(self) -> bytes:
        """The lines that have not been written yet."""
        if not self._lines:
            return b""
        self._lines.append(b"")
        data = b"\n".join(self._lines)
        self._lines.clear()
        if self._packer is not None:
            self._packed.append(self._packer.compress(data))
        return data

    def ended(self, record: Outcome) -> None:
        """See `GameObserver`: the file is whole and gets its name."""
        super().ended(record)
        if self._packer is None:
            self.flush()
            self._close()
            with _writing(self.path):
                os.replace(self.partial, self.path)
        else:
            self._take()
            self._packed.append(self._packer.flush())
            _replace(self.path, b"".join(self._packed))
            if self._file is not None:
                self._close()
                with _writing(self.partial):
                    os.unlink(self.partial)

    def close(self) -> None:
        """Write what is left; a game without an end stays partial."""
        try:
            self.flush()
        finally:
            self._close()

    def _close(self) -> None:
        if self._file is not None:
            file, self._file = self._file, None
            with _writing(self.partial):
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


def save(log: GameLog, path: Path) -> None:
    """See `GameLog.save`."""
    compressed = suffix_of(path) == COMPRESSED
    data = b"".join(line + b"\n" for line in log_lines(log))
    _replace(path, zlib.compress(data, _LEVEL, _GZIP) if compressed else data)


def _replace(path: Path, data: bytes) -> None:
    """Write a file in one step: under its partial name, then renamed."""
    temporary = partial_of(path, suffix_of(path))
    with _writing(path):
        file = os.open(temporary, _FLAGS, 0o666)
        try:
            try:
                _write_all(file, data)
            finally:
                os.close(file)
            os.replace(temporary, path)
        except OSError:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise


def _write_all(file: int, data: bytes) -> None:
    while data:
        data = data[os.write(file, data) :]


@contextlib.contextmanager
def _writing(path: Path) -> Iterator[None]:
    """Turns what the system says into an error that names the file."""
    try:
        yield
    except OSError as error:
        raise LogWriteError(f"cannot write the log {path}: {error.strerror or error}") from None
