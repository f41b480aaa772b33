"""Playouts: some rounds from a position, all sides by one policy (thesis, algorithm 3.18)."""

from __future__ import annotations

import numpy as np

from warlight_env.agents.context import draw_turn, evaluate
from warlight_env.agents.mcts.foresight import POLICY, foresight_at
from warlight_env.agents.mcts.outcome import next_state
from warlight_env.agents.mcts.tree import UNIT
from warlight_env.agents.mcts.work import MAX_DEPTH
from warlight_env.agents.mcts.worth import PLACEMENTS, note_eliminations, write_placements
from warlight_env.agents.standing import ONGOING, holds_regions, share_at_end
from warlight_env.engine.jit import inline_kernel, kernel


@inline_kernel
def move(context, settings, work, player):
    """Write to the orders of the round what a player of a playout does in the position in `work`; nothing once out."""
    orders = work.samples.round
    if context.players > 2 and not holds_regions(work.position.owner, player):
        orders.counts[player] = 0
        for r in range(work.position.owner.shape[0]):
            orders.deploy[player, r] = 0
    elif settings.playout == POLICY:
        orders.counts[player] = draw_turn(
            context, work.position, player, work.rng, work.generator, orders.deploy[player], orders.attacks[player]
        )
    else:
        orders.counts[player] = foresight_at(settings.foresee)(context, settings, work, player, -1)


@kernel
def play_out(context, settings, work, winner, rounds):
    """Some rounds from the position in `work`; what the end is worth to each player is written to `work.values`,
    int64[P] in UNITs.

    winner: who has won already, as `winner_of` tells it. For placements `work.out` has who went out before.
    """
    me, players = settings.player, context.players
    placed = settings.worth == PLACEMENTS
    for played in range(rounds):
        if winner != ONGOING:
            break
        for p in range(players):
            move(context, settings, work, p)
        winner = next_state(context, work.position, settings.choice, me, work.samples, work.rng)
        if placed:
            note_eliminations(work.position.owner, work.out, MAX_DEPTH + 1 + played)
    rest = np.int64(UNIT)
    for p in range(players):
        if p != me or placed:
            if winner != ONGOING:
                share = share_at_end(context, work.position, winner, p)
            else:
                share = evaluate(context, work.position, p)
            work.shares[p], work.values[p] = share, np.int64(share * UNIT)
            rest -= work.values[p]
    work.values[me] = rest  # shares add up to a UNIT
    if placed:
        write_placements(work.shares, work.out, settings.alpha, settings.beta, work.values)
