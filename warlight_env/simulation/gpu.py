"""The results of `simulate` on a GPU: one thread for each turn and scenario."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import cuda

from warlight_env.engine.rules import RuleParams
from warlight_env.engine.state import State, make_scratch
from warlight_env.simulation.scenarios import Results, ScenarioTurns, make_results, play_scenario
from warlight_env.tensor_env import toolkit
from warlight_env.tensor_env.gpu import allocate, tensor_of, unchanged, upload
from warlight_env.tensor_env.launching import Launcher
from warlight_env.tensor_env.linking import Linker, device_function
from warlight_env.tensor_env.records import UNREAD, mapped, row_reader, size_of


class Source(NamedTuple):
    """The CUDA kernel of `simulate` as a Python function."""

    function: Callable[..., Any]  #: (params, start, turns, results, works)
    key: str  #: see `Launcher`
    names: set[str]  #: the names of the fields that the kernel reads


@functools.cache
def simulation_kernel() -> Source:
    """Return the CUDA kernel."""
    linker = Linker()
    play = linker.device(play_scenario)
    rows = device_function(row_reader(mapped(make_scratch(1, 1), unchanged, linker.names)))

    def run(params: Any, start: Any, turns: Any, results: Any, works: Any) -> None:
        i = cuda.grid(1)
        if i < results.seeds.shape[0]:
            play(params, start, turns, results.state, results.shares, results.seeds, rows(works, i), i)

    return Source(run, f"simulate {linker.digest(play_scenario)}", linker.names)


def kernel_arguments(
    params: RuleParams, start: State, turns: ScenarioTurns, place: Callable[[npt.NDArray[Any]], Any],
    rows: Callable[[npt.NDArray[Any]], Any],
) -> tuple[Any, ...]:  # fmt: skip
    """Return the arguments of the kernel.

    Args:
        place: a function that places an array in memory. rows: a function that places one array with a copy of the row
            for each result.
    """
    names, regions, players = simulation_kernel().names, start.owner.shape[1], turns.counts.shape[1]
    results = make_results(1, regions, players)
    state = mapped(results.state, lambda array: rows(array[0]), names)
    return (
        mapped(params, place, names), mapped(start, place, names), mapped(turns, place),
        Results(state, rows(results.shares[0]), rows(results.seeds[0])),
        mapped(make_scratch(regions, players), rows, names),
    )  # fmt: skip


def simulate_on_gpu(params: RuleParams, start: State, turns: ScenarioTurns) -> Results:
    """Compute the results of all turns and scenarios; return tensors in the memory of the GPU.

    Fields of the state that the kernel does not read are `UNREAD`.

    Raises DeviceError if there is no GPU, or if its memory is too small.
    """
    toolkit.require()
    import torch

    count, source = len(turns.counts) * turns.scenarios, simulation_kernel()
    try:
        arguments = kernel_arguments(params, start, turns, upload, lambda row: allocate(row, count, False))
    except torch.cuda.OutOfMemoryError:
        one_game = kernel_arguments(params, start, turns, unchanged, lambda row: row[None])
        toolkit.check_memory(count, size_of(one_game[3]) + size_of(one_game[4]), "turns * scenarios", "results")
        raise
    Launcher(source.function, source.key, arguments)(count)
    results: Results = arguments[3]
    state = State(*(UNREAD if isinstance(array, int) else tensor_of(array) for array in results.state))
    return Results(state, tensor_of(results.shares), tensor_of(results.seeds.view(np.int64)).view(torch.uint64))
