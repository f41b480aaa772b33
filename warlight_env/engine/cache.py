"""Where compiled kernels are kept on disk: a folder that nobody else can write to, in files that notice damage."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import multiprocessing
import os
import pickle
import re
import stat
import sys
import tempfile
import uuid
import warnings
from collections.abc import Callable
from pathlib import Path
from types import CodeType
from typing import Any, Final

import numba
import numpy as np
import platformdirs
from numba.core import caching
from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile

from warlight_env.engine.checked import CHECKED
from warlight_env.engine.compile_progress import note_loaded
from warlight_env.engine.sealed import is_damaged, seal, unseal
from warlight_env.engine.sources import ModuleSource, SourceDigests, kernel_modules, read_sources

#: Texts of modules, most recent last, of which it is kept what they mean.
_KNOWN_SOURCES: Final = 2000

#: The digest of the sources in the names of files.
_SOURCES: Final = re.compile(r"-[0-9a-f]{8}-([0-9a-f]{20})-")

#: Settings that change the machine code but that Numba leaves out of its own cache key.
CODE_SETTINGS = (
    "NUMBA_BOUNDSCHECK", "NUMBA_OPT", "NUMBA_FASTMATH", "NUMBA_LOOP_VECTORIZE", "NUMBA_SLP_VECTORIZE",
    "WARLIGHT_CHECKED",
)  # fmt: skip


@functools.cache
def environment_digest() -> str:
    """Hex digest over the versions of Python, NumPy and Numba, and the code settings."""
    versions = (sys.version_info[:3], numba.__version__, np.__version__)
    settings = [(name, os.environ.get(name, "")) for name in CODE_SETTINGS]
    return hashlib.sha256(repr((versions, settings)).encode()).hexdigest()[:20]


@functools.cache
def source_digests() -> SourceDigests:
    """The digests of all kernel modules. What was parsed is kept in `cache_folder`."""
    folder = cache_folder()
    path = None if folder is None else folder / "sources.json"
    known: dict[str, Any] = {}
    if path is not None:
        with contextlib.suppress(OSError):
            content = unseal(path.name, path.read_bytes())
            known = {} if content is None else json.loads(content)

    def remember(sources: dict[str, ModuleSource]) -> None:
        if path is not None:
            newest = dict(list(known.items())[-_KNOWN_SOURCES:])
            _write(path, json.dumps({**newest, **sources}).encode())

    return SourceDigests(read_sources(known, remember))


def _write(path: Path, content: bytes) -> None:
    """Seal a file and put it in its place at once. A folder that cannot be written is no reason to stop."""
    mask = os.umask(0o022)  # files that others can write are not read again
    os.umask(mask | 0o022)
    new = path.with_name(f"{path.name}.tmp.{uuid.uuid4().hex[:16]}")
    try:
        new.write_bytes(seal(path.name, content))
        new.replace(path)
    except OSError as error:
        _warn_once(f"compiled kernels cannot be kept in {path.parent}: {error.strerror or error}")
        with contextlib.suppress(OSError):
            new.unlink()
    finally:
        os.umask(mask)


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
    meant = parent / "kernels" / environment_digest()
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
    """The folder of compiled kernels for these versions of Python and Numba; None: no folder is safe.

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
    below = Path("kernels", environment_digest())
    folder = Path(tempfile.gettempdir(), f"warlight-env{owner}") / below
    if _made(folder, 0o700) and (real := _trusted(folder)[0]) is not None:
        return real
    with contextlib.suppress(OSError):
        folder = Path(tempfile.mkdtemp(prefix="warlight-env-")) / below
        if _made(folder, 0o700):
            return _trusted(folder)[0]
    return None


