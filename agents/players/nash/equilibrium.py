"""Regret matching for one round (Hart and Mas-Colell, 2000; regret matching+: Tammelin, 2014).

A mixture is a player's mixed strategy: probabilities of its candidate turns. An iteration has two steps. First, every
player draws a turn from its mixture. Second, each turn of a player is simulated against the drawn turns of the other
players, with the same dice. The regret of a turn is the sum of its gains over the mean value of the mixture; negative
regrets are set to 0. In the next iteration, the probability of a turn is proportional to its regret.

For two players, the mean mixtures approach an equilibrium. For more than two players, the mean mixtures approach a
coarse correlated equilibrium. The Diplomacy programs DORA and Diplodocus (Bakhtin et al., 2021 and 2022) also draw the
turns of the other players at random.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from warlight_env.agents.context import Context, draw_turn, generate
from warlight_env.agents.evaluation.game_outcome import ONGOING, holds_regions, winner_of
from warlight_env.agents.players.nash.nash_work import NashSetup, NashWork
from warlight_env.agents.records.generator_work import copy_turn, turn_set_of
from warlight_env.agents.search.leaves import write_leaf_shares
from warlight_env.engine.jit import inline_kernel, kernel
from warlight_env.engine.kernel_types import Int, RandomState, Real
from warlight_env.engine.position import Position, copy_position, position_at
from warlight_env.engine.rng import below, next_u64, uniform
from warlight_env.engine.round import resolve_orders

#: A turn with probability 0 and at least _KNOWN simulations is simulated in only one of _SELDOM iterations on average.
_KNOWN: Final = 12
_SELDOM: Final = 6


@kernel
def begin_player(context: Context, position: Position, p: Int, work: NashWork) -> None:
    """Replace a player's turns by the generator's turns for a position, and clear the player's statistics."""
    turns = turn_set_of(work.turns, p)
    count: Int = np.int64(0)
    if holds_regions(position.owner, p):
        count = generate(context, position, p, work.rng, work.generator, work.first)
    work.sizes[p], work.bot[p] = count, 0
    for i in range(count):
        turns.counts[i] = copy_turn(work.first, i, turns.deploy[i], turns.attacks[i])
    for i in range(work.regret.shape[1]):
        work.regret[p, i], work.average[p, i], work.total[p, i], work.visits[p, i] = 0.0, 0.0, 0.0, 0
        work.bonus[p, i] = 0.0
    for b in range(work.predicted_probability.shape[1]):
        work.predicted_probability[p, b] = 0.0


@kernel
def begin(context: Context, position: Position, work: NashWork) -> None:
    """Replace each player's turns by the generator's turns for a position, and clear all statistics."""
    for p in range(context.players):
        begin_player(context, position, p, work)
    work.counters[0], work.counters[1] = 0, 0


@inline_kernel
def order(work: NashWork, p: Int, index: Int) -> None:
    """Copy a player's candidate turn to the orders of the round."""
    orders = work.round
    orders.counts[p] = copy_turn(turn_set_of(work.turns, p), index, orders.deploy[p], orders.attacks[p])


@inline_kernel
def order_all(context: Context, work: NashWork) -> None:
    """Copy all players' chosen turns to the orders of the round; eliminated players get no orders."""
    for p in range(context.players):
        if work.sizes[p] > 0:
            order(work, p, work.chosen[p])
        else:
            work.round.counts[p] = 0
            for r in range(work.round.deploy.shape[1]):
                work.round.deploy[p, r] = 0


@inline_kernel
def _next_turn(context: Context, setup: NashSetup, position: Position, p: Int, work: NashWork) -> Int:
    """Write a player's turn in a later round of a simulation, and return the number of attacks.

    If the simulation assumes that the player is a simple bot (`work.bot`), this bot chooses the turn. Otherwise, the
    policy chooses the player's turn.
    """
    deploy, attacks, play_rng, generator = work.round.deploy[p], work.round.attacks[p], work.play_rng, work.generator
    if work.bot[p] == 1:
        return draw_turn(setup.simple.first, position, p, play_rng, generator, deploy, attacks)
    if work.bot[p] == 2:
        return draw_turn(setup.simple.second, position, p, play_rng, generator, deploy, attacks)
    return draw_turn(context, position, p, play_rng, generator, deploy, attacks)


@kernel
def rollout(context: Context, setup: NashSetup, position: Position, dice: RandomState, k: Int, work: NashWork) -> None:
    """Simulate a round with the chosen orders, then later rounds with the policy; leaf k gets the last position."""
    players, leaf, orders = context.players, position_at(work.leaves.positions, k), work.round
    work.play_rng[0], work.play_rng[1] = dice[0], dice[1]
    work.counters[0] += 1
    copy_position(position, leaf)
    winner: Int = ONGOING
    for round_index in range(setup.rounds):
        if round_index > 0:
            for p in range(players):
                orders.counts[p] = 0
                if players == 2 or holds_regions(leaf.owner, p):
                    orders.counts[p] = _next_turn(context, setup, leaf, p, work)
                else:
                    for r in range(leaf.owner.shape[0]):
                        orders.deploy[p, r] = 0
        resolve_orders(context.params, leaf, orders, work.play_rng, None, None)
        winner = winner_of(context, leaf)
        if winner != ONGOING:
            break
    work.leaves.winner[k] = winner


