"""Where armies are wanted, and the way there for those that have nothing to do."""

from __future__ import annotations

from typing import Final

import numpy as np

from warlight_env.agents.records.plan_work import ORDER_COLUMNS, ORDERED, TRANSFER, PlanWork
from warlight_env.engine.board import Board
from warlight_env.engine.jit import inline_kernel, kernel
from warlight_env.engine.kernel_types import Bool, Int
from warlight_env.engine.position import Position

#: What is left of a pull one region farther.
FADING: Final = 0.8
#: By how much the pull of a border region has to be beaten that its idle armies leave it.
_WORTH_MOVING: Final = 1.5


@inline_kernel
def add_order(plan: PlanWork, source: Int, target: Int, armies: Int, kind: Int) -> None:
    """Note an order, or add to the one that there is between the same regions."""
    count = plan.numbers[ORDERED]
    for i in range(count):
        if plan.orders[i, 0] == source and plan.orders[i, 1] == target:
            plan.orders[i, 2] += armies
            return
    plan.orders[count, 0], plan.orders[count, 1], plan.orders[count, 2] = source, target, armies
    plan.orders[count, ORDER_COLUMNS - 1] = kind
    plan.numbers[ORDERED] = count + 1


@kernel
def spread_pull(board: Board, position: Position, player: Int, plan: PlanWork) -> None:
    """Let the pull of border regions reach inland: each own region has its own or FADING of the most beside it."""
    owner, pull = position.owner, plan.pull
    for _ in range(owner.shape[0]):
        changed = False
        for r in range(owner.shape[0]):
            if owner[r] != player:
                continue
            for e in range(board.neighbor_start[r], board.neighbor_start[r + 1]):
                q = board.edge_target[e]
                if owner[q] == player and FADING * pull[q] > pull[r] * (1.0 + 1e-12):
                    pull[r] = FADING * pull[q]
                    changed = True
        if not changed:
            return


@kernel
def move_idle(board: Board, position: Position, player: Int, farther: Bool, plan: PlanWork) -> None:
    """Send armies without an order towards where they are wanted; those at a border only if it is much more.

    farther: armies may go on from where they came, so that they are there in one round; those of a region are ordered
    once all that come through it are.
    """
    owner, pull, free, moved = position.owner, plan.pull, plan.free, plan.moved
    for r in range(owner.shape[0]):
        moved[r] = 0
    while True:
        source: Int = -1
        for k in range(owner.shape[0]):
            if owner[k] == player and free[k] > 0 and moved[k] == 0 and (source < 0 or pull[k] < pull[source]):
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
            elif best < 0 or pull[q] > pull[best]:
                best = q
        if best >= 0 and pull[best] > pull[source] * (_WORTH_MOVING if border else 1.0):
            add_order(plan, source, best, free[source], TRANSFER)
            if farther:
                free[best] += free[source]
            free[source] = 0
