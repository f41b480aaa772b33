"""What the end of a simulation is worth to each player: shares of the position, or placements."""

from __future__ import annotations

from typing import Final

import numpy as np

from warlight_env.agents.lookahead import holds_regions
from warlight_env.agents.mcts.tree import UNIT
from warlight_env.engine.jit import inline_kernel, kernel

#: What a simulation is worth to the players.
SHARES: Final = 0
PLACEMENTS: Final = 1
WORTHS: Final = ("shares", "placements")


@inline_kernel
def note_eliminations(settings, work, rounds):
    """Note who is out after so many rounds of a playout, 0: before it, in `work.out`."""
    for p in range(settings.players):
        if work.out[p] < 0 and not holds_regions(work.owner, p):
            work.out[p] = rounds


@kernel
def _write_placements(settings, work):
    """Placements from the shares in `work.shares` and the eliminations in `work.out`.

    Whom nobody surpasses has alpha + (1 - alpha) * share. The range 0 .. beta is split evenly among the other places,
    the better ones higher; a player is inside its part by its share. Those who are out come after those who are not,
    the earlier out the lower; who went out in the same round share a place (Venta 2013, for games with an end).
    """
    players = settings.players
    for p in range(players):
        better, equal = 0.0, 0.0
        for q in range(players):
            if q == p:
                continue
            if work.out[p] >= 0 or work.out[q] >= 0:  # -1, still in, is better than any round
                mine, other = np.float64(work.out[p]), np.float64(work.out[q])
                mine = np.inf if mine < 0 else mine
                other = np.inf if other < 0 else other
            else:
                mine, other = work.shares[p], work.shares[q]
            better += other > mine
            equal += other == mine
        if better == 0.0:
            value = settings.alpha + (1.0 - settings.alpha) * work.shares[p]
        else:
            place = better + 0.5 * equal  # 1 for the second
            band = settings.beta / (players - 1)
            value = settings.beta - place * band + band * work.shares[p]
        work.values[p] = np.int64(value * UNIT)


@kernel
def settle(board, evaluate, evaluation, settings, work, winner):
    """Write what the position in `work` is worth to each player to `work.values`, int64[P] in UNITs.

    winner: who has won there, or -1. Shares add up to a UNIT: ours is what the others' leave.
    """
    me, players = settings.player, settings.players
    if settings.worth == PLACEMENTS:
        for p in range(players):
            if winner >= 0:
                work.shares[p] = 1.0 if p == winner else 0.0
            else:
                work.shares[p] = evaluate(board, evaluation, work.owner, work.army, p, players)
        _write_placements(settings, work)
        return
    rest = np.int64(UNIT)
    for p in range(players):
        if p == me:
            continue
        if winner >= 0:
            units = np.int64(UNIT) if p == winner else np.int64(0)
        else:
            units = np.int64(evaluate(board, evaluation, work.owner, work.army, p, players) * UNIT)
        work.values[p] = units
        rest -= units
    work.values[me] = rest
