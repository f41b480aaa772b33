"""Functions that write a file completely or not at all, and never replace anything other than a regular file."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from warlight_env.errors import InputError, RunError, clipped, readable
from warlight_env.file_kinds import not_regular

#: Flags of `os.open` that write a file from its beginning.
WRITE: Final = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
#: Child processes do not inherit the file, and a symbolic link is not followed.
_ALWAYS: Final = getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
#: Error codes for a name that no file can have: its folder is missing, or the name is too long.
_BAD_NAME: Final = (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG, errno.ELOOP)


class OutputError(InputError):
    """An error for a target that is not a regular file, or that is not a valid file name. Nothing was written."""


class WriteError(RunError):
    """An error for a file that could not be written, for example because the disk is full. The file is unchanged,
    unless the message says that it has the new content but a power cut may undo the change, see `FolderSyncError`."""


class FolderSyncError(OSError):
    """An error after a write, if the folder could not be synced: a power cut may restore the old file."""

    def __init__(self, error: OSError, path: Path) -> None:
        reason = f"the file has the new content, but a power cut may undo the change: {error.strerror or error}"
        super().__init__(error.errno, reason, str(path))


def check_output(path: Path) -> None:
    """Check that an output file can have this name: the name is unused, or a regular file has it.

    Raises:
        OutputError: it is the name of a folder, a symbolic link, a device, a FIFO or a socket, or not a valid name.
    """
    try:
        wrong = not_regular(os.lstat(path).st_mode)
    except OSError:  # the name is unused, or the folder is missing, which the later write reports
        return
    except ValueError as error:
        raise OutputError(
            f"cannot write {clipped(readable(str(path)), 300)}: this is not a valid file name: {error}"
        ) from None
    if wrong is not None:
        raise OutputError(f"cannot write {clipped(readable(str(path)), 300)}: {wrong}")


def open_output(path: Path, flags: int = WRITE, mode: int = 0o666) -> int:
    """Open a file to write, and return its descriptor; flags and mode are those of `os.open`.

    Raises:
        OutputError: see `check_output`.
        OSError: the file cannot be opened.
    """
    check_output(path)
    return os.open(path, flags | _ALWAYS, mode)


def move_output(source: Path, target: Path) -> None:
    """Rename a file in one step. A regular file with the target's name is replaced.

    Raises:
        OutputError: see `check_output`; the source keeps its name.
        OSError: the system cannot rename the file; the source keeps its name.
    """
    check_output(target)
    os.replace(source, target)


@contextlib.contextmanager
def replacing(path: Path, *, temporary: Path | None = None, mode: int | None = None) -> Iterator[Path]:
    """Yield a temporary file in the folder of the target, empty at first. It gets the target's name at the end.

    After an exception in the block the target is unchanged, and the temporary file is removed.

    Args:
        path: the target.
        temporary: the name of the temporary file, for folders in which only one process writes. A file with this name
            from an earlier process is overwritten. None: a name that no other process uses, with the same suffix.
        mode: the permissions, as for `os.open`. None: those of the replaced file, or 0o666.

    Raises:
        OutputError: see `check_output`.
        OSError: the target cannot be written; it is unchanged.
    """
    check_output(path)
    before = None
    if mode is None and os.path.exists(path):
        if not os.access(path, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        before = stat.S_IMODE(os.stat(path).st_mode)
    if temporary is None:
        temporary = path.with_name(f".warlight-{secrets.token_hex(8)}{path.suffix}")
        flags = WRITE | os.O_EXCL
    else:
        flags = WRITE
    os.close(open_output(temporary, flags, 0o666 if mode is None else mode))
    try:
        if before is not None:
            os.chmod(temporary, before)
        yield temporary
        move_output(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def write_file(
    path: Path,
    content: str | bytes,
    *,
    temporary: Path | None = None,
    mode: int | None = None,
    sync: bool = True,
) -> None:
    """Write a file in one step: afterwards it has all of the content, or it is unchanged.

    Args:
        content: bytes, or text that is written in UTF-8.
        temporary, mode: see `replacing`.
        sync: whether to wait until the content is on the disk, so that it survives a power cut.

    Raises:
        OutputError: see `check_output`.
        FolderSyncError: the file has the new content, but a power cut may restore the old content.
        OSError: any other failure; the file is unchanged.
    """
    data = content.encode() if isinstance(content, str) else content
    check_output(path)
    with _open_folder(path.parent) if sync else contextlib.nullcontext(-1) as folder:
        with replacing(path, temporary=temporary, mode=mode) as new:
            file = open_output(new)
            try:
                write_all(file, data)
                if sync:
                    os.fsync(file)
            finally:
                os.close(file)
        if folder >= 0:
            try:
                os.fsync(folder)
            except OSError as error:
                raise FolderSyncError(error, path) from error


@contextlib.contextmanager
def _open_folder(folder: Path) -> Iterator[int]:
    """Yield the descriptor of a folder, to sync the folder; -1 on systems that do not sync folders."""
    if os.name != "posix":
        yield -1
        return
    opened = os.open(folder, os.O_RDONLY)
    try:
        yield opened
    finally:
        os.close(opened)


def save_file(path: Path, content: str | bytes) -> None:
    """Write a file with `write_file`, for functions that save an object. Every error is one of this package.

    Raises:
        OutputError: the path is not that of a regular file, or its folder does not exist.
        WriteError: the file cannot be written; it is unchanged unless the message says otherwise.
    """
    with write_errors(path):
        write_file(path, content)


@contextlib.contextmanager
def write_errors(path: Path) -> Iterator[None]:
    """Convert an `OSError` of the block, which writes a file, into the errors of `save_file`."""
    try:
        yield
    except OSError as error:
        kind = OutputError if error.errno in _BAD_NAME else WriteError
        raise kind(f"cannot write {clipped(readable(str(path)), 300)}: {error.strerror or error}") from None


def write_all(file: int, data: bytes) -> None:
    """Write all data to an open file, with several system calls if necessary."""
    while data:
        data = data[os.write(file, data) :]
