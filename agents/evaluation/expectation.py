"""Expected results of battles, and the largest possible attack on a region.

With k attacking and n defending armies, ``attack_kill * k`` defenders and ``defense_kill * n`` attackers die in
expectation. The two probabilities `attack_kill` and `defense_kill` are in ``params.dice.kill``.
"""

from __future__ import annotations

import numpy as np

from warlight_env.engine.board import Board
from warlight_env.engine.jit import kernel
from warlight_env.engine.kernel_types import Bool, Int, Real
from warlight_env.engine.position import Position

_SLACK = 1e-9  # a tolerance that is above the rounding errors of products and far below one army
_TOO_MANY = 1e12  # the upper limit of `to_conquer` if `attack_kill` is almost 0; far more armies than possible


@kernel
def to_conquer(defenders: Int, attack_kill: Real) -> Int:
    """Return the fewest attackers that kill `defenders` armies in expectation.

    attack_kill: the probability, in [0, 1], that one attacker kills a defender.
    """
    return np.int64(np.ceil(min(defenders / attack_kill, _TOO_MANY) - _SLACK))


@kernel
def to_hold(attackers: Int, attack_kill: Real) -> Int:
    """Return the fewest defenders that `attackers` armies do not destroy completely in expectation."""
    return np.int64(np.floor(attackers * attack_kill + _SLACK)) + 1


@kernel
def favourable(attackers: Int, defenders: Int, attack_kill: Real, defense_kill: Real) -> Bool:
    """Return whether the attackers' expected loss is strictly smaller than the defenders' expected loss.

    The expected loss of a side is at most the number of its armies.
    """
    lost = min(defenders * defense_kill, np.float64(attackers))
    killed = min(attackers * attack_kill, np.float64(defenders))
    return lost < killed - _SLACK


@kernel
def max_attackers(board: Board, position: Position, player: Int, player_income: Int, region: Int) -> Int:
    """Return the largest number of armies that a player can send to `region` from one adjacent region next round.

    The result includes the player's whole income, as if it were deployed on the adjacent region. The result is 0 if the
    player owns no region adjacent to `region`.
    """
    owner, army = position.owner, position.army
    largest = np.int64(0)
    for e in range(board.neighbor_start[region], board.neighbor_start[region + 1]):
        q = board.edge_target[e]
        if owner[q] == player:
            largest = max(largest, np.int64(army[q]) - 1 + player_income)
    return largest
