"""Atomic operations on elements of integer arrays, for data that several threads change."""

from __future__ import annotations

from typing import Any

from numba.core import cgutils, types
from numba.extending import intrinsic

from warlight_env.engine.jit import JIT_DISABLED


def _pointer(context: Any, builder: Any, array_type: Any, array: Any, index: Any) -> Any:
    struct = context.make_array(array_type)(context, builder, array)
    checked = context.enable_boundscheck
    return cgutils.get_item_pointer(context, builder, array_type, struct, [index], boundscheck=checked)


def _bytes(array_type: Any) -> int:
    return int(array_type.dtype.bitwidth) // 8


if JIT_DISABLED:

    def atomic_add(array, index, value):
        """Add a number to an integer element of an array; return the old value of the element."""
        before = array[index]
        array[index] = before + value
        return before

    def atomic_load(array, index):
        """Load an integer element with acquire ordering: the storing thread's earlier writes are visible."""
        return array[index]

    def compare_and_set(array, index, expected, value):
        """Set an integer element of an array if it has the expected value; return whether the element was set."""
        if array[index] != expected:
            return False
        array[index] = value
        return True

else:

    @intrinsic
    def atomic_add(_, array, index, value):
        """Add a number to an integer element of an array; return the old value of the element."""

        def codegen(context, builder, signature, arguments):
            place = context.cast(builder, arguments[1], signature.args[1], types.intp)
            pointer = _pointer(context, builder, signature.args[0], arguments[0], place)
            amount = context.cast(builder, arguments[2], signature.args[2], signature.return_type)
            return builder.atomic_rmw("add", pointer, amount, "seq_cst")

        return array.dtype(array, index, value), codegen

    @intrinsic
    def atomic_load(_, array, index):
        """Load an integer element with acquire ordering: the storing thread's earlier writes are visible."""

        def codegen(context, builder, signature, arguments):
            place = context.cast(builder, arguments[1], signature.args[1], types.intp)
            pointer = _pointer(context, builder, signature.args[0], arguments[0], place)
            return builder.load_atomic(pointer, "acquire", _bytes(signature.args[0]))

        return array.dtype(array, index), codegen

    @intrinsic
    def compare_and_set(_, array, index, expected, value):
        """Set an integer element of an array if it has the expected value; return whether the element was set."""

        def codegen(context, builder, signature, arguments):
            kind = signature.args[0].dtype
            place = context.cast(builder, arguments[1], signature.args[1], types.intp)
            pointer = _pointer(context, builder, signature.args[0], arguments[0], place)
            old = context.cast(builder, arguments[2], signature.args[2], kind)
            new = context.cast(builder, arguments[3], signature.args[3], kind)
            return builder.extract_value(builder.cmpxchg(pointer, old, new, "seq_cst", "seq_cst"), 1)

        return types.boolean(array, index, expected, value), codegen
