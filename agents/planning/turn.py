"""A planner that builds a turn from goals. The planner repeatedly chooses the goal with the highest value per army.

A goal is to capture a region adjacent to the player's regions, or to defend a region that an enemy can attack. The
planner computes how many armies reach the goal with the probability that its coefficients (the style) require. The
planner takes the armies for a goal from one or more adjacent regions, and deploys the missing armies. `goals` computes
the value of a goal. Regions that complete a super region, or break an enemy's super region, have high values. The plans
of successive rounds therefore capture a super region step by step, along the cheapest way.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from warlight_env.agents.context import Context
from warlight_env.agents.planning.goals import assume_captured, capture_gain, holding_gain, write_missing
from warlight_env.agents.records.army_requirements import attackers_needed, defenders_needed, expected_losses
from warlight_env.agents.records.generator_work import GeneratorWork
from warlight_env.agents.records.plan_style import AS_CHOSEN, AT, ENEMIES_FIRST, GATHERING
from warlight_env.agents.records.plan_work import (
    ENEMY_ATTACK,
    GOALS,
    LEFT,
    NEUTRAL_ATTACK,
    ORDER_COLUMNS,
    ORDERED,
    TRANSFER,
    PlanWork,
)
from warlight_env.engine.board import Board
from warlight_env.engine.jit import inline_kernel, kernel
from warlight_env.engine.kernel_types import Armies, AttackRows, Bool, Int, Owners, RandomState, Real
from warlight_env.engine.position import Position
from warlight_env.engine.rng import uniform
from warlight_env.engine.round import MOVE_FREELY, income

#: A region's demand for armies is multiplied by this factor with each step of distance.
FADING: Final = 0.8
#: Idle armies leave a border region only if another region's demand is larger by this factor.
_WORTH_MOVING: Final = 1.5

#: Values of `PlanWork.done` for a region: its goal was chosen, or its goal is not possible.
_CHOSEN: Final = 1
_GIVEN_UP: Final = 2


@inline_kernel
def add_order(plan: PlanWork, source: Int, target: Int, armies: Int, kind: Int) -> None:
    """Append an order to the plan. If the plan has an order between the same regions, add the armies to that order."""
    count = plan.numbers[ORDERED]
    for i in range(count):
        if plan.orders[i, 0] == source and plan.orders[i, 1] == target:
            plan.orders[i, 2] += armies
            return
    plan.orders[count, 0], plan.orders[count, 1], plan.orders[count, 2] = source, target, armies
    plan.orders[count, ORDER_COLUMNS - 1] = kind
    plan.numbers[ORDERED] = count + 1


@kernel
def propagate_demand(board: Board, position: Position, player: Int, plan: PlanWork) -> None:
    """Spread the border regions' demand for armies to inland regions.

    An own region's demand becomes at least FADING times the largest demand of its own neighbours.
    """
    owner, demand = position.owner, plan.demand
    for _ in range(owner.shape[0]):
        changed = False
        for r in range(owner.shape[0]):
            if owner[r] != player:
                continue
            for e in range(board.neighbor_start[r], board.neighbor_start[r + 1]):
                q = board.edge_target[e]
                if owner[q] == player and FADING * demand[q] > demand[r] * (1.0 + 1e-12):
                    demand[r] = FADING * demand[q]
                    changed = True
        if not changed:
            return


@kernel
def move_idle(board: Board, position: Position, player: Int, farther: Bool, plan: PlanWork) -> None:
    """Send armies without an order towards the regions that need them; border armies move only to a much larger demand.

    farther: whether armies may move again after a transfer, so that they can cross several regions in one round. The
    kernel processes regions in ascending order of demand, so armies that arrive in a region can still move on.
    """
    owner, demand, free, moved = position.owner, plan.demand, plan.free, plan.moved
    for r in range(owner.shape[0]):
        moved[r] = 0
    while True:
        source: Int = -1
        for k in range(owner.shape[0]):
            if owner[k] == player and free[k] > 0 and moved[k] == 0 and (source < 0 or demand[k] < demand[source]):
                source = k
        if source < 0:
            return
        moved[source] = 1
        best: Int = -1
        border = False
        for e in range(board.neighbor_start[source], board.neighbor_start[source + 1]):
            q = np.int64(board.edge_target[e])
            if owner[q] != player:
                border = True
            elif best < 0 or demand[q] > demand[best]:
                best = q
        if best >= 0 and demand[best] > demand[source] * (_WORTH_MOVING if border else 1.0):
            add_order(plan, source, best, free[source], TRANSFER)
            if farther:
                free[best] += free[source]
            free[source] = 0


@inline_kernel
def _is_beside(board: Board, owner: Owners, player: Int, region: Int) -> bool:
    for e in range(board.neighbor_start[region], board.neighbor_start[region + 1]):
        if owner[board.edge_target[e]] == player:
            return True
    return False


@inline_kernel
def _normal(rng: RandomState) -> Real:
    """Draw an approximately standard normal number."""
    return (uniform(rng) + uniform(rng) + uniform(rng) - 1.5) * 2.0


@kernel
def _survey(context: Context, position: Position, player: Int, rng: RandomState, plan: PlanWork) -> None:
    """Compute the number of armies that each goal needs, and the strongest enemy attack on each own region."""
    board, requirements, style, owner, army = (
        context.board,
        context.army_requirements,
        plan.style,
        position.owner,
        position.army,
    )
    for p in range(context.players):
        plan.income[p] = income(board, context.params.base_income, owner, p)
    write_missing(context, position, plan)
    for r in range(owner.shape[0]):
        holder = owner[r]
        plan.done[r], plan.required[r], plan.strongest[r] = 0, 0, 0
        plan.free[r], plan.garrison[r], plan.after[r] = 0, 0, army[r]
        plan.demand[r], plan.gain[r] = 0.0, 0.0
        plan.noise[r] = np.exp(style[AT.noise] * _normal(rng)) if style[AT.noise] > 0.0 else 1.0
        if holder == player:
            plan.free[r] = army[r] - 1
            for e in range(board.neighbor_start[r], board.neighbor_start[r + 1]):
                q = board.edge_target[e]
                if owner[q] >= 0 and owner[q] != player:
                    threat = army[q] - 1 + np.int64(style[AT.feared] * plan.income[owner[q]])
                    plan.strongest[r] = max(plan.strongest[r], threat)
            if plan.strongest[r] > 0:
                plan.required[r] = defenders_needed(
                    requirements, np.int64(style[AT.sure_hold] + 0.5), plan.strongest[r]
                )
            else:
                plan.done[r] = _GIVEN_UP
        elif not _is_beside(board, owner, player, r):
            plan.done[r] = _GIVEN_UP
        elif holder < 0:
            plan.required[r] = attackers_needed(requirements, np.int64(style[AT.sure_neutral] + 0.5), np.int64(army[r]))
        else:
            defenders = army[r] + np.int64(style[AT.expected] * plan.income[holder])
            plan.required[r] = attackers_needed(requirements, np.int64(style[AT.sure_enemy] + 0.5), defenders)


@inline_kernel
def _staying_armies(plan: PlanWork, region: Int) -> Int:
    """Return the number of armies in an own region after all armies with an order have left."""
    return plan.free[region] + plan.garrison[region] + 1


@inline_kernel
def _adjacent_armies(board: Board, position: Position, player: Int, region: Int, plan: PlanWork) -> Int:
    """Return the number of armies without an order in the player's regions adjacent to a region."""
    total = np.int64(0)
    for e in range(board.neighbor_start[region], board.neighbor_start[region + 1]):
        q = board.edge_target[e]
        if position.owner[q] == player:
            total += plan.free[q]
    return total


