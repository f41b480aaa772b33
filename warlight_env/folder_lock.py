"""Locks of folders: only one run at a time, with its worker processes, may write to a folder."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import socket
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Self

from warlight_env.bounded_io import reason, shown
from warlight_env.errors import InputError, RunError, clipped
from warlight_env.output import open_output

try:
    import fcntl
    import resource
except ImportError:  # Windows has no such locks, so two runs in one folder are not detected
    fcntl = resource = None  # type: ignore[assignment]

#: The file in a folder while it is locked.
LOCK: Final = ".warlight.lock"
#: Attempts to lock a folder that other runs remove at the same time.
_ATTEMPTS: Final = 100


class FolderLockedError(InputError):
    """Another run writes to the folder. Nothing in it was changed."""


class FolderLock:
    """Exclusive use of a folder, until `release` or until the process ends for any reason.

    The run's worker processes write to the folder without their own locks. Used as a context manager, the object
    releases the lock at the end.

    Args:
        folder: the folder; it is made if it does not exist.
        in_use: a function that makes the error if another run has the lock. Its argument is a message that names the
            folder and the process.
        unwritable: a function that makes the error if the folder cannot be made or written. None: a `RunError`.

    Raises:
        FolderLockedError: another run has the lock; see `in_use`.
        RunError: the folder cannot be made or written; see `unwritable`.
        OutputError: the lock's file has the name of something that is not a regular file.
    """

    def __init__(
        self,
        folder: Path,
        *,
        in_use: Callable[[str], Exception] = FolderLockedError,
        unwritable: Callable[[OSError], Exception] | None = None,
    ) -> None:
        self.folder = folder
        self._path = folder / LOCK
        self._made: set[Path] = set()
        try:
            self._file = self._locked()
        except FolderLockedError as error:
            self._remove_made()
            raise in_use(str(error)) from None
        except OSError as error:
            self._remove_made()
            if unwritable is None:
                raise RunError(f"cannot write to {folder}: {reason(error)}") from error
            raise unwritable(error) from error
        self.describe()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.release()

    def describe(self, note: str = "") -> None:
        """Write into the lock's file which process has the lock. The note is for people, such as a server's address."""
        since = datetime.now(UTC).isoformat(" ", "seconds")
        data = {"pid": os.getpid(), "host": socket.gethostname(), "since": since, "note": note}
        with contextlib.suppress(OSError):  # if the disk is full, messages of other runs do not name the process
            os.ftruncate(self._file, 0)
            os.lseek(self._file, 0, os.SEEK_SET)
            os.write(self._file, json.dumps(data).encode() + b"\n")

    def release(self) -> None:
        """Release the folder. Remove the folders that this lock made, if they are empty."""
        if self._file < 0:
            return
        with contextlib.suppress(OSError):  # before the unlock: another run may take it then
            os.unlink(self._path)
        os.close(self._file)
        self._file = -1
        self._remove_made()

    def _locked(self) -> int:
        """Return the descriptor of the lock's file, locked."""
        failure: Exception | None = None
        for _ in range(_ATTEMPTS):
            try:
                self._make_folder()
                file = self._opened()
            except (FileNotFoundError, FileExistsError) as error:  # another run has removed the folder again
                failure = error
                continue
            failure = self._locked_error("")  # raised below if every attempt finds a file that was removed meanwhile
            try:
                if not _lock(file):
                    raise self._locked_error(_holder(file))
                if self._is_current(file):
                    return file
            except BaseException:
                os.close(file)
                raise
            os.close(file)
        assert failure is not None
        raise failure

    def _locked_error(self, holder: str) -> FolderLockedError:
        return FolderLockedError(f"{shown(self.folder)}: another run writes to this folder{holder}")

    def _make_folder(self) -> None:
        missing = [path for path in (self.folder, *self.folder.parents) if not path.exists()]
        self.folder.mkdir(parents=True, exist_ok=True)
        self._made.update(missing)

    def _remove_made(self) -> None:
        """Remove the folders that this lock made, if they are empty."""
        with contextlib.suppress(OSError):
            for path in (self.folder, *self.folder.parents):
                if path in self._made:
                    path.rmdir()

    def _opened(self) -> int:
        try:
            return open_output(self._path, os.O_RDWR | os.O_CREAT)
        except OSError as error:
            if error.errno != errno.EMFILE or not _more_files():
                raise
            return open_output(self._path, os.O_RDWR | os.O_CREAT)

    def _is_current(self, file: int) -> bool:
        """Return whether the file still has its name; the process that releases the lock removes the name."""
        try:
            return os.path.samestat(os.fstat(file), os.stat(self._path))
        except FileNotFoundError:
            return False


def _lock(file: int) -> bool:
    """Lock an open file until it is closed. False: another run has it. True also on systems without such locks."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _more_files() -> bool:
    """Raise this process's limit of open files to the system's maximum, because each lock needs an open file."""
    soft, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == most:
        return False
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    return True


def _holder(file: int) -> str:
    """Return a text about the process that the lock's file names; "" if the file names no process yet."""
    try:
        data: Any = json.loads(os.read(file, 1000))
        host = "" if data["host"] == socket.gethostname() else f" on {data['host']}"
        note = f", {data['note']}" if data["note"] else ""
        return clipped(f" (process {int(data['pid'])}{host}{note}, since {data['since']})", 300)
    except (OSError, ValueError, TypeError, KeyError):
        return ""
