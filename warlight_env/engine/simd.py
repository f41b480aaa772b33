"""Vectorized products of vectors and matrices with few columns, for small networks and their gradients.

A row of the matrix is one LLVM vector, and sums stay in registers. A plain loop would store and load the sums in every
step. A product of a vector and a matrix has two partial sums, one over the even rows and one over the odd rows, so that
no addition waits for the previous addition. Products are rounded before the addition (no fused multiply-add), so that
results are equal on every machine.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic
from numba.np import arrayobj

from warlight_env.engine.checked import CHECKED
from warlight_env.engine.jit import JIT_DISABLED, inline_kernel
from warlight_env.engine.kernel_types import Int, Real
from warlight_env.engine.stack import stack_singles

Floats = npt.NDArray[np.float32]
#: The type of ``add(x, weights, out, inputs)``, a result of `product_adder`.
AddProduct = Callable[[Floats, Floats, Floats, Int], None]
#: The type of ``add(x, columns, weights, out)``, a result of `column_adder`.
AddColumns = Callable[[Floats, npt.NDArray[np.uint32], Floats, Floats], None]
#: The type of ``add(x, y, out, rows)``, a result of `outer_adder`.
AddOuter = Callable[[Floats, Floats, Floats, Int], None]
#: The type of ``add(part, row, out)``, a result of `row_adder`.
AddRow = Callable[[Real, Floats, Floats], None]
#: The type of ``write(units, row, out)``, a result of `row_gate`.
WriteRow = Callable[[Floats, Floats, Floats], None]
#: Number of rows of a sum of outer products that stay in registers at the same time.
_AT_ONCE: Final = 2


def product_adder(width: int) -> AddProduct:
    """Return a function for kernels that adds the product of x and weights to out.

    Shapes: x float32[inputs], weights float32[inputs, width], out float32[width]. The arrays are contiguous, and out
    does not overlap x or weights.
    """
    return _plain(width) if CHECKED or JIT_DISABLED else _wide(width)


def column_adder(width: int) -> AddColumns:
    """Return a function for kernels that adds x[columns] times weights float32[inputs, width] to out float32[width].

    columns: uint32[inputs], the indices of elements of x; the products are added in this order. The result equals
        `product_adder` for the array x[columns].
    All four arrays are contiguous, and out does not overlap another argument.
    """
    return _plain_columns(width) if CHECKED or JIT_DISABLED else _wide_columns(width)


def outer_adder(inputs: int, width: int) -> AddOuter:
    """Return a function for kernels that adds outer products of rows to out float32[inputs, width].

    The rows are the first `rows` rows of x float32[, inputs] and of y float32[, width], one after the other.
    The arrays x, y and out are contiguous, and out does not overlap x or y.
    """
    return _plain_outer(inputs, width) if CHECKED or JIT_DISABLED else _wide_outer(inputs, width)


def row_adder(width: int) -> AddRow:
    """Return a function for kernels that adds the number `part` times row float32[width] to out float32[width].

    In a plain loop, Numba would load and store the elements one by one.
    """
    return _plain_row(width) if CHECKED or JIT_DISABLED else _wide_row(width)


def row_gate(width: int) -> WriteRow:
    """Return a function for kernels that writes row float32[width] to out float32[width] through a gate.

    For each index j, out[j] = row[j] if units[j] > 0, otherwise 0; units is float32[width]. With row = units the
    function computes ReLU. With a gradient as row it computes the backward step of ReLU. The three arguments may be the
    same array.
    """
    return _plain_gate(width) if CHECKED or JIT_DISABLED else _wide_gate(width)


@inline_kernel
def _plain_copy(x: Floats, out: Floats, count: Int) -> None:
    for i in range(count):
        out[i] = x[i]


@inline_kernel
def _plain_clear(out: Floats, count: Int) -> None:
    for i in range(count):
        out[i] = np.float32(0.0)


def _plain(width: int) -> AddProduct:
    """Make `product_adder` with loops that add in the order of `_wide`, for the checked build and without JIT."""

    @inline_kernel
    def add(x: Floats, weights: Floats, out: Floats, inputs: Int) -> None:
        odd = stack_singles()
        for j in range(width):
            odd[j] = np.float32(0.0)
        for i in range(inputs):
            value = x[i]
            for j in range(width):
                if i % 2 == 0:
                    out[j] += value * weights[i, j]
                else:
                    odd[j] += value * weights[i, j]
        for j in range(width):
            out[j] += odd[j]

    return add


def _plain_columns(width: int) -> AddColumns:
    """Make `column_adder` with loops that add in the order of `_wide_columns`."""
    add_product = _plain(width)

    @inline_kernel
    def add(x: Floats, columns: npt.NDArray[np.uint32], weights: Floats, out: Floats) -> None:
        gathered = stack_singles()
        for i in range(columns.shape[0]):
            gathered[i] = x[columns[i]]
        add_product(gathered, weights, out, columns.shape[0])

    return add


def _plain_row(width: int) -> AddRow:
    """Make `row_adder` with a loop."""

    @inline_kernel
    def add(part: Real, row: Floats, out: Floats) -> None:
        for j in range(width):
            out[j] += np.float32(part) * row[j]

    return add


def _plain_gate(width: int) -> WriteRow:
    """Make `row_gate` with a loop."""

    @inline_kernel
    def write(units: Floats, row: Floats, out: Floats) -> None:
        for j in range(width):
            out[j] = row[j] if units[j] > np.float32(0.0) else np.float32(0.0)

    return write


def _plain_outer(inputs: int, width: int) -> AddOuter:
    """Make `outer_adder` with loops that add in the order of `_wide_outer`."""

    @inline_kernel
    def add(x: Floats, y: Floats, out: Floats, rows: Int) -> None:
        for r in range(rows):
            for i in range(inputs):
                for j in range(width):
                    out[i, j] += x[r, i] * y[r, j]

    return add


def _are_floats(*kinds: tuple[Any, int]) -> bool:
    """Whether Numba's types are contiguous float32 arrays with these numbers of axes."""
    return all(_is_array(kind, types.float32, ndim) for kind, ndim in kinds)