@inline_kernel
def _merit(context: Context, position: Position, player: Int, region: Int, plan: PlanWork) -> Real:
    """Return the value of a goal minus its cost, divided by a power of the number of armies that the goal needs."""
    style, holder = plan.style, position.owner[region]
    required = plan.required[region]
    if holder == player:
        missing: Int = max(np.int64(0), required - _staying_armies(plan, region))
        gain = style[AT.holding] * holding_gain(context, position, player, region, plan) * plan.noise[region]
        plan.gain[region] = gain
        return gain / (1.0 + missing) ** style[AT.spend]
    lost, killed = expected_losses(context.army_requirements, required, np.int64(position.army[region]))
    gain = capture_gain(context, position, player, region, plan)
    if holder >= 0:
        gain = style[AT.against_enemies] * (gain + killed / (context.players - 1))
    plan.gain[region] = gain = gain * plan.noise[region]
    return (gain - style[AT.price] * lost) / required ** style[AT.spend]


@kernel
def _take_armies(context: Context, position: Position, player: Int, region: Int, plan: PlanWork) -> bool:
    """Assign armies to the capture of a region: free armies of adjacent regions, and missing armies from the income.

    The adjacent region with the most free armies gives its armies first. Returns whether the player had enough armies
    for the capture.
    """
    board, owner, free = context.board, position.owner, plan.free
    start, end = board.neighbor_start[region], board.neighbor_start[region + 1]
    income_left, required = plan.numbers[LEFT], plan.required[region]
    if _adjacent_armies(board, position, player, region, plan) + income_left < required:
        return False
    kind = NEUTRAL_ATTACK if owner[region] < 0 else ENEMY_ATTACK
    base: Int = -1
    while required > 0:
        best: Int = -1
        for e in range(start, end):
            q = np.int64(board.edge_target[e])
            if owner[q] != player or (best >= 0 and free[q] <= free[best]):
                continue
            best = q
        if base < 0:
            base = best
            # one large attack is better than small attacks
            deployed = max(np.int64(0), min(income_left, required - free[base]))
            if free[base] < 1 or deployed + free[base] >= required:
                free[base] += deployed
                plan.after[base] += deployed
                plan.numbers[LEFT] -= deployed
                income_left -= deployed
        elif free[best] < 1:  # the missing armies are deployed on the first source
            free[base] += required
            plan.after[base] += required
            plan.numbers[LEFT] -= required
            best = base
        armies = min(free[best], required)
        if armies > 0:
            free[best] -= armies
            required -= armies
            add_order(plan, best, region, armies, kind)
    return True


