"""Kernels that play whole games between one-ply players or against a bot, for training with thousands of games."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from warlight_env.agents.context import Context, draw_turn
from warlight_env.agents.evaluation.static_evaluation import write_best_picks
from warlight_env.agents.evaluation.territory import largest_territory, threatened_bonus
from warlight_env.agents.players.one_ply import choose_turn
from warlight_env.agents.records.generator_work import copy_turn
from warlight_env.agents.search.lookahead import LookaheadWork, make_lookahead_work
from warlight_env.engine.board import Board
from warlight_env.engine.jit import kernel
from warlight_env.engine.kernel_types import Int
from warlight_env.engine.memory import private_zeros
from warlight_env.engine.position import Position, position_at
from warlight_env.engine.reference import reference
from warlight_env.engine.round import play_round
from warlight_env.engine.setup import resolve_picks
from warlight_env.engine.state import OVER, PICK, State, Workspace, make_workspace

#: The features of a player's position that `write_features` computes. held: number of the player's regions. The next
#: five features are sums over these regions. bonus to regions: four properties of a region's super region
#: (`super_region_terms`). own_regions: number of the player's regions in this super region. whole_bonus_squared: sum of
#: bonus² over the regions in super regions that the player owns completely. army: number of the player's armies.
FEATURES: Final = (
    "held", "bonus", "neighbors", "borders", "regions", "own_regions", "whole_bonus_squared", "army",
    "largest_territory", "threatened_bonus",
)  # fmt: skip


class DuelSettings(NamedTuple):
    """Settings of games between the agents 0 and 1."""

    samples: npt.NDArray[np.int64]  #: [2] simulations for each turn of an agent; 0: the agent's policy moves
    epsilon: float  #: probability that a one-ply player takes a random turn
    max_rounds: int  #: after this many rounds the game is a draw
    random_start: bool  #: whether starting regions are random; if not, the agents choose them
    terms: npt.NDArray[np.float64]  #: [4, S] the result of `super_region_terms`


class DuelGames(NamedTuple):
    """A batch of B two-player games between the agents 0 and 1, and their results."""

    state: State
    rng: npt.NDArray[np.uint64]  #: [B, 2, 2] a generator for each seat
    scores: npt.NDArray[np.float64]  #: [B] receives the score of agent 0: 1 for a win, 0.5 for a draw, 0 for a loss
    #: [G, T, 2, F], T > max_rounds: for the first G games, receives the FEATURES of agents 0 and 1 at the start of each
    #: round and after the last round; the other games are not traced.
    trace: npt.NDArray[np.float32]


class DuelWork(NamedTuple):
    """Working memory of one thread that plays duels."""

    lookahead: LookaheadWork
    turns: Workspace  #: the players' turns, and working memory for a round
    preferences: npt.NDArray[np.int32]  #: [2, N]
    agent_at: npt.NDArray[np.int64]  #: [2] the agent in each seat


def make_duel_work(n_regions: int, n_edges: int) -> DuelWork:
    """Make working memory for one thread that plays duels."""
    return reference(
        DuelWork(
            lookahead=make_lookahead_work(n_regions, n_edges, 2),
            turns=make_workspace(n_regions, n_edges, 2),
            preferences=private_zeros((2, n_regions), np.int32),
            agent_at=private_zeros(2, np.int64),
        )
    )


@kernel
def write_features(
    board: Board, terms: npt.NDArray[np.float64], position: Position, player: Int, features: npt.NDArray[np.float32]
) -> None:
    """Write the features FEATURES of a player's position to features float[F]; terms: see `super_region_terms`."""
    owner, army = position.owner, position.army
    for i in range(8):
        features[i] = 0.0
    for s in range(board.bonus.shape[0]):
        start, end = board.member_start[s], board.member_start[s + 1]
        own_count = 0
        for i in range(start, end):
            r = board.members[i]
            if owner[r] == player:
                own_count += 1
                features[7] += army[r]
        features[0] += own_count
        for i in range(4):
            features[1 + i] += own_count * terms[i, s]
        features[5] += own_count * own_count
        if own_count == end - start:
            features[6] += own_count * terms[0, s] * terms[0, s]
    features[8] = largest_territory(board, owner, player)
    features[9] = threatened_bonus(board, position, player)


@kernel
def _pick(context_0: Context, context_1: Context, duel: DuelSettings, state: State, b: Int, work: DuelWork) -> None:
    orders, lookahead = work.turns, work.lookahead
    while state.phase[b] == PICK:
        for p in range(2):
            orders.counts[p] = 0
            if duel.random_start:
                continue
            free = lookahead.position.owner
            for r in range(free.shape[0]):
                free[r] = (state.offers[b, r] >> p) & 1
            context = context_0 if work.agent_at[p] == 0 else context_1
            out = work.preferences[p]
            orders.counts[p] = write_best_picks(context, position_at(state, b), free, p, lookahead.dice, out)
        resolve_picks(context_0.params, state, b, work.preferences, orders.counts, orders.scratch)


@kernel
def _trace(
    context_0: Context,
    duel: DuelSettings,
    state: State,
    b: Int,
    trace: npt.NDArray[np.float32],
    rounds: Int,
    agent_at: npt.NDArray[np.int64],
) -> None:
    for p in range(2):
        write_features(context_0.board, duel.terms, position_at(state, b), p, trace[b, rounds, agent_at[p]])


@kernel
def play_duels(
    context_0: Context, context_1: Context, duel: DuelSettings, games: DuelGames, first: Int, last: Int, work: DuelWork
) -> Int:
    """Play games first .. last - 1 of a batch of two-player games between the agents 0 and 1; return the rounds played.

    `setup.start_game` starts the games, without fog. Agent a has seat (a + b) mod 2 of game b.

    Args:
        context_0, context_1: contexts of the agents 0 and 1. A one-ply player evaluates positions with its context's
            evaluation, and predicts the other player's turn with its context's policy. An agent with 0 samples moves
            according to its own policy.
    """
    state, rng, trace = games.state, games.rng, games.trace
    rounds_played, turns, agent_at = np.int64(0), work.turns, work.agent_at
    for b in range(first, last):
        agent_at[b % 2], agent_at[1 - b % 2] = 0, 1
        _pick(context_0, context_1, duel, state, b, work)
        position, is_traced, rounds = position_at(state, b), trace.shape[0] > b, np.int64(0)
        while state.phase[b] != OVER and rounds < duel.max_rounds:
            if is_traced:
                _trace(context_0, duel, state, b, trace, rounds, agent_at)
            for p in range(2):
                a, seat_rng = agent_at[p], rng[b, p]
                context = context_0 if a == 0 else context_1
                if duel.samples[a] > 0:
                    choice = choose_turn(context, position, p, duel.samples[a], duel.epsilon, seat_rng, work.lookahead)
                    turns.counts[p] = copy_turn(work.lookahead.turns, choice, turns.deploy[p], turns.attacks[p])
                else:
                    turns.counts[p] = draw_turn(
                        context, position, p, seat_rng, work.lookahead.generator, turns.deploy[p], turns.attacks[p]
                    )
            play_round(context_0.params, state, b, turns, None, None)
            rounds += 1
        if is_traced:
            _trace(context_0, duel, state, b, trace, rounds, agent_at)
        rounds_played += rounds
        winner = state.winner[b]
        games.scores[b] = 0.5 if winner < 0 else 1.0 if agent_at[winner] == 0 else 0.0
    return rounds_played
