"""Kinds of files besides regular ones, in words for errors."""

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
    """``it is a FIFO, not a regular file``, of a file's mode as `os.stat` gives it; None for a regular file."""
    kind = stat.S_IFMT(mode)
    return None if kind == stat.S_IFREG else f"it is {_KINDS.get(kind, 'a special file')}, not a regular file"