def _is_array(kind: Any, dtype: Any, ndim: int) -> bool:
    """Whether Numba's type is a contiguous array with this element type and number of axes."""
    return isinstance(kind, types.Array) and kind.dtype == dtype and kind.ndim == ndim and kind.layout == "C"


class _Vectors:
    """Generates LLVM code for vectors of `width` numbers (lanes)."""

    def __init__(self, context: Any, builder: Any, signature: Any, arguments: Any, width: int) -> None:
        self._context, self.builder = context, builder
        self._signature, self._arguments = signature, arguments
        self.lanes = ir.VectorType(ir.FloatType(), width)
        self._zeros = ir.Constant(ir.VectorType(ir.IntType(32), width), [0] * width)

    def start(self, number: int) -> Any:
        """Return a pointer to the first element of the array that is argument `number`."""
        kind, value = self._signature.args[number], self._arguments[number]
        return arrayobj.make_array(kind)(self._context, self.builder, value).data

    def row(self, pointer: Any) -> Any:
        """Convert a pointer to a vector's first element to a pointer to the vector."""
        return self.builder.bitcast(pointer, self.lanes.as_pointer())

    def load(self, pointer: Any) -> Any:
        """Load the vector at a pointer."""
        return self.builder.load(self.row(pointer), align=4)

    def store(self, value: Any, pointer: Any) -> None:
        """Store a vector at a pointer."""
        self.builder.store(value, self.row(pointer), align=4)

    def spread(self, number: Any) -> Any:
        """Return a vector with the number in all lanes."""
        nothing, b = ir.Constant(self.lanes, ir.Undefined), self.builder
        first = b.insert_element(nothing, number, ir.Constant(ir.IntType(32), 0))
        return b.shuffle_vector(first, nothing, self._zeros)


