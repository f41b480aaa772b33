"""Values of turns from a one-round lookahead, against enemies that follow a policy or play their best replies.

The kernels of this module score turns for the one-ply player, two-ply minimax, rollout policies and the tree search's
setting `breadth`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from warlight_env.agents.context import Context, draw_turn, generate
from warlight_env.agents.evaluation.game_outcome import holds_regions, winner_of, write_shares
from warlight_env.agents.generators.turns import swap_turns
from warlight_env.agents.records.generator_work import (
    MAX_TURNS,
    GeneratorWork,
    TurnSet,
    TurnSets,
    copy_turn,
    make_generator_work,
    make_turn_set,
    make_turn_sets,
    turn_set_of,
)
from warlight_env.engine.jit import inline_kernel, kernel
from warlight_env.engine.kernel_types import Int, RandomState, Real
from warlight_env.engine.memory import private_zeros
from warlight_env.engine.position import Position, copy_position, make_position
from warlight_env.engine.reference import reference
from warlight_env.engine.rng import below, next_u64
from warlight_env.engine.round import resolve_orders
from warlight_env.engine.stack import stack_floats
from warlight_env.engine.state import Workspace, make_workspace


class LookaheadWork(NamedTuple):
    """Working memory of one thread for the simulation of turns."""

    generator: GeneratorWork
    turns: TurnSet  #: the player's candidate turns
    replies: TurnSets  #: the candidate turns (replies) of each enemy
    reply_counts: npt.NDArray[np.int64]  #: [P] number of replies; 0 for the player itself and for eliminated players
    round: Workspace
    position: Position  #: the position after a simulation of the round
    dice: npt.NDArray[np.uint64]  #: [2]
    score: npt.NDArray[np.float64]  #: [K] the score of each turn
    reply_shares: npt.NDArray[np.float64]  #: [P, K, K] sums of shares, for each enemy, turn and reply


def make_lookahead_work(n_regions: int, n_edges: int, players: int, capacity: int = MAX_TURNS) -> LookaheadWork:
    """Allocate working memory for one thread that simulates turns.

    capacity: the largest number of turns that a generator writes.
    """
    return reference(
        LookaheadWork(
            generator=make_generator_work(n_regions, n_edges, players),
            turns=make_turn_set(n_regions, n_edges, capacity),
            replies=make_turn_sets(n_regions, n_edges, players, capacity),
            reply_counts=private_zeros(players, np.int64),
            round=make_workspace(n_regions, n_edges, players),
            position=make_position(n_regions),
            dice=private_zeros(2, np.uint64),
            score=private_zeros(capacity, np.float64),
            reply_shares=private_zeros((players, capacity, capacity), np.float64),
        )
    )


@inline_kernel
def _share_after(
    context: Context, position: Position, player: Int, first: Int, second: Int, work: LookaheadWork
) -> Real:
    """Simulate the orders in `work.round` from a position, and return the player's share after the round.

    first, second: the random state of the dice. If the game ends, the share is the result of the game.
    """
    work.dice[0], work.dice[1] = first, second
    copy_position(position, work.position)
    resolve_orders(context.params, work.position, work.round, work.dice, None, None)
    shares = stack_floats()
    write_shares(context, work.position, winner_of(context, work.position), shares)
    return shares[player]


@inline_kernel
def _move_by_policy(
    context: Context, position: Position, player: Int, enemy: Int, rng: RandomState, work: LookaheadWork
) -> None:
    """Write the policy's turns of all players except `player` and `enemy`."""
    orders = work.round
    for p in range(context.players):
        if p != player and p != enemy:
            orders.counts[p] = draw_turn(context, position, p, rng, work.generator, orders.deploy[p], orders.attacks[p])


