"""Playouts: some rounds from a position, all sides by one policy (thesis, algorithm 3.18)."""

from __future__ import annotations

from typing import Final

import numpy as np

from warlight_env.agents.generators.work import take_turn
from warlight_env.agents.lookahead import (
    draw_by_rank,
    highest,
    holds_regions,
    keep_best,
    list_replies,
    score_turns,
    try_against_replies,
    worst_replies,
)
from warlight_env.agents.mcts.outcome import next_state
from warlight_env.agents.mcts.worth import PLACEMENTS, note_eliminations, settle
from warlight_env.engine.jit import kernel

#: Whose turns playouts take: the policy's (by default a random one of the generators'), the one that is best a round
#: ahead, the one that is best against the enemies' best replies, or one of the best by chance.
POLICY: Final = 0
ONE_PLY: Final = 1
TWO_PLY: Final = 2
WEIGHTED: Final = 3
PLAYOUTS: Final = ("random", "one_ply", "two_ply", "weighted")


@kernel
def _foresee(board, params, evaluate, generate, policy, evaluation, settings, work, player, deploy, attacks):
    """Write a turn that the playout's policy takes after it has tried all; returns its attacks.

    Each is played `settings.tries` times. "weighted" draws one of the `settings.drawn` best by rank.
    """
    look, owner, army, players, ways = work.look, work.owner, work.army, settings.players, settings.ways
    count = generate(board, params, evaluation, owner, army, player, ways, work.rng, work.generator, look.turns)
    best = np.int64(0)
    if count > 1 and settings.playout == TWO_PLY:
        list_replies(
            board, params, generate, evaluation, owner, army, player, players, ways, work.rng, work.generator, look
        )
        for _ in range(settings.tries):
            try_against_replies(
                board, params, evaluate, policy, evaluation, owner, army, player, players, ways, look.turns, count,
                work.rng, work.generator, look,
            )  # fmt: skip
        worst_replies(players, count, look)
        best = highest(look.score, count)
    elif count > 1:
        score_turns(
            board, params, evaluate, policy, evaluation, owner, army, player, players, ways, settings.tries,
            look.turns, count, work.rng, work.generator, look,
        )  # fmt: skip
        if settings.playout == WEIGHTED:
            best = draw_by_rank(keep_best(look.turns, count, settings.drawn, look.score), work.rng)
        else:
            best = highest(look.score, count)
    return take_turn(look.turns, best, deploy, attacks)


@kernel
def play_out(board, params, evaluate, generate, policy, evaluation, settings, work, winner, rounds):
    """Some rounds from the position in `work`; what the end is worth to each player is written to `work.values`.

    winner: who has won already, or -1.
    """
    me, players, orders = settings.player, settings.players, work.samples.round
    placed = settings.worth == PLACEMENTS
    for p in range(players):
        work.out[p] = -1
    if placed:
        note_eliminations(settings, work, 0)
    for played in range(rounds):
        if winner >= 0:
            break
        for p in range(players):
            if players > 2 and not holds_regions(work.owner, p):
                orders.counts[p] = 0
                for r in range(work.owner.shape[0]):
                    orders.deploy[p, r] = 0
            elif settings.playout == POLICY:
                orders.counts[p] = policy(
                    board, params, evaluation, work.owner, work.army, p, settings.ways, work.rng, work.generator,
                    orders.deploy[p], orders.attacks[p],
                )  # fmt: skip
            else:
                orders.counts[p] = _foresee(
                    board, params, evaluate, generate, policy, evaluation, settings, work, p, orders.deploy[p],
                    orders.attacks[p],
                )  # fmt: skip
        winner = next_state(
            board, params, evaluate, evaluation, settings.choice, work.owner, work.army, me, players, work.samples,
            work.rng,
        )  # fmt: skip
        if placed:
            note_eliminations(settings, work, played + 1)
    settle(board, evaluate, evaluation, settings, work, winner)
