"""Faults in the results of users' functions: kernels that find a fault, and errors that describe it."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from warlight_env.agents.context import Context
from warlight_env.agents.records.generator_work import TurnSet
from warlight_env.engine.jit import kernel
from warlight_env.engine.kernel_types import Armies, AttackRows, Int, Marks, Regions, Shares
from warlight_env.engine.position import Position
from warlight_env.engine.round import income
from warlight_env.errors import InputError

#: Codes of faults in a turn, and, below 0, of faults in other results.
NONE: Final = 0
COUNT: Final = 1
NEGATIVE: Final = 2
FOREIGN: Final = 3
INCOME: Final = 4
SOURCE: Final = 5
TARGET: Final = 6
OWNER: Final = 7
NEIGHBOR: Final = 8
ARMIES: Final = 9
TOO_MANY_ARMIES: Final = 10
REPEATED: Final = 11
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

#: Texts for the fault codes. place: the number of the region, attack, preference or turn. value, bound: the wrong value
#: and its limit.
_TEXTS: Final = {
    COUNT: "{value:.0f} attacks, but their number must be in 0 .. {bound}",
    NEGATIVE: "deploys {value:.0f} armies on region {place}",
    FOREIGN: "deploys {value:.0f} armies on region {place}, which is not the player's",
    INCOME: "deploys {value:.0f} armies, but the income is {bound}",
    SOURCE: "attack {place}: from region {value:.0f}, but regions are 0 .. {bound}",
    TARGET: "attack {place}: to region {value:.0f}, but regions are 0 .. {bound}",
    OWNER: "attack {place}: from region {value:.0f}, which is not the player's",
    NEIGHBOR: "attack {place}: from region {bound} to region {value:.0f}, which are not adjacent",
    ARMIES: "attack {place}: with {value:.0f} armies, but the minimum is 1",
    TOO_MANY_ARMIES: "attack {place}: with {value:.0f} armies, but the region has {bound}",
    REPEATED: "attack {place}: has the same two regions as attack {value:.0f}",
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
def turn_fault(
    context: Context, position: Position, player: Int, deploy: Armies, attacks: AttackRows, count: Int
) -> Any:
    """Return the first fault of a player's turn as (fault, place, value, bound); the fault is NONE for a valid turn.

    `_TEXTS` describes the faults. owner int8[N], army int32[N], deploy int32[N], attacks int32[A, 3] of (from, to,
    armies), of which the first `count` rows are used. The entries of the arrays may be any integers, because the user's
    function may have written wrong values. An attack may have at most as many armies as its source region has after all
    deploys.
    """
    board, params, owner, army = context.board, context.params, position.owner, position.army
    none, n = np.int64(0), np.int64(owner.shape[0])
    if not 0 <= count <= attacks.shape[0]:
        return np.int64(COUNT), none, np.int64(count), np.int64(attacks.shape[0])
    deployed = np.int64(0)
    for r in range(n):
        armies = np.int64(deploy[r])
        if armies < 0:
            return np.int64(NEGATIVE), np.int64(r), armies, none
        if armies > 0 and owner[r] != player:
            return np.int64(FOREIGN), np.int64(r), armies, none
        deployed += armies
    available = income(board, params.base_income, owner, player)
    if deployed > available:
        return np.int64(INCOME), none, deployed, np.int64(available)
    for i in range(count):
        source, target, armies = np.int64(attacks[i, 0]), np.int64(attacks[i, 1]), np.int64(attacks[i, 2])
        place = np.int64(i)
        if not 0 <= source < n:
            return np.int64(SOURCE), place, source, n - 1
        if not 0 <= target < n:
            return np.int64(TARGET), place, target, n - 1
        if owner[source] != player:
            return np.int64(OWNER), place, source, none
        if board.edge_index[source, target] < 0:
            return np.int64(NEIGHBOR), place, target, source
        if armies < 1:
            return np.int64(ARMIES), place, armies, none
        max_armies = np.int64(army[source]) + deploy[source]
        if armies > max_armies:
            return np.int64(TOO_MANY_ARMIES), place, armies, max_armies
        for k in range(i):
            if attacks[k, 0] == source and attacks[k, 1] == target:
                return np.int64(REPEATED), place, np.int64(k), none
    return np.int64(NONE), none, none, none


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
