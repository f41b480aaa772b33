"""Whole games between one-ply players, or against a bot, in one kernel call: what training plays by the thousand."""

from __future__ import annotations

from typing import Final

import numpy as np

from warlight_env.agents.evaluation import write_best_picks
from warlight_env.agents.generators.work import ALL_WAYS, take_turn
from warlight_env.agents.one_ply import choose_turn
from warlight_env.agents.plug_ins import evaluation_at, policy_at
from warlight_env.agents.territory import largest_territory, threatened_bonus
from warlight_env.engine.jit import kernel
from warlight_env.engine.round import play_round
from warlight_env.engine.setup import resolve_picks
from warlight_env.engine.state import OVER, PICK

#: What a position is a weighted sum of (`write_features`): how many regions a player owns; over these, their super
#: regions' bonus, neighbours, borders and regions, and own regions there; bonus² of regions in whole super regions;
#: armies; the largest territory; threatened bonus.
FEATURES: Final = (
    "held", "bonus", "neighbors", "borders", "regions", "own_regions", "whole_bonus_squared", "army",
    "largest_territory", "threatened_bonus",
)  # fmt: skip


@kernel
def write_features(board, terms, owner, army, player, features):
    """Write FEATURES of a player's position, float[F]; terms float64[4, S] is `super_region_terms`."""
    for i in range(8):
        features[i] = 0.0
    for s in range(board.bonus.shape[0]):
        start, end = board.member_start[s], board.member_start[s + 1]
        own = 0
        for i in range(start, end):
            r = board.members[i]
            if owner[r] == player:
                own += 1
                features[7] += army[r]
        features[0] += own
        for i in range(4):
            features[1 + i] += own * terms[i, s]
        features[5] += own * own
        if own == end - start:
            features[6] += own * terms[0, s] * terms[0, s]
    features[8] = largest_territory(board, owner, player)
    features[9] = threatened_bonus(board, owner, army, player)


@kernel
def _pick(board, params, mine, theirs, state, b, agent_at, dealt, work, wishes):
    counts = work.look.round.counts
    while state.phase[b] == PICK:
        for p in range(2):
            counts[p] = 0
            if dealt:
                continue
            free = work.look.owner
            for r in range(free.shape[0]):
                free[r] = (state.offers[b, r] >> p) & 1
            evaluation = mine if agent_at[p] == 0 else theirs
            counts[p] = write_best_picks(board, evaluation, state.owner[b], free, p, work.look.dice, wishes[p])
        resolve_picks(board, params, state, b, wishes, counts, work.look.round.scratch)


@kernel
def play_duels(
    board, params, mine, theirs, samples, policy_address, share_address, replies_address, explore, max_rounds, dealt,
    first, last, state, rng, work, turns, wishes, agent_at, scores, terms, trace,
):  # fmt: skip
    """Play games first .. last - 1 of a batch of games of two between the agents 0 and 1; returns the rounds played.

    Games are as `setup.start_game` leaves them, without fog. Agent a sits on seat (a + b) mod 2 of game b.

    Args:
        mine, theirs: `Evaluation` records of the agents.
        samples: int64[2], plays of a round that each tries its turns in; 0 for agent 1: it is the policy.
        policy_address: of a function of `plug_ins.policy_signature`. share_address, replies_address: of the functions
            by which one-ply players value positions and expect the other to move.
        explore: chance that a one-ply player takes any of its turns.
        max_rounds: what is not over then is a draw.
        dealt: starting regions at random, instead of by the agents' evaluations.
        rng: uint64[B, 2, 2], a generator for each seat.
        work: an `OnePlyWork`; turns: a `Workspace` for the round; wishes int32[2, N]; agent_at int64[2].
        scores: float64[B], written: 1, 0.5 or 0 for agent 0.
        terms, trace: float64[4, S] and float32[B, T, 2, F]; where trace has a row, the FEATURES of agents 0 and 1 at
            the start of each round and, behind the last, at the end are written to it; T > max_rounds.
    """
    policy, replies = policy_at(policy_address), policy_at(replies_address)
    evaluate = evaluation_at(share_address)
    played = np.int64(0)
    for b in range(first, last):
        agent_at[b % 2], agent_at[1 - b % 2] = 0, 1
        _pick(board, params, mine, theirs, state, b, agent_at, dealt, work, wishes)
        owner, army = state.owner[b], state.army[b]
        record = trace.shape[0] > b
        rounds = np.int64(0)
        while state.phase[b] != OVER and rounds < max_rounds:
            if record:
                for p in range(2):
                    write_features(board, terms, owner, army, p, trace[b, rounds, agent_at[p]])
            for p in range(2):
                a = agent_at[p]
                if samples[a] > 0:
                    evaluation = mine if a == 0 else theirs
                    which = choose_turn(
                        board, params, evaluate, replies, evaluation, owner, army, p, 2, samples[a], explore,
                        rng[b, p], work,
                    )  # fmt: skip
                    turns.counts[p] = take_turn(work.look.turns, which, turns.deploy[p], turns.attacks[p])
                else:
                    turns.counts[p] = policy(
                        board, params, theirs, owner, army, p, ALL_WAYS, rng[b, p], work.generator, turns.deploy[p],
                        turns.attacks[p],
                    )  # fmt: skip
            play_round(board, params, state, b, turns.deploy, turns.attacks, turns.counts, turns.scratch, None, None)
            rounds += 1
        if record:
            for p in range(2):
                write_features(board, terms, owner, army, p, trace[b, rounds, agent_at[p]])
        played += rounds
        winner = state.winner[b]
        scores[b] = 0.5 if winner < 0 else 1.0 if agent_at[winner] == 0 else 0.0
    return played
