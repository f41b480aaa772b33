"""Evaluation of turns in scenarios: simulated courses of this round and some later rounds, the same for all turns.

A scenario fixes the other players' turns and the dice (common random numbers). So differences between turns come from
the turns, not from luck. After this round all players move according to the policy.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from warlight_env.agents.context import Context, draw_turn
from warlight_env.agents.evaluation.game_outcome import ONGOING, holds_regions, winner_of, write_shares
from warlight_env.agents.records.generator_work import (
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
from warlight_env.engine.kernel_types import Armies, AttackRows, Bool, Int, RandomState, Real
from warlight_env.engine.memory import private_zeros
from warlight_env.engine.position import Position, copy_position, make_position
from warlight_env.engine.reference import reference
from warlight_env.engine.rng import below, next_u64
from warlight_env.engine.round import income, resolve_orders
from warlight_env.engine.stack import stack_floats
from warlight_env.engine.state import Workspace, make_workspace

#: Indices into `ScenarioWork.turns` and `ScenarioWork.share`: the best turn so far, and the turn under trial.
BEST: Final = 0
TRIED: Final = 1

#: Number of scenarios after which a turn that is not better than the best one is given up.
BLOCK: Final = 12

#: In one of this many scenarios, the other players attack the player with all their armies. A random policy hardly ever
#: does this. Without such scenarios, turns would leave regions without defence.
STRIKES: Final = 3


class ScenarioWork(NamedTuple):
    """Working memory of one thread for trying turns in S scenarios."""

    generator: GeneratorWork
    turns: TurnSet  #: [2, ...] BEST and TRIED
    share: npt.NDArray[np.float64]  #: [2, S] the player's share at the end of each scenario
    opponent_turns: TurnSets  #: [P, S, ...] turns of the other players in this round, by scenario
    dice: npt.NDArray[np.uint64]  #: [S, 2]
    play_rng: npt.NDArray[np.uint64]  #: [2] random state of the present scenario
    round: Workspace
    position: Position
    borders: npt.NDArray[np.int32]  #: [N] the player's regions adjacent to regions of others
    free: npt.NDArray[np.int64]  #: [N] armies without an order
    rng: npt.NDArray[np.uint64]  #: [2]


def make_scenario_work(n_regions: int, n_edges: int, players: int, scenarios: int) -> ScenarioWork:
    """Make working memory for one thread."""
    return reference(
        ScenarioWork(
            generator=make_generator_work(n_regions, n_edges, players),
            turns=make_turn_set(n_regions, n_edges, 2),
            share=private_zeros((2, scenarios), np.float64),
            opponent_turns=make_turn_sets(n_regions, n_edges, players, scenarios),
            dice=private_zeros((scenarios, 2), np.uint64),
            play_rng=private_zeros(2, np.uint64),
            round=make_workspace(n_regions, n_edges, players),
            position=make_position(n_regions),
            borders=private_zeros(n_regions, np.int32),
            free=private_zeros(n_regions, np.int64),
            rng=private_zeros(2, np.uint64),
        )
    )


@kernel
def strike(
    context: Context,
    position: Position,
    player: Int,
    victim: Int,
    rng: RandomState,
    deploy: Armies,
    attacks: AttackRows,
) -> Int:
    """Write a turn that attacks a random region of the victim with as many armies as possible.

    The armies come from the player's strongest region adjacent to a region of the victim (the thesis's `reach`).
    Returns the number of attacks, or -1 if no region is adjacent to one.

    deploy int32[N], attacks int32[E, 3].
    """
    board, params, owner, army = context.board, context.params, position.owner, position.army
    source, target, met = -1, np.int64(-1), 0
    for r in range(owner.shape[0]):
        deploy[r] = 0
        if owner[r] != player or (source >= 0 and army[r] <= army[source]):
            continue
        for e in range(board.neighbor_start[r], board.neighbor_start[r + 1]):
            if owner[board.edge_target[e]] == victim:
                source = r
                break
    if source < 0:
        return np.int64(-1)
    for e in range(board.neighbor_start[source], board.neighbor_start[source + 1]):
        if owner[board.edge_target[e]] == victim:
            met += 1
            if below(rng, met) == 0:
                target = np.int64(board.edge_target[e])
    deploy[source] = income(board, params.base_income, owner, player)
    attacks[0, 0], attacks[0, 1], attacks[0, 2] = source, target, army[source] + deploy[source] - 1
    return np.int64(attacks[0, 2] > 0)


@inline_kernel
def _move(
    context: Context,
    position: Position,
    p: Int,
    player: Int,
    k: Int,
    rng: RandomState,
    generator: GeneratorWork,
    deploy: Armies,
    attacks: AttackRows,
) -> Int:
    """Write the turn of p in a round of scenario k for `player`; nothing if p is eliminated.

    Returns the number of attacks.
    """
    players, owner = context.players, position.owner
    if players > 2 and not holds_regions(owner, p):
        for r in range(owner.shape[0]):
            deploy[r] = 0
        return np.int64(0)
    if p != player and k % STRIKES == 0:
        count = strike(context, position, p, player, rng, deploy, attacks)
        if count >= 0:
            return count
    return draw_turn(context, position, p, rng, generator, deploy, attacks)


@kernel
def draw_scenarios(context: Context, position: Position, player: Int, work: ScenarioWork) -> None:
    """Draw the other players' turns and the dice of every scenario.

    In every STRIKES-th scenario they attack with `strike`; in the other scenarios they use the policy.
    """
    players = context.players
    for k in range(work.dice.shape[0]):
        for p in range(players):
            if p == player:
                continue
            deploy, attacks = work.opponent_turns.deploy[p, k], work.opponent_turns.attacks[p, k]
            work.opponent_turns.counts[p, k] = _move(
                context, position, p, player, k, work.rng, work.generator, deploy, attacks
            )
        work.dice[k, 0], work.dice[k, 1] = next_u64(work.rng), next_u64(work.rng)


@inline_kernel
def _play_scenario(
    context: Context, position: Position, player: Int, rounds: Int, index: Int, k: Int, work: ScenarioWork
) -> Real:
    """Return the player's share at the end of scenario k, after turn `index`; 1 or 0 if the game ends before."""
    players, orders, shares = context.players, work.round, stack_floats()
    winner: Int = np.int64(ONGOING)
    work.play_rng[0], work.play_rng[1] = work.dice[k, 0], work.dice[k, 1]
    copy_position(position, work.position)
    for p in range(players):
        if p == player:
            orders.counts[p] = copy_turn(work.turns, index, orders.deploy[p], orders.attacks[p])
        else:
            orders.counts[p] = copy_turn(turn_set_of(work.opponent_turns, p), k, orders.deploy[p], orders.attacks[p])
    for played in range(rounds):
        if played > 0:
            for p in range(players):
                orders.counts[p] = _move(
                    context,
                    work.position,
                    p,
                    player,
                    k,
                    work.play_rng,
                    work.generator,
                    orders.deploy[p],
                    orders.attacks[p],
                )
        resolve_orders(context.params, work.position, orders, work.play_rng, None, None)
        winner = winner_of(context, work.position)
        if winner != ONGOING:
            break
    write_shares(context, work.position, winner, shares)
    return shares[player]


@kernel
def evaluate_turn(
    context: Context, position: Position, player: Int, rounds: Int, index: Int, racing: Bool, work: ScenarioWork
) -> Real:
    """Play turn `index` in all scenarios, write its shares, and return the difference to the best turn's sum.

    racing: after each BLOCK of scenarios, give up and return 0 if the sum so far is not larger than the best turn's.
    For the best turn itself, the sum is returned.
    """
    scenarios = work.dice.shape[0]
    total: Real = 0.0
    for k in range(scenarios):
        share = _play_scenario(context, position, player, rounds, index, k, work)
        work.share[index, k] = share
        total += share - work.share[BEST, k] if index != BEST else share
        if racing and (k + 1) % BLOCK == 0 and total <= 0.0:
            return 0.0
    return total
