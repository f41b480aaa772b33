"""A lock of a folder, so that only one run at a time, with its worker processes, can write to the folder."""

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
from warlight_env.output import OutputError, open_output

try:
    import fcntl
    import resource
except ImportError:  # Windows has no module `fcntl`; there, two runs that use one folder are not detected
    fcntl = resource = None  # type: ignore[assignment]

#: The name of the lock file, which is in a folder while the folder is locked.
LOCK: Final = ".warlight.lock"
#: The maximum number of attempts to lock a folder. An attempt fails if another run removes the folder at this moment.
_ATTEMPTS: Final = 100


class FolderLockedError(InputError):
    """Another run has the lock of the folder. The failed attempt changed nothing in the folder."""


def folder_reason(folder: Path, error: OSError) -> str:
    """Return a short text with the reason why a folder cannot be made or written."""
    if os.path.isfile(folder):  # unlike `Path.is_file`, it raises no error if the path is too long
        return "it is a file; give a folder"
    if isinstance(error, NotADirectoryError):
        return "a part of the path is a file; give a folder"
    return reason(error)


class FolderLock:
    """A lock of a folder. The process keeps the lock until it calls `release` or ends for any reason.

    The worker processes of the run write to the folder and need no locks of their own. A `with` statement releases the
    lock at its end.

    Args:
        folder: the folder to lock; the constructor creates it if it does not exist.
        in_use: a function that returns the exception to raise if another run has the lock. The argument of `in_use` is
            a message that names the folder and the process of the other run.
        unwritable: a function that returns the exception to raise if the folder cannot be created or written. The
            argument of `unwritable` is the `OSError`. None: raise a `RunError`.

    Raises:
        FolderLockedError: another run has the lock, and `in_use` is not given.
        RunError: the folder cannot be created or written, and `unwritable` is not given.
        OutputError: the folder contains something with the name `LOCK` that is not a regular file, or the name of the
            folder is not valid.
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
        self._created: set[Path] = set()
        try:
            self._file = self._locked()
        except FolderLockedError as error:
            self._remove_created()
            raise in_use(str(error)) from None
        except InputError:
            raise
        except ValueError as error:  # a NUL character or a lone surrogate in the path
            raise OutputError(f"cannot write to {shown(folder)}: {reason(error)}") from None
        except OSError as error:
            self._remove_created()
            if unwritable is None:
                raise RunError(f"cannot write to {folder}: {folder_reason(folder, error)}") from error
            raise unwritable(error) from error
        self.describe()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.release()

    def describe(self, note: str = "") -> None:
        """Write the number of this process, the host, the time and a note to the lock file.

        A run that cannot get the lock shows the content of the lock file in its error message. A note is a text for
        people, for example the address of a server.
        """
        start_time = datetime.now(UTC).isoformat(" ", "seconds")
        data = {"pid": os.getpid(), "host": socket.gethostname(), "since": start_time, "note": note}
        with contextlib.suppress(OSError):  # if the disk is full, messages to other runs do not name this process
            os.ftruncate(self._file, 0)
            os.lseek(self._file, 0, os.SEEK_SET)
            os.write(self._file, json.dumps(data).encode() + b"\n")

    def release(self) -> None:
        """Release the lock. Remove the folders that the constructor created, if they are empty."""
        if self._file < 0:
            return
        with contextlib.suppress(OSError):  # remove the file before the unlock: afterwards another run may lock it
            os.unlink(self._path)
        os.close(self._file)
        self._file = -1
        self._remove_created()

    def _locked(self) -> int:
        """Create the folder and the lock file if necessary, lock the file, and return its descriptor."""
        failure: Exception | None = None
        for _ in range(_ATTEMPTS):
            try:
                self._make_folder()
                file = self._opened()
            except (FileNotFoundError, FileExistsError) as error:  # another run has removed the folder again
                failure = error
                continue
            failure = self._locked_error("")  # raised if each attempt found a removed lock file
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
        self._created.update(missing)

    def _remove_created(self) -> None:
        """Remove the folders that the constructor created, if they are empty."""
        with contextlib.suppress(OSError):
            for path in (self.folder, *self.folder.parents):
                if path in self._created:
                    path.rmdir()

    def _opened(self) -> int:
        try:
            return open_output(self._path, os.O_RDWR | os.O_CREAT)
        except OSError as error:
            if error.errno != errno.EMFILE or not _more_files():
                raise
            return open_output(self._path, os.O_RDWR | os.O_CREAT)

    def _is_current(self, file: int) -> bool:
        """Return whether the open file is still the lock file. A process that releases the lock deletes the file."""
        try:
            return os.path.samestat(os.fstat(file), os.stat(self._path))
        except FileNotFoundError:
            return False


def _lock(file: int) -> bool:
    """Lock an open file until the file is closed, and return whether the lock succeeded.

    The result is False if another run has locked the file. On Windows, which does not support such a lock, the result
    is always True.
    """
    if fcntl is None:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _more_files() -> bool:
    """Raise this process's limit of open files to its maximum, because each lock needs an open file.

    Return False if the limit of open files is already the maximum.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == hard:
        return False
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return True


def _holder(file: int) -> str:
    """Return a text such as " (process 7, since …)" from a lock file; "" if the file is empty or not readable."""
    try:
        data: Any = json.loads(os.read(file, 1000))
        host = "" if data["host"] == socket.gethostname() else f" on {data['host']}"
        note = f", {data['note']}" if data["note"] else ""
        return clipped(f" (process {int(data['pid'])}{host}{note}, since {data['since']})", 300)
    except (OSError, ValueError, TypeError, KeyError):
        return ""
