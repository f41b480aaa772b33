"""Numba's simulator runs the CUDA kernels as Python; the games are equal to those on the CPU, bit by bit."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import device_inputs
import device_scenarios
import pytest
from device_runs import CASES

#: Compares the devices with short games, and calls a kernel with an array that is not contiguous.
PROGRAM = """
import json, warnings
import numpy as np
import device_inputs, device_runs, device_scenarios, device_vectors
from warlight_env.tensor_env.launching import Launcher

warnings.simplefilter("ignore", RuntimeWarning)  # the simulator computes with NumPy's integers, which warn
for arguments in device_runs.CASES.values():
    if "max_cycles" in arguments:
        arguments["max_cycles"] = 4

def clear(out, values):
    values[0] = 0

launch = Launcher(clear, "", (np.zeros(2),), (np.zeros(2),))
launch(1, np.ones(2))
try:
    launch(1, np.ones((2, 2))[:, 0])
except ValueError as error:
    refused = str(error)
print(json.dumps({
    "refused": refused,
    "begun": {case: device_runs.compare(case, 2, 5) for case in device_runs.CASES},
    "over": {case: device_scenarios.compare(case, 13, 3) for case in device_scenarios.CASES},
    "borders": {case: device_inputs.compare(case, 3) for case in device_inputs.CASES},
    "ended": device_vectors.compare(2, 10),
}))
"""


@pytest.fixture(scope="module")
def results() -> dict[str, Any]:
    """The output of PROGRAM in the simulator. One process imports the libraries for all comparisons."""
    process = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=Path(__file__).parents[1],
        env={**os.environ, "NUMBA_ENABLE_CUDASIM": "1"},
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert process.returncode == 0, process.stderr
    return json.loads(process.stdout)


def test_games_on_the_simulated_gpu_equal_those_on_the_cpu(results):
    begun = results["begun"]
    assert begun.keys() == CASES.keys()
    assert sum(count > 2 for count in begun.values()) >= 3  # in some cases, new games began in place of ended games


def test_kernel_rejects_arrays_that_are_not_contiguous(results):
    assert "an array with the shape (2,) and the strides (16,) is not contiguous" in results["refused"]


def test_results_of_simulate_on_the_simulated_gpu_equal_those_on_the_cpu(results):
    over = results["over"]
    assert over.keys() == device_scenarios.CASES.keys()
    assert any(over.values())  # some games end in the round


def test_turn_network_inputs_on_the_simulated_gpu_equal_those_on_the_cpu(results):
    borders = results["borders"]
    assert borders.keys() == device_inputs.CASES.keys()
    assert all(borders.values())  # some borders can be crossed


def test_vector_env_steps_on_the_simulated_gpu_equal_those_on_the_cpu(results):
    assert results["ended"] >= 2
