"""The kernels of the action encoding `steps`: they add an action to a turn, and write the mask of the next action."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from warlight_env.agents.context import Context
from warlight_env.agents.records.factored_turns import share_of
from warlight_env.engine.board import Board
from warlight_env.engine.jit import kernel
from warlight_env.engine.kernel_types import ActionRow, Bool, Int, Marks
from warlight_env.envs.actions.kernels import COUNT, NAMED, OFFERED, OWN, READY, ActionWork, PlayerPosition, Turn

#: DEPLOYS is the number of deploy actions for each region; SHARES is the number of attack actions for each edge.
DEPLOYS: Final = 3
SHARES: Final = 4
#: Indices in the argument `config` of the kernels.
_MAX_DEPLOYS: Final = 0
_MAX_ATTACKS: Final = 1
_MAX_WISHES: Final = 2


@kernel
def quarter(income: Int) -> Int:
    """Return a quarter of the income, rounded up."""
    return (income + 3) // 4


@kernel
def _remaining_armies(turn: Turn, income: Int) -> Int:
    """Return the number of armies of the income that are not deployed yet."""
    remaining = np.int64(income)
    for r in range(turn.deploy.shape[0]):
        remaining -= turn.deploy[r]
    return remaining


@kernel
def _free_armies(view: PlayerPosition, turn: Turn, source: Int) -> Int:
    """Return the number of armies without an order that may leave a region; one army must stay."""
    free = np.int64(view.position.army[source]) + turn.deploy[source] - 1
    for i in range(turn.status[COUNT]):
        if turn.attacks[i, 0] == source:
            free -= turn.attacks[i, 2]
    return free


@kernel
def _is_ordered(turn: Turn, source: Int, target: Int) -> Bool:
    for i in range(turn.status[COUNT]):
        if turn.attacks[i, 0] == source and turn.attacks[i, 1] == target:
            return True
    return False


@kernel
def _preference(view: PlayerPosition, turn: Turn, config: npt.NDArray[np.int64], action: Any) -> Bool:
    """Add the region of an action to the preferred regions; return False if the action is illegal."""
    count = turn.status[COUNT]
    r = action // DEPLOYS
    if action >= DEPLOYS * view.position.owner.shape[0] or action % DEPLOYS != 0:
        return False
    if view.free[r] != OFFERED or count >= config[_MAX_WISHES]:
        return False
    for i in range(count):
        if turn.preferences[i] == r:
            return False
    turn.preferences[count] = r
    turn.status[COUNT] += 1
    return True


@kernel
def _deploy(view: PlayerPosition, turn: Turn, config: npt.NDArray[np.int64], action: Any) -> Bool:
    r, size = action // DEPLOYS, action % DEPLOYS
    armies = _remaining_armies(turn, view.income)
    if view.free[r] != OWN or armies < 1 or turn.status[NAMED] >= config[_MAX_DEPLOYS]:
        return False
    if size == 0:
        armies = np.int64(1)
    elif size == 1:
        armies = min(armies, quarter(view.income))
    turn.deploy[r] += armies
    turn.status[NAMED] += 1
    return True


@kernel
def _attack(board: Board, view: PlayerPosition, turn: Turn, config: npt.NDArray[np.int64], action: Any) -> Bool:
    e, share = action // SHARES, action % SHARES + 1
    source, target = np.int64(board.edge_source[e]), np.int64(board.edge_target[e])
    count = turn.status[COUNT]
    if view.free[source] != OWN or count >= config[_MAX_ATTACKS] or _is_ordered(turn, source, target):
        return False
    free = _free_armies(view, turn, source)
    if free < 1:
        return False
    turn.attacks[count, 0], turn.attacks[count, 1] = source, target
    turn.attacks[count, 2] = share_of(free, share)
    turn.status[COUNT] += 1
    return True


@kernel
def submit_step(
    context: Context, view: PlayerPosition, turn: Turn, config: npt.NDArray[np.int64], work: ActionWork, row: ActionRow
) -> Int:
    """Add the deploy, the attack or the preferred region of an action to the turn, or end the turn.

    config: the maximum numbers of deploys, attacks and preferred regions in a turn. Returns the number of illegal
    orders, 0 or 1.
    """
    board, n, action = context.board, view.position.owner.shape[0], row[0]
    if action == DEPLOYS * n + SHARES * board.edge_target.shape[0]:
        turn.status[READY] = 1
        return 0
    if view.picking:
        return 0 if _preference(view, turn, config, action) else 1
    if action < DEPLOYS * n:
        return 0 if _deploy(view, turn, config, action) else 1
    return 0 if _attack(board, view, turn, config, action - DEPLOYS * n) else 1


@kernel
def write_step_mask(
    context: Context, view: PlayerPosition, turn: Turn, config: npt.NDArray[np.int64], work: ActionWork, mask: Marks
) -> Int:
    """Write the mask of the next action of a turn. The action that ends the turn is always legal.

    After a player has ended its turn, only the action that ends the turn is legal.
    """
    board, n = context.board, view.position.owner.shape[0]
    end = DEPLOYS * n + SHARES * board.edge_target.shape[0]
    for i in range(end):
        mask[i] = 0
    mask[end] = 1
    count = turn.status[COUNT]
    if turn.status[READY] != 0:
        return 0
    if view.picking:
        if count < config[_MAX_WISHES]:
            for r in range(n):
                mask[DEPLOYS * r] = view.free[r] == OFFERED
            for i in range(count):
                mask[DEPLOYS * turn.preferences[i]] = 0
        return 0
    deploys = turn.status[NAMED] < config[_MAX_DEPLOYS] and _remaining_armies(turn, view.income) > 0
    attacks = count < config[_MAX_ATTACKS]
    for r in range(n):
        if view.free[r] != OWN:
            continue
        if deploys:
            for k in range(DEPLOYS):
                mask[DEPLOYS * r + k] = 1
        if attacks and _free_armies(view, turn, r) > 0:
            first = DEPLOYS * n + SHARES * board.neighbor_start[r]
            for i in range(first, DEPLOYS * n + SHARES * board.neighbor_start[r + 1]):
                mask[i] = 1
    for i in range(count):  # a turn has at most one attack along each edge
        if attacks:
            e = board.edge_index[turn.attacks[i, 0], turn.attacks[i, 1]]
            for k in range(SHARES):
                mask[DEPLOYS * n + SHARES * e + k] = 0
    return 0
