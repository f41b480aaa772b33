"""Where compiled kernels are kept on disk: a folder for exactly these sources, which nobody else can write to."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib.util
import multiprocessing
import os
import stat
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numpy as np
import platformdirs
from numba.core import caching
from numba.core.caching import CompileResultCacheImpl, FunctionCache

#: Packages whose sources make up the cache key: Numba itself does not see that a callee in another file changed.
KERNEL_PACKAGES = ("warlight_env.engine", "warlight_env.features", "warlight_env.agents", "warlight_env.envs")

#: Settings that change the machine code but that Numba leaves out of its own cache key.
CODE_SETTINGS = (
    "NUMBA_BOUNDSCHECK", "NUMBA_OPT", "NUMBA_FASTMATH", "NUMBA_LOOP_VECTORIZE", "NUMBA_SLP_VECTORIZE",
    "WARLIGHT_CHECKED",
)  # fmt: skip


@functools.cache
def _kernel_sources() -> tuple[Path, ...]:
    files: list[Path] = []
    for package in KERNEL_PACKAGES:
        spec = importlib.util.find_spec(package)
        if spec is not None and spec.submodule_search_locations:
            for folder in spec.submodule_search_locations:
                files.extend(Path(folder).resolve().rglob("*.py"))
    return tuple(sorted(files))


@functools.cache
def source_digest() -> str:
    """Hex digest over all kernel sources, the versions of Python and Numba, and the code settings."""
    digest = hashlib.sha256()
    digest.update(repr((sys.version_info[:3], numba.__version__, np.__version__)).encode())
    digest.update(repr([(name, os.environ.get(name, "")) for name in CODE_SETTINGS]).encode())
    for file in _kernel_sources():
        digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:20]


def _made(folder: Path, mode: int) -> bool:
    """Make a folder and those above it, for nobody else to write to, and see whether files can be made there."""
    try:
        for path in (*reversed(folder.parents), folder):
            if not path.exists():
                path.mkdir(mode, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


@functools.cache
def _choice() -> tuple[Path | None, str]:
    """The folder of compiled kernels, and why it is not the one that was meant; see `cache_folder`."""
    named = os.environ.get("WARLIGHT_CACHE_DIR")
    parent = Path(named) if named else Path(platformdirs.user_cache_dir("warlight-env", appauthor=False))
    meant = parent / "kernels" / source_digest()
    there = _made(meant, 0o755 if named else 0o700) or _filled(meant)
    if not there:
        return _private_folder(), ""
    real, reason = _trusted(meant)
    if real is not None:
        return real, ""
    instead = _private_folder()
    where = "every start compiles them" if instead is None else f"{instead} is used instead"
    return instead, f"{meant} is not used: others could change what would be run, as {reason}; {where}"


def _trusted(folder: Path) -> tuple[Path | None, str]:
    """Where a folder really lies, if nobody else can write there, see `whose_besides`; else None, and who can.

    What was looked at is what is used: a link on the way there may be another one a moment later.
    """
    try:
        real = folder.resolve(strict=True)
    except OSError as error:
        return None, f"{folder}: {error.strerror or error}"
    reason = whose_besides(real)
    return (real, "") if reason is None else (None, reason)


def cache_folder() -> Path | None:
    """The folder of compiled kernels for exactly these sources; None: there is none that is safe.

    ``WARLIGHT_CACHE_DIR`` names its parent; otherwise it lies in the user's cache folder. What is cached is executed:
    where that cannot be written, or others than this user and root could write to it, to what is above it or to what
    lies in it, it is a folder of this user's alone in the system's temporary folder. A warning says so.
    """
    folder, notice = _choice()
    if notice and multiprocessing.parent_process() is None:  # which has said it
        _warn_once(notice)
    return folder


def cache_notice() -> str:
    """Why the folder of compiled kernels is not the one that was meant; empty where it is."""
    return _choice()[1]


def _filled(folder: Path) -> bool:
    """Whether it holds compiled kernels, which can be used even where nothing can be added."""
    try:
        return any(folder.glob("*.nbi"))
    except OSError:
        return False


def whose_besides(folder: Path) -> str | None:
    """Which place lets others than this user and root write to a folder or to a file in it, and why; None: none does.

    Above the folder counts, too, who could put another one in its place; in a sticky one, as ``/tmp``, nobody can.
    """
    if not hasattr(os, "geteuid"):  # users' folders are private there
        return None
    try:
        real = folder.resolve(strict=True)
        for path in (*reversed(real.parents), real):
            status = path.lstat()
            if reason := _open_to_others(status, path != real and bool(status.st_mode & stat.S_ISVTX)):
                return f"{path} {reason}"
        closed = not real.stat().st_mode & 0o011  # nobody else reaches what is in it
        with os.scandir(real) as entries:
            for entry in entries:
                status = entry.stat(follow_symlinks=False)
                if stat.S_ISLNK(status.st_mode):
                    return f"{entry.path} is a link"
                if reason := _open_to_others(status, closed):
                    return f"{entry.path} {reason}"
    except OSError as error:
        return f"{error.filename or folder}: {error.strerror or error}"
    return None


def _open_to_others(status: os.stat_result, whatever_mode: bool) -> str | None:
    if status.st_uid not in (0, os.geteuid()):
        return f"belongs to user {status.st_uid}"
    if status.st_mode & 0o022 and not whatever_mode:
        return f"can be written by others (mode {stat.S_IMODE(status.st_mode):o})"
    return None


def _private_folder() -> Path | None:
    """A folder in the system's temporary folder that nobody else can write to, the same each time if possible."""
    owner = f"-{os.geteuid()}" if hasattr(os, "geteuid") else ""
    below = Path("kernels", source_digest())
    folder = Path(tempfile.gettempdir(), f"warlight-env{owner}") / below
    if _made(folder, 0o700) and (real := _trusted(folder)[0]) is not None:
        return real
    with contextlib.suppress(OSError):
        folder = Path(tempfile.mkdtemp(prefix="warlight-env-")) / below
        if _made(folder, 0o700):
            return _trusted(folder)[0]
    return None


