"""The kernel `submit_exact` for action rows with exact numbers of armies.

A row has three parts: the armies for every region, the armies for every directed edge, and the place of each edge's
attack in the order of attacks.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from warlight_env.agents.context import Context
from warlight_env.engine.board import Board
from warlight_env.engine.jit import kernel
from warlight_env.engine.kernel_types import ActionRow, Int, Marks, Regions
from warlight_env.engine.rules import MAX_ARMIES
from warlight_env.envs.actions.kernels import COUNT, READY, ActionWork, PlayerPosition, Turn


@kernel
def decode_preferences(allowed: Marks, top: Int, action: ActionRow, out: Regions) -> tuple[Int, Int]:
    """Write the preferred regions of an action to `out`, int32[N].

    Regions with the highest values come first; regions with equal values are in the order of their numbers. Entries
    with the value 0 are not preferred.

    Args:
        allowed: int8[N], not 0 for each region that the player may pick.
        top: the maximum value of an entry.
        action: the value of each region; all other entries must be 0.

    Returns the number of preferred regions, and the number of illegal entries.
    """
    n = allowed.shape[0]
    illegal = 0
    for i in range(action.shape[0]):
        if action[i] != 0 and (i >= n or allowed[i] == 0):
            illegal += 1
    count: Int = 0
    value = np.int64(top)
    while value > 0:
        next_value = np.int64(0)
        for r in range(n):
            if allowed[r] != 0:
                if action[r] == value:
                    out[count] = r
                    count += 1
                elif action[r] < value:
                    next_value = max(next_value, np.int64(action[r]))
        value = next_value
    return count, illegal


@kernel
def decode_exact(
    board: Board,
    view: PlayerPosition,
    max_orders: Int,
    max_armies: Int,
    action: Any,
    places: npt.NDArray[np.int32],
    turn: Turn,
) -> Any:
    """Convert a row with exact numbers to the arrays of a turn (`Turn.deploy` and `Turn.attacks`).

    action: the row: armies per region, armies per edge, and the place of each edge's attack in the order of attacks.
    places: int32[E + 1], working memory.

    Returns the number of attacks, and the number of illegal entries that were dropped. The illegal entries are orders
    on regions that the player does not own, orders beyond the rules' limit, and armies beyond the income.
    """
    owner, player, deploy_out, attacks_out = view.position.owner, view.player, turn.deploy, turn.attacks
    n, n_edges = owner.shape[0], board.edge_target.shape[0]
    illegal = np.int64(0)
    remaining = np.int64(view.income)
    n_deploys = 0
    for r in range(n):
        deploy_out[r] = 0
        armies = np.int64(action[r])
        if armies == 0:
            continue
        if owner[r] != player or (max_orders > 0 and n_deploys >= max_orders):
            illegal += 1
            continue
        n_deploys += 1
        deploy_out[r] = min(armies, remaining)
        illegal += armies - deploy_out[r]
        remaining -= deploy_out[r]
    for k in range(n_edges + 1):
        places[k] = 0
    count: Int = 0
    for e in range(n_edges):
        if action[n + e] == 0:
            continue
        if owner[board.edge_source[e]] != player:
            illegal += 1
        else:
            places[action[n + n_edges + e] + 1] += 1
            count += 1
    for k in range(1, n_edges + 1):
        places[k] += places[k - 1]
    for e in range(n_edges):
        source = board.edge_source[e]
        if action[n + e] != 0 and owner[source] == player:
            place = places[action[n + n_edges + e]]
            places[action[n + n_edges + e]] += 1
            armies = np.int64(action[n + e])
            row = attacks_out[place]
            row[0], row[1], row[2] = source, board.edge_target[e], MAX_ARMIES if armies >= max_armies else armies
    if max_orders > 0 and count > max_orders:
        illegal += count - max_orders
        count = max_orders
    return count, illegal


@kernel
def submit_exact(
    context: Context, view: PlayerPosition, turn: Turn, config: npt.NDArray[np.int64], work: ActionWork, row: ActionRow
) -> Int:
    """Convert a row with exact numbers to a turn; the kernel `submit` of encodings without their own kernel.

    config: the number of armies that means "all armies", and the maximum preference value of a region.
    """
    board, params = context.board, context.params
    n = view.position.owner.shape[0]
    turn.status[READY] = 1
    if view.picking:
        turn.status[COUNT], illegal = decode_preferences(view.free, config[1], row[:n], turn.preferences)
        for e in range(board.edge_target.shape[0]):  # the places in the order of attacks are always legal
            illegal += row[n + e] != 0
        return illegal
    turn.status[COUNT], illegal = decode_exact(board, view, params.max_orders, config[0], row, work.places, turn)
    return illegal
