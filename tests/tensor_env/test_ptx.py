"""The CUDA kernels compile to PTX without a GPU, and their floating-point operations are not fused.

The tests need the package numba-cuda with its compiler. ``.ci/cuda`` installs it and runs them.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any
from unittest import mock

import numpy as np
import pytest

pytest.importorskip("numba_cuda")

from device_runs import CASES

from warlight_env.agents.planning.plans import planned_turn
from warlight_env.agents.players.random import random_picks
from warlight_env.agents.plug_ins.functions import make_context
from warlight_env.agents.records.turn_record import make_turn_network_buffers
from warlight_env.agents.weights import PLANNING
from warlight_env.envs import EnvCore
from warlight_env.envs.restarting_games import LEARNER, NEXT_STEP
from warlight_env.simulation.gpu import kernel_arguments, simulation_kernel
from warlight_env.simulation.scenarios import ScenarioTurns
from warlight_env.tensor_env.games import Bot, compiled_bot, make_seats
from warlight_env.tensor_env.gpu import Call, Placement, make_calls
from warlight_env.tensor_env.records import mapped
from warlight_env.tensor_env.toolkit import compiling
from warlight_env.train.turn_net.cuda_inputs import input_kernels
from warlight_env.train.turn_net.turn_inputs import NetworkPositions, blank_inputs


def ptx_of(function: Callable[..., Any], arguments: tuple[Any, ...]) -> str:
    """Compile a CUDA kernel to PTX; this needs no GPU. arguments: arguments of the kernel, with NumPy arrays."""
    from numba import cuda
    from numba.core import types
    from numba.cuda import dispatcher
    from numba.cuda.typing.typeof import typeof

    device = SimpleNamespace(compute_capability=(9, 0))
    signature = types.void(*map(typeof, arguments))
    with compiling(), mock.patch.object(dispatcher, "get_current_device", return_value=device):
        code, _ = cuda.compile(function, signature, device=False, cc=device.compute_capability, abi="numba")
    return str(code)


def place_rows(row: np.ndarray[Any, Any], columns: bool) -> Any:
    if columns and row.size > 1:
        return np.moveaxis(np.stack([row, row], axis=-1), -1, 0)
    return np.stack([row, row])


def calls_of(case: str) -> list[Call]:
    """Return the kernels of a case with arguments in the memory of the CPU."""
    arguments = {"map": "small", **CASES[case]}
    opponents = arguments.pop("opponents", {})
    arguments.pop("autoreset_mode", None)
    core = EnvCore(batch=1, **arguments)
    kinds = list(dict.fromkeys(opponents.values()))
    seats = [opponents.get(f"player_{p}") for p in range(core.players)]
    numbers = [LEARNER if name is None else kinds.index(name) for name in seats]
    bots = [compiled_bot(core, kind) for kind in kinds]
    memory = Placement(lambda array: array, place_rows)
    calls = make_calls(core, make_seats(core, numbers, NEXT_STEP), bots, memory)
    return [calls.submit, *calls.bots, calls.play, calls.observe[0], calls.finish]


#: For each case, the kernels that no earlier case contains.
KERNELS = {
    "factored": ("submit", "bot", "play", "observe", "finish"),
    "three players": ("submit", "bot", "observe"),
    "steps": ("submit", "bot", "observe"),
    "orders": ("submit",),
    "continuous": ("submit",),
}


def test_the_list_of_kernels_is_complete():
    every = {call.key for case in CASES for call in calls_of(case)}
    listed = {call.key for case, kinds in KERNELS.items() for call in calls_of(case) if call.key.startswith(kinds)}
    assert listed == every


@pytest.mark.parametrize("case", KERNELS)
def test_the_kernels_compile_to_ptx_without_fused_operations(case):
    for call in calls_of(case):
        if call.key.startswith(KERNELS[case]):
            code = ptx_of(call.function, (*call.fixed, *call.example))
            assert ".entry" in code and ".target sm_90" in code
            assert "fma.rn" not in code, call.key


def test_the_kernels_of_training_compile_to_ptx():
    core = EnvCore("small", batch=1)
    board = core.board
    context = make_context(board, core.params, 2, PLANNING)
    one = make_turn_network_buffers(board.n_regions, board.n_edges, 2)
    regions, borders, linker = input_kernels(one)
    names = linker.names
    work = mapped(one, lambda array: np.stack([array, array]), names)
    out = blank_inputs(2, board.n_regions, board.n_edges)
    state = core.state
    positions = NetworkPositions(state.owner, state.army, state.round, np.zeros(1, np.int64))
    fixed = mapped(context, lambda array: array, names), work, out, positions
    for function, more in ((regions, ()), (borders, (np.zeros((1, board.n_regions), np.int8),))):
        assert ".entry" in ptx_of(function, (*fixed, *more))
    planned = Bot(planned_turn, random_picks, core.bots_context)
    calls = make_calls(core, make_seats(core, [LEARNER, 0], NEXT_STEP), [planned], Placement(lambda a: a, place_rows))
    assert ".entry" in ptx_of(calls.bots[0].function, calls.bots[0].fixed)


def test_the_kernel_of_simulate_compiles_to_ptx_without_fused_operations():
    core = EnvCore("small", batch=1)
    counts = np.zeros((1, 2), np.int32)
    deploy, attacks = np.zeros((1, 2, core.board.n_regions), np.int32), np.zeros((1, 2, 1, 3), np.int32)
    turns = ScenarioTurns(np.zeros(1, np.int64), deploy, attacks, counts, np.zeros(1, np.uint64), 2, False)
    arguments = kernel_arguments(core.params, core.state, turns, lambda array: array, lambda row: np.stack([row, row]))
    code = ptx_of(simulation_kernel().function, arguments)
    assert ".entry" in code and "fma.rn" not in code


def test_missing_reports_a_numpy_that_numba_cuda_does_not_support():
    program = (
        "import numpy as np\n"
        "from warlight_env.tensor_env import toolkit\n"
        "if hasattr(np, 'row_stack'): del np.row_stack\n"  # as in NumPy 2.5
        "print(toolkit.missing())"
    )
    process = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "cannot compile" in process.stdout and "no attribute 'row_stack'" in process.stdout
