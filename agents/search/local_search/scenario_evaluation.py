"""Evaluation of turns in scenarios: simulations of the present round and some later rounds.

A scenario fixes the other players' turns and the dice of the present round (common random numbers). All turns are
evaluated in the same scenarios, so that differences between results come from the turns and not from luck. After the
present round, the policy chooses the turns of all players.
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

#: Indices into `ScenarioWork.turns` and `ScenarioWork.share`: the best turn so far, and the turn that is being tried.
BEST: Final = 0
TRIED: Final = 1

#: After this number of scenarios, the evaluation of a turn stops if it is not better than the best turn so far.
BLOCK: Final = 12

#: In one of STRIKES scenarios, the other players attack the player as strongly as possible. A random policy hardly ever
#: does this. Without these scenarios, the best turns would leave regions without defence.
STRIKES: Final = 3


class ScenarioWork(NamedTuple):
    """Working memory of one thread for the evaluation of turns in S scenarios."""

    generator: GeneratorWork
    turns: TurnSet  #: [2, ...] the turns at the indices BEST and TRIED
    share: npt.NDArray[np.float64]  #: [2, S] the player's share at the end of each scenario
    opponent_turns: TurnSets  #: [P, S, ...] turns of the other players in this round, for each scenario
    dice: npt.NDArray[np.uint64]  #: [S, 2]
    play_rng: npt.NDArray[np.uint64]  #: [2] random state of the scenario that is being simulated
    round: Workspace
    position: Position
    borders: npt.NDArray[np.int32]  #: [N] the player's regions that are adjacent to a region of another owner
    free: npt.NDArray[np.int64]  #: [N] armies without an order
    rng: npt.NDArray[np.uint64]  #: [2]


def make_scenario_work(n_regions: int, n_edges: int, players: int, scenarios: int) -> ScenarioWork:
    """Allocate working memory for one thread that evaluates turns in scenarios."""
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
    """Write a turn that attacks a random region of the player `victim` with as many armies as possible.

    The armies come from the attacker's strongest region that is adjacent to a region of `victim` (`reach` in the
    thesis). Returns the number of attacks, or -1 if the attacker has no region adjacent to a region of `victim`.

    The turn is written to deploy int32[N] and attacks int32[E, 3].
    """
    board, params, owner, army = context.board, context.params, position.owner, position.army
    source, target, n_targets = -1, np.int64(-1), 0
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
            n_targets += 1
            if below(rng, n_targets) == 0:
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
    """Write the turn of player p in a round of scenario k, and return the number of attacks.

    If p is eliminated, the turn has no orders. player: the player whose turns are evaluated; in some scenarios, the
    other players attack this player (`strike`).
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

    In every STRIKES-th scenario, `strike` writes the other players' turns; in all other scenarios, the policy writes
    these turns.
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
    """Simulate scenario k with the turn at `index`, and return the player's share at the end.

    If the game ends during the scenario, the share is the result of the game.
    """
    players, orders, shares = context.players, work.round, stack_floats()
    winner: Int = np.int64(ONGOING)
    work.play_rng[0], work.play_rng[1] = work.dice[k, 0], work.dice[k, 1]
    copy_position(position, work.position)
    for p in range(players):
        if p == player:
            orders.counts[p] = copy_turn(work.turns, index, orders.deploy[p], orders.attacks[p])
        else:
            orders.counts[p] = copy_turn(turn_set_of(work.opponent_turns, p), k, orders.deploy[p], orders.attacks[p])
    for round_index in range(rounds):
        if round_index > 0:
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
    """Simulate the turn at `index` in all scenarios, and write the player's share in each scenario to `work.share`.

    Returns the turn's sum of shares over the scenarios minus the best turn's sum of shares. For the best turn itself
    (index BEST), returns its sum of shares. racing: whether to stop and return 0 if the turn's sum does not exceed the
    best turn's sum after a BLOCK of scenarios.
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
