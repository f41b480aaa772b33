"""The players still in the game, the winner, and the value of a finished game."""

from __future__ import annotations

from typing import Final

import numpy as np

from warlight_env.agents.context import Context, evaluate
from warlight_env.engine.jit import inline_kernel, kernel
from warlight_env.engine.kernel_types import Bool, Int, Owners, Shares
from warlight_env.engine.position import Position
from warlight_env.engine.round import leader
from warlight_env.engine.state import NEUTRAL

#: The results of `winner_of` for a game that is not over, and for a game that ended without a winner.
ONGOING: Final = -1
DRAWN: Final = -2


@kernel
def holds_regions(owner: Owners, player: Int) -> Bool:
    """Return whether a player has a region and so is in the game; owner int8[N]."""
    for r in range(owner.shape[0]):
        if owner[r] == player:
            return True
    return False


@inline_kernel
def winner_of(context: Context, position: Position) -> Int:
    """Return the winner: the only player with regions or, at the round limit, the winner by the rules.

    Without a winner, return ONGOING or DRAWN. Also return ONGOING if no player has regions, as during the picks.
    """
    owner, params, last = position.owner, context.params, NEUTRAL
    several = False
    for r in range(owner.shape[0]):
        by = owner[r]
        if by >= 0:
            if last >= 0 and by != last:
                several = True
                break
            last = by
    if not several:
        return np.int64(last)
    if params.round_limit == 0 or position.round[0] < params.round_limit:
        return np.int64(ONGOING)
    best = leader(position, context.players) if params.ties_by_regions else np.int64(NEUTRAL)
    return best if best >= 0 else np.int64(DRAWN)


@kernel
def write_end_shares(context: Context, position: Position, winner: Int, shares: Shares) -> None:
    """Write the value of a finished game for each player to shares float64[P]: 1 for the winner.

    In a drawn game, each remaining player gets an equal part of 1.
    """
    left = 0.0
    for p in range(context.players):
        shares[p] = np.float64(holds_regions(position.owner, p) if winner == DRAWN else p == winner)
        left += shares[p]
    for p in range(context.players):
        shares[p] /= left


@inline_kernel
def write_shares(context: Context, position: Position, winner: Int, shares: Shares) -> None:
    """Write each player's share of a position to shares float64[P] or larger.

    The context's evaluation defines the shares of an unfinished game; `write_end_shares` defines those of a finished
    game.
    winner: the result of `winner_of`.
    """
    if winner == ONGOING:
        evaluate(context, position, shares)
    else:
        write_end_shares(context, position, winner, shares)
