"""The folder of a server's games: its lock, the server's token, atomic private files and disk errors."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from warlight_env.errors import InputError
from warlight_env.folder_lock import FolderLock
from warlight_env.output import write_file
from warlight_env.record import LogWriteError

TOKEN: Final = "server.token"


class DiskError(LogWriteError):
    """Something could not be written; what was there before is still there. `reason`: as the system says it."""

    status = 507

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"cannot write {path}: {reason}")
        self.reason = reason


@contextlib.contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turns what the system says into a `DiskError` that names the file."""
    try:
        yield
    except OSError as error:
        raise DiskError(path, error.strerror or str(error)) from None


def write_private(path: Path, data: bytes) -> None:
    """A file that its owner alone may read, whole or as it was; `DiskError` where that fails.

    It survives the end of this process, however hard, but perhaps not that of the machine.
    """
    with writing(path):
        write_file(path, data, temporary=path.with_name(path.name + ".new"), mode=0o600, sync=False)


#: Time of the last change in nanoseconds and size in bytes: a file with the same stamp has not changed.
FileStamp = tuple[int, int]


def file_stamp(found: os.stat_result) -> FileStamp:
    """The stamp of a file."""
    return found.st_mtime_ns, found.st_size


class FolderInUseError(InputError):
    """Another server has the folder; nothing in it was changed."""


class GameFolder:
    """A folder of games, locked until `release` or the end of the process, however that ends.

    Args:
        path: made if it is not there.

    Raises:
        FolderInUseError: another server is at it; the message says which.
        LogWriteError: it cannot be made or written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

        def in_use(message: str) -> FolderInUseError:
            return FolderInUseError(f"{message}: end that one, or give another folder by --games")

        def unwritable(error: OSError) -> LogWriteError:
            return LogWriteError(f"cannot make the folder of games {path}: {error.strerror or error}")

        self._lock = FolderLock(path, in_use=in_use, unwritable=unwritable)

    def tell(self, address: str) -> None:
        """Write down for other servers where this one is."""
        self._lock.describe(f"a server at {address}")

    def token(self) -> str:
        """The server's token: drawn once and kept, so that pages that are open go on after a restart.

        Raises:
            LogWriteError: it cannot be read or written.
        """
        path = self.path / TOKEN
        try:
            if path.exists() and (known := path.read_text(encoding="ascii").strip()):
                return known
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or error
            raise LogWriteError(f"cannot read the server's token in {path}: {reason}") from None
        drawn = secrets.token_urlsafe(18)
        write_private(path, drawn.encode() + b"\n")
        return drawn

    def release(self) -> None:
        """Let others have it."""
        self._lock.release()
