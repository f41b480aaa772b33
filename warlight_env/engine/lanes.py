"""Products of a vector and a matrix of few columns, in the processor's wide registers: what small networks consist of.

A row of the matrix is one vector of LLVM's, and sums stay in registers, where a loop over memory would store and load
them at every step. Two sums are kept, of even and of odd rows, so that no addition waits for the one before. Products
are rounded before they are added (no fused multiply-add), so that numbers are the same on every machine.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic
from numba.np import arrayobj

from warlight_env.engine.checked import CHECKED
from warlight_env.engine.jit import JIT_DISABLED, inline_kernel
from warlight_env.engine.kernel_types import Int
from warlight_env.engine.stack import stack_singles

Floats = npt.NDArray[np.float32]
#: ``add(x, weights, out, inputs)``
AddProduct = Callable[[Floats, Floats, Floats, Int], None]


def product_adder(width: int) -> AddProduct:
    """A function for kernels: adds x float32[inputs] times weights float32[inputs, width] to out float32[width].

    All three lie in memory without gaps, and out is none of the others.
    """
    return _plain(width) if CHECKED or JIT_DISABLED else _wide(width)


def _plain(width: int) -> AddProduct:
    """By loops, in the same order: where every index is checked, or nothing is compiled."""

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


def _wide(width: int) -> AddProduct:
    """By vectors of so many lanes."""
    lanes = ir.VectorType(ir.FloatType(), width)

    @intrinsic
    def add(_: Any, x: Any, weights: Any, out: Any, inputs: Any) -> Any:
        for kind, ndim in (x, 1), (weights, 2), (out, 1):
            if not (isinstance(kind, types.Array) and kind.dtype == types.float32 and kind.ndim == ndim):
                return None
            if kind.layout != "C":
                return None

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            def start(number: int) -> Any:
                return arrayobj.make_array(signature.args[number])(context, builder, arguments[number]).data

            def row(pointer: Any) -> Any:
                return builder.bitcast(pointer, lanes.as_pointer())

            numbers, table, target = start(0), start(1), row(start(2))
            count = context.cast(builder, arguments[3], signature.args[3], types.intp)
            index = count.type
            first, pair, two = index(0), index(1), index(2)
            sums = [cgutils.alloca_once(builder, lanes) for _ in range(2)]
            builder.store(builder.load(target, align=4), sums[0])
            builder.store(ir.Constant(lanes, [0.0] * width), sums[1])

            def step(i: Any, which: int) -> None:
                value = builder.load(builder.gep(numbers, [i]))
                spread = builder.insert_element(ir.Constant(lanes, ir.Undefined), value, ir.Constant(ir.IntType(32), 0))
                zeros = ir.Constant(ir.VectorType(ir.IntType(32), width), [0] * width)
                spread = builder.shuffle_vector(spread, ir.Constant(lanes, ir.Undefined), zeros)
                weight = builder.load(row(builder.gep(table, [builder.mul(i, index(width))])), align=4)
                builder.store(builder.fadd(builder.load(sums[which]), builder.fmul(spread, weight)), sums[which])

            with cgutils.for_range(builder, builder.udiv(count, two)) as loop:
                even = builder.mul(loop.index, two)
                step(even, 0)
                step(builder.add(even, pair), 1)
            with builder.if_then(builder.icmp_signed("!=", builder.urem(count, two), first)):
                step(builder.sub(count, pair), 0)
            builder.store(builder.fadd(builder.load(sums[0]), builder.load(sums[1])), target, align=4)
            return context.get_dummy_value()

        return types.void(x, weights, out, inputs), generate

    return add
