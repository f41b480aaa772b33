"""Functions that compute the turn network's inputs for many positions in the memory of the CPU or of a GPU."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from warlight_env.agents.context import Context
from warlight_env.agents.records.turn_record import make_turn_network_buffers
from warlight_env.tensor_env import toolkit
from warlight_env.train.turn_net.turn_inputs import (
    NetworkInputs,
    NetworkPositions,
    blank_inputs,
    write_all_borders,
    write_all_regions,
)


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
        tensor_device = "cpu" if device == "cpu" or toolkit.simulated() else device
        self._out = NetworkInputs(*(torch.from_numpy(array).to(tensor_device) for array in blank_inputs(size, n, e)))
        if device == "cuda":
            self._prepare(size)

    def _prepare(self, size: int) -> None:
        """Compile the kernels for the GPU."""
        from warlight_env.train.turn_net.cuda_inputs import make_launchers

        toolkit.require()
        self._regions, self._borders = make_launchers(
            self._context, self._work, size, NetworkInputs(*map(_array, self._out)), NetworkPositions(*_EXAMPLE)
        )

    def regions(self, positions: NetworkPositions) -> tuple[Tensor, Tensor]:
        """Return nodes float32[M, N, N_NODE] and overall float32[M, N_OVERALL] of positions, as tensors."""
        count = len(positions.player)
        if self._device == "cuda":
            self._regions(count, NetworkPositions(*map(_array, positions)))
        else:
            write_all_regions(
                self._context,
                NetworkPositions(*map(_array, positions)),
                self._work,
                NetworkInputs(*map(_array, self._out)),
            )
        return self._out.nodes[:count], self._out.overall[:count]

    def borders(self, positions: NetworkPositions, weights: Tensor) -> tuple[Tensor, Tensor]:
        """Return the borders' features float32[M, E, N_EDGE], and bool[M, E], whether a border can be crossed.

        Args:
            positions: the same positions as in the last call of `regions`.
            weights: int8[M, N], the deploy weights of the regions; contiguous.
        """
        count = len(positions.player)
        args = NetworkPositions(*map(_array, positions)), _array(weights)
        if self._device == "cuda":
            self._borders(count, *args)
        else:
            write_all_borders(self._context, *args, self._work, NetworkInputs(*map(_array, self._out)))
        return self._out.numbers[:count], self._out.open[:count]


_EXAMPLE = np.zeros((1, 1), np.int8), np.zeros((1, 1), np.int32), np.zeros(1, np.int32), np.zeros(1, np.int64)


def _array(tensor: Tensor) -> Any:
    """Return an array that shares the memory of a tensor."""
    if not tensor.is_cuda:
        return tensor.numpy()
    from numba import cuda

    return cuda.as_cuda_array(tensor)
