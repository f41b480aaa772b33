"""Average results of battles, and the largest enemy attack on a region; the rules define the chances.

With k attacking and n defending armies, ``attack_kill * k`` defenders and ``defense_kill * n`` attackers die in
expectation. Both chances are in ``params.dice.kill``.
"""

from __future__ import annotations

import numpy as np

from warlight_env.engine.board import Board
from warlight_env.engine.jit import kernel
from warlight_env.engine.kernel_types import Bool, Int, Real
from warlight_env.engine.position import Position

_SLACK = 1e-9  # above the rounding error of products, far below one army
_TOO_MANY = 1e12  # far more armies than possible: the result if attackers hardly ever kill


@kernel
def to_conquer(defenders: Int, attack_kill: Real) -> Int:
    """Return the fewest attackers that kill `defenders` armies in expectation; attack_kill in [0, 1]."""
    return np.int64(np.ceil(min(defenders / attack_kill, _TOO_MANY) - _SLACK))


@kernel
def to_hold(attackers: Int, attack_kill: Real) -> Int:
    """Return the fewest defenders that `attackers` armies do not destroy completely in expectation."""
    return np.int64(np.floor(attackers * attack_kill + _SLACK)) + 1


@kernel
def favourable(attackers: Int, defenders: Int, attack_kill: Real, defense_kill: Real) -> Bool:
    """Return whether the attackers' expected loss is strictly smaller than the defenders' expected loss.

    A loss is at most the number of armies on that side.
    """
    lost = min(defenders * defense_kill, np.float64(attackers))
    killed = min(attackers * attack_kill, np.float64(defenders))
    return lost < killed - _SLACK


@kernel
def max_attackers(board: Board, position: Position, player: Int, player_income: Int, region: Int) -> Int:
    """Return the largest number of armies that a player can send against a region next round.

    The number is 0 if none of the player's regions is adjacent to the region.

    This assumes that the player deploys its whole income on regions adjacent to the target.
    """
    owner, army = position.owner, position.army
    most = np.int64(0)
    for e in range(board.neighbor_start[region], board.neighbor_start[region + 1]):
        q = board.edge_target[e]
        if owner[q] == player:
            most = max(most, np.int64(army[q]) - 1 + player_income)
    return most
