"""Double oracle: local search finds best responses, and adds these turns to the players' candidate turns.

The method is from McMahan et al. (2003) and Bošanský et al. (2016). The local search starts from the best turn against
the other players' mean mixtures. The local search works like `search.local_search`, but draws its scenarios from the
other players' mixtures. A response is added only if it is better than the start of the local search in new scenarios.
"""

from __future__ import annotations

import numpy as np

from warlight_env.agents.context import Context
from warlight_env.agents.players.nash.equilibrium import assume, choose, evaluate_rollouts, order_all, rollout
from warlight_env.agents.players.nash.nash_work import NashSetup, NashWork
from warlight_env.agents.records.generator_work import copy_turn, turn_set_of
from warlight_env.agents.search.local_search.neighborhood import fit, is_within, list_borders, random_neighbor
from warlight_env.agents.search.local_search.scenario_evaluation import BEST, BLOCK, TRIED
from warlight_env.engine.jit import inline_kernel, kernel
from warlight_env.engine.kernel_types import Bool, Int, Real
from warlight_env.engine.position import Position
from warlight_env.engine.rng import below, next_u64


@kernel
def draw_scenarios(context: Context, setup: NashSetup, work: NashWork) -> None:
    """Draw the players' turns, and the dice, for every scenario."""
    for k in range(setup.scenarios):
        for p in range(context.players):
            if work.sizes[p] > 0:
                work.opponent_turns[k, p] = choose(work, work.average[p], p)
        work.dice[k, 0], work.dice[k, 1] = next_u64(work.rng), next_u64(work.rng)


@kernel
def best_mean(work: NashWork, p: Int) -> Int:
    """Return the index of the player's turn with the highest mean share plus bonus."""
    best, best_value = np.int64(0), -1.0
    for i in range(work.sizes[p]):
        mean = work.total[p, i] / max(np.int64(1), work.visits[p, i]) + work.bonus[p, i]
        if mean > best_value:
            best, best_value = np.int64(i), mean
    return best


@inline_kernel
def _copy(work: NashWork, source: Int, target: Int) -> None:
    turns = work.trial
    turns.counts[target] = copy_turn(turns, source, turns.deploy[target], turns.attacks[target])


@kernel
def _try_turn(
    context: Context, setup: NashSetup, position: Position, p: Int, index: Int, racing: Bool, work: NashWork
) -> Real:
    """Simulate a turn of the local search in all scenarios, and write the player's shares to `work.result`.

    Returns the turn's sum of shares minus the best turn's sum of shares. For the best turn itself (index BEST), returns
    its sum of shares. racing: whether to return 0 early if the turn is not better than the best turn after a block of
    scenarios.
    """
    total: Real = 0.0
    for start in range(0, setup.scenarios, BLOCK):
        count = min(BLOCK, setup.scenarios - start)
        for k in range(count):
            for q in range(context.players):
                if work.sizes[q] > 0:
                    assume(work, q, work.opponent_turns[start + k, q])
            work.bot[p] = 0
            order_all(context, work)
            orders = work.round
            orders.counts[p] = copy_turn(work.trial, index, orders.deploy[p], orders.attacks[p])
            rollout(context, setup, position, work.dice[start + k], k, work)
        evaluate_rollouts(context, setup, count, work)
        for k in range(count):
            share = work.leaves.shares[k, p]
            work.result[index, start + k] = share
            total += share - work.result[BEST, start + k] if index != BEST else share
        if racing and count == BLOCK and total <= 0.0:
            return 0.0
    return total


@kernel
def start_climb(context: Context, setup: NashSetup, position: Position, p: Int, work: NashWork) -> None:
    """Start the local search for a player from the player's best turn, with new scenarios."""
    best, turns = best_mean(work, p), work.trial
    turns.counts[BEST] = copy_turn(turn_set_of(work.turns, p), best, turns.deploy[BEST], turns.attacks[BEST])
    draw_scenarios(context, setup, work)
    _try_turn(context, setup, position, p, BEST, False, work)


@kernel
def hill_climb(context: Context, setup: NashSetup, position: Position, p: Int, plays: Int, work: NashWork) -> Int:
    """Try changes to the best turn for `plays` simulations, and keep the improvements; return the number kept."""
    rng, turns, improvements, end = work.rng, work.trial, np.int64(0), work.counters[0] + plays
    n_borders = list_borders(context.board, position.owner, p, work.borders)
    if n_borders == 0:
        return improvements
    borders = work.borders[:n_borders]
    while work.counters[0] < end:
        _copy(work, BEST, TRIED)
        deploy, attacks, count = turns.deploy[TRIED], turns.attacks[TRIED], turns.counts[TRIED]
        for _ in range(1 + below(rng, 2)):
            count = random_neighbor(context, position, p, deploy, attacks, count, borders, rng, work.free)
        count = fit(position.army, deploy, attacks, count, work.free)
        if not is_within(deploy, count, context.params.max_orders):
            work.counters[0] += 1  # an invalid turn counts as a simulation, so that the loop ends
            continue
        turns.counts[TRIED] = count
        if _try_turn(context, setup, position, p, TRIED, True, work) > 0.0:
            _copy(work, TRIED, BEST)
            for k in range(setup.scenarios):
                work.result[BEST, k] = work.result[TRIED, k]
            improvements += 1
    return improvements


@kernel
def add_best_response(context: Context, setup: NashSetup, position: Position, p: Int, work: NashWork) -> Bool:
    """Add the turn of the local search to the player's turns if it is better than the start of the local search.

    The turn that the local search found is compared with its first turn in new scenarios. The difference of their mean
    shares must exceed the first turn's bonus from the policy anchor. If the memory has no room for another turn, no
    turn is added. Returns whether the turn was added.
    """
    count, turns, start = work.sizes[p], work.trial, best_mean(work, p)
    if count == work.regret.shape[1]:
        return False
    draw_scenarios(context, setup, work)
    _try_turn(context, setup, position, p, BEST, False, work)
    turns.counts[TRIED] = copy_turn(turn_set_of(work.turns, p), start, turns.deploy[TRIED], turns.attacks[TRIED])
    gain = -_try_turn(context, setup, position, p, TRIED, False, work) / setup.scenarios
    if gain <= work.bonus[p, start]:
        return False
    player_turns = turn_set_of(work.turns, p)
    player_turns.counts[count] = copy_turn(turns, BEST, player_turns.deploy[count], player_turns.attacks[count])
    work.sizes[p] = count + 1
    # Set the statistics as if the turn had always been in the game, with values that are higher by the gain.
    visits: Int = max(np.int64(1), work.visits[p, start])
    work.visits[p, count] = visits
    work.total[p, count] = work.total[p, start] + gain * visits
    work.regret[p, count] = work.regret[p, start] + (gain - work.bonus[p, start]) * work.counters[1]
    return True