def _wide_row(width: int) -> AddRow:
    """Make `row_adder` with a vector of `width` lanes."""

    @intrinsic
    def add(_: Any, part: Any, row: Any, out: Any) -> Any:
        if not _are_floats((row, 1), (out, 1)):
            return None

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            vectors = _Vectors(context, builder, signature, arguments, width)
            value = context.cast(builder, arguments[0], signature.args[0], types.float32)
            place = vectors.start(2)
            product = builder.fmul(vectors.spread(value), vectors.load(vectors.start(1)))
            vectors.store(builder.fadd(vectors.load(place), product), place)
            return context.get_dummy_value()

        return types.void(part, row, out), generate

    return add


def _wide_gate(width: int) -> WriteRow:
    """Make `row_gate` with a vector of `width` lanes."""

    @intrinsic
    def write(_: Any, units: Any, row: Any, out: Any) -> Any:
        if not _are_floats((units, 1), (row, 1), (out, 1)):
            return None

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            vectors = _Vectors(context, builder, signature, arguments, width)
            open_ones, value = vectors.load(vectors.start(0)), vectors.load(vectors.start(1))
            zeros = ir.Constant(vectors.lanes, [0.0] * width)
            vectors.store(builder.select(builder.fcmp_ordered(">", open_ones, zeros), value, zeros), vectors.start(2))
            return context.get_dummy_value()

        return types.void(units, row, out), generate

    return write


@intrinsic
def _wide_copy(_: Any, x: Any, out: Any, count: Any) -> Any:
    if not _are_floats((x, 1), (out, 1)):
        return None

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        begin, end = (arrayobj.make_array(signature.args[k])(context, builder, arguments[k]).data for k in range(2))
        size = context.cast(builder, arguments[2], signature.args[2], types.intp)
        cgutils.raw_memcpy(builder, end, begin, size, 4)
        return context.get_dummy_value()

    return types.void(x, out, count), generate


@intrinsic
def _wide_clear(_: Any, out: Any, count: Any) -> Any:
    if not _are_floats((out, 1)):
        return None

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        begin = arrayobj.make_array(signature.args[0])(context, builder, arguments[0]).data
        size = context.cast(builder, arguments[1], signature.args[1], types.intp)
        cgutils.memset(builder, begin, builder.mul(size, size.type(4)), 0)
        return context.get_dummy_value()

    return types.void(out, count), generate


#: For kernels: writes 0 to the first `count` elements of a contiguous float32 array.
clear_floats: Callable[[Floats, Int], None] = _plain_clear if CHECKED or JIT_DISABLED else _wide_clear
#: For kernels: copies the first `count` elements between contiguous float32 arrays.
copy_floats: Callable[[Floats, Floats, Int], None] = _plain_copy if CHECKED or JIT_DISABLED else _wide_copy


