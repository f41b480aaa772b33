"""The turn network's inputs for many positions in the memory of a device: one kernel for CPU and GPU."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from warlight_env.agents.context import Context
from warlight_env.agents.records.factored_turns import allocate_income
from warlight_env.agents.records.turn_record import (
    N_EDGE,
    N_NODE,
    N_OVERALL,
    TurnNetworkBuffers,
    make_turn_network_buffers,
)
from warlight_env.agents.turn_net.features import INCOME, write_edge, write_position
from warlight_env.engine.jit import kernel
from warlight_env.engine.kernel_types import Int
from warlight_env.engine.position import Position
from warlight_env.tensor_env import toolkit


class Positions(NamedTuple):
    """M positions of one map, each in the view of one player."""

    owner: Any  #: int8[M, N]
    army: Any  #: int32[M, N]
    round: Any  #: int32[M]
    player: Any  #: int64[M]


class Inputs(NamedTuple):
    """The arrays that the kernels write."""

    nodes: Any  #: float32[M, N, N_NODE]
    overall: Any  #: float32[M, N_OVERALL]
    income: Any  #: int64[M] the armies that the player may deploy
    deploy: Any  #: int32[M, N]
    numbers: Any  #: float32[M, E, N_EDGE] the features of borders
    open: Any  #: bool[M, E] whether the player can send armies over a border


def blank_inputs(size: int, regions: int, edges: int) -> Inputs:
    """Return arrays of zeros for the inputs of `size` positions."""
    return Inputs(
        np.zeros((size, regions, N_NODE), np.float32), np.zeros((size, N_OVERALL), np.float32),
        np.zeros(size, np.int64), np.zeros((size, regions), np.int32), np.zeros((size, edges, N_EDGE), np.float32),
        np.zeros((size, edges), np.bool_),
    )  # fmt: skip


@kernel
def write_regions(context: Context, positions: Positions, work: TurnNetworkBuffers, out: Inputs, m: Int) -> None:
    """Write the features of the regions and of the whole of position m."""
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
    context: Context, positions: Positions, weights: Any, work: TurnNetworkBuffers, out: Inputs, m: Int
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
def _all_regions(context: Context, positions: Positions, work: TurnNetworkBuffers, out: Inputs) -> None:
    for m in range(positions.player.shape[0]):
        write_regions(context, positions, work, out, m)


@kernel
def _all_borders(
    context: Context, positions: Positions, weights: Any, work: TurnNetworkBuffers, out: Inputs
) -> None:  # fmt: skip
    for m in range(positions.player.shape[0]):
        write_borders(context, positions, weights, work, out, m)


class TurnInputs:
    """Computes the turn network's inputs for up to `size` positions; each call overwrites the results of the last.

    Args:
        context: the context of a game config; its network is not used.
        size: the largest number of positions.
        device: "cpu" or "cuda".

    Raises DeviceError if there is no GPU.
    """

    def __init__(self, context: Context, size: int, device: str) -> None:
        board = context.board
        n, e = board.n_regions, board.n_edges
        self._context, self._device = context, device
        self._work = make_turn_network_buffers(n, e, context.players)
        self._out = Inputs(*(torch.from_numpy(array).to(device) for array in blank_inputs(size, n, e)))
        if device == "cuda":
            self._prepare(size)

    def _prepare(self, size: int) -> None:
        """Compile the kernels for the GPU."""
        from warlight_env.train.turn_net.cuda_inputs import make_launchers

        toolkit.require()
        self._regions, self._borders = make_launchers(
            self._context, self._work, size, Inputs(*map(_array, self._out)), Positions(*_EXAMPLE)
        )

    def regions(self, positions: Positions) -> tuple[Tensor, Tensor]:
        """Return nodes float32[M, N, N_NODE] and overall float32[M, N_OVERALL] of positions, as tensors."""
        count = len(positions.player)
        if self._device == "cuda":
            self._regions(count, Positions(*map(_array, positions)))
        else:
            _all_regions(self._context, Positions(*map(_array, positions)), self._work, Inputs(*map(_array, self._out)))
        return self._out.nodes[:count], self._out.overall[:count]

    def borders(self, positions: Positions, weights: Tensor) -> tuple[Tensor, Tensor]:
        """Return numbers float32[M, E, N_EDGE] and open bool[M, E] for the positions of the last call of `regions`.

        weights: int8[M, N], the deploy weights of the regions; contiguous.
        """
        count = len(positions.player)
        given = Positions(*map(_array, positions)), _array(weights)
        if self._device == "cuda":
            self._borders(count, *given)
        else:
            _all_borders(self._context, *given, self._work, Inputs(*map(_array, self._out)))
        return self._out.numbers[:count], self._out.open[:count]


_EXAMPLE = np.zeros((1, 1), np.int8), np.zeros((1, 1), np.int32), np.zeros(1, np.int32), np.zeros(1, np.int64)


def _array(tensor: Tensor) -> Any:
    """Return an array that shares the memory of a tensor."""
    if not tensor.is_cuda:
        return tensor.numpy()
    from numba import cuda

    return cuda.as_cuda_array(tensor)


__all__ = ["Positions", "TurnInputs", "blank_inputs"]
