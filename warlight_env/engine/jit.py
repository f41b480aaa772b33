"""The one decorator of all compiled code, and compiled functions as values that kernels take."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

import numba
import numpy as np
from numba.core import cgutils, types
from numba.core.ccallback import CFunc
from numba.extending import intrinsic, lower_cast, models, register_model, typeof_impl

from warlight_env.engine import checked
from warlight_env.engine.cache import enable_cache
from warlight_env.engine.reference import ReferenceType

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T", bound=tuple[Any, ...])

#: True where kernels run as plain Python (``NUMBA_DISABLE_JIT=1``).
JIT_DISABLED: bool = bool(numba.config.DISABLE_JIT)


def kernel(function: F, *, inline: bool = False) -> F:
    """Compile a function: no Python objects, no GIL, C division, cached on disk.

    Kernels never allocate, so Numba's reference counts are switched off (``_nrt=False``): counting every array that
    passes through a `NamedTuple` with atomic operations made whole games 3.5 times slower. A kernel that tries to
    make an array does not compile, nor does one that calls itself. `inline` (see `inline_kernel`) asks LLVM to inline
    the function into its callers.

    With ``NUMBA_DISABLE_JIT=1`` the function stays Python; only the wrap-around of unsigned integers, which the
    random generator relies on, is kept from warning.
    """
    if JIT_DISABLED:

        @functools.wraps(function)
        def plain(*args: Any, **names: Any) -> Any:
            with np.errstate(over="ignore"):
                return function(*args, **names)

        return plain  # type: ignore[return-value]
    options = {
        "nogil": True, "error_model": "numpy", "_nrt": False, "forceinline": inline,
        "fastmath": False,  # otherwise a kernel takes that over from a user's function that calls it
    }  # fmt: skip
    if checked.CHECKED:
        options["boundscheck"] = True
        checked.watch(function)
    dispatcher = numba.njit(**options)(function)
    enable_cache(dispatcher, function)
    _compile_bare(dispatcher, options)
    return dispatcher


def _compile_bare(dispatcher: Any, options: dict[str, Any]) -> None:
    """Have kernels that call this one compile it without the wrappers by which others than kernels call it.

    That for Python unpacks records of a hundred arrays, and most kernels are only ever called by others: it took a
    third of all compile time.
    """

    @functools.cache
    def bare() -> Any:
        made = numba.njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, **options)(dispatcher.py_func)
        enable_cache(made, dispatcher.py_func, "b")
        _ignore_literals(made)
        return made

    dispatcher.get_call_template = lambda args, kws: bare().get_call_template(args, kws)
    dispatcher.get_overload = lambda signature: bare().get_overload(signature)


def prepare(function: Callable[..., Any], *arguments: Any) -> None:
    """Compile a kernel for such arguments, or load it, without calling it; nothing where it has been called before.

    For kernels that Python calls with one signature, and not in every move: else they would compile while a clock runs.
    """
    if not JIT_DISABLED and not function.overloads:  # type: ignore[attr-defined]
        compiled: Any = function
        compiled.compile(tuple(map(compiled.typeof_pyval, arguments)))


def _ignore_literals(dispatcher: Any) -> None:
    """Keep Numba from compiling a kernel anew for each constant that another passes: a quarter of all compile time.

    Nor for records that users' functions get as `protected` and pass on.
    """
    template, ours = dispatcher.get_call_template, dispatcher.py_func.__module__.startswith("warlight_env.")

    def plain(kind: Any) -> Any:
        return unprotected(kind) if ours else types.misc.unliteral(kind)

    def get_call_template(args: Any, kws: Any) -> Any:
        return template(tuple(map(plain, args)), {name: plain(kind) for name, kind in dict(kws).items()})

    dispatcher.get_call_template = get_call_template


def inline_kernel(function: F) -> F:
    """A `kernel` that is inlined wherever it is called.

    For small functions on the hot path that take many arrays.
    """
    return kernel(function, inline=True)


#: The classes of records that are `shared`.
_SHARED: set[type] = set()


def shared(record: type[T]) -> type[T]:
    """A class of records whose arrays many games read and nobody writes: copies are the record itself.

    `read_only` makes the arrays read-only for Python. Numba has a type of its own for such arrays, and would compile
    every kernel that takes the record for either; here it sees them all as it sees writeable ones.
    """

    @typeof_impl.register(record)
    def typeof(value: Any, context: Any) -> Any:
        kinds = [typeof_impl(field, context) for field in value]
        kinds = [kind.copy(readonly=False) if isinstance(kind, types.Array) else kind for kind in kinds]
        made: Any = types.BaseTuple  # type: ignore[attr-defined]
        return made.from_types(kinds, record)

    _SHARED.add(record)
    named: Any = record
    named.__copy__ = lambda self: self
    named.__deepcopy__ = lambda self, memo: self
    named.__reduce__ = lambda self: (_again, (record, tuple(self)))
    return record


_NamedTuple: Any = types.NamedTuple  # type: ignore[attr-defined]


class _Protected(_NamedTuple):
    """The type of a record in which arrays cannot be written to; in memory it is the record."""

    def __init__(self, record: Any, parts: tuple[Any, ...]) -> None:
        self.record = record
        super().__init__(parts, record.instance_class)


def protected(kind: Any) -> Any:
    """The type of a record for users' functions: those that write to what is `shared` of it do not compile."""
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
    """The type as kernels take it, of what users' functions got."""
    if isinstance(kind, ReferenceType) and isinstance(kind.record, _Protected):
        return ReferenceType(kind.record.record)
    return kind.record if isinstance(kind, _Protected) else types.misc.unliteral(kind)


register_model(_Protected)(models.TupleModel)


@lower_cast(_Protected, _NamedTuple)
def _as_record(context: Any, builder: Any, given: Any, wanted: Any, value: Any) -> Any:
    return value


def read_only(record: T) -> T:
    """The record, its arrays read-only from now on."""
    for field in record:
        if isinstance(field, np.ndarray):
            field.flags.writeable = False
    return record


def _again(record: Any, fields: tuple[Any, ...]) -> Any:
    return read_only(record(*fields))


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


def pointer(signature: Any, function: Callable[..., Any], cached: bool = True) -> Any:
    """A function as a first-class value that kernels take as an argument.

    A kernel whose parameter is such a value is compiled and cached once for the signature, whichever function comes;
    the function is compiled by itself: a `kernel`, a function under ``@njit``, or plain Python that Numba can compile.
    Raises Numba's ``TypingError`` where it cannot.
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
    """Numba's options for a function behind a pointer: a compiled function's own, as far as they matter there."""
    options = {"nogil": True, "error_model": "numpy", "_nrt": True, **getattr(function, "targetoptions", {})}
    kept = ("nogil", "error_model", "_nrt", "fastmath", "boundscheck")
    return {name: value for name, value in options.items() if name in kept and value is not None}
