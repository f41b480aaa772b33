"""Where compiled kernels are kept on disk: a folder for exactly these sources, so that none can be stale."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib.util
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
KERNEL_PACKAGES = ("warlight_env.engine", "warlight_env.agents", "warlight_env.envs")

#: Settings that change the machine code but that Numba leaves out of its own cache key.
CODE_SETTINGS = ("NUMBA_BOUNDSCHECK", "NUMBA_OPT", "NUMBA_FASTMATH", "NUMBA_LOOP_VECTORIZE", "NUMBA_SLP_VECTORIZE")


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


def _writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


@functools.cache
def cache_folder() -> Path:
    """The folder of compiled kernels for exactly these sources.

    ``WARLIGHT_CACHE_DIR`` names its parent; otherwise it lies in the user's cache folder, or, where that cannot
    be written, in a per-user folder of the system's temporary folder.
    """
    named = os.environ.get("WARLIGHT_CACHE_DIR")
    parent = Path(named) if named else Path(platformdirs.user_cache_dir("warlight-env", appauthor=False))
    folder = parent / "kernels" / source_digest()
    if _writable(folder) or _filled(folder):
        return folder
    return _own_temporary_folder() / "kernels" / source_digest()


def _filled(folder: Path) -> bool:
    """Whether it holds compiled kernels, which can be used even where nothing can be added."""
    try:
        return any(folder.glob("*.nbi"))
    except OSError:
        return False


def _own_temporary_folder() -> Path:
    """A folder in the system's temporary folder that nobody else can write to: what is cached is executed."""
    if not hasattr(os, "getuid"):  # such folders are private there
        return Path(tempfile.gettempdir()) / "warlight-env"
    folder = Path(tempfile.gettempdir()) / f"warlight-env-{os.getuid()}"
    with contextlib.suppress(OSError):
        folder.mkdir(mode=0o700, exist_ok=True)
        status = folder.lstat()
        if stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid() and not status.st_mode & 0o022:
            return folder
    return Path(tempfile.mkdtemp(prefix="warlight-env-"))


class _Locator(caching._CacheLocator):
    """Puts one form of a compiled function into `cache_folder`."""

    form = ""

    def __init__(self, py_func: Callable[..., Any], py_file: str) -> None:
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
        return cls(py_func, py_file) if os.path.exists(py_file) else None


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
        try:
            write()
        except OSError as error:
            _warn_once(f"compiled kernels cannot be kept in {self.cache_path}: {error.strerror or error}")


@functools.cache
def _cache_class(form: str) -> type[_KernelCache]:
    locator = type("_FormLocator", (_Locator,), {"form": form})
    impl = type("_FormCacheImpl", (CompileResultCacheImpl,), {"_locator_classes": (locator,)})
    return type("_FormCache", (_KernelCache,), {"_impl_class": impl})


def keep(compiled: Any, function: Callable[..., Any], form: str = "") -> None:
    """Have Numba keep what it compiles in `cache_folder`; a function's forms, each of a name, are kept apart.

    compiled: Numba's dispatcher or pointer of the function. What has no source file, being typed into an interpreter,
    is not kept.
    """
    with contextlib.suppress(RuntimeError):
        compiled._cache = _cache_class(form)(function)


@functools.cache
def _warn_once(message: str) -> None:
    warnings.warn(message, RuntimeWarning, stacklevel=2)
