"""Functions that write a file completely or not at all, and never replace a symbolic link, a folder or a device."""

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

#: Flags of `os.open`: create the file if it does not exist, delete its content, and open it for writing.
WRITE: Final = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
#: Flags of `os.open` for every output file: child processes do not inherit it, and opening a symbolic link fails.
_ALWAYS: Final = getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
#: Error codes for an unusable file name: its folder does not exist, the name is too long, or it is a symbolic link.
_BAD_NAME: Final = (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG, errno.ELOOP)


class OutputError(InputError):
    """The output file's name is not valid, or belongs to something other than a regular file. Nothing was written."""


class WriteError(RunError):
    """The file could not be written, for example because the disk is full.

    The file is unchanged, with one exception: it has the new content if the message says that a power cut may undo the
    change (see `FolderSyncError`).
    """


class FolderSyncError(OSError):
    """The file has the new content, but `os.fsync` of its folder failed.

    A power cut may therefore restore the old file.
    """

    def __init__(self, error: OSError, path: Path) -> None:
        reason = f"the file has the new content, but a power cut may undo the change: {error.strerror or error}"
        super().__init__(error.errno, reason, str(path))


def check_output(path: Path) -> None:
    """Check that an output file can have this name: the name is unused, or it belongs to a regular file.

    Raises:
        OutputError: a folder, a symbolic link, a device, a FIFO or a socket has this name, or the name is not valid.
    """
    try:
        problem = not_regular(os.lstat(path).st_mode)
    except OSError:  # no file has the name, or its folder does not exist; the write reports a missing folder
        return
    except ValueError as error:
        raise OutputError(
            f"cannot write {clipped(readable(str(path)), 300)}: this is not a valid file name: {error}"
        ) from None
    if problem is not None:
        raise OutputError(f"cannot write {clipped(readable(str(path)), 300)}: {problem}")


def check_writable(path: Path) -> None:
    """Check that a file can be written later, for a program whose output follows long work.

    Raises:
        OutputError: no output file can have this name, see `check_output`.
        OSError: the folder of the file does not exist, or the file or its folder is read-only.
    """
    check_output(path)
    os.stat(os.path.join(path.parent, ""))  # the slash at the end: an error if the parent is a file
    for place in (path.parent, path):
        if place.exists() and not os.access(place, os.W_OK):
            read_only = hasattr(os, "statvfs") and os.statvfs(place).f_flag & os.ST_RDONLY
            code = errno.EROFS if read_only else errno.EACCES
            raise OSError(code, os.strerror(code), str(path))


def open_output(path: Path, flags: int = WRITE, mode: int = 0o666) -> int:
    """Open a file for writing, and return its descriptor; `flags` and `mode` are those of `os.open`.

    Raises:
        OutputError: no output file can have this name, see `check_output`.
        OSError: the file cannot be opened.
    """
    check_output(path)
    return os.open(path, flags | _ALWAYS, mode)


def move_output(source: Path, target: Path) -> None:
    """Rename the file `source` to `target` in one atomic step. If `target` is a regular file, replace it.

    Raises:
        OutputError: no output file can have the name `target`, see `check_output`; `source` and `target` are unchanged.
        OSError: the system cannot rename the file; `source` and `target` are unchanged.
    """
    check_output(target)
    os.replace(source, target)


@contextlib.contextmanager
def replacing(path: Path, *, temporary: Path | None = None, mode: int | None = None) -> Iterator[Path]:
    """Replace a file by a new one: yield an empty temporary file, and rename this file to `path` at the end.

    The `with` block writes the new content to the temporary file. If the block raises an exception, the file `path` is
    unchanged, and the temporary file is deleted.

    Args:
        path: the file to replace or create.
        temporary: the path of the temporary file, for folders in which only one process writes. If an earlier process
            left a file with this name, the file is overwritten. If `temporary` is None, the temporary file has a random
            name with the suffix of `path`.
        mode: the permissions of the new file, as for `os.open`. If `mode` is None, the new file has the permissions of
            the replaced file, or 0o666.

    Raises:
        OutputError: no output file can have this name, see `check_output`.
        OSError: the file `path` cannot be written, and is unchanged.
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
    """Write a file in one step: afterwards it has the complete new content, or it is unchanged.

    Args:
        path: the file to replace or create.
        content: bytes, or text to encode in UTF-8.
        temporary, mode: see `replacing`.
        sync: whether to wait until the content is on the disk, so that it survives a power cut.

    Raises:
        OutputError: no output file can have this name, see `check_output`.
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
    """Yield the descriptor of a folder for `os.fsync`; -1 on systems that cannot sync folders, such as Windows."""
    if os.name != "posix":
        yield -1
        return
    opened = os.open(folder, os.O_RDONLY)
    try:
        yield opened
    finally:
        os.close(opened)


def save_file(path: Path, content: str | bytes) -> None:
    """Write a file with `write_file`, and raise `OutputError` or `WriteError` instead of `OSError`.

    Raises:
        OutputError: the path names something other than a regular file, or its folder does not exist.
        WriteError: the file cannot be written. After a WriteError the file is unchanged, unless the message says
            otherwise.
    """
    with write_errors(path):
        write_file(path, content)


@contextlib.contextmanager
def write_errors(target: Path | str, kind: type[RunError] | None = None) -> Iterator[None]:
    """Replace an `OSError` of the `with` block, which writes the file `target`, by an error with a message.

    Args:
        target: the path of the file, or words for the file in the message.
        kind: the class of the error; None: an error of `save_file`.
    """
    try:
        yield
    except OSError as error:
        raised = kind or (OutputError if error.errno in _BAD_NAME else WriteError)
        raise raised(f"cannot write {clipped(readable(str(target)), 300)}: {error.strerror or error}") from None


def write_all(file: int, data: bytes) -> None:
    """Write all bytes to the open file with this descriptor, with several system calls if necessary."""
    while data:
        data = data[os.write(file, data) :]
