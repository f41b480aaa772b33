"""Arrays that callers hand in, as kernels take them: kernels check nothing, and read what lies beside what is short."""

from __future__ import annotations

import operator
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from warlight_env.errors import InputError

S = TypeVar("S", bound="spaces.Space[Any] | None")


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
        raise InputError(f"{what} must be an array of integers of shape {shape}, not {value!r:.60}")
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
    """What is handed in as an array; `InputError` where parts of it differ in length."""
    try:
        return np.asarray(values)
    except ValueError as error:
        raise InputError(f"{what} must be an array, not {values!r:.60}: {error}") from None


def index(value: Any, what: str, count: int) -> int:
    """An integer in 0 .. count - 1; else `InputError`."""
    try:
        at = operator.index(value)
    except TypeError:
        at = -1
    if isinstance(value, bool) or not 0 <= at < count:
        raise InputError(f"{what} = {value!r:.60}: must be an integer in 0 .. {count - 1}")
    return at


def integers_of(values: Any, what: str) -> list[int]:
    """The integers of a list, or of whatever else can be gone through; `InputError` where others are among them."""
    try:
        return [operator.index(value) for value in values]
    except TypeError as error:
        raise InputError(f"{what} must be a list of integers: {error}") from None


def games_named(which: Any, batch: int) -> list[int]:
    """The numbers of games that are named, None: all of the batch; `InputError` unless they are different ones."""
    games = list(range(batch)) if which is None else integers_of(which, "which")
    if not all(0 <= b < batch for b in games) or len(set(games)) < len(games):
        raise InputError(f"which = {games}: must be different games from 0 to {batch - 1}")
    return games


def fixed(space: S) -> S:
    """The space, its bounds read-only from now on: copies of an environment share it."""
    if isinstance(space, spaces.Dict | spaces.Tuple):
        for part in space.spaces.values() if isinstance(space, spaces.Dict) else space.spaces:
            fixed(part)
    for value in vars(space).values() if space is not None else ():
        if isinstance(value, np.ndarray):
            value.flags.writeable = False
    return space
