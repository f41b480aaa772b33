"""Numba's simulator runs the CUDA kernels as Python; the games are equal to those on the CPU, bit by bit."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from device_runs import CASES


def test_games_on_the_simulated_gpu_equal_those_on_the_cpu():
    script = Path(__file__).parents[1] / "device_runs.py"
    ran = subprocess.run(
        [sys.executable, str(script), "2", "9"],
        env={**os.environ, "NUMBA_ENABLE_CUDASIM": "1"},
        capture_output=True,
        text=True,
        timeout=500,
    )
    assert ran.returncode == 0, ran.stderr
    lines = ran.stdout.splitlines()
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