@kernel
def _choose_goals(context: Context, position: Position, player: Int, plan: PlanWork) -> None:
    owner, done = position.owner, plan.done
    n = owner.shape[0]
    merit = plan.demand  # the array is not in use yet
    for r in range(n):
        if done[r] == 0:
            merit[r] = _merit(context, position, player, r, plan)
    while True:
        best = -1
        for r in range(n):
            if done[r] == 0 and merit[r] > 0.0 and (best < 0 or merit[r] > merit[best]):
                best = r
        if best < 0:
            break
        if owner[best] == player:
            missing = max(np.int64(0), plan.required[best] - _staying_armies(plan, best))
            garrison = min(plan.free[best], plan.required[best] - 1)
            if missing > plan.numbers[LEFT]:
                done[best] = _GIVEN_UP
                continue
            plan.free[best] -= garrison
            plan.garrison[best] = garrison + missing
            plan.after[best] += missing
            plan.numbers[LEFT] -= missing
            done[best] = _CHOSEN
        elif _take_armies(context, position, player, best, plan):
            done[best] = _CHOSEN
            assume_captured(context, position, player, best, plan)
            s = context.board.super_region[best]
            for i in range(context.board.member_start[s], context.board.member_start[s + 1]):
                r = context.board.members[i]
                if done[r] == 0:
                    merit[r] = _merit(context, position, player, r, plan)
        else:
            done[best] = _GIVEN_UP
            continue
        k = plan.numbers[GOALS]
        plan.goals[k, 0], plan.goals[k, 1], plan.goals[k, 2] = best, owner[best], plan.required[best]
        plan.goal_values[k] = plan.gain[best]
        plan.numbers[GOALS] = k + 1
    for r in range(n):
        plan.demand[r] = 0.0


