"""The decorators `kernel` and `inline_kernel` for all compiled code, and compiled functions as kernel arguments."""

from __future__ import annotations

import functools
import gc
from collections.abc import Callable
from types import FunctionType
from typing import Any, TypeVar

import numba
import numpy as np
from numba.core import cgutils, event, types
from numba.core.ccallback import CFunc
from numba.extending import intrinsic, lower_cast, models, register_model, typeof_impl

from warlight_env.engine import checked
from warlight_env.engine.cache import CALLED, enable_cache
from warlight_env.engine.called_kernels import CalledKernelCompiler
from warlight_env.engine.reference import ReferenceType

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T", bound=tuple[Any, ...])

#: Whether kernels run as plain Python (``NUMBA_DISABLE_JIT=1``).
JIT_DISABLED: bool = bool(numba.config.DISABLE_JIT)


class _Pause(event.Listener):
    """A listener that disables Python's garbage collector at the start of a compilation, and enables it at the end.

    The compiler makes millions of objects and uses them until the end of the compilation. The garbage collector finds
    no garbage among these objects, and would take seven percent of the compile time.

    Compilations are nested, because a kernel compiles the kernels that it calls. Numba's lock lets only one thread
    compile. If the user has disabled the collector, it remains disabled.
    """

    def __init__(self) -> None:
        self._depth = 0
        self._was_enabled = False

    def on_start(self, event: Any) -> None:
        if self._depth == 0:
            self._was_enabled = gc.isenabled()
            gc.disable()
        self._depth += 1

    def on_end(self, event: Any) -> None:
        self._depth -= 1
        if self._depth == 0 and self._was_enabled:
            gc.enable()


event.register("numba:compile", _Pause())


def kernel(function: F, *, inline: bool = False) -> F:
    """Compile a function with Numba: without Python objects and the GIL, with C's division.

    Store the machine code in the cache on disk.

    Kernels never allocate memory, so Numba's reference counts are switched off (``_nrt=False``). With reference counts,
    games would be 3.5 times slower, because every array in a `NamedTuple` would need atomic operations. A kernel that
    makes an array, and a kernel that calls itself, do not compile. `inline` (see `inline_kernel`) asks LLVM to inline
    the function into its callers.

    With ``NUMBA_DISABLE_JIT=1`` the function is not compiled. Only the warning for overflows of unsigned integers is
    switched off, because the random generator relies on these overflows.
    """
    if JIT_DISABLED:

        @functools.wraps(function)
        def plain(*args: Any, **names: Any) -> Any:
            with np.errstate(over="ignore"):
                return function(*args, **names)

        return plain  # type: ignore[return-value]
    options = {
        "nogil": True, "error_model": "numpy", "_nrt": False, "forceinline": inline,
        "fastmath": False,  # otherwise a kernel takes over the setting of a user's function that calls it
    }  # fmt: skip
    if checked.CHECKED:
        options["boundscheck"] = True
        checked.watch(function)
    dispatcher = numba.njit(**options)(function)
    enable_cache(dispatcher, function)
    _compile_for_kernels(dispatcher, options)
    return dispatcher


def source_of(value: Any) -> Callable[..., Any] | None:
    """Return the Python function of a `kernel`, or None if the value is not a kernel."""
    source = getattr(value, "__wrapped__", None) if JIT_DISABLED else getattr(value, "py_func", None)
    return source if isinstance(source, FunctionType) else None


def _compile_for_kernels(dispatcher: Any, options: dict[str, Any]) -> None:
    """Make the variant of a kernel that other kernels call: compiled without machine code and without wrappers.

    Most kernels are only called by other kernels. A wrapper unpacks NamedTuples of up to a hundred arrays, so the
    wrappers of all kernels would take a third of the compile time. `CalledKernelCompiler` also saves time.
    """

    @functools.cache
    def called() -> Any:
        compiled = numba.njit(
            no_cpython_wrapper=True, no_cfunc_wrapper=True, pipeline_class=CalledKernelCompiler, **options
        )(dispatcher.py_func)
        enable_cache(compiled, dispatcher.py_func, CALLED)
        _ignore_literals(compiled)
        return compiled

    dispatcher.get_call_template = lambda args, kws: called().get_call_template(args, kws)
    dispatcher.get_overload = lambda signature: called().get_overload(signature)


def prepare(function: Callable[..., Any], *arguments: Any) -> None:
    """Compile a kernel for the types of `arguments`, or load it from the cache, but do not call it.

    A kernel that was called or prepared before is not compiled again.

    Use `prepare` for kernels that Python calls rarely and with one signature. Without `prepare`, Numba would compile
    the kernel at its first call, which may be in the thinking time of an agent.
    """
    if not JIT_DISABLED and not function.overloads:  # type: ignore[attr-defined]
        compiled: Any = function
        compiled.compile(tuple(map(compiled.typeof_pyval, arguments)))


def _ignore_literals(dispatcher: Any) -> None:
    """Prevent Numba from compiling a kernel again for each constant argument; this saves a quarter of compile time.

    An argument of a `protected` type, which a user's function passes to a kernel, also causes no second compilation.
    """
    template, is_ours = dispatcher.get_call_template, dispatcher.py_func.__module__.startswith("warlight_env.")

    def plain(kind: Any) -> Any:
        return unprotected(kind) if is_ours else types.misc.unliteral(kind)

    def get_call_template(args: Any, kws: Any) -> Any:
        return template(tuple(map(plain, args)), {name: plain(kind) for name, kind in dict(kws).items()})

    dispatcher.get_call_template = get_call_template