class _Locator(caching._CacheLocator):
    """Puts one form of a compiled function into `cache_folder`.

    A function of a kernel module is known by its module, its name, its own code and the digest of its module's import
    closure, so files of changed sources lie beside those of the old ones. Other functions may call any kernel.
    """

    form = ""

    def __init__(self, py_func: Callable[..., Any], py_file: str) -> None:
        self._py_file = py_file  # Numba's warnings name it
        module = py_func.__module__
        known = hashlib.sha256(module.encode()).hexdigest()[:8]
        ours = kernel_modules().get(module) == Path(py_file).resolve()
        sources = source_digests().of(module if ours else "")
        if ours and not CHECKED:
            self._stamp: tuple[Any, ...] = (sources,)
            self._place = f"{known}-{sources}-{_code_digest(py_func.__code__)}"
        else:  # the checked build's errors name lines
            status = os.stat(py_file)
            self._stamp = (sources, status.st_mtime, status.st_size)
            self._place = f"{known}-{sources}-{py_func.__code__.co_firstlineno}"

    def get_cache_path(self) -> str:
        return str(cache_folder())

    def get_source_stamp(self) -> tuple[Any, ...]:
        return self._stamp

    def get_disambiguator(self) -> str:
        return f"{self._place}{self.form}"

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> _Locator | None:
        return cls(py_func, py_file) if os.path.exists(py_file) and cache_folder() is not None else None


def _code_digest(code: CodeType) -> str:
    """Tells functions of one name in one module apart, wherever they stand there."""
    numbers = [c for c in code.co_consts if isinstance(c, int | float)]
    inner = [_code_digest(c) for c in code.co_consts if isinstance(c, CodeType)]
    return hashlib.sha256(repr((code.co_code, code.co_names, numbers, inner)).encode()).hexdigest()[:8]


class _SealedFiles(IndexDataCacheFile):
    """Numba's files of a function, sealed: a damaged one is as good as none.

    An index names its files of code, each of which has a name of its own that is never used again. So an index never
    leads to the code of another signature.
    """

    def _load_index(self) -> dict[Any, str]:
        content = self._content(self._index_path)
        if content is None:
            return {}
        stamp, overloads = pickle.loads(content)
        return overloads if stamp == self._source_stamp else {}

    def _save_index(self, overloads: dict[Any, str]) -> None:
        _write(Path(self._index_path), self._dump((self._source_stamp, overloads)))

    def _load_data(self, name: str) -> Any:
        content = self._content(self._data_path(name))
        if content is None:
            raise FileNotFoundError(name)
        return pickle.loads(content)

    def _save_data(self, name: str, data: Any) -> None:
        _write(Path(self._data_path(name)), self._dump(data))

    def _data_name(self, number: int) -> str:
        return self._data_name_pattern.format(number=uuid.uuid4().int % 10**16)

    def _content(self, path: str) -> bytes | None:
        """What was written to a file; None where there is none, or a damaged one, which is deleted."""
        file = Path(path)
        try:
            content = unseal(file.name, file.read_bytes())
        except FileNotFoundError:
            return None
        if content is None:
            with contextlib.suppress(OSError):
                file.unlink()
        return content


class _KernelCache(FunctionCache):
    """Numba's cache over `_SealedFiles`. A file that cannot be read is as good as none."""

    def __init__(self, py_func: Callable[..., Any]) -> None:
        super().__init__(py_func)
        self._function = py_func
        stamp = self._impl.locator.get_source_stamp()
        self._cache_file = _SealedFiles(self._cache_path, self._impl.filename_base, stamp)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            loaded = super().load_overload(sig, target_context)
        except Exception:  # unpickling what other versions wrote can raise anything
            self.flush()
            return None
        if loaded is not None:
            note_loaded(self._function)
        return loaded

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except OSError as error:
            _warn_once(f"compiled kernels cannot be kept in {self.cache_path}: {error.strerror or error}")


def damaged_files() -> list[Path]:
    """The files in `cache_folder` that are not as they were written."""
    damaged = []
    for file in _files():
        with contextlib.suppress(OSError):  # another process may have replaced it
            if is_damaged(file):
                damaged.append(file)
    return damaged


def stale_files() -> list[Path]:
    """The files in `cache_folder` that belong to other sources than the installed ones."""
    current = source_digests().all()
    found = ((file, _SOURCES.search(file.name)) for file in _files())
    return [file for file, digest in found if digest and digest[1] not in current]


def _files() -> list[Path]:
    folder = cache_folder()
    if folder is None or not folder.is_dir():
        return []
    return sorted(path for path in folder.iterdir() if path.suffix in (".nbi", ".nbc", ".json"))


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
