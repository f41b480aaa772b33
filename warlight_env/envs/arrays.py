"""Functions that check which games of a batch a caller selects, and that make spaces with read-only bounds."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from warlight_env.arguments import integers_of, short_repr
from warlight_env.array_arguments import array_of
from warlight_env.errors import InputError

S = TypeVar("S", bound="spaces.Space[Any] | None")

_EVERY = slice(None)


def box_of(low: npt.NDArray[Any], high: npt.NDArray[Any]) -> spaces.Box:
    """Return the Box with the bounds `low` and `high`, and with their shape and dtype.

    A bound with equal entries is stored as one number.
    """
    lower, upper = (values if values.min() != values.max() else values.min() for values in (low, high))
    return spaces.Box(lower, upper, low.shape, low.dtype.type)


def games_named(games: Any, batch: int) -> list[int]:
    """Return the game numbers in `games`; None means all games of the batch.

    Raise `InputError` if a number occurs twice or is not a game of the batch.
    """
    games = list(range(batch)) if games is None else integers_of(games, "games")
    if not all(0 <= b < batch for b in games) or len(set(games)) < len(games):
        raise InputError(f"games = {short_repr(games)}: must be different games from 0 to {batch - 1}")
    return games


def selected(games: Any, batch: int) -> slice | npt.NDArray[np.int64]:
    """Return `games`, a slice or int[M], as an index of arrays [B, …]; `batch` is B.

    Raise `InputError` for a game number that is not in the batch, and for an argument of another type.
    """
    if type(games) is slice:
        if games != _EVERY:
            try:
                games.indices(batch)
            except Exception:  # the slice may contain objects of the caller with methods that raise any exception
                raise InputError(f"games = {short_repr(games)}: must be a slice with integers") from None
        return games
    numbers = array_of(games, "games")
    if numbers.ndim != 1 or numbers.dtype.kind not in "iu" or isinstance(numbers, np.ma.MaskedArray):
        raise InputError(f"games = {short_repr(games)}: must be a slice, or an array of integers")
    if len(numbers) and not (numbers.min() >= 0 and numbers.max() < batch):
        raise InputError(f"games = {short_repr(games)}: must lie in 0 .. {batch - 1}")
    return numbers.astype(np.int64, copy=False)


def fixed(space: S) -> S:
    """Make the bounds of a space read-only, and return the space. Copies of an environment share this space."""
    if isinstance(space, spaces.Dict | spaces.Tuple):
        for part in space.spaces.values() if isinstance(space, spaces.Dict) else space.spaces:
            fixed(part)
    for value in vars(space).values() if space is not None else ():
        if isinstance(value, np.ndarray):
            value.flags.writeable = False
    return space
