"""Products in wide registers: the sums that NumPy makes in the same order, bit for bit."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from warlight_env.engine.jit import kernel
from warlight_env.engine.kernel_types import Int
from warlight_env.engine.lanes import Floats, product_adder

_five, _many = product_adder(5), product_adder(32)


@kernel
def _add_five(x: Floats, weights: Floats, out: Floats, inputs: Int) -> None:
    _five(x, weights, out, inputs)


@kernel
def _add_row(x: Floats, weights: Floats, out: Floats, row: Int) -> None:
    """A row of matrices, and a table out of many, as networks pass them."""
    _many(x[row], weights[row], out[row], x.shape[1])


def _in_order(x: Floats, weights: Floats, out: Floats) -> npt.NDArray[np.float32]:
    even, odd = out.copy(), np.zeros_like(out)
    for i, value in enumerate(x):
        if i % 2 == 0:
            even += value * weights[i]
        else:
            odd += value * weights[i]
    return even + odd


@pytest.mark.parametrize("inputs", [0, 1, 2, 7, 32])
def test_a_product_is_added_in_the_order_that_is_told(inputs: int) -> None:
    rng = np.random.default_rng(inputs)
    x, weights = (rng.normal(size=shape).astype(np.float32) for shape in (40, (40, 5)))
    out = rng.normal(size=5).astype(np.float32)
    expected = _in_order(x[:inputs], weights[:inputs], out)
    _add_five(x, weights, out, inputs)
    np.testing.assert_array_equal(out, expected)


def test_a_row_of_many_touches_no_other() -> None:
    rng = np.random.default_rng(3)
    x, weights, out = (rng.normal(size=shape).astype(np.float32) for shape in ((3, 11), (3, 11, 32), (3, 32)))
    before, expected = out.copy(), _in_order(x[1], weights[1], out[1])
    _add_row(x, weights, out, 1)
    np.testing.assert_array_equal(out[1], expected)
    np.testing.assert_array_equal(out[[0, 2]], before[[0, 2]])
