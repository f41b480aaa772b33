"""Exceptions of functions that kernels call through pointers: the kernel ends, then Python raises the exception.

A call through a pointer cannot report a failure, so Numba prints the exception and returns an undefined value. Inside
the context manager `raise_callback_errors`, `attempt` catches the exception and stores it in a list of the calling
thread. While the calling thread's list of exceptions is not empty, `failed` returns True, and the thread calls no more
functions through pointers, so that the kernel ends soon.
"""

from __future__ import annotations

import contextlib
import ctypes
import inspect
from types import TracebackType
from typing import Any, Final

import llvmlite.binding
import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from warlight_env.engine.atomic import atomic_add
from warlight_env.engine.jit import JIT_DISABLED, kernel, protected
from warlight_env.errors import IN_FUNCTION

#: Python keeps a dict for each thread. This key in the dict finds the thread's list of failures, also from C code.
_KEY: Final = "warlight_env.engine.callback_errors"

#: The number of threads that have failures in their list. If this number is 0, `failed` need not read the list.
_failures: Final = np.zeros(1, dtype=np.int64)
_FAILURES: Final = "warlight_env_guard_failures"  # a symbol: cached code cannot contain addresses
llvmlite.binding.add_symbol(_FAILURES, _failures.ctypes.data)

_thread_dict_at = ctypes.pythonapi.PyThreadState_GetDict
_thread_dict_at.restype, _thread_dict_at.argtypes = ctypes.c_void_p, ()


def _thread_dict() -> dict[str, Any]:
    """Return the dict that Python's interpreter keeps for this thread (``PyThreadState_GetDict``)."""
    thread_dict: dict[str, Any] = ctypes.cast(_thread_dict_at(), ctypes.py_object).value
    return thread_dict


@kernel
def _forget(failures: npt.NDArray[np.int64]) -> None:
    """Decrease the number of threads with failures; atomic, because compiled code may change it at the same time."""
    atomic_add(failures, 0, -1)


class raise_callback_errors:  # noqa: N801  callers use it like a statement
    """Collect exceptions of functions behind pointers in this thread; raise the first at the end of the context.

    The context raises the same exception object that the function has raised. If the exception's message does not
    contain the function's label from `attempt`, a note adds this label.
    """

    __slots__ = ("_before", "_failures")

    def __enter__(self) -> raise_callback_errors:
        thread_dict = _thread_dict()
        self._before = thread_dict.get(_KEY)
        self._failures: list[Any] = []
        thread_dict[_KEY] = self._failures
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        thread_dict = _thread_dict()
        if self._before is None:
            thread_dict.pop(_KEY, None)
        else:
            thread_dict[_KEY] = self._before
        if self._failures:
            _forget(_failures)
            failure, label = self._failures[:2]
            _name(failure, label)
            raise failure


def _name(failure: BaseException, label: str) -> None:
    """Add the function's label to an exception if it is missing. The exception's own methods may be faulty."""
    try:
        named = label in str(failure)
    except Exception:
        named = False
    if not named:
        with contextlib.suppress(TypeError):  # its `__notes__` are not a list
            BaseException.add_note(failure, f"{IN_FUNCTION}{label}")


