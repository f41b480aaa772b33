"""Numba's simulator runs the CUDA kernels as Python; the games are equal to those on the CPU, bit by bit."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import device_inputs
import device_scenarios
from device_runs import CASES


def lines_of(script: str, *arguments: str) -> list[str]:
    """Run a script in the simulator; return the lines that it prints."""
    ran = subprocess.run(
        [sys.executable, str(Path(__file__).parents[1] / script), *arguments],
        env={**os.environ, "NUMBA_ENABLE_CUDASIM": "1"},
        capture_output=True,
        text=True,
        timeout=500,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.splitlines()


def test_games_on_the_simulated_gpu_equal_those_on_the_cpu():
    lines = lines_of("device_runs.py", "2", "9")
    assert [line.split(":")[0] for line in lines] == list(CASES)
    began = [int(line.split("; ")[1].split()[0]) for line in lines]
    assert sum(count > 2 for count in began) >= 3  # in some cases, new games began in place of ended games


STRIDED = """
import numpy as np
from warlight_env.tensor_env.launching import Launcher

def clear(out, values):
    values[0] = 0

launch = Launcher(clear, "", (np.zeros(2),), (np.zeros(2),))
launch(1, np.ones(2))
launch(1, np.ones((2, 2))[:, 0])
"""


def test_a_kernel_refuses_arrays_that_are_not_contiguous():
    ran = subprocess.run(
        [sys.executable, "-c", STRIDED],
        env={**os.environ, "NUMBA_ENABLE_CUDASIM": "1"},
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert "ValueError: an array with the shape (2,) and the strides (16,) is not contiguous" in ran.stderr


def test_results_of_simulate_on_the_simulated_gpu_equal_those_on_the_cpu():
    lines = lines_of("device_scenarios.py", "13", "3")
    assert [line.split(":")[0] for line in lines] == [f"simulate, {case}" for case in device_scenarios.CASES]
    assert any(int(line.split("; ")[1].split()[0]) > 0 for line in lines)  # some games end in the round


def test_inputs_of_the_turn_network_on_the_simulated_gpu_equal_those_on_the_cpu():
    lines = lines_of("device_inputs.py", "3")
    assert [line.split(":")[0] for line in lines] == [f"inputs, {case}" for case in device_inputs.CASES]
    assert all(int(line.split("; ")[1].split()[0]) > 0 for line in lines)  # some borders can be crossed


def test_steps_of_the_vector_environment_on_the_simulated_gpu_equal_those_on_the_cpu():
    (line,) = lines_of("device_vectors.py", "2", "10")
    assert line.startswith("make_vec: equal; ") and int(line.split()[2]) >= 2
