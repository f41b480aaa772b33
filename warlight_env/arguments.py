"""Checks of arguments: their type, shape and range; an `InputError` says what is wrong."""

from __future__ import annotations

import inspect
import operator
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from warlight_env.errors import InputError, clipped

Error = type[InputError]


def short_repr(value: object, most: int = 80) -> str:
    """`repr` of a value in at most so many characters; its type, where `repr` fails, as for integers of 5000 digits."""
    try:
        return clipped(repr(value), most)
    except Exception:
        return f"an object of type {type(value).__name__}"


def is_integer(value: object) -> bool:
    """Whether a value is an integer of Python or NumPy; booleans are none."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def is_number(value: Any) -> bool:
    """Whether a value is a finite integer or float of Python or NumPy that fits a float; booleans are none."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        return False
    magnitude: Any = abs(value)
    return bool(magnitude <= sys.float_info.max)


def index(value: Any, what: str, count: int, error: Error = InputError) -> int:
    """An integer in 0 .. count - 1; else `error`."""
    if type(value) is int and 0 <= value < count:
        return value
    try:
        at = operator.index(value)
    except Exception:  # methods of the caller's own object may raise anything
        at = -1
    if isinstance(value, bool) or not 0 <= at < count:
        raise error(f"{what} = {short_repr(value)}: must be an integer in 0 .. {count - 1}")
    return at


def integers_of(values: Any, what: str) -> list[int]:
    """The integers of a list, or of another iterable; `InputError` where there are other values among them."""
    try:
        return [operator.index(value) for value in values]
    except Exception as error:  # methods of the caller's own object may raise anything
        raise InputError(
            f"{what} = {short_repr(values)}: must be a list of integers: {clipped(str(error), 100)}"
        ) from None


def check_flag(value: Any, what: str, error: Error = InputError) -> None:
    """Raises `error` unless the value is True or False."""
    if not isinstance(value, bool | np.bool_):
        raise error(f"{what} = {short_repr(value)}: must be True or False")


def seed_of(value: Any, error: Error = InputError) -> int:
    """A seed, any integer; else `error`."""
    if not is_integer(value):
        raise error(f"seed = {short_repr(value)}: must be an integer")
    return int(value)


def takes(function: Any, *arguments: Any) -> bool:
    """Whether a function can be called with these arguments; True for a builtin that does not say."""
    try:
        inspect.signature(function).bind(*arguments)
    except TypeError:
        return False
    except ValueError:
        return True
    return True


def path_of(value: Any, what: str, error: Error = InputError) -> Path:
    """A path, of a string or an object that names a file; else `error`."""
    if not isinstance(value, str | os.PathLike):
        raise error(f"{what} = {short_repr(value)}: must be the path of a file")
    try:
        return Path(value)
    except Exception:  # of bytes, or of what another object gives
        raise error(f"{what} = {short_repr(value)}: must be the path of a file") from None


def fitting(
    value: Any, what: str, dtype: Any, shape: tuple[int, ...], room: npt.NDArray[Any] | None = None
) -> npt.NDArray[Any]:
    """The array itself where it has this dtype and shape and lies in memory as kernels want it; else a copy that does.

    Integers (and booleans) of another dtype are converted, if they keep their values. `InputError` tells what does not
    fit. Read-only arrays are copied: Numba has a type of its own for them, and would compile every kernel again.

    room: of that dtype and shape, for the copy; None: memory of its own.
    """
    if type(value) is np.ndarray and value.dtype == dtype and value.shape == shape and value.flags.carray:
        return value
    if not isinstance(value, np.ndarray):
        raise InputError(f"{what} must be an array of integers of shape {shape}, not {short_repr(value)}")
    if value.dtype.kind not in "biu" or value.shape != shape:
        raise InputError(f"{what} must be integers of shape {shape}, not {value.dtype} of shape {value.shape}")
    if isinstance(value, np.ma.MaskedArray):
        raise InputError(f"{what} must be a plain array, not a masked one")
    value, bounds = np.asarray(value), np.iinfo(dtype)
    if not np.can_cast(value.dtype, dtype):
        low, high = int(value.min()), int(value.max())
        if low < bounds.min or high > bounds.max:
            raise InputError(f"{what} must fit {bounds.dtype}; they lie in {low} .. {high}")
    copied = np.empty(shape, dtype) if room is None else room
    np.copyto(copied, value, casting="unsafe")
    return copied


def array_of(values: Any, what: str) -> npt.NDArray[Any]:
    """What is handed in as an array; `InputError` where parts of it differ in length, or it cannot be converted."""
    if type(values) is np.ndarray:
        return values
    try:
        return np.asarray(values)
    except Exception as error:  # methods of the caller's own object may raise anything
        raise InputError(f"{what} must be an array, not {short_repr(values)}: {clipped(str(error), 200)}") from None


def integer_array(value: Any, shape: tuple[int, ...], what: str) -> npt.NDArray[np.integer[Any]]:
    """The value as an integer array of exactly that shape; `InputError` says what it is instead."""
    array = array_of(value, what)
    if array.dtype.kind not in "iu" or isinstance(array, np.ma.MaskedArray):
        raise InputError(f"{what} must be an integer array of shape {shape}, not {array.dtype} ({short_repr(value)})")
    if array.shape != shape:
        raise InputError(f"{what} must be an integer array of shape {shape}, not {array.shape}")
    return array