if not JIT_DISABLED:
    _POINTER = cgutils.voidptr_t
    _COUNT = ir.IntType(64)

    def _c_function(builder: Any, result: Any, arguments: list[Any], name: str) -> Any:
        """Declare a function of Python's C interface."""
        return cgutils.get_or_insert_function(builder.module, ir.FunctionType(result, arguments), name)

    def _failure_list(builder: Any, pyapi: Any) -> Any:
        """Return this thread's list of failures as a borrowed reference, or NULL; the caller holds the GIL."""
        thread_dict = builder.call(_c_function(builder, _POINTER, [], "PyThreadState_GetDict"), [])
        return pyapi.dict_getitem_string(thread_dict, _KEY)

    def _size(builder: Any, failure_list: Any) -> Any:
        return builder.call(_c_function(builder, _COUNT, [_POINTER], "PyList_Size"), [failure_list])

    def _keep(context: Any, builder: Any, status: Any, label: str) -> None:
        """Append a failure to this thread's list; if the thread has no list, print the failure as Numba does."""
        pyapi = context.get_python_api(builder)
        gil = pyapi.gil_ensure()
        context.call_conv.raise_error(builder, pyapi, status)
        raised = [cgutils.alloca_once_value(builder, cgutils.get_null_value(_POINTER)) for _ in range(3)]
        pyapi.err_fetch(*raised)  # no other call of the interpreter is allowed while an exception is set
        place = _POINTER.as_pointer()
        builder.call(_c_function(builder, ir.VoidType(), [place] * 3, "PyErr_NormalizeException"), raised)
        kind, error, traceback = map(builder.load, raised)
        with builder.if_then(cgutils.is_not_null(builder, traceback)):
            attach = _c_function(builder, ir.IntType(32), [_POINTER] * 2, "PyException_SetTraceback")
            builder.call(attach, [error, traceback])
        failure_list = _failure_list(builder, pyapi)
        name = pyapi.string_from_string(context.insert_const_string(builder.module, label))
        with builder.if_else(cgutils.is_null(builder, failure_list)) as (without_list, with_list):
            with without_list:
                pyapi.err_restore(kind, error, traceback)
                pyapi.err_write_unraisable(name)
            with with_list:
                with builder.if_then(builder.icmp_signed("==", _size(builder, failure_list), _COUNT(0))):
                    failures = context.get_c_value(builder, _COUNT, _FAILURES)
                    builder.atomic_rmw("add", failures, _COUNT(1), "seq_cst")
                pyapi.list_append(failure_list, error)
                pyapi.list_append(failure_list, name)
                for pointer in (kind, error, traceback):
                    pyapi.decref(pointer)
        pyapi.decref(name)
        pyapi.gil_release(gil)

    @intrinsic
    def failed(_):
        """Whether a function has failed in this thread inside the surrounding `raise_callback_errors` block."""

        def generate(context, builder, signature, arguments):
            answer = cgutils.alloca_once_value(builder, cgutils.false_bit)
            failures = builder.load_atomic(context.get_c_value(builder, _COUNT, _FAILURES), "monotonic", 8)
            with builder.if_then(builder.icmp_signed("!=", failures, _COUNT(0)), likely=False):
                pyapi = context.get_python_api(builder)
                gil = pyapi.gil_ensure()
                failure_list = _failure_list(builder, pyapi)
                with builder.if_then(cgutils.is_not_null(builder, failure_list)):
                    builder.store(builder.icmp_signed(">", _size(builder, failure_list), _COUNT(0)), answer)
                pyapi.gil_release(gil)
            return builder.load(answer)

        return types.boolean(), generate

    def _attempt(typing_context: Any, label: Any, function: Any, kinds: tuple[Any, ...]) -> Any:
        if not isinstance(label, types.StringLiteral):  # type: ignore[attr-defined]
            return None
        called = function.get_call_type(typing_context, tuple(map(protected, kinds)), {})
        compiled = function.dispatcher.overloads[called.args]

        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            context.active_code_library.add_linking_library(compiled.library)
            status, value = context.call_internal_no_propagate(builder, compiled.fndesc, called, values[2:])
            with builder.if_then(status.is_error, likely=False):
                _keep(context, builder, status, label.literal_value)
            return context.make_tuple(builder, signature.return_type, [status.is_ok, value])

        result = types.Tuple((types.boolean, called.return_type))  # type: ignore[attr-defined]
        return result(label, function, *kinds), generate

    def _attempt_with(count: int) -> Any:
        """Return an intrinsic ``attempt(label, function, *arguments)`` for a fixed number of arguments.

        The intrinsic calls a compiled function, returns the pair (success, result), and stores an exception of the
        function for `raise_callback_errors`.
        label: a literal, the function's name in error messages.
        """

        def attempt(typing_context: Any, label: Any, function: Any, *kinds: Any) -> Any:
            return _attempt(typing_context, label, function, kinds)

        # Numba needs seconds to pack records into a tuple. So the intrinsic's signature names each argument.
        names = "typing_context", "label", "function", *(f"argument_{i}" for i in range(count))
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        signature = inspect.Signature([inspect.Parameter(name, kind) for name in names])
        attempt.__signature__ = signature  # type: ignore[attr-defined]
        return intrinsic(attempt)

    attempt_3, attempt_4, attempt_5, attempt_6, attempt_7 = map(_attempt_with, range(3, 8))

else:

    def failed() -> bool:
        """Return False, because exceptions propagate normally in plain Python."""
        return False

    def _call(label: str, function: Any, *arguments: Any) -> Any:
        """Call the function; return (True, its result). Exceptions propagate normally."""
        return True, function(*arguments)

    attempt_3 = attempt_4 = attempt_5 = attempt_6 = attempt_7 = _call
