"""The cache of compiled kernels on disk.

The key of a kernel is a digest of its source code. Each file of the cache contains a digest, with which damage is
detected.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import pickle
import re
import uuid
from collections.abc import Callable
from pathlib import Path
from types import CodeType
from typing import Any, Final

from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile, _CacheLocator

from warlight_env.engine.cache_folder import cache_folder as cache_folder
from warlight_env.engine.cache_folder import environment_digest, warn_once
from warlight_env.engine.called_kernels import CalledKernelCacheImpl
from warlight_env.engine.checked import CHECKED
from warlight_env.engine.compile_progress import count_loaded_kernel
from warlight_env.engine.sources import (
    FORMAT,
    ModuleSource,
    SourceDigests,
    dump_sources,
    kernel_modules,
    parse_sources,
    read_sources,
)
from warlight_env.output import OutputError, write_file

_MARK: Final = b"warlight sealed 2\n"
_DIGEST_BYTES: Final = 32

#: The maximum number of older module versions whose digests stay in the file `_SOURCES_FILE`.
_KNOWN_SOURCES: Final = 2000

#: A regular expression that finds the digest of the sources in the name of a kernel's file.
_SOURCES: Final = re.compile(r"-[0-9a-f]{8}-([0-9a-f]{20})-")

#: The variant of kernels for calls by other kernels; see `enable_cache`.
CALLED: Final = "c"

#: The name of the file with the digests of parsed modules. Another version of `sources.py` uses another file name.
_SOURCES_FILE: Final = f"sources-{FORMAT}.json"


def with_digest(name: str, content: bytes, build: str | None = None) -> bytes:
    """Return the bytes to write into the file of this name: a digest, then the content.

    The digest detects a damaged file, a renamed file, and a file of another build.

    Args:
        name: the file's name, without its folder.
        content: the content of the file.
        build: the digest of the build that writes the file. None: `environment_digest`.
    """
    return _MARK + _digest(name, content, environment_digest() if build is None else build) + content


def verify_digest(name: str, sealed: bytes) -> bytes | None:
    """Return the content of a sealed file, a result of `with_digest`, if this build has written the file.

    Returns None if a bit of the file has changed, or if the file was written under another name or by another build.
    """
    start = len(_MARK) + _DIGEST_BYTES
    content = sealed[start:]
    return content if sealed[:start] == _MARK + _digest(name, content, environment_digest()) else None


def _digest(name: str, content: bytes, build: str) -> bytes:
    digest = hashlib.blake2b(digest_size=_DIGEST_BYTES)
    digest.update(f"{build}\0{name}\0".encode())
    digest.update(content)
    return digest.digest()


@functools.cache
def source_digests() -> SourceDigests:
    """Return the digests of all modules that contain kernels.

    A file in `cache_folder` stores the digests, so that later starts need not parse modules.
    """
    folder = cache_folder()
    path = None if folder is None else folder / _SOURCES_FILE
    content = None if path is None else _read(path)
    cached = {} if content is None else parse_sources(content)

    def remember(sources: dict[str, ModuleSource]) -> None:
        if path is not None:
            newest = dict(list(cached.items())[-_KNOWN_SOURCES:])
            _write(path, dump_sources({**newest, **sources}))

    return SourceDigests(read_sources(cached, remember))


def _read(path: Path) -> bytes | None:
    """The content of a file with a digest; None if the file is missing, unreadable or damaged.

    Deletes a damaged file.
    """
    try:
        content = verify_digest(path.name, path.read_bytes())
    except OSError:
        return None
    if content is None:
        with contextlib.suppress(OSError):
            path.unlink()
    return content


def _write(path: Path, content: bytes) -> None:
    """Write a file with a digest in one step. If the folder cannot be written, warn, and continue without the file."""
    try:
        # A later start rejects files that other users can write. The digest detects damage after a power cut, so the
        # file is not synced.
        write_file(path, with_digest(path.name, content), mode=0o644, sync=False)
    except (OSError, OutputError) as error:
        _warn_unwritable(path.parent, error)


def _warn_unwritable(folder: Path | str, error: Exception) -> None:
    warn_once(f"cannot save compiled kernels in {folder}: {getattr(error, 'strerror', None) or error}")


class _Locator(_CacheLocator):
    """The object that tells Numba the path and the key of one variant of a compiled function in `cache_folder`.

    A kernel's key is its module, its name, its code and the digest of all kernel modules that its module imports. After
    a change of the sources the kernel has new files, and its older files remain in `cache_folder`. A function outside
    `KERNEL_PACKAGES` may call any kernel, so its key contains the digest of all kernel modules.
    """

    variant = ""

    def __init__(self, py_func: Callable[..., Any], py_file: str) -> None:
        self._py_file = py_file  # Numba's warnings use this attribute
        module = py_func.__module__
        module_key = hashlib.sha256(module.encode()).hexdigest()[:8]
        is_kernel_module = kernel_modules().get(module) == Path(py_file).resolve()
        sources = source_digests().digest_for(module if is_kernel_module else "")
        if is_kernel_module and not CHECKED:
            self._stamp: tuple[Any, ...] = (sources,)
            self._place = f"{module_key}-{sources}-{_code_digest(py_func.__code__)}"
        else:  # the checked build's errors contain line numbers
            status = os.stat(py_file)
            self._stamp = (sources, status.st_mtime, status.st_size)
            self._place = f"{module_key}-{sources}-{py_func.__code__.co_firstlineno}"

    def get_cache_path(self) -> str:
        return str(cache_folder())

    def get_source_stamp(self) -> tuple[Any, ...]:
        return self._stamp

    def get_disambiguator(self) -> str:
        return f"{self._place}{self.variant}"

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> _Locator | None:
        return cls(py_func, py_file) if os.path.exists(py_file) and cache_folder() is not None else None


def _code_digest(code: CodeType) -> str:
    """A digest that distinguishes functions of the same name in one module; line numbers do not change it."""
    numbers = [c for c in code.co_consts if isinstance(c, int | float)]
    inner = [_code_digest(c) for c in code.co_consts if isinstance(c, CodeType)]
    return hashlib.sha256(repr((code.co_code, code.co_names, numbers, inner)).encode()).hexdigest()[:8]


class _SealedFiles(IndexDataCacheFile):
    """Numba's index file and code files of one function, with digests. A damaged file counts as missing.

    The index file contains the names of the code files. Each code file has a random name that is used once, so the
    index never refers to the code of another signature.
    """

    def _load_index(self) -> dict[Any, str]:
        stamp, overloads = self._load(self._index_path) or (None, {})
        return overloads if stamp == self._source_stamp else {}

    def _save_index(self, overloads: dict[Any, str]) -> None:
        _write(Path(self._index_path), self._dump((self._source_stamp, overloads)))

    def _load_data(self, name: str) -> Any:
        data = self._load(self._data_path(name))
        if data is None:
            raise FileNotFoundError(name)
        return data

    def _save_data(self, name: str, data: Any) -> None:
        _write(Path(self._data_path(name)), self._dump(data))

    def _data_name(self, number: int) -> str:
        return self._data_name_pattern.format(number=uuid.uuid4().int % 10**16)

    def _load(self, path: str) -> Any:
        """The object in a file; None if the file is missing, or if it has types that cannot be imported."""
        content = _read(Path(path))
        if content is None:
            return None
        try:
            return pickle.loads(content)
        except (ImportError, AttributeError):
            return None


class _NoKeyError(Exception):
    """A function has closure variables that cannot be pickled, such as a ctypes pointer, so it has no cache key."""


class _KernelCache(FunctionCache):
    """Numba's cache with `_SealedFiles` as its files."""

    def __init__(self, py_func: Callable[..., Any]) -> None:
        super().__init__(py_func)
        self._function = py_func
        stamp = self._impl.locator.get_source_stamp()
        self._cache_file = _SealedFiles(self._cache_path, self._impl.filename_base, stamp)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            loaded = super().load_overload(sig, target_context)
        except _NoKeyError:
            return None
        if loaded is not None:
            count_loaded_kernel(self._function)
        return loaded

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except OSError as error:
            _warn_unwritable(self.cache_path, error)
        except _NoKeyError as error:
            warn_once(f"cannot save the compiled kernel {self._function.__qualname__}: {error}")

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        try:
            return super()._index_key(sig, codegen)
        except (pickle.PicklingError, TypeError, ValueError) as error:
            raise _NoKeyError(str(error)) from error


