"""Short-lived arrays on the stack, for kernels that get no working memory from their caller."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic
from numba.np import arrayobj

from warlight_env.engine.jit import JIT_DISABLED

#: The number of elements of an array on the stack. No map has more regions (`maps.parts.MAX_REGIONS`).
STACK_SIZE: Final = 1024


def _maker(dtype: Any) -> Any:
    """Return a function for kernels that makes an uninitialized array of STACK_SIZE elements.

    The array is valid until the caller of the function returns.
    """

    def make_in_python() -> Any:
        return np.empty(STACK_SIZE, dtype=dtype)

    if JIT_DISABLED:
        return make_in_python
    array_type = types.Array(getattr(types, np.dtype(dtype).name), 1, "C")

    @intrinsic
    def make(_: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            element = context.get_data_type(array_type.dtype)
            with builder.goto_entry_block():  # in another block, each iteration of a loop would use more of the stack
                place = builder.alloca(ir.ArrayType(element, STACK_SIZE))
            array = arrayobj.make_array(array_type)(context, builder)
            size = context.get_constant(types.intp, np.dtype(dtype).itemsize)
            arrayobj.populate_array(
                array, data=builder.bitcast(place, element.as_pointer()),
                shape=cgutils.pack_array(builder, [context.get_constant(types.intp, STACK_SIZE)]),
                strides=cgutils.pack_array(builder, [size]), itemsize=size, meminfo=None,
            )  # fmt: skip
            return array._getvalue()

        return array_type(), generate

    make.python_form = make_in_python
    return make


stack_floats = _maker(np.float64)
stack_singles = _maker(np.float32)
stack_owners = _maker(np.int8)
stack_armies = _maker(np.int32)
stack_indices = _maker(np.uint32)


def python_form(value: Any) -> Any:
    """Return the Python version of a function that makes an array on the stack; return any other value unchanged."""
    return getattr(value, "python_form", value)
