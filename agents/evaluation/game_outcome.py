"""Kernels that determine the players still in the game, the winner, and the value of a finished game."""

from __future__ import annotations

from typing import Final

import numpy as np

from warlight_env.agents.context import Context, evaluate
from warlight_env.engine.jit import inline_kernel, kernel
from warlight_env.engine.kernel_types import Bool, Int, Owners, Shares
from warlight_env.engine.position import Position
from warlight_env.engine.round import leader
from warlight_env.engine.state import NEUTRAL

#: Results of `winner_of` without a winner: ONGOING if the game is not over, DRAWN if the game ended in a draw.
ONGOING: Final = -1
DRAWN: Final = -2


@kernel
def holds_regions(owner: Owners, player: Int) -> Bool:
    """Return whether a player owns a region and is therefore still in the game; owner int8[N]."""
    for r in range(owner.shape[0]):
        if owner[r] == player:
            return True
    return False


@inline_kernel
def winner_of(context: Context, position: Position) -> Int:
    """Return the winner: the only player with regions or, at the round limit, the winner according to the rules.

    If there is no winner, return ONGOING or DRAWN. Also return ONGOING if no player has regions, as in the picking
    phase.
    """
    owner, params, last = position.owner, context.params, NEUTRAL
    several = False
    for r in range(owner.shape[0]):
        holder = owner[r]
        if holder >= 0:
            if last >= 0 and holder != last:
                several = True
                break
            last = holder
    if not several:
        return np.int64(last)
    if params.round_limit == 0 or position.round[0] < params.round_limit:
        return np.int64(ONGOING)
    best = leader(position, context.players) if params.ties_by_regions else np.int64(NEUTRAL)
    return best if best >= 0 else np.int64(DRAWN)


@kernel
def write_end_shares(context: Context, position: Position, winner: Int, shares: Shares) -> None:
    """Write the value of a finished game for each player to shares float64[P]: 1 for the winner, 0 for the losers.

    In a drawn game, each of the n players that still own regions gets 1 / n.
    """
    total = 0.0
    for p in range(context.players):
        shares[p] = np.float64(holds_regions(position.owner, p) if winner == DRAWN else p == winner)
        total += shares[p]
    for p in range(context.players):
        shares[p] /= total


@inline_kernel
def write_shares(context: Context, position: Position, winner: Int, shares: Shares) -> None:
    """Write each player's share of a position's value to shares, float64[P] or longer.

    The context's evaluation computes the shares of an unfinished game; `write_end_shares` computes the shares of a
    finished game.
    winner: the result of `winner_of`.
    """
    if winner == ONGOING:
        evaluate(context, position, shares)
    else:
        write_end_shares(context, position, winner, shares)