def load_file(name: str) -> bytes | None:
    """Return the content that `save_file` wrote under a name; None if no such file exists, or if it is damaged."""
    folder = cache_folder()
    return None if folder is None else _read(folder / name)


def save_file(name: str, content: bytes) -> None:
    """Write a file with a digest to `cache_folder`. If the folder cannot be written, warn, and write no file."""
    folder = cache_folder()
    if folder is not None:
        _write(folder / name, content)


def damaged_files() -> list[Path]:
    """The files in `cache_folder` that are damaged or were written by another build."""
    damaged = []
    for file in _files():
        with contextlib.suppress(OSError):  # another process may have replaced the file
            if verify_digest(file.name, file.read_bytes()) is None:
                damaged.append(file)
    return damaged


def stale_files() -> list[Path]:
    """The files in `cache_folder` that belong to another version of the sources than the installed version."""
    current = source_digests().all()

    def is_stale(file: Path) -> bool:
        if file.suffix == ".json":
            return file.name != _SOURCES_FILE
        digest = _SOURCES.search(file.name)
        return digest is not None and digest[1] not in current

    return [file for file in _files() if is_stale(file)]


def _files() -> list[Path]:
    folder = cache_folder()
    if folder is None or not folder.is_dir():
        return []
    return sorted(path for path in folder.glob("[!.]*") if path.suffix in (".nbi", ".nbc", ".cubin", ".json"))


@functools.cache
def _cache_class(variant: str) -> type[_KernelCache]:
    locator = type("_VariantLocator", (_Locator,), {"variant": variant})
    base = CalledKernelCacheImpl if variant == CALLED else CompileResultCacheImpl
    impl = type("_VariantCacheImpl", (base,), {"_locator_classes": (locator,)})
    return type("_VariantCache", (_KernelCache,), {"_impl_class": impl})


def enable_cache(compiled: Any, function: Callable[..., Any], variant: str = "") -> None:
    """Make Numba store its compiled code of a function in `cache_folder`.

    Nothing is stored if the function has no source file, or if `cache_folder` returns None.

    Args:
        compiled: the compiled function, as a dispatcher or a `CFunc` of Numba.
        function: the function in Python.
        variant: a short name of the compiler options, for example "p". Each variant of a function has its own files.
    """
    with contextlib.suppress(RuntimeError):  # Numba raises RuntimeError if no locator accepts the function
        compiled._cache = _cache_class(variant)(function)
