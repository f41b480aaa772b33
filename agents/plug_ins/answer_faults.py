"""Faults in the results of users' functions: kernels that find a fault, and errors that describe it."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from warlight_env.agents.context import Context
from warlight_env.agents.plug_ins.turn_faults import TEXTS, turn_fault
from warlight_env.agents.records.generator_work import TurnSet
from warlight_env.engine.jit import kernel
from warlight_env.engine.kernel_types import Int, Marks, Regions, Shares
from warlight_env.engine.position import Position
from warlight_env.errors import InputError

#: Codes of faults in a function's result, in addition to the codes in `turn_faults`.
SHARE: Final = -1
TURNS: Final = -2
WISHES: Final = -3
WISH: Final = -4
CLOSED: Final = -5
TWICE: Final = -6
SUM: Final = -7
LIKELY: Final = -8

#: Rounding tolerances: for a share outside [0, 1], and for the sum of float32 shares.
MARGIN: Final = 1e-9
_SUM_SLACK: Final = 1e-3

#: The largest allowed weight of a turn in a prior. With this limit, sums of weights are finite.
_MOST_LIKELY: Final = 1e300

_TEXTS: Final = TEXTS | {
    SHARE: "{value} for player {bound}, but a share must be in 0 .. 1",
    SUM: "the shares of {bound} players add up to {value}, but must add up to 1",
    TURNS: "returned {value:.0f}, but the number of turns must be in 1 .. {bound}",
    WISHES: "returned {value:.0f}, but the number of preferred regions must be in 0 .. {bound}",
    WISH: "preference {place}: region {value:.0f}, but regions are 0 .. {bound}",
    CLOSED: "preference {place}: region {value:.0f} is not free",
    TWICE: "preference {place}: region {value:.0f} is in the list twice",
    LIKELY: "turn {place}: {value}, but its weight must be a number from 0 up",
}


class PlugInError(InputError):
    """Error: a user's function has the wrong arguments, or its result is invalid.

    The error message names the function, the region, turn or other place of the fault, and the wrong value.
    """


class AnswerError(PlugInError):
    """Error: the result of a user's function is invalid. The error can be pickled for other processes."""

    def __init__(self, label: str, fault: int, number: int, place: int, value: float, bound: int) -> None:
        subject = "position" if fault in (SHARE, SUM) else "turn"
        prefix = f"{subject} {number}: " if number >= 0 else ""
        super().__init__(f"{label}: {prefix}{_TEXTS[fault].format(place=place, value=value, bound=bound)}")
        self._arguments = label, fault, number, place, value, bound

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._arguments, self.__dict__


@kernel
def turns_fault(context: Context, position: Position, player: Int, turns: TurnSet, count: Int) -> Any:
    """Return the first fault in a generator's turns as (fault, turn, place, value, bound); fault 0: no fault."""
    none, capacity = np.int64(-1), np.int64(turns.counts.shape[0])
    if not 1 <= count <= capacity:
        return np.int64(TURNS), none, none, np.float64(count), capacity
    for t in range(count):
        fault, place, value, bound = turn_fault(
            context, position, player, turns.deploy[t], turns.attacks[t], turns.counts[t]
        )
        if fault != 0:
            return fault, np.int64(t), place, np.float64(value), bound
    return np.int64(0), none, none, 0.0, none


@kernel
def preferences_fault(free: Marks, preferences: Regions, count: Int) -> Any:
    """Return the first fault in a list of preferred regions, int32[N], as (fault, place, value, bound).

    Fault 0 means no fault. Each preferred region r must have free[r] != 0.
    """
    none, n = np.int64(0), np.int64(free.shape[0])
    if not 0 <= count <= n:
        return np.int64(WISHES), none, np.int64(count), n
    for i in range(count):
        region, place = np.int64(preferences[i]), np.int64(i)
        if not 0 <= region < n:
            return np.int64(WISH), place, region, n - 1
        if free[region] == 0:
            return np.int64(CLOSED), place, region, none
        for k in range(i):
            if preferences[k] == region:
                return np.int64(TWICE), place, region, none
    return np.int64(0), none, none, none


@kernel
def shares_fault(players: Int, shares: Shares) -> Any:
    """Return the first fault in a position's shares, float64[P], as (fault, value, bound); fault 0: no fault."""
    total = 0.0
    for p in range(players):
        if not -MARGIN <= shares[p] <= 1.0 + MARGIN:
            return np.int64(SHARE), shares[p], np.int64(p)
        total += shares[p]
    return np.int64(SUM if abs(total - 1.0) > _SUM_SLACK else 0), total, np.int64(players)


@kernel
def likely_fault(count: Int, likely: npt.NDArray[np.float64]) -> Any:
    """Return the first fault in the weights of the first `count` turns, float64[T], as (fault, place, value, bound).

    Fault 0 means no fault.
    """
    none = np.int64(0)
    for j in range(count):
        if not 0.0 <= likely[j] <= _MOST_LIKELY:
            return np.int64(LIKELY), np.int64(j), likely[j], none
    return none, none, 0.0, none
