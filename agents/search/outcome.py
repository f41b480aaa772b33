"""Rules that choose the next state from many simulations of a round (thesis, algorithms 3.16 and 3.17)."""

from __future__ import annotations

import functools
from typing import Any, Final, NamedTuple

import numba
import numpy as np
import numpy.typing as npt
from numba import types

from warlight_env.agents.context import Context, evaluate, record_types
from warlight_env.agents.evaluation.game_outcome import winner_of
from warlight_env.agents.search.kernel_registry import KernelRegistry
from warlight_env.engine.board import Board
from warlight_env.engine.jit import function_at, inline_kernel, kernel
from warlight_env.engine.kernel_types import Bool, Int, Owners, RandomState
from warlight_env.engine.memory import private_zeros
from warlight_env.engine.position import Position, Positions, copy_position, make_positions, position_at
from warlight_env.engine.reference import reference
from warlight_env.engine.round import resolve_orders
from warlight_env.engine.stack import stack_floats
from warlight_env.engine.state import Workspace, make_workspace


class Samples(NamedTuple):
    """The results of K simulations of one round."""

    plays: Positions  #: [K, ...] the positions after the round
    share: npt.NDArray[np.float64]  #: [K] the searching player's share of each position's value
    order: npt.NDArray[np.int32]  #: [K] indices of the simulations, sorted by `share`, the lowest first
    round: Workspace  #: orders of all players, and the engine's working memory


def make_samples(n_regions: int, n_edges: int, players: int, size: int) -> Samples:
    """Return a `Samples` with room for `size` simulations."""
    return reference(
        Samples(
            make_positions(size, n_regions),
            private_zeros(size, np.float64),
            private_zeros(size, np.int32),
            make_workspace(n_regions, n_edges, players),
        )
    )


@inline_kernel
def _play(context: Context, position: Position, k: Int, samples: Samples, rng: RandomState) -> None:
    play = position_at(samples.plays, k)
    copy_position(position, play)
    resolve_orders(context.params, play, samples.round, rng, None, None)


@inline_kernel
def _loses_super(board: Board, before: Owners, after: Owners, player: Int) -> Bool:
    """Return whether the player owned a whole super region before the round, but not after the round."""
    for s in range(board.bonus.shape[0]):
        had, has = True, True
        for i in range(board.member_start[s], board.member_start[s + 1]):
            r = board.members[i]
            had &= before[r] == player
            has &= after[r] == player
        if had and not has:
            return True
    return False


@inline_kernel
def _play_all(context: Context, position: Position, player: Int, samples: Samples, rng: RandomState) -> None:
    """Fill `samples` with simulations of the round, and sort the simulations by the player's share."""
    share, order, shares = samples.share, samples.order, stack_floats()
    for k in range(share.shape[0]):
        _play(context, position, k, samples, rng)
        evaluate(context, position_at(samples.plays, k), shares)
        value = share[k] = shares[player]
        i = k
        while i > 0 and share[order[i - 1]] > value:
            order[i] = order[i - 1]
            i -= 1
        order[i] = k


@inline_kernel
def _take(context: Context, position: Position, samples: Samples, index: Int) -> Int:
    """Copy the result of the simulation `index` to `position`, and return the result of `winner_of`."""
    copy_position(position_at(samples.plays, index), position)
    return winner_of(context, position)


@kernel
def realistic_outcome(context: Context, position: Position, player: Int, samples: Samples, rng: RandomState) -> Int:
    """Choose the simulated result of the round that gives the searching player the median share."""
    _play_all(context, position, player, samples, rng)
    return _take(context, position, samples, samples.order[samples.order.shape[0] // 2])


@kernel
def pessimistic_outcome(context: Context, position: Position, player: Int, samples: Samples, rng: RandomState) -> Int:
    """Choose the simulated result of the round that gives the searching player the lowest share."""
    _play_all(context, position, player, samples, rng)
    return _take(context, position, samples, samples.order[0])


@kernel
def optimistic_outcome(context: Context, position: Position, player: Int, samples: Samples, rng: RandomState) -> Int:
    """Choose the simulated result of the round that gives the searching player the highest share."""
    _play_all(context, position, player, samples, rng)
    return _take(context, position, samples, samples.order[samples.order.shape[0] - 1])


@kernel
def rule_outcome(context: Context, position: Position, player: Int, samples: Samples, rng: RandomState) -> Int:
    """Choose the player's worst outcome if this outcome loses a super region, else the player's median outcome.

    The outcomes are ranked by the player's share. An outcome loses a super region if the player owned a whole super
    region before the round, but does not own it in the outcome.
    """
    _play_all(context, position, player, samples, rng)
    order = samples.order
    worst = np.int64(order[0])
    loses = _loses_super(context.board, position.owner, samples.plays.owner[worst], player)
    return _take(context, position, samples, worst if loses else np.int64(order[order.shape[0] // 2]))


@kernel
def single_outcome(context: Context, position: Position, player: Int, samples: Samples, rng: RandomState) -> Int:
    """Simulate the round once, and choose the outcome of this simulation."""
    _play(context, position, 0, samples, rng)
    return _take(context, position, samples, 0)


@functools.cache
def outcome_signature() -> Any:
    """``outcome(context, position, player, samples, rng) -> int``.

    Simulates the orders in `samples.round` from a position, chooses one of the resulting states, and writes it to the
    position. player: the searching player; the choice compares states by the share of the searching player. Returns the
    result of `game_outcome.winner_of`.
    """
    t, samples = record_types(), numba.typeof(make_samples(1, 1, 2, 1))
    return types.int64(t["context"], t["position"], types.int64, samples, t["rng"])


outcome_at = function_at(outcome_signature)
OUTCOMES: Final = KernelRegistry(
    "outcome",
    outcome_signature,
    {
        "rule": rule_outcome,
        "realistic": realistic_outcome,
        "pessimistic": pessimistic_outcome,
        "optimistic": optimistic_outcome,
        "single": single_outcome,
    },
)