@kernel
def evaluate_rollouts(context: Context, setup: NashSetup, count: Int, work: NashWork) -> None:
    """Evaluate the last positions of the first `count` simulations: write the shares to `work.leaves.shares`."""
    leaves, players = work.leaves, context.players
    write_leaf_shares(context, setup.leaf, leaves, count)
    for k in range(count):
        if leaves.winner[k] == ONGOING:
            remainder = 1.0
            for p in range(players - 1):
                remainder -= leaves.shares[k, p]
            leaves.shares[k, players - 1] = max(0.0, remainder)  # because of rounding, `remainder` may be below 0


@kernel
def update_mixture(work: NashWork, p: Int) -> None:
    """Set a player's mixture in proportion to its regrets; if all regrets are 0, all turns are equally likely."""
    count, total = work.sizes[p], 0.0
    for i in range(count):
        total += work.regret[p, i]
    for i in range(count):
        work.mixture[p, i] = work.regret[p, i] / total if total > 0.0 else 1.0 / count


@kernel
def draw(weights: npt.NDArray[np.float64], count: Int, rng: RandomState) -> Int:
    """Draw one of the first `count` indices, with probabilities in proportion to weights float64[K]."""
    total = 0.0
    for i in range(count):
        total += weights[i]
    remaining = uniform(rng) * total
    for i in range(count - 1):
        remaining -= weights[i]
        if remaining < 0.0:
            return np.int64(i)
    return np.int64(count - 1)


@kernel
def prediction_probability(work: NashWork, p: Int) -> Real:
    """Return the probability that a player's turn is a predicted turn."""
    total: Real = 0.0
    for b in range(work.predicted_probability.shape[1]):
        total += work.predicted_probability[p, b]
    return total


@kernel
def choose(work: NashWork, weights: npt.NDArray[np.float64], p: Int) -> Int:
    """Draw a player's turn in proportion to weights float64[K], or a simple bot's predicted turn.

    Returns the index of the turn; -1 means the predicted turn of the first bot, and -2 the predicted turn of the second
    bot.
    """
    if prediction_probability(work, p) > 0.0:
        remaining = uniform(work.rng)
        for b in range(work.predicted_probability.shape[1]):
            remaining -= work.predicted_probability[p, b]
            if remaining < 0.0:
                return np.int64(-1 - b)
    return draw(weights, work.sizes[p], work.rng)


@inline_kernel
def assume(work: NashWork, p: Int, choice: Int) -> None:
    """Let a player play, in the simulation, the turn that `choose` returned."""
    work.bot[p] = max(np.int64(0), -choice)
    work.chosen[p] = choice if choice >= 0 else work.predicted_turn[p, -1 - choice]


@kernel
def iterate(context: Context, setup: NashSetup, position: Position, times: Int, work: NashWork) -> None:
    """Run iterations of regret matching."""
    players, dice = context.players, work.dice[0]
    for _ in range(times):
        for p in range(players):
            if work.sizes[p] > 0:
                update_mixture(work, p)
                assume(work, p, choose(work, work.mixture[p], p))
        dice[0], dice[1] = next_u64(work.rng), next_u64(work.rng)
        work.counters[1] += 1
        for p in range(players):
            if work.sizes[p] < 2:
                continue
            if work.bot[p] > 0:  # an assumed bot has only one turn, but the mixture still counts in the average
                for i in range(work.sizes[p]):
                    work.average[p, i] += work.counters[1] * work.mixture[p, i]
                continue
            mean, own_choice, count = 0.0, work.chosen[p], np.int64(0)
            for i in range(work.sizes[p]):
                work.value[i] = -1.0
                if work.visits[p, i] >= _KNOWN and work.mixture[p, i] == 0.0 and below(work.rng, _SELDOM) > 0:
                    continue
                work.chosen[p] = i
                order_all(context, work)
                rollout(context, setup, position, dice, count, work)
                work.simulated[count] = i
                count += 1
            work.chosen[p] = own_choice
            evaluate_rollouts(context, setup, count, work)
            for k in range(count):
                i, share = work.simulated[k], work.leaves.shares[k, p]
                work.value[i] = share + work.bonus[p, i]
                mean += work.mixture[p, i] * work.value[i]
                work.total[p, i] += share
                work.visits[p, i] += 1
            for i in range(work.sizes[p]):
                if work.value[i] >= 0.0:
                    work.regret[p, i] = max(0.0, work.regret[p, i] + work.value[i] - mean)
                work.average[p, i] += work.counters[1] * work.mixture[p, i]
