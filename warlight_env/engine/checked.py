"""The checked build: its kernels raise an error for an invalid index, slice or number.

``WARLIGHT_CHECKED=1`` switches the checked build on, for tests. The checked build is several times slower and has its
own cache. In kernels

- every index is in 0 .. length - 1; negative indices, which Numba counts from the end, are errors;
- both bounds of every slice are in 0 .. length; without the check Numba clips the bounds;
- every integer that a kernel stores at an index of an array fits the dtype of the array; without the check Numba
  discards the upper bits (kernels store numbers only at single indices, never into a slice);
- every float that becomes an integer fits its type; without the check the result is undefined, for example for NaN
  or infinity.

The error message contains the kernel, the file and the line. A kernel that is called through a pointer cannot raise:
Numba passes the errors of such a kernel to ``sys.unraisablehook`` and continues. Users' functions get no checks from
this module; `plug_ins.guarded` checks users' functions.
"""

from __future__ import annotations

import inspect
import operator
import os
from collections.abc import Callable
from types import CodeType
from typing import Any, Final

from numba.core import cgutils, lowering, types
from numba.core.imputils import lower_builtin, lower_cast
from numba.cpython import numbers, slicing
from numba.np import arrayobj

#: Whether the environment variable asks for the checked build. The variable has no effect if Numba does not compile.
CHECKED: Final[bool] = os.environ.get("WARLIGHT_CHECKED", "") not in ("", "0")

#: Numba's functions that this module replaces or calls, with their expected parameters.
_SEAM: Final = (
    (lowering.Lower, "lower_inst", ("self", "inst")),
    (cgutils, "do_boundscheck", ("context", "builder", "ind", "dimlen", "axis")),
    (arrayobj, "fix_integer_index", ("context", "builder", "idxty", "idx", "size")),
    (arrayobj, "setitem_array", ("context", "builder", "sig", "args")),
    (slicing, "fix_slice", ("builder", "slice", "size")),
    (numbers, "float_to_integer", ("context", "builder", "fromty", "toty", "val")),
)
_LAST: Final = types.intp.maxval  # the end that Numba gives to a slice like ``x[1:]``

#: A dict from the code of each kernel to a boolean: whether this process has compiled the kernel.
_kernels: dict[CodeType, bool] = {}
#: File, line and function of the instruction that Numba compiles now, for error messages. Empty outside kernels.
_place = ""


def watch(function: Callable[..., Any]) -> None:
    """Enable the checks for the code of a kernel."""
    _kernels[function.__code__] = False


def never_compiled() -> list[str]:
    """Return the imported kernels that this process has not compiled, as ``file.py:name``.

    A kernel that was loaded from the cache counts as not compiled.
    """
    uncompiled = (code for code, compiled in _kernels.items() if not compiled)
    return sorted(f"{os.path.basename(code.co_filename)}:{code.co_name}" for code in uncompiled)


def _refuse(context: Any, builder: Any, wrong: Any, error: type[Exception], message: str) -> None:
    with cgutils.if_unlikely(builder, wrong):
        context.call_conv.return_user_exc(builder, error, (f"{message}{_place}",))


def _track_place(original: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap Numba's compilation of an instruction, so that `_place` contains the instruction's file and line."""

    def lower_inst(self: Any, inst: Any) -> None:
        global _place
        before, code = _place, self.func_ir.func_id.code
        name = f"{code.co_filename}:{self.loc.line}, in {self.func_ir.func_id.func_name}"
        _place = f" ({name})" if code in _kernels else ""
        if code in _kernels:
            _kernels[code] = True
        try:
            original(self, inst)
        finally:
            _place = before  # Numba may compile another function in between

    return lower_inst


def _check_index(context: Any, builder: Any, index: Any, length: Any, axis: Any = None) -> None:
    is_outside = builder.icmp_unsigned(">=", index, length)  # also true for negative indices
    _refuse(context, builder, is_outside, IndexError, "index is out of bounds")


def _keep_negative(original: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap Numba's preparation of an index, so that in kernels a negative index does not count from the end."""

    def fix_integer_index(context: Any, builder: Any, kind: Any, index: Any, size: Any) -> Any:
        if _place:
            return context.cast(builder, index, kind, types.intp if kind.signed else types.uintp)
        return original(context, builder, kind, index, size)

    return fix_integer_index


def _check_slice(original: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap Numba's clipping of a slice, so that its bounds are checked first."""

    def fix_slice(builder: Any, slice: Any, size: Any) -> None:
        if _place:
            start_outside = builder.icmp_unsigned(">", slice.start, size)
            end_outside = builder.icmp_unsigned(">", slice.stop, size)
            has_end = builder.icmp_signed("!=", slice.stop, slice.stop.type(_LAST))
            _refuse(
                slice._context,
                builder,
                builder.or_(start_outside, builder.and_(end_outside, has_end)),
                IndexError,
                "slice is out of bounds",
            )
        original(builder, slice, size)

    return fix_slice


def _check_stored(context: Any, builder: Any, sig: Any, args: Any) -> None:
    """Store an integer in an array after a check that it fits the array's dtype."""
    target, source, value = sig.args[0].dtype, sig.args[2], args[2]
    if _place and isinstance(target, types.Integer):
        source = types.misc.unliteral(source)
        value = context.cast(builder, value, sig.args[2], source)
        compare = builder.icmp_signed if source.signed else builder.icmp_unsigned
        overflows = cgutils.false_bit
        if target.minval > source.minval:
            overflows = builder.or_(overflows, compare("<", value, value.type(target.minval)))
        if target.maxval < source.maxval:
            overflows = builder.or_(overflows, compare(">", value, value.type(target.maxval)))
        _refuse(context, builder, overflows, OverflowError, f"number does not fit into {target}")
    return arrayobj.setitem_array(context, builder, sig, args)


def _check_float(context: Any, builder: Any, source: Any, target: Any, value: Any) -> Any:
    """Convert a float to an integer type after a check that it fits this type."""
    if _place:
        above = builder.fcmp_ordered(">", value, value.type(float(target.minval) - 1))
        below = builder.fcmp_ordered("<", value, value.type(float(target.maxval) + 1))
        _refuse(
            context,
            builder,
            builder.not_(builder.and_(above, below)),
            OverflowError,
            f"number is not a value of {target}",
        )
    return numbers.float_to_integer(context, builder, source, target, value)


def _install() -> None:
    """Install the checks in Numba, after a check that Numba's functions have the expected parameters."""
    for place, name, parameters in _SEAM:
        function = getattr(place, name, None)
        if function is None or tuple(inspect.signature(function).parameters) != parameters:
            raise ImportError(
                f"WARLIGHT_CHECKED does not support this version of Numba: {place.__name__}.{name} has changed"
            )
    lowering.Lower.lower_inst = _track_place(lowering.Lower.lower_inst)
    cgutils.do_boundscheck = _check_index
    arrayobj.fix_integer_index = _keep_negative(arrayobj.fix_integer_index)
    slicing.fix_slice = _check_slice(slicing.fix_slice)
    lower_builtin(operator.setitem, types.Array, types.Any, types.Integer)(_check_stored)
    for kind in (types.float32, types.float64):
        lower_cast(kind, types.Integer)(_check_float)


if CHECKED:
    _install()