def inline_kernel(function: F) -> F:
    """Compile a `kernel` that is inlined into its callers.

    Use this decorator for small functions that take many arrays and are called very often.
    """
    return kernel(function, inline=True)


#: The classes with the decorator `shared`.
_SHARED: set[type] = set()


def shared(record: type[T]) -> type[T]:
    """Mark a NamedTuple class of arrays as shared: many games read the arrays, and kernels never write to them.

    A copy of a value of this class is the same object.

    `read_only` makes the arrays read-only for Python. Numba has a separate type for read-only arrays, so it would
    compile every kernel with shared arguments twice. To avoid the second compilation, the decorator `shared` makes
    Numba use the type of writeable arrays for these arrays.
    """

    @typeof_impl.register(record)
    def typeof(value: Any, context: Any) -> Any:
        kinds = [typeof_impl(field, context) for field in value]
        kinds = [kind.copy(readonly=False) if isinstance(kind, types.Array) else kind for kind in kinds]
        base_tuple: Any = types.BaseTuple  # type: ignore[attr-defined]
        return base_tuple.from_types(kinds, record)

    _SHARED.add(record)
    record_class: Any = record
    record_class.__copy__ = lambda self: self
    record_class.__deepcopy__ = lambda self, memo: self
    record_class.__reduce__ = lambda self: (_again, (record, tuple(self)))
    return record


_NamedTuple: Any = types.NamedTuple  # type: ignore[attr-defined]


class _Protected(_NamedTuple):
    """Numba's type of a NamedTuple in which some arrays are read-only; the memory layout is the same.

    record: the type that Numba uses for the NamedTuple in kernels.
    """

    def __init__(self, record: Any, parts: tuple[Any, ...]) -> None:
        self.record = record
        super().__init__(parts, record.instance_class)


def protected(kind: Any) -> Any:
    """Return the type that an argument has in users' functions: the arrays of `shared` classes are read-only.

    Because of the read-only type, Numba does not compile a user's function that writes to a shared array.
    """
    if isinstance(kind, ReferenceType):
        record = protected(kind.record)
        return kind if record is kind.record else ReferenceType(record)
    if not isinstance(kind, _NamedTuple):
        return kind
    parts = tuple(map(protected, kind.types))
    if kind.instance_class in _SHARED:
        parts = tuple(part.copy(readonly=True) if isinstance(part, types.Array) else part for part in parts)
    return kind if parts == tuple(kind.types) else _Protected(kind, parts)


def unprotected(kind: Any) -> Any:
    """Return the type that an argument has in kernels, given its type in users' functions (see `protected`)."""
    if isinstance(kind, ReferenceType) and isinstance(kind.record, _Protected):
        return ReferenceType(kind.record.record)
    return kind.record if isinstance(kind, _Protected) else types.misc.unliteral(kind)


register_model(_Protected)(models.TupleModel)


@lower_cast(_Protected, _NamedTuple)
def _as_record(context: Any, builder: Any, source: Any, target: Any, value: Any) -> Any:
    return value


def read_only(record: T) -> T:
    """Make the arrays of a NamedTuple read-only for Python, and return the NamedTuple."""
    for field in record:
        if isinstance(field, np.ndarray):
            field.flags.writeable = False
    return record


def _again(record: Any, fields: tuple[Any, ...]) -> Any:
    return read_only(record(*fields))


#: All results of `function_at` in this process.
CONVERTERS: list[Any] = []


def function_at(signature: Callable[[], Any]) -> Any:
    """Return a function for kernels: it converts the address of a `pointer` to a function of the type `signature()`.

    A kernel should take the address of a compiled function, an integer, because a call with an address starts at once.
    If a kernel takes the `pointer` object itself, each call from Python needs tens of microseconds to find the address.
    """
    converter = (lambda function: function) if JIT_DISABLED else _converter(signature)
    CONVERTERS.append(converter)
    return converter


def _converter(signature: Callable[[], Any]) -> Any:
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
    """Return the address of a `pointer` as an integer, for `function_at`. The caller must keep the pointer alive."""
    return function if JIT_DISABLED else int(function.address)


def pointer(signature: Any, function: Callable[..., Any], cached: bool = True) -> Any:
    """Compile a function as a pointer that kernels take as an argument.

    A kernel with such a pointer as a parameter is compiled once for the signature, not once for each function. The
    function is compiled separately; it is a `kernel`, a function under ``@njit``, or plain Python that Numba can
    compile. Raises Numba's ``TypingError`` if Numba cannot compile the function.
    """
    if JIT_DISABLED:
        return function
    body = getattr(function, "py_func", function)
    compiled: Any = CFunc(body, (signature.args, signature.return_type), locals={}, options=pointer_options(function))
    if cached:
        enable_cache(compiled, body, "p")
    compiled.compile()
    return compiled


def pointer_options(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the options with which `pointer` compiles a function; they include the options given to its ``@njit``."""
    options = {"nogil": True, "error_model": "numpy", "_nrt": True, **getattr(function, "targetoptions", {})}
    allowed = ("nogil", "error_model", "_nrt", "fastmath", "boundscheck")
    return {name: value for name, value in options.items() if name in allowed and value is not None}
