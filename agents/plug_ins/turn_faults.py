"""A kernel that finds faults in a turn that a user's function wrote into arrays."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from warlight_env.agents.context import Context
from warlight_env.engine.jit import kernel
from warlight_env.engine.kernel_types import Armies, AttackRows, Int
from warlight_env.engine.position import Position
from warlight_env.engine.round import income

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

#: Texts for the fault codes. place: the number of the region or attack. value, bound: the wrong value and its limit.
TEXTS: Final = {
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
}


@kernel
def turn_fault(
    context: Context, position: Position, player: Int, deploy: Armies, attacks: AttackRows, count: Int
) -> Any:
    """Return the first fault of a player's turn as (fault, place, value, bound); the fault is NONE for a valid turn.

    TEXTS describes the faults. owner int8[N], army int32[N], deploy int32[N], attacks int32[A, 3] of (from, to,
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
