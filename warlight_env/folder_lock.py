"""Locks of folders: one run at a time writes to a folder, with all of its worker processes."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import socket
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Self

from warlight_env.bounded import shown
from warlight_env.errors import InputError, clipped
from warlight_env.output import open_output

try:
    import fcntl
    import resource
except ImportError:  # Windows has no such locks: two runs in one folder remain unnoticed
    fcntl = resource = None  # type: ignore[assignment]

#: The file in a folder while it is locked.
LOCK: Final = ".warlight.lock"


class FolderLockedError(InputError):
    """Another run writes to the folder. Nothing in it was changed."""


class FolderLock:
    """Exclusive use of a folder, until `release` or the end of the process, however it ends.

    Worker processes of the run write to the folder without locks of their own. A context manager: it releases the lock.

    Args:
        folder: made if there is none.

    Raises:
        FolderLockedError: another run has the lock; the message names its process.
        OutputError: the name of the lock's file is in use, and not by a regular file.
        OSError: the folder cannot be made or written.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._made = [path for path in (folder, *folder.parents) if not path.exists()]
        folder.mkdir(parents=True, exist_ok=True)
        self._path = folder / LOCK
        self._file = self._locked()
        self.describe()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.release()

    def describe(self, note: str = "") -> None:
        """Write to the lock's file which process has the lock. The note is for people, such as a server's address."""
        since = datetime.now(UTC).isoformat(" ", "seconds")
        data = {"pid": os.getpid(), "host": socket.gethostname(), "since": since, "note": note}
        with contextlib.suppress(OSError):  # on a full disk the message to others lacks the process
            os.ftruncate(self._file, 0)
            os.lseek(self._file, 0, os.SEEK_SET)
            os.write(self._file, json.dumps(data).encode() + b"\n")

    def release(self) -> None:
        """Let other runs use the folder. Folders that this lock made and that are empty are removed."""
        if self._file < 0:
            return
        with contextlib.suppress(OSError):  # before the file is unlocked: the name belongs to the holder of the lock
            os.unlink(self._path)
        os.close(self._file)
        self._file = -1
        with contextlib.suppress(OSError):
            for path in self._made:
                path.rmdir()

    def _locked(self) -> int:
        """The descriptor of the lock's file, locked."""
        while True:
            file = self._opened()
            try:
                if not _lock(file):
                    raise FolderLockedError(f"{shown(self.folder)}: another run writes to this folder{_holder(file)}")
                if self._is_current(file):
                    return file
            except BaseException:
                os.close(file)
                raise
            os.close(file)  # of a run that ended between the two calls

    def _opened(self) -> int:
        try:
            return open_output(self._path, os.O_RDWR | os.O_CREAT)
        except OSError as error:
            if error.errno != errno.EMFILE or not _more_files():
                raise
            return open_output(self._path, os.O_RDWR | os.O_CREAT)

    def _is_current(self, file: int) -> bool:
        """Whether the file still has its name; its last holder removes it."""
        try:
            return os.path.samestat(os.fstat(file), os.stat(self._path))
        except FileNotFoundError:
            return False


def _lock(file: int) -> bool:
    """Lock an open file until it is closed. False: another run has it. True, too, where there are no such locks."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _more_files() -> bool:
    """Raise the number of files that this process may open as far as the system allows: each lock needs one."""
    soft, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == most:
        return False
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    return True


def _holder(file: int) -> str:
    """The process that the lock's file names; "" if it names none yet."""
    try:
        data: Any = json.loads(os.read(file, 1000))
        host = "" if data["host"] == socket.gethostname() else f" on {data['host']}"
        note = f", {data['note']}" if data["note"] else ""
        return clipped(f" (process {int(data['pid'])}{host}{note}, since {data['since']})", 300)
    except (OSError, ValueError, TypeError, KeyError):
        return ""
