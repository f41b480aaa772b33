"""The CUDA kernels that write the turn network's inputs: one thread for each position."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import cuda

from warlight_env.agents.context import Context
from warlight_env.agents.records.turn_record import TurnNetworkBuffers
from warlight_env.tensor_env.gpu import allocate, unchanged, upload
from warlight_env.tensor_env.launching import Launcher
from warlight_env.tensor_env.linking import Linker, device_function
from warlight_env.tensor_env.records import mapped, row_reader
from warlight_env.train.turn_net.turn_inputs import NetworkInputs, NetworkPositions, write_borders, write_regions


def input_kernels(work: TurnNetworkBuffers) -> tuple[Callable[..., Any], Callable[..., Any], Linker]:
    """Return the CUDA kernels of `TurnInputs`, and the linker that made them.

    work: the working memory of one thread. The kernel for regions has the arguments (context, workspaces, out,
    positions); the kernel for borders has the same arguments and `weights`.
    """
    linker = Linker()
    regions, borders = linker.device(write_regions), linker.device(write_borders)
    rows = device_function(row_reader(mapped(work, unchanged, linker.names)))

    def all_regions(context: Any, workspaces: Any, out: Any, positions: Any) -> None:
        m = cuda.grid(1)
        if m < positions.player.shape[0]:
            regions(context, positions, rows(workspaces, m), out, m)

    def all_borders(context: Any, workspaces: Any, out: Any, positions: Any, weights: Any) -> None:
        m = cuda.grid(1)
        if m < positions.player.shape[0]:
            borders(context, positions, weights, rows(workspaces, m), out, m)

    return all_regions, all_borders, linker


def make_launchers(
    context: Context, work: TurnNetworkBuffers, size: int, out: NetworkInputs, example: NetworkPositions
) -> tuple[Launcher, Launcher]:  # fmt: skip
    """Return functions that launch the kernels for regions and for borders on the GPU.

    The first function takes `NetworkPositions`; the second function also takes the deploy weights of the regions.

    Args:
        work: the working memory of one thread.
        size: the largest number of positions.
        out: arrays in the memory of the GPU, which the kernels write.
        example: positions in the memory of the CPU, for the types of the arrays.
    """
    regions, borders, linker = input_kernels(work)
    names = linker.names
    workspaces = mapped(work, lambda array: allocate(array, size, False), names)
    fixed, sample = (mapped(context, upload, names), workspaces, out), NetworkPositions(*map(upload, example))
    weights = upload(np.zeros((1, 1), np.int8))
    return (
        Launcher(regions, f"regions {linker.digest(write_regions)}", fixed, (sample,)),
        Launcher(borders, f"borders {linker.digest(write_borders)}", fixed, (sample, weights)),
    )
