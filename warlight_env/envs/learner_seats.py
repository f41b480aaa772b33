"""The seats of the learners in the games of `Episodes`."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from warlight_env.arguments import is_integer, short_repr
from warlight_env.errors import InputError


class LearnerSeats(tuple[int, ...]):
    """The seats of several learners in each game, in ascending order, as the argument `seat` of `Episodes`."""

    __slots__ = ()


def seats_of(seat: Any, players: int) -> npt.NDArray[np.int8]:
    """Return int8[L], the learners' seats, from the argument `seat` of `Episodes`; -1 means a random seat."""
    if isinstance(seat, str) and seat == "random":
        return np.array([-1], np.int8)
    seats = seat if isinstance(seat, LearnerSeats) else (seat,)
    if not all(is_integer(entry) and 0 <= int(entry) < players for entry in seats):
        raise InputError(f"seat = {short_repr(seat)}: must be 'random' or 0 .. {players - 1}")
    return np.array(seats, np.int8)
