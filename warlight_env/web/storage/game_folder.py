"""The folder of a server's games: its lock, the server's token, atomic private files and disk errors."""

from __future__ import annotations

import contextlib
import math
import os
import re
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from warlight_env.errors import InputError
from warlight_env.folder_lock import FolderLock, folder_reason
from warlight_env.output import write_file
from warlight_env.record import LogWriteError

TOKEN: Final = "server.token"


class DiskError(LogWriteError):
    """A file could not be written; its previous content is unchanged. `reason`: the message of the system."""

    status = 507

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"cannot write {path}: {reason}")
        self.reason = reason


@contextlib.contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn an `OSError` into a `DiskError` that names the file."""
    try:
        yield
    except OSError as error:
        raise DiskError(path, error.strerror or str(error)) from None


def write_private(path: Path, data: bytes) -> None:
    """Write a file that only its owner can read; on failure raise `DiskError` and keep the previous file.

    The file survives a kill of this process, but perhaps not a crash of the machine.
    """
    with writing(path):
        write_file(path, data, temporary=path.with_name(path.name + ".new"), mode=0o600, sync=False)


#: Time of the last change in nanoseconds and size in bytes; a file with the same stamp is unchanged.
FileStamp = tuple[int, int]


def file_stamp(stat: os.stat_result) -> FileStamp:
    """Return the stamp of a file: the time of its last change, and its size."""
    return stat.st_mtime_ns, stat.st_size


def file_stamps(folder: Path, suffix: str, name: re.Pattern[str], most: float = math.inf) -> dict[str, FileStamp]:
    """Return the stamps of the files in a folder, by their names without the suffix; {} if there is no folder.

    Args:
        name: a pattern for the name of a file without its suffix. most: the largest number of files.
    """
    stamps: dict[str, FileStamp] = {}
    with contextlib.suppress(FileNotFoundError), os.scandir(folder) as files:
        for file in files:
            stem = file.name.removesuffix(suffix)
            if stem != file.name and name.fullmatch(stem) and len(stamps) < most:
                with contextlib.suppress(OSError):  # the file was just deleted
                    stamps[stem] = file_stamp(file.stat())
    return stamps


class FolderInUseError(InputError):
    """Another server uses the folder. The server that raises this error has changed nothing in the folder."""


class GameFolder:
    """A folder of games, locked until `release` or until the process ends in any way.

    Args:
        path: the path of the folder, which is made if it does not exist.

    Raises:
        FolderInUseError: another server uses the folder; the error message names that server.
        LogWriteError: the folder cannot be made or written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

        def in_use(message: str) -> FolderInUseError:
            return FolderInUseError(f"{message}: stop that server, or give another folder with --log")

        def unwritable(error: OSError) -> LogWriteError:
            return LogWriteError(f"cannot make the folder of games {path}: {folder_reason(path, error)}")

        self._lock = FolderLock(path, in_use=in_use, unwritable=unwritable)

    def write_address(self, address: str) -> None:
        """Write this server's address into the lock file, for the error messages of other servers."""
        self._lock.describe(f"a server at {address}")

    def token(self) -> str:
        """Return the server's token, a random text.

        The token is stored, so that open pages still work after a restart of the server.

        Raises:
            LogWriteError: the token's file cannot be read or written.
        """
        path = self.path / TOKEN
        try:
            if path.exists() and (stored := path.read_text(encoding="ascii").strip()):
                return stored
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or error
            raise LogWriteError(f"cannot read the server's token in {path}: {reason}") from None
        new_token = secrets.token_urlsafe(18)
        write_private(path, new_token.encode() + b"\n")
        return new_token

    def release(self) -> None:
        """Release the lock of the folder."""
        self._lock.release()