class _Locator(caching._CacheLocator):
    """Puts one form of a compiled function into `cache_folder`."""

    form = ""

    def __init__(self, py_func: Callable[..., Any], py_file: str) -> None:
        self._py_file = py_file  # where Numba's warnings say what they are about
        self._line = py_func.__code__.co_firstlineno
        self._module = hashlib.sha256(py_func.__module__.encode()).hexdigest()[:8]
        status = os.stat(py_file)
        # The folder's name already stands for the text of the kernel sources; so installations share what they compile.
        ours = Path(py_file).resolve() in _kernel_sources()
        self._stamp = (0.0 if ours else status.st_mtime, status.st_size)

    def get_cache_path(self) -> str:
        return str(cache_folder())

    def get_source_stamp(self) -> tuple[float, int]:
        return self._stamp

    def get_disambiguator(self) -> str:
        return f"{self._module}-{self._line}{self.form}"

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> _Locator | None:
        return cls(py_func, py_file) if os.path.exists(py_file) and cache_folder() is not None else None


class _KernelCache(FunctionCache):
    """Numba's cache, for which a file that cannot be read is as good as none, and a full disk no reason to stop."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # unpickling a damaged file can raise anything
            self._rewrite(self.flush)
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        self._rewrite(lambda: super(_KernelCache, self).save_overload(sig, data))

    def _rewrite(self, write: Callable[[], None]) -> None:
        mask = os.umask(0o022)  # what others can write to is not read again
        os.umask(mask | 0o022)
        try:
            write()
        except OSError as error:
            _warn_once(f"compiled kernels cannot be kept in {self.cache_path}: {error.strerror or error}")
        finally:
            os.umask(mask)


@functools.cache
def _cache_class(form: str) -> type[_KernelCache]:
    locator = type("_FormLocator", (_Locator,), {"form": form})
    impl = type("_FormCacheImpl", (CompileResultCacheImpl,), {"_locator_classes": (locator,)})
    return type("_FormCache", (_KernelCache,), {"_impl_class": impl})


def keep(compiled: Any, function: Callable[..., Any], form: str = "") -> None:
    """Have Numba keep what it compiles in `cache_folder`; a function's forms, each of a name, are kept apart.

    compiled: Numba's dispatcher or pointer of the function. What has no source file, being typed into an interpreter,
    is not kept, and nothing is where there is no safe place for it.
    """
    with contextlib.suppress(RuntimeError):
        compiled._cache = _cache_class(form)(function)


@functools.cache
def _warn_once(message: str) -> None:
    warnings.warn(message, RuntimeWarning, stacklevel=2)
