"""What battles come to on average, and what the enemy can throw at a region; chances come from the rules.

With k attacking and n defending armies, ``attack_kill * k`` defenders and ``defense_kill * n`` attackers die in
expectation. Both chances are read from ``params.dice.kill``.
"""

from __future__ import annotations

import numpy as np

from warlight_env.engine.board import Board
from warlight_env.engine.jit import kernel
from warlight_env.engine.kernel_types import Bool, Int, Real
from warlight_env.engine.position import Position

_SLACK = 1e-9  # above the rounding error of products, far below one army
_TOO_MANY = 1e12  # far more armies than there can be: what it takes where attackers hardly ever kill


@kernel
def to_conquer(defenders: Int, attack_kill: Real) -> Int:
    """The fewest attackers that kill `defenders` armies in expectation; attack_kill in [0, 1]."""
    return np.int64(np.ceil(min(defenders / attack_kill, _TOO_MANY) - _SLACK))


@kernel
def to_hold(attackers: Int, attack_kill: Real) -> Int:
    """The fewest defenders that `attackers` armies do not wipe out in expectation."""
    return np.int64(np.floor(attackers * attack_kill + _SLACK)) + 1


@kernel
def favourable(attackers: Int, defenders: Int, attack_kill: Real, defense_kill: Real) -> Bool:
    """Whether the attackers' expected loss is strictly smaller than the defenders', both clipped to those there."""
    lost = min(defenders * defense_kill, np.float64(attackers))
    killed = min(attackers * attack_kill, np.float64(defenders))
    return lost < killed - _SLACK


@kernel
def reach(board: Board, position: Position, player: Int, player_income: Int, region: Int) -> Int:
    """The most armies that a player can send against a region next round, all its income beside it; 0 if none."""
    owner, army = position.owner, position.army
    most = np.int64(0)
    for e in range(board.neighbor_start[region], board.neighbor_start[region + 1]):
        q = board.edge_target[e]
        if owner[q] == player:
            most = max(most, np.int64(army[q]) - 1 + player_income)
    return most
