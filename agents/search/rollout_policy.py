"""Rollout policies, and kernels that select the best turns for a tree with a one-round lookahead."""

from __future__ import annotations

import functools
from typing import Any, Final

import numba
import numpy as np
from numba import types

from warlight_env.agents.context import Context, draw_turn, generate, record_types
from warlight_env.agents.records.generator_work import TurnSet, copy_turn
from warlight_env.agents.search.kernel_registry import KernelRegistry
from warlight_env.agents.search.lookahead import (
    draw_by_rank,
    highest,
    keep_best,
    list_replies,
    score_turns,
    try_against_replies,
    worst_replies,
)
from warlight_env.agents.search.simulation import SimulationSettings, SimulationWork, make_simulation_work
from warlight_env.engine.jit import function_at, inline_kernel, kernel
from warlight_env.engine.kernel_types import Int
from warlight_env.engine.reference import reference


@kernel
def policy_move(context: Context, settings: SimulationSettings, work: SimulationWork, player: Int) -> Int:
    """Write a turn of the context's policy; the default policy draws a random candidate turn."""
    orders = work.samples.round
    deploy, attacks = orders.deploy[player], orders.attacks[player]
    return draw_turn(context, work.position, player, work.rng, work.generator, deploy, attacks)


@inline_kernel
def _order(work: SimulationWork, player: Int, best: Int) -> Int:
    """Copy the evaluated turn with index `best` to the orders of the round, and return the number of its attacks."""
    orders = work.samples.round
    return copy_turn(work.lookahead.turns, best, orders.deploy[player], orders.attacks[player])


@kernel
def _score(context: Context, settings: SimulationSettings, work: SimulationWork, player: Int) -> Int:
    """Write all candidate turns of the player and, if there are several, their scores; return the number of turns."""
    lookahead, position = work.lookahead, work.position
    count = generate(context, position, player, work.rng, work.generator, lookahead.turns)
    if count > 1:
        samples = settings.lookahead_samples
        score_turns(context, position, player, samples, lookahead.turns, count, work.rng, lookahead)
    return count


@kernel
def one_ply_move(context: Context, settings: SimulationSettings, work: SimulationWork, player: Int) -> Int:
    """Write the best turn according to a one-round lookahead with `settings.lookahead_samples` simulations."""
    count = _score(context, settings, work, player)
    return _order(work, player, highest(work.lookahead.score, count) if count > 1 else np.int64(0))


@kernel
def weighted_move(context: Context, settings: SimulationSettings, work: SimulationWork, player: Int) -> Int:
    """Write one of the `settings.top_k` best turns according to a one-round lookahead; `draw_by_rank` draws it."""
    lookahead = work.lookahead
    best: Int = np.int64(0)
    count = _score(context, settings, work, player)
    if count > 1:
        best = draw_by_rank(keep_best(lookahead.turns, count, settings.top_k, lookahead.score), work.rng)
    return _order(work, player, best)


@kernel
def two_ply_move(context: Context, settings: SimulationSettings, work: SimulationWork, player: Int) -> Int:
    """Write the turn with the highest share after the worst reply of any one enemy."""
    lookahead, position = work.lookahead, work.position
    best: Int = np.int64(0)
    count = generate(context, position, player, work.rng, work.generator, lookahead.turns)
    if count > 1:
        list_replies(context, position, player, work.rng, lookahead)
        for _ in range(settings.lookahead_samples):
            try_against_replies(context, position, player, count, work.rng, lookahead)
        worst_replies(context.players, count, lookahead)
        best = highest(lookahead.score, count)
    return _order(work, player, best)


@functools.cache
def play_types() -> tuple[Any, Any]:
    """Return the Numba types of `SimulationSettings` and `SimulationWork`."""
    return numba.typeof(reference(SimulationSettings())), numba.typeof(make_simulation_work(1, 1, 2, 1, 1))


@functools.cache
def move_signature() -> Any:
    """``move(context, settings, work, player) -> int``.

    Writes a turn of `player` for the position in `work` to the orders of the round, `work.samples.round`. Returns the
    number of the turn's attacks.
    """
    return types.int64(record_types()["context"], *play_types(), types.int64)


move_at = function_at(move_signature)
ROLLOUT_POLICIES: Final = KernelRegistry(
    "playout",
    move_signature,
    {"random": policy_move, "one_ply": one_ply_move, "two_ply": two_ply_move, "weighted": weighted_move},
)


@kernel
def keep_best_turns(
    context: Context,
    settings: SimulationSettings,
    work: SimulationWork,
    player: Int,
    turns: TurnSet,
    count: Int,
    limit: Int,
) -> Int:
    """Move the `limit` best of `count` turns to the front, according to a one-round lookahead.

    Returns the number of kept turns. The lookahead starts from the position in `work`.
    """
    samples = settings.lookahead_samples
    score_turns(context, work.position, player, samples, turns, count, work.rng, work.lookahead)
    return keep_best(turns, count, limit, work.lookahead.score)


@functools.cache
def narrowing_signature() -> Any:
    """``narrow(context, settings, work, player, turns, count, limit) -> int``, see `keep_best_turns`."""
    t = record_types()
    return types.int64(t["context"], *play_types(), types.int64, t["turns"], types.int64, types.int64)


narrowing_at = function_at(narrowing_signature)
NARROWINGS: Final = KernelRegistry("narrowing", narrowing_signature, {"best": keep_best_turns})
