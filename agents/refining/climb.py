"""Hill climbing from a turn: a small change is kept where the turn does better with it in the scenarios as they are."""

from __future__ import annotations

from warlight_env.agents.generators.work import take_turn
from warlight_env.agents.refining.changes import change, fit, is_within, list_borders
from warlight_env.agents.refining.trials import BEST, TRIED, draw_scenarios, try_turn
from warlight_env.engine.jit import inline_kernel, kernel
from warlight_env.engine.rng import below


@kernel
def value_turn(board, params, evaluate, policy, evaluation, owner, army, player, players, ways, rounds, work):
    """The sum of the shares of the turn in place BEST in new scenarios."""
    draw_scenarios(board, params, policy, evaluation, owner, army, player, players, ways, work)
    return try_turn(
        board, params, evaluate, policy, evaluation, owner, army, player, players, ways, rounds, BEST, False, work
    )


@inline_kernel
def _copy(turns, source, target):
    turns.counts[target] = take_turn(turns, source, turns.deploy[target], turns.attacks[target])


@kernel
def climb(
    board, params, evaluate, policy, evaluation, owner, army, player, players, ways, rounds, trials, work
):  # fmt: skip
    """Try changes to the turn in place BEST, whose shares stand in `work`, and keep those that are better.

    Every third change, about, is of two draws; those that need more orders than the rules allow are not played.
    owner int8[N], army int32[N]. Returns the number of changes kept.
    """
    kept, turns, rng = 0, work.turns, work.rng
    n_borders = list_borders(board, owner, player, work.borders)
    if n_borders == 0:
        return kept
    for _ in range(trials):
        _copy(turns, BEST, TRIED)
        deploy, attacks, count = turns.deploy[TRIED], turns.attacks[TRIED], turns.counts[TRIED]
        for _ in range(2 if below(rng, 3) == 0 else 1):
            count = change(
                board, params.dice.kill[0], owner, army, player, deploy, attacks, count, work.borders, n_borders, rng,
                work.free,
            )  # fmt: skip
        count = fit(army, deploy, attacks, count, work.free)
        if not is_within(deploy, count, params.max_orders):
            continue
        turns.counts[TRIED] = count
        gain = try_turn(
            board, params, evaluate, policy, evaluation, owner, army, player, players, ways, rounds, TRIED, True, work
        )
        if gain > 0.0:
            _copy(turns, TRIED, BEST)
            for k in range(work.dice.shape[0]):
                work.share[BEST, k] = work.share[TRIED, k]
            kept += 1
    return kept
