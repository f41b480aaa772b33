"""CUDA device functions from the kernels of the CPU.

A `Linker` takes a kernel and compiles its Python source for CUDA, together with all kernels that it calls, so that the
CPU and the GPU run the same source.
"""

from __future__ import annotations

import dis
import functools
import hashlib
from collections.abc import Callable, Iterator, Mapping
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any, Final

import numpy as np
from numba.core.types.misc import unliteral

from warlight_env.engine import stack
from warlight_env.engine.jit import CONVERTERS, source_of
from warlight_env.errors import RunError
from warlight_env.tensor_env.toolkit import simulated


class LinkError(RunError):
    """An error for a kernel that calls a function that has no CUDA version."""


#: The operations of the byte code that read a global name.
_GLOBAL: Final = ("LOAD_GLOBAL", "LOAD_NAME")


class Linker:
    """Makes CUDA device functions from kernels, and from all kernels that they call.

    On the CPU, some kernels receive the addresses of other kernels, and convert an address to a function. A device
    function cannot convert an address to a function. The linker therefore replaces each function that converts
    addresses by a function that returns a fixed kernel.

    Args:
        bound: a dict from each function that converts addresses (a result of `engine.jit.function_at`) to the kernel
            that all its calls return.

    Attributes:
        names: the names of all attributes that the linked kernels read.
    """

    def __init__(self, bound: Mapping[Any, Callable[..., Any]] | None = None) -> None:
        self._bound = dict(bound or {})
        self._device_functions: dict[Any, Any] = {}
        self._callees: dict[Any, list[Any]] = {}  # for each linked function, the kernels that it calls
        self._linking: list[Any] = []  # the functions whose callees are being linked
        self.names: set[str] = set()

    def digest(self, *kernels: Callable[..., Any]) -> str:
        """Return a digest of the code of linked kernels and of all functions that they call."""
        texts, waiting = dict[Any, str](), [source_of(kernel) for kernel in kernels]
        while waiting:
            function = waiting.pop()
            if function is not None and function not in texts:
                texts[function] = _text_of(function)
                waiting += self._callees[function]
        return hashlib.sha256("\n".join(sorted(texts.values())).encode()).hexdigest()[:20]

    def device(self, kernel: Callable[..., Any]) -> Any:
        """Return a kernel as a CUDA device function. Raises LinkError if the kernel calls an address not in `bound`."""
        function = source_of(kernel)
        if function is None:
            raise LinkError(f"{kernel!r} is not a kernel")
        if self._linking:
            self._callees[self._linking[-1]].append(function)
        if function not in self._device_functions:
            self._callees[function] = []
            self._linking.append(function)
            try:
                self._device_functions[function] = device_function(self._linked(function))
            finally:
                self._linking.pop()
        return self._device_functions[function]

    def _linked(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a copy of a Python function in which all names of kernels refer to device functions."""
        code = function.__code__
        self.names.update(_names(code, "LOAD_ATTR", "LOAD_METHOD"))
        names = {**function.__globals__}
        for name in _names(code, *_GLOBAL):
            if name in names:
                names[name] = self._form(names[name], function)
        closure = function.__closure__
        if closure is not None:
            closure = tuple(CellType(self._form(cell.cell_contents, function)) for cell in closure)
        copy = FunctionType(code, names, function.__name__, function.__defaults__, closure)
        copy.__kwdefaults__, copy.__module__ = function.__kwdefaults__, function.__module__
        copy.__qualname__, copy.__annotations__ = function.__qualname__, {}
        return copy

    def _form(self, value: Any, user: Callable[..., Any]) -> Any:
        """Return the CUDA version of a global value, for example of a function, that a kernel uses."""
        if any(value is converter for converter in CONVERTERS):
            if value not in self._bound:
                raise LinkError(
                    f"{user.__module__}.{user.__qualname__} converts an address to a function; `bound` must contain "
                    "the function that converts the address"
                )
            return self._returning(value)
        if source_of(value) is not None:
            return self.device(value)
        if simulated():
            return stack.python_form(value)
        return _numpy_on_device() if value is np else value

    def _returning(self, converter: Any) -> Any:
        """Return a function for device code that takes an address and returns the kernel in `bound`."""
        function = self.device(self._bound[converter])
        if converter not in self._device_functions:
            self._device_functions[converter] = _constant(function)
        return self._device_functions[converter]


def device_function(function: Callable[..., Any]) -> Any:
    """Return a Python function as a CUDA device function; constant arguments cause no further compilation."""
    from numba import cuda

    compiled = cuda.jit(device=True)(function)
    if not simulated():
        template = compiled.get_call_template

        def get_call_template(args: Any, kws: Any) -> Any:
            return template(tuple(map(unliteral, args)), {name: unliteral(kind) for name, kind in dict(kws).items()})

        compiled.get_call_template = get_call_template
    return compiled


def _constant(function: Any) -> Any:
    """Return a function for device code that ignores its argument and returns a device function."""
    if simulated():
        return lambda address: function
    from numba.core.types import Dispatcher
    from numba.extending import intrinsic

    @intrinsic
    def at(typing_context: Any, address: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return context.get_dummy_value()

        return Dispatcher(function)(address), generate

    return at


@functools.cache
def _numpy_on_device() -> ModuleType:
    """Return a module for device code in place of NumPy: CUDA's library computes the mathematical functions.

    All functions of the returned module take and return float64.
    """
    from numba.cuda import libdevice

    module = ModuleType("numpy_on_device")
    for name in ("int8", "int16", "int32", "int64", "intp", "uint8", "uint32", "uint64", "uintp", "float32", "float64"):
        setattr(module, name, getattr(np, name))
    for name in ("floor", "ceil", "exp", "log", "log1p", "sqrt"):
        setattr(module, name, getattr(libdevice, name))
    module.inf = np.inf  # type: ignore[attr-defined]
    return module


def _text_of(function: Callable[..., Any]) -> str:
    """Return a text that determines the code of a function, but not the code of the functions that it calls."""
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    numbers = [value for value in cells if isinstance(value, int | float | tuple)]
    names = sorted(_names(function.__code__, *_GLOBAL))
    constants = [(name, function.__globals__.get(name)) for name in names]
    plain = [(name, value) for name, value in constants if isinstance(value, int | float | np.number)]
    codes = [
        (code.co_code.hex(), [c for c in code.co_consts if not isinstance(c, CodeType)])
        for code in _codes(function.__code__)
    ]
    return repr((function.__module__, function.__qualname__, codes, names, numbers, plain))


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _names(code: CodeType, *operations: str) -> set[str]:
    """Return the names that a function reads with these operations of the byte code."""
    return {step.argval for part in _codes(code) for step in dis.get_instructions(part) if step.opname in operations}