@kernel
def _write_demand(context: Context, position: Position, player: Int, plan: PlanWork) -> None:
    """Write each own region's demand for armies to `plan.demand`: for attacks on adjacent regions, and for defence."""
    board, owner = context.board, position.owner
    for r in range(owner.shape[0]):
        if owner[r] != player:
            continue
        for e in range(board.neighbor_start[r], board.neighbor_start[r + 1]):
            q = board.edge_target[e]
            if owner[q] == player:
                continue
            demand = plan.gain[q] / max(np.int64(1), plan.required[q])
            if plan.done[q] == _CHOSEN:
                demand *= 0.5  # the attack may fail, and armies are needed for the targets behind this region
            plan.demand[r] = max(plan.demand[r], demand + 1e-6)
        if plan.strongest[r] > 0:
            plan.demand[r] += plan.gain[r] / (1.0 + max(np.int64(0), plan.required[r] - _staying_armies(plan, r)))


@kernel
def _press(context: Context, position: Position, player: Int, rng: RandomState, plan: PlanWork) -> None:
    """Add armies without an order to the first attack from their region, with the probability `style[AT.press]`."""
    if uniform(rng) >= plan.style[AT.press]:
        return
    for i in range(plan.numbers[ORDERED]):
        source = plan.orders[i, 0]
        if plan.free[source] > 0 and plan.orders[i, ORDER_COLUMNS - 1] >= NEUTRAL_ATTACK:
            plan.orders[i, 2] += plan.free[source]
            plan.free[source] = 0


@kernel
def _deploy_remaining(position: Position, player: Int, plan: PlanWork) -> None:
    best = -1
    for r in range(position.owner.shape[0]):
        if position.owner[r] == player and (best < 0 or plan.demand[r] > plan.demand[best]):
            best = r
    if best >= 0 and plan.numbers[LEFT] > 0:
        plan.after[best] += plan.numbers[LEFT]
        plan.free[best] += plan.numbers[LEFT]
        plan.numbers[LEFT] = 0


@kernel
def _write_orders(plan: PlanWork, sequence: Int, attacks: AttackRows) -> Int:
    """Write the plan's orders to `attacks`, sorted by `sequence` (`style[AT.order]`); return the number of orders."""
    count = 0
    for step in range(3):
        # The type of order that this step writes, for values of `sequence` that sort by type.
        kind = 2 - step if sequence == ENEMIES_FIRST else (1, 0, 2)[step]
        for i in range(plan.numbers[ORDERED]):
            order_kind = plan.orders[i, ORDER_COLUMNS - 1]
            if sequence == AS_CHOSEN:
                is_due = (step == 0 and order_kind != 0) or (step == 1 and order_kind == 0)
            elif sequence == GATHERING:
                is_due = (step == 0 and order_kind == 0) or (step == 1 and order_kind != 0)
            else:
                is_due = order_kind == kind
            if is_due:
                for c in range(3):
                    attacks[count, c] = plan.orders[i, c]
                count += 1
    return count


@kernel
def plan_turn(
    context: Context,
    position: Position,
    player: Int,
    rng: RandomState,
    work: GeneratorWork,
    deploy: Armies,
    attacks: AttackRows,
) -> Int:
    """Plan a turn with the style in `work.plan`, and write it to deploy int32[N] and attacks int32[E, 3].

    Returns the number of attacks.
    """
    plan = work.plan
    _survey(context, position, player, rng, plan)
    plan.numbers[ORDERED], plan.numbers[GOALS], plan.numbers[LEFT] = 0, 0, plan.income[player]
    _choose_goals(context, position, player, plan)
    _write_demand(context, position, player, plan)
    propagate_demand(context.board, position, player, plan)
    _deploy_remaining(position, player, plan)
    farther = context.params.moved_armies == MOVE_FREELY
    sequence = np.int64(plan.style[AT.order])
    if sequence == GATHERING and not farther:
        sequence = np.int64(AS_CHOSEN)
    if sequence == GATHERING:
        move_idle(context.board, position, player, farther, plan)
        _press(context, position, player, rng, plan)
    else:
        _press(context, position, player, rng, plan)
        move_idle(context.board, position, player, farther, plan)
    for r in range(position.owner.shape[0]):
        deploy[r] = plan.after[r] - position.army[r] if position.owner[r] == player else 0
    return _write_orders(plan, sequence, attacks)