@kernel
def score_turns(
    context: Context,
    position: Position,
    player: Int,
    samples: Int,
    turns: TurnSet,
    count: Int,
    rng: RandomState,
    work: LookaheadWork,
) -> None:
    """Score `count` turns: write the sum of the player's shares over `samples` simulations to `work.score`.

    In each simulation, the policy chooses the other players' turns. The other players' turns and the dice are the same
    for all scored turns, so that differences between scores come from the scored turns and not from luck. rng
    uint64[2].
    """
    orders = work.round
    for i in range(count):
        work.score[i] = 0.0
    for _ in range(samples):
        _move_by_policy(context, position, player, player, rng, work)
        first, second = next_u64(rng), next_u64(rng)
        for i in range(count):
            orders.counts[player] = copy_turn(turns, i, orders.deploy[player], orders.attacks[player])
            work.score[i] += _share_after(context, position, player, first, second, work)


@kernel
def list_replies(context: Context, position: Position, player: Int, rng: RandomState, work: LookaheadWork) -> None:
    """Write the candidate turns of each remaining enemy to `work.replies`.

    The kernel also sets `work.reply_shares` to 0; the array later contains the sum of the player's shares for each
    reply.
    """
    players, owner = context.players, position.owner
    for p in range(players):
        work.reply_counts[p] = 0
        if p != player and holds_regions(owner, p):
            replies = turn_set_of(work.replies, p)
            work.reply_counts[p] = generate(context, position, p, rng, work.generator, replies)
        for i in range(work.reply_shares.shape[1]):
            for j in range(work.reply_shares.shape[2]):
                work.reply_shares[p, i, j] = 0.0


@kernel
def try_against_replies(
    context: Context, position: Position, player: Int, count: Int, rng: RandomState, work: LookaheadWork
) -> Int:
    """Simulate the first `count` turns of the player against each reply of each enemy.

    The kernel adds the player's shares to `work.reply_shares`.

    The policy chooses the turns of all players except the searching player and the replying enemy. All simulations with
    the replies of one enemy use the same dice. Returns the number of simulations.
    """
    orders, plays = work.round, np.int64(0)
    for enemy in range(context.players):
        if work.reply_counts[enemy] == 0:
            continue
        _move_by_policy(context, position, player, enemy, rng, work)
        first, second = next_u64(rng), next_u64(rng)
        replies = turn_set_of(work.replies, enemy)
        for j in range(work.reply_counts[enemy]):
            orders.counts[enemy] = copy_turn(replies, j, orders.deploy[enemy], orders.attacks[enemy])
            for i in range(count):
                orders.counts[player] = copy_turn(work.turns, i, orders.deploy[player], orders.attacks[player])
                work.reply_shares[enemy, i, j] += _share_after(context, position, player, first, second, work)
                plays += 1
    return plays


@kernel
def worst_replies(players: Int, count: Int, work: LookaheadWork) -> None:
    """Write each turn's smallest sum of shares, over all enemies and their replies, to `work.score`."""
    for i in range(count):
        lowest = np.inf
        for enemy in range(players):
            for j in range(work.reply_counts[enemy]):
                lowest = min(lowest, work.reply_shares[enemy, i, j])
        work.score[i] = lowest


@kernel
def highest(score: npt.NDArray[np.float64], count: Int) -> Int:
    """Return the index of the highest of the first `count` scores; if several scores are equal, the first index."""
    best = np.int64(0)
    for i in range(1, count):
        if score[i] > score[best]:
            best = np.int64(i)
    return best


@kernel
def keep_best(turns: TurnSet, count: Int, limit: Int, score: npt.NDArray[np.float64]) -> Int:
    """Move the `limit` turns with the highest scores to the front, best first; return the number of kept turns."""
    n_kept = min(count, limit)
    for i in range(n_kept):
        best = i
        for j in range(i + 1, count):
            if score[j] > score[best]:
                best = j
        if best != i:
            swap_turns(turns, i, best)
            score[i], score[best] = score[best], score[i]
    return n_kept


@kernel
def draw_by_rank(count: Int, rng: RandomState) -> Int:
    """Draw an index i in 0 .. count - 1, with a probability in proportion to count - i."""
    ticket = below(rng, count * (count + 1) // 2)
    i = np.int64(0)
    while ticket >= count - i:
        ticket -= count - i
        i += 1
    return i
