"""Names of file types other than regular files, such as ``a FIFO``, for error messages."""

from __future__ import annotations

import stat
from typing import Final

_KINDS: Final = {
    stat.S_IFLNK: "a symbolic link",
    stat.S_IFDIR: "a folder",
    stat.S_IFCHR: "a character device",
    stat.S_IFBLK: "a block device",
    stat.S_IFIFO: "a FIFO",
    stat.S_IFSOCK: "a socket",
}


def not_regular(mode: int) -> str | None:
    """Return a text such as ``it is a FIFO, not a regular file``; None for a regular file.

    `mode` is the field `st_mode` of the result of `os.stat`.
    """
    kind = stat.S_IFMT(mode)
    return None if kind == stat.S_IFREG else f"it is {_KINDS.get(kind, 'a special file')}, not a regular file"
