"""The one decorator of all compiled code, with a cache that cannot serve stale kernels."""

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
from typing import Any, TypeVar

import numba
import numpy as np
import platformdirs
from numba.core import caching, cgutils, event, types
from numba.core.caching import CompileResultCacheImpl, FunctionCache
from numba.core.ccallback import CFunc
from numba.extending import intrinsic

F = TypeVar("F", bound=Callable[..., Any])

#: Packages whose sources make up the cache key: Numba itself does not see that a callee in another file changed.
KERNEL_PACKAGES = ("warlight_env.engine", "warlight_env.agents", "warlight_env.envs")

#: Settings that change the machine code but that Numba leaves out of its own cache key.
CODE_SETTINGS = ("NUMBA_BOUNDSCHECK", "NUMBA_OPT", "NUMBA_FASTMATH", "NUMBA_LOOP_VECTORIZE", "NUMBA_SLP_VECTORIZE")

#: True where kernels run as plain Python (``NUMBA_DISABLE_JIT=1``).
JIT_DISABLED: bool = bool(numba.config.DISABLE_JIT)


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
    """Puts a function's compiled form into `cache_folder`."""

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
        return f"{self._module}-{self._line}"

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> _Locator | None:
        return cls(py_func, py_file) if os.path.exists(py_file) else None


class _KernelCacheImpl(CompileResultCacheImpl):
    _locator_classes = (_Locator,)


class _KernelCache(FunctionCache):
    """Numba's cache, for which a file that cannot be read is as good as none, and a full disk no reason to stop."""

    _impl_class = _KernelCacheImpl

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
def _warn_once(message: str) -> None:
    warnings.warn(message, RuntimeWarning, stacklevel=2)


def kernel(function: F, *, inline: bool = False) -> F:
    """Compile a function: no Python objects, no GIL, C division, cached on disk.

    Kernels never allocate, so Numba's reference counts are switched off (``_nrt=False``): counting every array that
    passes through a `NamedTuple` with atomic operations made whole games 3.5 times slower. A kernel that tries to
    make an array does not compile. `inline` (see `inline_kernel`) asks LLVM to inline the function into its callers.

    With ``NUMBA_DISABLE_JIT=1`` the function stays Python; only the wrap-around of unsigned integers, which the
    random generator relies on, is kept from warning.
    """
    if JIT_DISABLED:

        @functools.wraps(function)
        def plain(*args: Any) -> Any:
            with np.errstate(over="ignore"):
                return function(*args)

        return plain  # type: ignore[return-value]
    dispatcher = numba.njit(nogil=True, error_model="numpy", _nrt=False, forceinline=inline)(function)
    with contextlib.suppress(RuntimeError):  # no source file: what is typed into an interpreter is not cached
        dispatcher._cache = _KernelCache(function)
    _ignore_literals(dispatcher)
    return dispatcher


def _ignore_literals(dispatcher: Any) -> None:
    """Keep Numba from compiling a kernel anew for each constant that another passes: a quarter of all compile time."""
    template, plain = dispatcher.get_call_template, types.misc.unliteral

    def get_call_template(args: Any, kws: Any) -> Any:
        return template(tuple(map(plain, args)), {name: plain(kind) for name, kind in dict(kws).items()})

    dispatcher.get_call_template = get_call_template


def inline_kernel(function: F) -> F:
    """A `kernel` that is inlined wherever it is called.

    For functions on the hot path that take whole records: passing a `Board` costs some hundred stores a call.
    """
    return kernel(function, inline=True)


class _CompileNotice(event.Listener):
    """On a terminal, says once that one of our kernels is being compiled: it takes a while and happens only once."""

    said = False

    def on_start(self, event: Any) -> None:
        module = getattr(getattr(event.data.get("dispatcher"), "py_func", None), "__module__", "")
        if not self.said and module.startswith("warlight_env.") and sys.stderr.isatty():
            self.said = True
            print("compiling (the first time only) …", file=sys.stderr, flush=True)

    def on_end(self, event: Any) -> None:
        pass


event.register("numba:compile", _CompileNotice())


def function_at(signature: Callable[[], Any]) -> Any:
    """A function for kernels that turns the address of a `pointer` into the function, of the type signature().

    A kernel that takes the address, an integer, starts at once; one that takes the pointer itself spends tens of
    microseconds at each call from Python on finding the address out.
    """
    if JIT_DISABLED:
        return lambda function: function

    @intrinsic
    def at(typing_context: Any, address: Any) -> Any:
        function_type = types.FunctionType(signature())

        def generate(context: Any, builder: Any, _: Any, values: Any) -> Any:
            function = cgutils.create_struct_proxy(function_type)(context, builder)
            void = context.get_value_type(types.voidptr)
            function.c_addr = builder.inttoptr(values[0], void)
            function.py_addr = cgutils.get_null_value(void)
            function.jit_addr = cgutils.get_null_value(void)
            return function._getvalue()

        return function_type(types.int64), generate

    return at


def address(function: Any) -> Any:
    """The address of a `pointer`, for `function_at`; the pointer must be kept."""
    return function if JIT_DISABLED else int(function.address)


class _PointerLocator(_Locator):
    """A function's form as a pointer differs from its form as a kernel."""

    def get_disambiguator(self) -> str:
        return f"{super().get_disambiguator()}p"


class _PointerCacheImpl(CompileResultCacheImpl):
    _locator_classes = (_PointerLocator,)


class _PointerCache(_KernelCache):
    _impl_class = _PointerCacheImpl


def pointer(signature: Any, function: Callable[..., Any], cached: bool = True) -> Any:
    """A function as a first-class value that kernels take as an argument.

    A kernel whose parameter is such a value is compiled and cached once for the signature, whichever function comes;
    the function is compiled by itself: a `kernel`, a function under ``@njit``, or plain Python that Numba can compile.
    Raises Numba's ``TypingError`` where it cannot.
    """
    if JIT_DISABLED:
        return function
    body = getattr(function, "py_func", function)
    options = {"nogil": True, "error_model": "numpy", "_nrt": True, **getattr(function, "targetoptions", {})}
    options = {name: value for name, value in options.items() if name in ("nogil", "error_model", "_nrt", "fastmath")}
    compiled: Any = CFunc(body, (signature.args, signature.return_type), locals={}, options=options)
    if cached:
        with contextlib.suppress(RuntimeError):
            compiled._cache = _PointerCache(body)
    compiled.compile()
    return compiled
