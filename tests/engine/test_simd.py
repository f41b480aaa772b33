"""SIMD products: they equal NumPy's sums in the same order, bit for bit."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from warlight_env.engine.jit import kernel
from warlight_env.engine.kernel_types import Int, Real
from warlight_env.engine.simd import (
    Floats,
    clear_floats,
    column_adder,
    copy_floats,
    outer_adder,
    product_adder,
    row_adder,
    row_gate,
)

_five, _many = product_adder(5), product_adder(32)
_columns = column_adder(5)
_row, _gate = row_adder(8), row_gate(8)
_outer, _outer_of_many = outer_adder(11, 8), outer_adder(4, 32)


@kernel
def _add_five(x: Floats, weights: Floats, out: Floats, inputs: Int) -> None:
    _five(x, weights, out, inputs)


@kernel
def _add_row(x: Floats, weights: Floats, out: Floats, row: Int) -> None:
    """Multiply one row with one of many weight tables, as networks do."""
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
def test_product_is_added_in_the_documented_order(inputs: int) -> None:
    rng = np.random.default_rng(inputs)
    x, weights = (rng.normal(size=shape).astype(np.float32) for shape in (40, (40, 5)))
    out = rng.normal(size=5).astype(np.float32)
    expected = _in_order(x[:inputs], weights[:inputs], out)
    _add_five(x, weights, out, inputs)
    np.testing.assert_array_equal(out, expected)


@kernel
def _add_columns(x: Floats, columns: npt.NDArray[np.uint32], weights: Floats, out: Floats) -> None:
    _columns(x, columns, weights, out)


@pytest.mark.parametrize("inputs", [0, 1, 2, 7, 32])
def test_gathered_columns_are_added_in_their_order(inputs: int) -> None:
    rng = np.random.default_rng(inputs)
    x, weights = (rng.normal(size=shape).astype(np.float32) for shape in (40, (inputs, 5)))
    columns, out = rng.permutation(40)[:inputs].astype(np.uint32), rng.normal(size=5).astype(np.float32)
    expected = _in_order(x[columns], weights, out)
    _add_columns(x, columns, weights, out)
    np.testing.assert_array_equal(out, expected)


def test_row_product_changes_no_other_row() -> None:
    rng = np.random.default_rng(3)
    x, weights, out = (rng.normal(size=shape).astype(np.float32) for shape in ((3, 11), (3, 11, 32), (3, 32)))
    before, expected = out.copy(), _in_order(x[1], weights[1], out[1])
    _add_row(x, weights, out, 1)
    np.testing.assert_array_equal(out[1], expected)
    np.testing.assert_array_equal(out[[0, 2]], before[[0, 2]])


@kernel
def _add_outer(x: Floats, y: Floats, out: Floats, rows: Int) -> None:
    _outer(x, y, out, rows)


@kernel
def _add_outer_of(x: Floats, y: Floats, out: Floats, matrix: Int, begin: Int, end: Int) -> None:
    """Add the outer products of some rows to one of many matrices."""
    _outer_of_many(x[matrix], y[begin:end], out[matrix], end - begin)


@pytest.mark.parametrize("rows", [0, 1, 2, 9])
def test_outer_products_are_added_row_by_row(rows: int) -> None:
    rng = np.random.default_rng(rows)
    x, y, out = (rng.normal(size=shape).astype(np.float32) for shape in ((9, 11), (9, 8), (11, 8)))
    expected = out.copy()
    for r in range(rows):
        expected += np.outer(x[r], y[r])
    _add_outer(x, y, out, rows)
    np.testing.assert_array_equal(out, expected)


def test_outer_products_of_some_rows_change_no_other_matrix() -> None:
    rng = np.random.default_rng(5)
    x, y, out = (rng.normal(size=shape).astype(np.float32) for shape in ((3, 4, 4), (9, 32), (3, 4, 32)))
    before, expected = out.copy(), out[1].copy()
    for r in range(3):
        expected += np.outer(x[1, r], y[2 + r])
    _add_outer_of(x, y, out, 1, 2, 5)
    np.testing.assert_array_equal(out[1], expected)
    np.testing.assert_array_equal(out[[0, 2]], before[[0, 2]])


@kernel
def _rows(part: Real, rows: Floats, out: Floats) -> None:
    """Write to the rows of `out`: 0 a sum, 1 a gated row, 2 the start of a copy, 3 a cleared start."""
    _row(part, rows[0], out[0])
    _gate(rows[1], rows[2], out[1])
    copy_floats(rows[3], out[2], 5)
    clear_floats(out[3], 3)


def test_rows_are_added_gated_copied_and_cleared() -> None:
    rng = np.random.default_rng(7)
    rows, out = (rng.normal(size=(5, 8)).astype(np.float32) for _ in range(2))
    rows[1, 2], part = 0.0, np.float32(0.3)
    expected = out.copy()
    expected[0] += part * rows[0]
    expected[1] = np.where(rows[1] > 0, rows[2], 0)
    expected[2, :5], expected[3, :3] = rows[3, :5], 0
    _rows(0.3, rows, out)
    np.testing.assert_array_equal(out, expected)
