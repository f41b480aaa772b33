"""The turn network's inputs for many positions, and compiled functions that write the inputs for one position."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from warlight_env.agents.context import Context
from warlight_env.agents.records.factored_turns import allocate_income
from warlight_env.agents.records.turn_record import N_EDGE, N_NODE, N_OVERALL, TurnNetworkBuffers
from warlight_env.agents.turn_net.features import INCOME, write_edge, write_position
from warlight_env.engine.jit import kernel
from warlight_env.engine.kernel_types import Int
from warlight_env.engine.position import Position


class NetworkPositions(NamedTuple):
    """M positions of one map, each in the view of one player."""

    owner: Any  #: int8[M, N]
    army: Any  #: int32[M, N]
    round: Any  #: int32[M]
    player: Any  #: int64[M]


class NetworkInputs(NamedTuple):
    """The inputs of the turn network for M positions, which the kernels write."""

    nodes: Any  #: float32[M, N, N_NODE]
    overall: Any  #: float32[M, N_OVERALL]
    income: Any  #: int64[M] the armies that the player may deploy
    deploy: Any  #: int32[M, N]
    numbers: Any  #: float32[M, E, N_EDGE] the features of borders
    open: Any  #: bool[M, E] whether the player can send armies over a border


def blank_inputs(size: int, regions: int, edges: int) -> NetworkInputs:
    """Return arrays of zeros for the inputs of `size` positions."""
    return NetworkInputs(
        np.zeros((size, regions, N_NODE), np.float32), np.zeros((size, N_OVERALL), np.float32),
        np.zeros(size, np.int64), np.zeros((size, regions), np.int32), np.zeros((size, edges, N_EDGE), np.float32),
        np.zeros((size, edges), np.bool_),
    )  # fmt: skip


@kernel
def write_regions(
    context: Context, positions: NetworkPositions, work: TurnNetworkBuffers, out: NetworkInputs, m: Int
) -> None:
    """Write the features of the regions of position m, and the features of the whole position."""
    position, player = Position(positions.owner[m], positions.army[m], positions.round[m : m + 1]), positions.player[m]
    write_position(context, position, player, work)
    for i in range(N_OVERALL):
        out.overall[m, i] = work.overall[i]
    for r in range(position.owner.shape[0]):
        for i in range(N_NODE):
            out.nodes[m, r, i] = work.nodes[r, i]
    out.income[m] = np.int64(work.holding[player, INCOME])


@kernel
def write_borders(
    context: Context, positions: NetworkPositions, weights: Any, work: TurnNetworkBuffers, out: NetworkInputs, m: Int
) -> None:
    """Deploy the income of position m in proportion to weights[m], and write the features of the borders."""
    board, player = context.board, positions.player[m]
    position, deploy = Position(positions.owner[m], positions.army[m], positions.round[m : m + 1]), out.deploy[m]
    orders = context.params.max_orders
    allocate_income(position.owner, player, out.income[m], orders, weights[m], work.allocation, deploy)
    for r in range(position.owner.shape[0]):
        leaves = position.owner[r] == player and position.army[r] + deploy[r] > 1
        for e in range(board.neighbor_start[r], board.neighbor_start[r + 1]):
            out.open[m, e] = leaves
            if leaves:
                target = board.edge_target[e]
                write_edge(context, position, player, r, target, np.int64(deploy[r]), out.numbers[m, e])


@kernel
def write_all_regions(
    context: Context, positions: NetworkPositions, work: TurnNetworkBuffers, out: NetworkInputs
) -> None:
    """Call `write_regions` for all positions."""
    for m in range(positions.player.shape[0]):
        write_regions(context, positions, work, out, m)


@kernel
def write_all_borders(
    context: Context, positions: NetworkPositions, weights: Any, work: TurnNetworkBuffers, out: NetworkInputs
) -> None:  # fmt: skip
    """Call `write_borders` for all positions, with the deploy weights in the first N columns of `weights`."""
    for m in range(positions.player.shape[0]):
        write_borders(context, positions, weights, work, out, m)
