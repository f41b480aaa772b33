"""Training data of the turn network as tensors: positions with turns as categorical choices (`factored_turns`)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from warlight_env.agents.context import Context
from warlight_env.agents.records.factored_turns import allocate_income
from warlight_env.agents.records.turn_record import N_EDGE, N_NODE, N_OVERALL, TurnNetworkBuffers
from warlight_env.agents.turn_net.features import INCOME, write_edge, write_position
from warlight_env.engine.jit import kernel
from warlight_env.engine.kernel_types import Int
from warlight_env.engine.position import Position


class TurnRows(NamedTuple):
    """M positions of one map, each with a player's turn and the result of the game."""

    owner: npt.NDArray[np.int8]  #: [M, N]
    army: npt.NDArray[np.int32]  #: [M, N]
    round: npt.NDArray[np.int32]  #: [M]
    player: npt.NDArray[np.int64]  #: [M]
    row: npt.NDArray[np.int8]  #: [M, N + 2 E]
    value: npt.NDArray[np.float32]  #: [M, P] 1 for the winner, else 0; all 0 if the game has no winner

    def taken(self, which: npt.NDArray[np.int64]) -> TurnRows:
        """Return the positions with the indices `which`, and their turns."""
        positions = self.owner[which], self.army[which], self.round[which], self.player[which]
        return TurnRows(*positions, self.row[which], self.value[which])


class TurnBatch(NamedTuple):
    """The inputs and targets of the network for M positions (`TurnRows`), which have K borders in total."""

    nodes: Tensor  #: float32[M, N, N_NODE]
    overall: Tensor  #: float32[M, N_OVERALL]
    owner: Tensor  #: int64[M, N]
    player: Tensor  #: int64[M]
    row: Tensor  #: int64[M, N + 2 E]
    batch_index: Tensor  #: int64[K]
    edge: Tensor  #: int64[K]
    numbers: Tensor  #: float32[K, N_EDGE]
    value: Tensor  #: float32[M, P]

    def to(self, device: torch.device) -> TurnBatch:
        """Return a copy of the batch on a device of PyTorch."""
        return TurnBatch(*(tensor.to(device) for tensor in self))


class _Numbers(NamedTuple):
    """The arrays that the kernel `_write` fills for M positions; see `TurnBatch`."""

    nodes: npt.NDArray[np.float32]
    overall: npt.NDArray[np.float32]
    deploy: npt.NDArray[np.int32]  #: [M, N]
    batch_index: npt.NDArray[np.int64]
    edge: npt.NDArray[np.int64]
    numbers: npt.NDArray[np.float32]


@kernel
def _write(context: Context, rows: TurnRows, work: TurnNetworkBuffers, out: _Numbers) -> Int:
    """Write the inputs of the network for all positions, and return the number of borders."""
    board, count = context.board, 0
    for m in range(rows.owner.shape[0]):
        position, player = Position(rows.owner[m], rows.army[m], rows.round[m : m + 1]), rows.player[m]
        write_position(context, position, player, work)
        for i in range(N_OVERALL):
            out.overall[m, i] = work.overall[i]
        for r in range(position.owner.shape[0]):
            for i in range(N_NODE):
                out.nodes[m, r, i] = work.nodes[r, i]
        income, deploy = np.int64(work.holding[player, INCOME]), out.deploy[m]
        max_orders = context.params.max_orders
        allocate_income(position.owner, player, income, max_orders, rows.row[m], work.allocation, deploy)
        for r in range(position.owner.shape[0]):
            if position.owner[r] != player or position.army[r] + deploy[r] <= 1:
                continue
            for e in range(board.neighbor_start[r], board.neighbor_start[r + 1]):
                target = board.edge_target[e]
                write_edge(context, position, player, r, target, np.int64(deploy[r]), out.numbers[count])
                out.batch_index[count], out.edge[count] = m, e
                count += 1
    return np.int64(count)


def make_batch(context: Context, work: TurnNetworkBuffers, rows: TurnRows) -> TurnBatch:
    """Return the network's inputs and targets for positions with turns (`rows`), as tensors."""
    size, n = rows.owner.shape
    edges = context.board.edge_target.shape[0]
    out = _Numbers(
        np.empty((size, n, N_NODE), np.float32), np.empty((size, N_OVERALL), np.float32),
        np.empty((size, n), np.int32), np.empty(size * edges, np.int64), np.empty(size * edges, np.int64),
        np.empty((size * edges, N_EDGE), np.float32),
    )  # fmt: skip
    count = _write(context, rows, work, out)
    given = out.nodes, out.overall, rows.owner.astype(np.int64), rows.player, rows.row.astype(np.int64)
    borders = out.batch_index[:count], out.edge[:count], out.numbers[:count]
    return TurnBatch(*map(torch.from_numpy, (*given, *borders, rows.value)))
