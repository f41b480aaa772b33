"""The value of capturing or defending a region, in armies, according to the planner's coefficients (its style)."""

from __future__ import annotations

import numpy as np

from warlight_env.agents.context import Context
from warlight_env.agents.evaluation.income_forecast import COST_LEVEL
from warlight_env.agents.records.army_requirements import attackers_needed
from warlight_env.agents.records.plan_style import GOAL_INCOME, GOAL_PATIENCE, GOAL_PROSPECT, GOAL_REGION
from warlight_env.agents.records.plan_work import PlanWork
from warlight_env.engine.jit import inline_kernel, kernel
from warlight_env.engine.kernel_types import Int, Real
from warlight_env.engine.position import Position

#: Below this number of missing armies, a super region counts as complete, because sums of floats are not exact.
_WHOLE = 0.5


@inline_kernel
def region_cost(context: Context, position: Position, region: Int) -> Real:
    """Return the number of armies that capture a region in its present state with probability 0.7."""
    return np.float64(attackers_needed(context.army_requirements, COST_LEVEL, np.int64(position.army[region])))


@kernel
def write_lacks(context: Context, position: Position, plan: PlanWork) -> None:
    """Write the number of armies that each player still needs to complete each super region to `plan.lack`.

    For a player that owns no region of the super region, -1 is written.
    """
    board, players = context.board, context.players
    for s in range(board.bonus.shape[0]):
        total: Real = 0.0
        for p in range(players):
            plan.lack[s, p] = -1.0
        for i in range(board.member_start[s], board.member_start[s + 1]):
            total += region_cost(context, position, board.members[i])
        for i in range(board.member_start[s], board.member_start[s + 1]):
            r = board.members[i]
            by = position.owner[r]
            if by >= 0:
                if plan.lack[s, by] < 0.0:
                    plan.lack[s, by] = total
                plan.lack[s, by] -= region_cost(context, position, r)


@inline_kernel
def worth_of_income(context: Context, position: Position, plan: PlanWork) -> Real:
    """Return the value of an income of one army per round.

    If the rules limit the number of rounds, the result is at most the number of remaining rounds.
    """
    limit, worth = context.params.round_limit, plan.style[GOAL_INCOME]
    return worth if limit == 0 else min(worth, np.float64(max(0, limit - position.round[0])))


@inline_kernel
def super_worth(plan: PlanWork, earned: Real, bonus: Int, lack: Real) -> Real:
    """Return the value of a super region for a player that needs `lack` armies to complete it.

    earned: the value of an income of one army per round.
    """
    if lack < 0.0:
        return 0.0
    if lack < _WHOLE:
        return earned * bonus
    return min(earned, plan.style[GOAL_PROSPECT]) * bonus * np.exp(-lack / plan.style[GOAL_PATIENCE])


@kernel
def capture_gain(context: Context, position: Position, player: Int, region: Int, plan: PlanWork) -> Real:
    """Return the player's gain, in armies, from capturing a region.

    `write_lacks` must have written `plan.lack` for the position before.
    """
    board, players = context.board, context.players
    s, by = board.super_region[region], position.owner[region]
    bonus, cost, earned = (
        board.bonus[s],
        region_cost(context, position, region),
        worth_of_income(context, position, plan),
    )
    gain = plan.style[GOAL_REGION]
    mine = plan.lack[s, player]
    if mine < 0.0:
        mine_after: Real = 0.0
        for i in range(board.member_start[s], board.member_start[s + 1]):
            if board.members[i] != region:
                mine_after += region_cost(context, position, board.members[i])
    else:
        mine_after = max(0.0, mine - cost)
    gain += super_worth(plan, earned, bonus, mine_after) - super_worth(plan, earned, bonus, mine)
    for p in range(players):
        if p != player and plan.lack[s, p] >= 0.0:
            lack = plan.lack[s, p]
            hurt = super_worth(plan, earned, bonus, lack) - super_worth(plan, earned, bonus, lack + cost)
            gain += hurt / (players - 1)
    if by >= 0:
        gain += plan.style[GOAL_REGION] / (players - 1)
    return gain


@kernel
def holding_gain(context: Context, position: Position, player: Int, region: Int, plan: PlanWork) -> Real:
    """Return the player's gain, in armies, from defending one of its regions against enemies."""
    board = context.board
    s = board.super_region[region]
    bonus, cost, earned = (
        board.bonus[s],
        region_cost(context, position, region),
        worth_of_income(context, position, plan),
    )
    mine = max(0.0, plan.lack[s, player])
    gain = plan.style[GOAL_REGION]
    gain += super_worth(plan, earned, bonus, mine) - super_worth(plan, earned, bonus, mine + cost)
    most: Real = 0.0
    for p in range(context.players):
        if p != player and plan.lack[s, p] >= 0.0:
            lack = plan.lack[s, p]
            help_ = super_worth(plan, earned, bonus, max(0.0, lack - cost)) - super_worth(plan, earned, bonus, lack)
            most = max(most, help_)
    return gain + most


@inline_kernel
def assume_captured(context: Context, position: Position, player: Int, region: Int, plan: PlanWork) -> None:
    """Update `plan.lack` as if the player owned a region."""
    board = context.board
    s, by, cost = board.super_region[region], position.owner[region], region_cost(context, position, region)
    if plan.lack[s, player] < 0.0:
        plan.lack[s, player] = 0.0
        for i in range(board.member_start[s], board.member_start[s + 1]):
            plan.lack[s, player] += region_cost(context, position, board.members[i])
    plan.lack[s, player] = max(0.0, plan.lack[s, player] - cost)
    if by >= 0:
        plan.lack[s, by] += cost
