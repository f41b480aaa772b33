"""Functions that check the type, shape and range of a caller's arrays, and raise `InputError` with the reason."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from warlight_env.arguments import short_repr
from warlight_env.errors import InputError, clipped


def checked_array(
    value: Any, name: str, dtype: Any, shape: tuple[int, ...], buffer: npt.NDArray[Any] | None = None
) -> npt.NDArray[Any]:
    """Return `value` as a writeable, C-contiguous array with this dtype and shape: the array itself, or a copy.

    Integers and booleans of another dtype are converted if all values fit into `dtype`. A read-only array is copied,
    because Numba has a separate type for read-only arrays and would compile every kernel again.

    Args:
        value: the caller's array.
        name: the name of the argument, for the error message.
        dtype, shape: the dtype and shape of the result.
        buffer: an array of this dtype and shape that receives the copy. None: make a new array.

    Raises:
        InputError: `value` is not an array of integers or booleans with this shape, or a value does not fit into
            `dtype`.
    """
    if type(value) is np.ndarray and value.dtype == dtype and value.shape == shape and value.flags.carray:
        return value
    if not isinstance(value, np.ndarray):
        raise InputError(f"{name} must be an array of integers of shape {shape}, not {short_repr(value)}")
    if value.dtype.kind not in "biu" or value.shape != shape:
        raise InputError(f"{name} must be integers of shape {shape}, not {value.dtype} of shape {value.shape}")
    if isinstance(value, np.ma.MaskedArray):
        raise InputError(f"{name} must not be a masked array")
    value, bounds = np.asarray(value), np.iinfo(dtype)
    if not np.can_cast(value.dtype, dtype):
        low, high = int(value.min()), int(value.max())
        if low < bounds.min or high > bounds.max:
            raise InputError(f"{name} must fit into {bounds.dtype}, but the values are in {low} .. {high}")
    copied = np.empty(shape, dtype) if buffer is None else buffer
    np.copyto(copied, value, casting="unsafe")
    return copied


def array_of(values: Any, name: str) -> npt.NDArray[Any]:
    """Return the values as a NumPy array; raise `InputError` if NumPy cannot convert the values.

    For example, NumPy cannot convert lists of different lengths.
    """
    if type(values) is np.ndarray:
        return values
    try:
        return np.asarray(values)
    except Exception as error:  # a method of the caller's object may raise any exception
        raise InputError(f"{name} must be an array, not {short_repr(values)}: {clipped(str(error), 200)}") from None


def integer_array(value: Any, shape: tuple[int, ...], name: str) -> npt.NDArray[np.integer[Any]]:
    """Return `value` as an integer array with the shape `shape`; raise `InputError` for any other value."""
    array = array_of(value, name)
    if array.dtype.kind not in "iu" or isinstance(array, np.ma.MaskedArray):
        raise InputError(f"{name} must be an integer array of shape {shape}, not {array.dtype} ({short_repr(value)})")
    if array.shape != shape:
        raise InputError(f"{name} must be an integer array of shape {shape}, not of shape {array.shape}")
    return array