def _wide_outer(inputs: int, width: int) -> AddOuter:
    """Make `outer_adder` with vectors of `width` lanes; `_AT_ONCE` rows of the sum stay in registers."""

    @intrinsic
    def add(_: Any, x: Any, y: Any, out: Any, rows: Any) -> Any:
        if not _are_floats((x, 2), (y, 2), (out, 2)):
            return None

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            vectors = _Vectors(context, builder, signature, arguments, width)
            left, right, target = vectors.start(0), vectors.start(1), vectors.start(2)
            count = context.cast(builder, arguments[3], signature.args[3], types.intp)
            index = count.type
            sums = [cgutils.alloca_once(builder, vectors.lanes) for _ in range(_AT_ONCE)]

            def block(first: Any, size: int) -> None:
                """Generate code for `size` rows of the sum, starting at row `first`."""
                places = [
                    builder.gep(target, [builder.mul(builder.add(first, index(k)), index(width))]) for k in range(size)
                ]
                for k in range(size):
                    builder.store(vectors.load(places[k]), sums[k])
                with cgutils.for_range(builder, count) as loop:
                    right_lanes = vectors.load(builder.gep(right, [builder.mul(loop.index, index(width))]))
                    begin = builder.add(builder.mul(loop.index, index(inputs)), first)
                    for k in range(size):
                        value = vectors.spread(builder.load(builder.gep(left, [builder.add(begin, index(k))])))
                        builder.store(builder.fadd(builder.load(sums[k]), builder.fmul(value, right_lanes)), sums[k])
                for k in range(size):
                    vectors.store(builder.load(sums[k]), places[k])

            with cgutils.for_range(builder, index(inputs // _AT_ONCE)) as loop:
                block(builder.mul(loop.index, index(_AT_ONCE)), _AT_ONCE)
            if inputs % _AT_ONCE:
                block(index(inputs - inputs % _AT_ONCE), inputs % _AT_ONCE)
            return context.get_dummy_value()

        return types.void(x, y, out, rows), generate

    return add


def _add_products(vectors: _Vectors, number_at: Callable[[Any], Any], table: Any, target: Any, count: Any) -> None:
    """Generate code that adds `count` rows of a table, each multiplied by its factor, to the vector at `target`.

    The code adds the even rows and the odd rows in two separate sums. `number_at` returns the factor of a row.
    """
    builder, lanes = vectors.builder, vectors.lanes
    index = count.type
    zero, one, two = index(0), index(1), index(2)
    sums = [cgutils.alloca_once(builder, lanes) for _ in range(2)]
    builder.store(builder.load(target, align=4), sums[0])
    builder.store(ir.Constant(lanes, [0.0] * lanes.count), sums[1])

    def step(i: Any, parity: int) -> None:
        value = vectors.spread(number_at(i))
        weight = vectors.load(builder.gep(table, [builder.mul(i, index(lanes.count))]))
        builder.store(builder.fadd(builder.load(sums[parity]), builder.fmul(value, weight)), sums[parity])

    with cgutils.for_range(builder, builder.udiv(count, two)) as loop:
        even = builder.mul(loop.index, two)
        step(even, 0)
        step(builder.add(even, one), 1)
    with builder.if_then(builder.icmp_signed("!=", builder.urem(count, two), zero)):
        step(builder.sub(count, one), 0)
    builder.store(builder.fadd(builder.load(sums[0]), builder.load(sums[1])), target, align=4)


def _wide(width: int) -> AddProduct:
    """Make `product_adder` with vectors of `width` lanes."""

    @intrinsic
    def add(_: Any, x: Any, weights: Any, out: Any, inputs: Any) -> Any:
        if not _are_floats((x, 1), (weights, 2), (out, 1)):
            return None

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            vectors = _Vectors(context, builder, signature, arguments, width)
            numbers = vectors.start(0)
            count = context.cast(builder, arguments[3], signature.args[3], types.intp)
            _add_products(
                vectors, lambda i: builder.load(builder.gep(numbers, [i])), vectors.start(1),
                vectors.row(vectors.start(2)), count,
            )  # fmt: skip
            return context.get_dummy_value()

        return types.void(x, weights, out, inputs), generate

    return add


def _wide_columns(width: int) -> AddColumns:
    """Make `column_adder` with vectors of `width` lanes."""

    @intrinsic
    def add(_: Any, x: Any, columns: Any, weights: Any, out: Any) -> Any:
        if not _are_floats((x, 1), (weights, 2), (out, 1)) or not _is_array(columns, types.uint32, 1):
            return None

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            vectors = _Vectors(context, builder, signature, arguments, width)
            numbers, places = vectors.start(0), vectors.start(1)
            array = arrayobj.make_array(signature.args[1])(context, builder, arguments[1])
            count = cgutils.unpack_tuple(builder, array.shape)[0]

            def number_at(i: Any) -> Any:
                column = builder.zext(builder.load(builder.gep(places, [i])), count.type)
                return builder.load(builder.gep(numbers, [column]))

            _add_products(vectors, number_at, vectors.start(2), vectors.row(vectors.start(3)), count)
            return context.get_dummy_value()

        return types.void(x, columns, weights, out), generate

    return add
