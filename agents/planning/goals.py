"""The value of capturing or defending a region, in armies, according to the planner's coefficients (its style)."""

from __future__ import annotations

import numpy as np

from warlight_env.agents.context import Context
from warlight_env.agents.records.army_requirements import cost_of
from warlight_env.agents.records.plan_style import AT
from warlight_env.agents.records.plan_work import PlanWork
from warlight_env.engine.jit import inline_kernel, kernel
from warlight_env.engine.kernel_types import Int, Real
from warlight_env.engine.position import Position

#: Below this number of missing armies, a super region counts as complete, because sums of floats are not exact.
_WHOLE = 0.5


@inline_kernel
def region_cost(context: Context, position: Position, region: Int) -> Real:
    """Return the number of armies that capture a region in its present state with probability 0.7."""
    return np.float64(cost_of(context.army_requirements, position.army[region]))


@kernel
def write_missing(context: Context, position: Position, plan: PlanWork) -> None:
    """Write the number of armies that each player still needs to complete each super region to `plan.missing`.

    For a player that owns no region of the super region, -1 is written.
    """
    board, players = context.board, context.players
    for s in range(board.bonus.shape[0]):
        total: Real = 0.0
        for p in range(players):
            plan.missing[s, p] = -1.0
        for i in range(board.member_start[s], board.member_start[s + 1]):
            total += region_cost(context, position, board.members[i])
        for i in range(board.member_start[s], board.member_start[s + 1]):
            r = board.members[i]
            holder = position.owner[r]
            if holder >= 0:
                if plan.missing[s, holder] < 0.0:
                    plan.missing[s, holder] = total
                plan.missing[s, holder] -= region_cost(context, position, r)


@inline_kernel
def goal_income_value(context: Context, position: Position, plan: PlanWork) -> Real:
    """Return the value of an income of one army per round.

    If the rules limit the number of rounds, the result is at most the number of remaining rounds.
    """
    limit, value = context.params.round_limit, plan.style[AT.goal_income]
    return value if limit == 0 else min(value, np.float64(max(0, limit - position.round[0])))


@inline_kernel
def super_region_value(plan: PlanWork, income_value: Real, bonus: Int, missing: Real) -> Real:
    """Return the value of a super region for a player that needs `missing` armies to complete it.

    income_value: the value of an income of one army per round.
    """
    if missing < 0.0:
        return 0.0
    if missing < _WHOLE:
        return income_value * bonus
    return min(income_value, plan.style[AT.goal_prospect]) * bonus * np.exp(-missing / plan.style[AT.goal_patience])


@kernel
def capture_gain(context: Context, position: Position, player: Int, region: Int, plan: PlanWork) -> Real:
    """Return the player's gain, in armies, from capturing a region.

    `write_missing` must have written `plan.missing` for the position before.
    """
    board, players = context.board, context.players
    s, holder = board.super_region[region], position.owner[region]
    bonus, cost, income_value = (
        board.bonus[s],
        region_cost(context, position, region),
        goal_income_value(context, position, plan),
    )
    gain = plan.style[AT.goal_region]
    missing = plan.missing[s, player]
    if missing < 0.0:
        missing_after: Real = 0.0
        for i in range(board.member_start[s], board.member_start[s + 1]):
            if board.members[i] != region:
                missing_after += region_cost(context, position, board.members[i])
    else:
        missing_after = max(0.0, missing - cost)
    gain += super_region_value(plan, income_value, bonus, missing_after) - super_region_value(
        plan, income_value, bonus, missing
    )
    for p in range(players):
        if p != player and plan.missing[s, p] >= 0.0:
            enemy_missing = plan.missing[s, p]
            enemy_loss = super_region_value(plan, income_value, bonus, enemy_missing) - super_region_value(
                plan, income_value, bonus, enemy_missing + cost
            )
            gain += enemy_loss / (players - 1)
    if holder >= 0:
        gain += plan.style[AT.goal_region] / (players - 1)
    return gain


@kernel
def holding_gain(context: Context, position: Position, player: Int, region: Int, plan: PlanWork) -> Real:
    """Return the player's gain, in armies, from defending one of its regions against enemies."""
    board = context.board
    s = board.super_region[region]
    bonus, cost, income_value = (
        board.bonus[s],
        region_cost(context, position, region),
        goal_income_value(context, position, plan),
    )
    missing = max(0.0, plan.missing[s, player])
    gain = plan.style[AT.goal_region]
    gain += super_region_value(plan, income_value, bonus, missing) - super_region_value(
        plan, income_value, bonus, missing + cost
    )
    largest_gain: Real = 0.0
    for p in range(context.players):
        if p != player and plan.missing[s, p] >= 0.0:
            enemy_missing = plan.missing[s, p]
            enemy_gain = super_region_value(
                plan, income_value, bonus, max(0.0, enemy_missing - cost)
            ) - super_region_value(plan, income_value, bonus, enemy_missing)
            largest_gain = max(largest_gain, enemy_gain)
    return gain + largest_gain


@inline_kernel
def assume_captured(context: Context, position: Position, player: Int, region: Int, plan: PlanWork) -> None:
    """Update `plan.missing` as if the player owned a region."""
    board = context.board
    s, holder, cost = board.super_region[region], position.owner[region], region_cost(context, position, region)
    if plan.missing[s, player] < 0.0:
        plan.missing[s, player] = 0.0
        for i in range(board.member_start[s], board.member_start[s + 1]):
            plan.missing[s, player] += region_cost(context, position, board.members[i])
    plan.missing[s, player] = max(0.0, plan.missing[s, player] - cost)
    if holder >= 0:
        plan.missing[s, holder] += cost
