"""The choice of the folder of compiled kernels for this build, and a check of the users who can write to it."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import multiprocessing
import os
import stat
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Final

import numba
import numpy as np
import platformdirs

#: Settings that change the machine code but that Numba leaves out of its own cache key.
CODE_SETTINGS: Final = (
    "NUMBA_BOUNDSCHECK", "NUMBA_OPT", "NUMBA_FASTMATH", "NUMBA_LOOP_VECTORIZE", "NUMBA_SLP_VECTORIZE",
    "WARLIGHT_CHECKED",
)  # fmt: skip


@functools.cache
def environment_digest() -> str:
    """Hex digest of the versions of Python, NumPy and Numba, and of the values of `CODE_SETTINGS`."""
    versions = (sys.version_info[:3], numba.__version__, np.__version__)
    settings = [(name, os.environ.get(name, "")) for name in CODE_SETTINGS]
    return hashlib.sha256(repr((versions, settings)).encode()).hexdigest()[:20]


def cache_folder() -> Path | None:
    """The folder of compiled kernels for this build; None if other users could change every possible folder.

    The environment variable ``WARLIGHT_CACHE_DIR`` names the parent folder. If ``WARLIGHT_CACHE_DIR`` is not set, the
    folder is in the user's cache folder. The process executes the cached code, so only this user and root may be able
    to write to the folder, its parents and its files. If other users can write to the folder, a parent or a file, the
    cache is in a private folder below the system's temporary folder, and a warning gives the reason. If this user
    cannot write to the folder, the cache is also in the private folder, but there is no warning.
    """
    folder, notice = _choice()
    if notice and multiprocessing.parent_process() is None:  # the parent process has warned
        warn_once(notice)
    return folder


def cache_notice() -> str:
    """The reason why `cache_folder` does not return the intended folder; empty if it returns the intended folder."""
    return _choice()[1]


def others_with_write_access(folder: Path) -> str | None:
    """Find a folder or file through which other users can change a folder or its files.

    Other users are all users except this user and root. The parents of the folder are checked, too, because their
    owners can replace the folder. In a parent with the sticky bit, like ``/tmp``, other users may write, because they
    cannot replace the folder.

    Returns:
        A text with the path that other users can change, and the reason; None if other users cannot change the folder
        or its files.
    """
    if not hasattr(os, "geteuid"):  # on Windows a user's folders are private
        return None
    try:
        real = folder.resolve(strict=True)
        for path in (*reversed(real.parents), real):
            status = path.lstat()
            if reason := _open_to_others(status, path != real and bool(status.st_mode & stat.S_ISVTX)):
                return f"{path} {reason}"
        closed = not real.stat().st_mode & 0o011  # other users cannot open the files
        with os.scandir(real) as entries:
            for entry in entries:
                status = entry.stat(follow_symlinks=False)
                if stat.S_ISLNK(status.st_mode):
                    return f"{entry.path} is a symbolic link"
                if reason := _open_to_others(status, closed):
                    return f"{entry.path} {reason}"
    except OSError as error:
        return f"{error.filename or folder}: {error.strerror or error}"
    return None


def _open_to_others(status: os.stat_result, any_mode: bool) -> str | None:
    """The reason why other users can write to a path, or None. any_mode: check only the owner, not the permissions."""
    if status.st_uid not in (0, os.geteuid()):
        return f"belongs to user {status.st_uid}"
    if status.st_mode & 0o022 and not any_mode:
        return f"can be written by other users (mode {stat.S_IMODE(status.st_mode):o})"
    return None


@functools.cache
def _choice() -> tuple[Path | None, str]:
    """The result of `cache_folder`, and a text with the reason if other users could change the intended folder."""
    named = os.environ.get("WARLIGHT_CACHE_DIR")
    parent = Path(named) if named else Path(platformdirs.user_cache_dir("warlight-env", appauthor=False))
    intended = parent / "kernels" / environment_digest()
    if not (_is_writable(intended, 0o755 if named else 0o700) or _has_kernels(intended)):
        return _private_folder(), ""
    real, reason = _trusted(intended)
    if real is not None:
        return real, ""
    private = _private_folder()
    place = "every start compiles all kernels again" if private is None else f"{private} is used instead"
    return private, f"{intended} is not used, because other users could change its compiled code: {reason}; {place}"


def _is_writable(folder: Path, mode: int) -> bool:
    """Make a folder and its parents with this mode; return whether a file can be made in it."""
    try:
        for path in (*reversed(folder.parents), folder):
            if not path.exists():
                path.mkdir(mode, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _has_kernels(folder: Path) -> bool:
    """Whether a folder contains compiled kernels, which this process can load even if the folder is read-only."""
    try:
        return any(folder.glob("[!.]*.nbi"))
    except OSError:
        return False


def _trusted(folder: Path) -> tuple[Path | None, str]:
    """The path of a folder with resolved links if other users cannot change the folder; else None, and the reason.

    The caller must use the returned path instead of `folder`, because a link in `folder` could change after the check.
    """
    try:
        real = folder.resolve(strict=True)
    except OSError as error:
        return None, f"{folder}: {error.strerror or error}"
    reason = others_with_write_access(real)
    return (real, "") if reason is None else (None, reason)


def _private_folder() -> Path | None:
    """A folder below the system's temporary folder that other users cannot change, if possible always the same one.

    The result is None if no folder can be made that other users cannot change.
    """
    owner = f"-{os.geteuid()}" if hasattr(os, "geteuid") else ""
    subfolder = Path("kernels", environment_digest())
    folder = Path(tempfile.gettempdir(), f"warlight-env{owner}") / subfolder
    if _is_writable(folder, 0o700) and (real := _trusted(folder)[0]) is not None:
        return real
    with contextlib.suppress(OSError):
        folder = Path(tempfile.mkdtemp(prefix="warlight-env-")) / subfolder
        if _is_writable(folder, 0o700):
            return _trusted(folder)[0]
    return None


@functools.cache
def warn_once(message: str) -> None:
    """Give a warning once per process."""
    warnings.warn(message, RuntimeWarning, stacklevel=2)
