"""Playouts: some rounds from a position, all sides by one policy (thesis, algorithm 3.18)."""

from __future__ import annotations

import numpy as np

from warlight_env.agents.mcts.foresight import POLICY
from warlight_env.agents.mcts.outcome import next_state
from warlight_env.agents.mcts.tree import UNIT
from warlight_env.agents.mcts.work import MAX_DEPTH
from warlight_env.agents.mcts.worth import PLACEMENTS, note_eliminations, write_placements
from warlight_env.agents.standing import holds_regions
from warlight_env.engine.jit import inline_kernel, kernel


@inline_kernel
def move(board, params, evaluate, generate, policy, foresee, evaluation, settings, work, player):
    """Write to the orders of the round what a player of a playout does in the position in `work`; nothing once out."""
    orders = work.samples.round
    if settings.players > 2 and not holds_regions(work.owner, player):
        orders.counts[player] = 0
        for r in range(work.owner.shape[0]):
            orders.deploy[player, r] = 0
    elif settings.playout == POLICY:
        orders.counts[player] = policy(
            board, params, evaluation, work.owner, work.army, player, settings.ways, work.rng, work.generator,
            orders.deploy[player], orders.attacks[player],
        )  # fmt: skip
    else:
        orders.counts[player] = foresee(
            board, params, evaluate, generate, policy, evaluation, settings, work, player, -1
        )  # fmt: skip


@kernel
def play_out(board, params, evaluate, generate, policy, foresee, evaluation, settings, work, winner, rounds):
    """Some rounds from the position in `work`; what the end is worth to each player is written to `work.values`,
    int64[P] in UNITs.

    winner: who has won already, or -1. For placements `work.out` has who went out before.
    """
    me, players = settings.player, settings.players
    placed = settings.worth == PLACEMENTS
    for played in range(rounds):
        if winner >= 0:
            break
        for p in range(players):
            move(board, params, evaluate, generate, policy, foresee, evaluation, settings, work, p)
        winner = next_state(
            board, params, evaluate, evaluation, settings.choice, work.owner, work.army, me, players, work.samples,
            work.rng,
        )  # fmt: skip
        if placed:
            note_eliminations(work.owner, work.out, MAX_DEPTH + 1 + played)
    rest = np.int64(UNIT)
    for p in range(players):
        if p != me or placed:
            if winner >= 0:
                share = 1.0 if p == winner else 0.0
            else:
                share = evaluate(board, evaluation, work.owner, work.army, p, players)
            work.shares[p], work.values[p] = share, np.int64(share * UNIT)
            rest -= work.values[p]
    work.values[me] = rest  # shares add up to a UNIT
    if placed:
        write_placements(work.shares, work.out, settings.alpha, settings.beta, work.values)
