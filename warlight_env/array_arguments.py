"""Checks of the type, shape and range of callers' arrays; an `InputError` gives the reason."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from warlight_env.arguments import short_repr
from warlight_env.errors import InputError, clipped


def checked_array(
    value: Any, what: str, dtype: Any, shape: tuple[int, ...], buffer: npt.NDArray[Any] | None = None
) -> npt.NDArray[Any]:
    """Return an array with this dtype and shape, in the memory layout of the kernels: the array itself, or a copy.

    Integers (and booleans) of another dtype are converted if they keep their values. For other arrays, `InputError`
    gives the reason. Read-only arrays are copied. Otherwise Numba, which has a separate type for them, would compile
    every kernel again.

    room: an array of that dtype and shape for the copy; None: a new array.
    """
    if type(value) is np.ndarray and value.dtype == dtype and value.shape == shape and value.flags.carray:
        return value
    if not isinstance(value, np.ndarray):
        raise InputError(f"{what} must be an array of integers of shape {shape}, not {short_repr(value)}")
    if value.dtype.kind not in "biu" or value.shape != shape:
        raise InputError(f"{what} must be integers of shape {shape}, not {value.dtype} of shape {value.shape}")
    if isinstance(value, np.ma.MaskedArray):
        raise InputError(f"{what} must not be a masked array")
    value, bounds = np.asarray(value), np.iinfo(dtype)
    if not np.can_cast(value.dtype, dtype):
        low, high = int(value.min()), int(value.max())
        if low < bounds.min or high > bounds.max:
            raise InputError(f"{what} must fit into {bounds.dtype}, but the values lie in {low} .. {high}")
    copied = np.empty(shape, dtype) if buffer is None else buffer
    np.copyto(copied, value, casting="unsafe")
    return copied


def array_of(values: Any, what: str) -> npt.NDArray[Any]:
    """Return the values as an array; raise `InputError` if they have different lengths or cannot be converted."""
    if type(values) is np.ndarray:
        return values
    try:
        return np.asarray(values)
    except Exception as error:  # methods of the caller's own object may raise anything
        raise InputError(f"{what} must be an array, not {short_repr(values)}: {clipped(str(error), 200)}") from None


def integer_array(value: Any, shape: tuple[int, ...], what: str) -> npt.NDArray[np.integer[Any]]:
    """Return the value as an integer array of exactly that shape; raise `InputError` for any other value."""
    array = array_of(value, what)
    if array.dtype.kind not in "iu" or isinstance(array, np.ma.MaskedArray):
        raise InputError(f"{what} must be an integer array of shape {shape}, not {array.dtype} ({short_repr(value)})")
    if array.shape != shape:
        raise InputError(f"{what} must be an integer array of shape {shape}, not of shape {array.shape}")
    return array
