"""An evaluation that also forecasts future income, for example from super regions that a player can complete.

The thesis's evaluation counts regions and armies. The evaluation in this module adds terms for income. A super region
that a player owns only in part counts with a fraction of its bonus. The fraction decreases with the number of armies
that the player needs to complete the super region.
"""

from __future__ import annotations

import numpy as np

from warlight_env.agents.context import Context
from warlight_env.agents.evaluation.static_evaluation import (
    normalize_shares,
    write_extended_values,
    write_static_values,
)
from warlight_env.agents.records.army_requirements import chance_of_capture, cost_of
from warlight_env.engine.jit import inline_kernel, kernel
from warlight_env.engine.kernel_types import Int, Real, Shares
from warlight_env.engine.position import Position
from warlight_env.engine.stack import stack_floats, stack_indices

#: In `growth_share`, this fraction of a player's armies adjacent to a super region reduces the armies still needed to
#: complete the super region.
READY = 0.5


@inline_kernel
def value_of_income(context: Context, position: Position) -> Real:
    """Return the value of an income of one army per round.

    If the rules limit the number of rounds, the result is at most the value of one army in each remaining round.
    """
    evaluation, limit = context.evaluation, context.params.round_limit
    if limit == 0:
        return evaluation.income
    return min(evaluation.income, evaluation.army * max(0, limit - position.round[0]))


@kernel
def add_income_forecast(context: Context, position: Position, values: Shares) -> None:
    """Add the value of each player's future income to values float64[P]."""
    board, evaluation, players = context.board, context.evaluation, context.players
    owner, army = position.owner, position.army
    income_value, threat = value_of_income(context, position), stack_indices()
    scale = income_value / evaluation.income if evaluation.income > 0.0 else 1.0
    for p in range(players):
        values[p] += income_value * context.params.base_income
    for r in range(owner.shape[0]):
        holder, strongest, border = owner[r], np.int64(0), False
        threat[r] = 0
        if holder < 0:
            continue
        for e in range(board.neighbor_start[r], board.neighbor_start[r + 1]):
            q = board.edge_target[e]
            if owner[q] != holder:
                border = True
                if owner[q] >= 0 and army[q] > strongest:
                    strongest = np.int64(army[q])
        threat[r] = strongest
        if border:
            values[holder] += evaluation.front * army[r]
    counts, costs = stack_floats(), stack_floats()
    for s in range(board.bonus.shape[0]):
        start, end, total = board.member_start[s], board.member_start[s + 1], 0.0
        for p in range(players):
            counts[p], costs[p] = 0.0, 0.0
        for i in range(start, end):
            r = board.members[i]
            cost = cost_of(context.army_requirements, army[r])
            total += cost
            if owner[r] >= 0:
                counts[owner[r]] += 1.0
                costs[owner[r]] += cost
        for p in range(players):
            if counts[p] == 0.0:
                continue
            if counts[p] < end - start:
                values[p] += (
                    scale * evaluation.prospect * board.bonus[s] * np.exp((costs[p] - total) / evaluation.patience)
                )
                continue
            safety: Real = 1.0
            if evaluation.danger > 0.0:
                for i in range(start, end):
                    r = board.members[i]
                    if threat[r] > 1:
                        risk = chance_of_capture(context.army_requirements, np.int64(threat[r]) - 1, np.int64(army[r]))
                        safety = min(safety, 1.0 - evaluation.danger * risk)
            values[p] += income_value * board.bonus[s] * safety


@kernel
def forecast_share(context: Context, position: Position, shares: Shares) -> Int:
    """Write each player's share of the position's value to shares float64[P].

    The position's value includes future income.

    A player's share is proportional to ``value ** sharpness``, where `sharpness` is a weight; the shares add up to 1.
    See `context.evaluation_signature`.
    """
    evaluation, players = context.evaluation, context.players
    if evaluation.extended:
        write_extended_values(context, position, shares)
    else:
        write_static_values(context, position, shares)
    add_income_forecast(context, position, shares)
    for p in range(players):
        shares[p] = max(0.0, shares[p]) ** evaluation.sharpness
    normalize_shares(players, shares)
    return 0


@kernel
def growth_share(context: Context, position: Position, shares: Shares) -> Int:
    """Write each player's present and possible income, divided by the map's total income, to shares float64[P].

    Each share is in [0, 1], but the shares of all players do not add up to 1. Armies count only if they are adjacent to
    a region that the player still needs to complete a super region. Use `growth_share` to evaluate the position of a
    player without enemies nearby.
    """
    board, evaluation, owner, army = context.board, context.evaluation, position.owner, position.army
    factor = min(1.0, evaluation.prospect / evaluation.income) if evaluation.income > 0.0 else 0.0
    total, counts, costs, ready, counted = (
        stack_floats(), stack_floats(), stack_floats(), stack_floats(), stack_indices(),
    )  # fmt: skip
    n_supers, base = board.bonus.shape[0], np.float64(context.params.base_income)
    max_income = base
    for s in range(n_supers):
        total[s] = 0.0
        max_income += board.bonus[s]
    for r in range(owner.shape[0]):
        total[board.super_region[r]] += cost_of(context.army_requirements, army[r])
    for p in range(context.players):
        for s in range(n_supers):
            counts[s], costs[s], ready[s], counted[s] = 0.0, 0.0, 0.0, owner.shape[0]  # no region has been counted yet
        for r in range(owner.shape[0]):
            if owner[r] != p:
                continue
            counts[board.super_region[r]] += 1.0
            costs[board.super_region[r]] += cost_of(context.army_requirements, army[r])
            for e in range(board.neighbor_start[r], board.neighbor_start[r + 1]):
                q = board.edge_target[e]
                s = board.super_region[q]
                if owner[q] != p and counted[s] != r:
                    ready[s] += army[r] - 1
                    counted[s] = r
        shares[p] = base
        for s in range(n_supers):
            size = board.member_start[s + 1] - board.member_start[s]
            if counts[s] == size:
                shares[p] += board.bonus[s]
            elif counts[s] > 0.0:
                missing = total[s] - costs[s]
                missing -= READY * min(missing, ready[s])
                shares[p] += factor * board.bonus[s] * np.exp(-missing / evaluation.patience)
        shares[p] = shares[p] / max_income if max_income > 0.0 else 0.0
    return 0
