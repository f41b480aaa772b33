"""Kernels that compute which regions need armies, and that send idle armies to these regions."""

from __future__ import annotations

from typing import Final

import numpy as np

from warlight_env.agents.records.plan_work import ORDER_COLUMNS, ORDERED, TRANSFER, PlanWork
from warlight_env.engine.board import Board
from warlight_env.engine.jit import inline_kernel, kernel
from warlight_env.engine.kernel_types import Bool, Int
from warlight_env.engine.position import Position

#: A region's demand for armies is multiplied by this factor with each step of distance.
FADING: Final = 0.8
#: Idle armies leave a border region only if another region's demand is larger by this factor.
_WORTH_MOVING: Final = 1.5


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
