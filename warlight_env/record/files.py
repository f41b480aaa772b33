"""Writing files of logs: a whole one in one step, and what writers of any kind need."""

from __future__ import annotations

import contextlib
import os
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from warlight_env.record.encode import log_lines
from warlight_env.record.errors import LogWriteError
from warlight_env.record.model import LoggedGame
from warlight_env.record.names import COMPRESSED, partial_of, suffix_of

GZIP: Final = 31  # window bits of zlib that make gzip's header, too
LEVEL: Final = 1  # a third less time than higher ones for a tenth more bytes
FLAGS: Final = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)


def save(log: LoggedGame, path: Path) -> None:
    """See `GameLog.save`."""
    compressed = suffix_of(path) == COMPRESSED
    data = b"".join(line + b"\n" for line in log_lines(log))
    replace_file(path, zlib.compress(data, LEVEL, GZIP) if compressed else data)


def replace_file(path: Path, data: bytes) -> None:
    """Write a log in one step: under its partial name, then renamed."""
    with writing(path):
        write_whole(path, data, partial_of(path, suffix_of(path)))


def write_whole(path: Path, data: bytes, temporary: Path, *, mode: int = 0o666, sync: bool = False) -> None:
    """Write a file so that it is there with all of the data, or as it was before and nothing beside it.

    Args:
        temporary: its name until then, in the same folder.
        mode: the permissions of a new file, as `os.open` takes them.
        sync: whether it survives the end of the machine, too, and not only that of this process.

    Raises:
        OSError: it is as it was before.
    """
    file = os.open(temporary, FLAGS, mode)
    try:
        try:
            write_all(file, data)
            if sync:
                os.fsync(file)
        finally:
            os.close(file)
        os.replace(temporary, path)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    if sync and os.name == "posix":
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def write_all(file: int, data: bytes) -> None:
    """Write to an open file, in as many pieces as the system takes."""
    while data:
        data = data[os.write(file, data) :]


@contextlib.contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turns what the system says into an error that names the file."""
    try:
        yield
    except OSError as error:
        raise LogWriteError(f"cannot write the log {path}: {error.strerror or error}") from None
