"""Writing logs: a game in play, round by round, and a finished one in one step."""

from __future__ import annotations

import contextlib
import os
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from warlight_env.record.encode import encode_line, log_data
from warlight_env.record.errors import LogWriteError
from warlight_env.record.model import Continuation, GameLog, Player
from warlight_env.record.names import COMPRESSED, PARTIAL, partial_of, suffix_of
from warlight_env.record.recorder import Recorder

_GZIP: Final = 31  # window bits of zlib that make gzip's header, too
_LEVEL: Final = 6
_FLAGS: Final = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)


class LogWriter(Recorder):
    """A `GameObserver` that writes the log while the game is played.

    Every line is in the file's partial form as soon as it is made: what kills the process loses nothing that has been
    told. At the game's end the file gets its name, in one step, whole and compressed if that is asked for; a game
    without an end stays partial. Use it as a context manager, which closes the file.

    Args:
        path: ``NAME.wl.jsonl`` or ``NAME.wl.jsonl.gz``; a file of that name is replaced at the end.
        players, match, continues, insight: see `Recorder`.

    Raises:
        LogError: the name is no log's. LogWriteError: the file cannot be written.
    """

    def __init__(
        self,
        path: str | Path,
        players: Sequence[Player] | None = None,
        match: dict[str, Any] | None = None,
        continues: Continuation | None = None,
        *,
        insight: bool = False,
    ) -> None:
        super().__init__(players, match, continues, insight=insight)
        self.path = Path(path)
        self.partial = partial_of(self.path)  #: the file while the game is played
        self._compressed = suffix_of(self.path) == COMPRESSED
        self._packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, _GZIP)
        self._packed: list[bytes] = []
        with _writing(self.partial):
            self._file: int | None = os.open(self.partial, _FLAGS, 0o666)

    def write(self, line: str) -> None:
        """See `Recorder`."""
        assert self._file is not None  # not closed
        data = line.encode("ascii") + b"\n"
        with _writing(self.partial):
            _write_all(self._file, data)
        if self._compressed:
            self._packed.append(self._packer.compress(data))

    def ended(self, record: object) -> None:
        """See `GameObserver`: the file is whole and gets its name."""
        super().ended(record)
        self.close()
        if self._compressed:
            self._packed.append(self._packer.flush())
            _replace(self.path, b"".join(self._packed))
            with _writing(self.partial):
                self.partial.unlink()
        else:
            with _writing(self.path):
                self.partial.replace(self.path)

    def close(self) -> None:
        """Write no more; a game without an end stays partial."""
        if self._file is not None:
            file, self._file = self._file, None
            with _writing(self.partial):
                os.close(file)

    def __enter__(self) -> LogWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def save(log: GameLog, path: Path) -> None:
    """See `GameLog.save`."""
    compressed = suffix_of(path) == COMPRESSED
    data = "".join(f"{encode_line(line)}\n" for line in log_data(log)).encode("ascii")
    if compressed:
        packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, _GZIP)
        data = packer.compress(data) + packer.flush()
    _replace(path, data)


def _replace(path: Path, data: bytes) -> None:
    """Write a file in one step: under a partial name, then renamed."""
    temporary = path.with_name(path.name + PARTIAL)
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
                temporary.unlink()
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
