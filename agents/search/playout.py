"""Playouts: kernels that simulate some rounds from a leaf with one policy, and evaluate the last position.

The method is algorithm 3.18 of the thesis.
"""

from __future__ import annotations

import numpy as np

from warlight_env.agents.context import Context
from warlight_env.agents.evaluation.game_outcome import ONGOING, holds_regions
from warlight_env.agents.search.leaves import MAX_DEPTH, write_leaf_shares
from warlight_env.agents.search.outcome import outcome_at
from warlight_env.agents.search.rollout_policy import move_at
from warlight_env.agents.search.simulation import UNIT, SimulationSettings, SimulationWork
from warlight_env.agents.search.simulation_utility import PLACEMENTS, note_eliminations, write_placements
from warlight_env.engine.jit import inline_kernel, kernel
from warlight_env.engine.kernel_types import Int, PlayerNumbers, Shares
from warlight_env.engine.position import copy_position, position_at


@inline_kernel
def move(context: Context, settings: SimulationSettings, work: SimulationWork, player: Int) -> None:
    """Write a player's turn of the rollout policy to the orders of the round; an eliminated player gets no orders."""
    orders = work.samples.round
    if context.players > 2 and not holds_regions(work.position.owner, player):
        orders.counts[player] = 0
        for r in range(work.position.owner.shape[0]):
            orders.deploy[player, r] = 0
    else:
        orders.counts[player] = move_at(settings.move)(context, settings, work, player)


@inline_kernel
def play_orders(context: Context, settings: SimulationSettings, work: SimulationWork) -> Int:
    """Simulate the orders of the round, and write the state that the settings' outcome rule chooses to `work.position`.

    Returns the result of `winner_of` for the next state.
    """
    return outcome_at(settings.outcome)(context, work.position, settings.player, work.samples, work.rng)


@kernel
def _play_rounds(context: Context, settings: SimulationSettings, work: SimulationWork, k: Int, rounds: Int) -> None:
    """Play some rounds from leaf k, and write the last position to the leaf."""
    leaves, winner = work.leaves, work.leaves.winner[k]
    if winner != ONGOING or rounds < 1:
        return
    leaf = position_at(leaves.positions, k)
    copy_position(leaf, work.position)
    for round_index in range(rounds):
        for p in range(context.players):
            move(context, settings, work, p)
        winner = play_orders(context, settings, work)
        if settings.utility == PLACEMENTS:
            note_eliminations(work.position.owner, leaves.eliminated_at[k], MAX_DEPTH + 1 + round_index)
        if winner != ONGOING:
            break
    leaves.winner[k] = winner
    copy_position(work.position, leaf)


@kernel
def evaluate_leaves(
    context: Context, settings: SimulationSettings, work: SimulationWork, count: Int, rounds: Int
) -> None:
    """Run a playout of `rounds` rounds from each of the first `count` leaves, and write each player's utility.

    The utility is computed from the shares of the last position, see `write_leaf_shares`.
    """
    leaves = work.leaves
    for k in range(count):
        _play_rounds(context, settings, work, k, rounds)
    write_leaf_shares(context, settings.leaf, leaves, count)
    for k in range(count):
        _write_utility(context, settings, leaves.shares[k], leaves.eliminated_at[k], leaves.values[k])


@inline_kernel
def _write_utility(
    context: Context, settings: SimulationSettings, share: Shares, out: PlayerNumbers, values: PlayerNumbers
) -> None:
    if settings.utility == PLACEMENTS:
        write_placements(share, out, settings.alpha, settings.beta, values)
        return
    remainder = np.int64(UNIT)
    for p in range(context.players):
        if p != settings.player:
            values[p] = np.int64(share[p] * UNIT)
            remainder -= values[p]
    values[settings.player] = remainder  # the values of all players add up to UNIT
