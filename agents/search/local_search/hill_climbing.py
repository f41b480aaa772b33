"""Hill climbing: a small change to a turn is kept if it improves the turn in the current scenarios."""

from __future__ import annotations

from warlight_env.agents.context import Context
from warlight_env.agents.records.generator_work import TurnSet, copy_turn
from warlight_env.agents.search.local_search.neighborhood import fit, is_within, list_borders, random_neighbor
from warlight_env.agents.search.local_search.scenario_evaluation import (
    BEST,
    TRIED,
    ScenarioWork,
    draw_scenarios,
    evaluate_turn,
)
from warlight_env.engine.jit import inline_kernel, kernel
from warlight_env.engine.kernel_types import Int, Real
from warlight_env.engine.position import Position
from warlight_env.engine.rng import below


@kernel
def value_turn(context: Context, position: Position, player: Int, rounds: Int, work: ScenarioWork) -> Real:
    """Draw new scenarios, simulate the turn at index BEST in them, and return the sum of the player's shares."""
    draw_scenarios(context, position, player, work)
    return evaluate_turn(context, position, player, rounds, BEST, False, work)


@inline_kernel
def _copy(turns: TurnSet, source: Int, target: Int) -> None:
    turns.counts[target] = copy_turn(turns, source, turns.deploy[target], turns.attacks[target])


@kernel
def hill_climb(context: Context, position: Position, player: Int, rounds: Int, trials: Int, work: ScenarioWork) -> Int:
    """Try changes to the turn at index BEST, and keep the changes that improve it; return the number of kept changes.

    `work.share` must contain the shares of the turn. About every third trial makes two changes to the turn instead of
    one. Turns with more orders than the rules allow are not simulated.
    """
    params = context.params
    kept, turns, rng = 0, work.turns, work.rng
    n_borders = list_borders(context.board, position.owner, player, work.borders)
    if n_borders == 0:
        return kept
    borders = work.borders[:n_borders]
    for _ in range(trials):
        _copy(turns, BEST, TRIED)
        deploy, attacks, count = turns.deploy[TRIED], turns.attacks[TRIED], turns.counts[TRIED]
        for _ in range(2 if below(rng, 3) == 0 else 1):
            count = random_neighbor(context, position, player, deploy, attacks, count, borders, rng, work.free)
        count = fit(position.army, deploy, attacks, count, work.free)
        if not is_within(deploy, count, params.max_orders):
            continue
        turns.counts[TRIED] = count
        gain = evaluate_turn(context, position, player, rounds, TRIED, True, work)
        if gain > 0.0:
            _copy(turns, TRIED, BEST)
            for k in range(work.dice.shape[0]):
                work.share[BEST, k] = work.share[TRIED, k]
            kept += 1
    return kept
