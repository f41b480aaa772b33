#!/usr/bin/env bash
# Tests and measurements on a machine with a GPU, PyTorch and numba-cuda; takes less than eight minutes.
# Usage: tests/gpu/run.sh [FOLDER]. The folder gets table.txt, the output of all parts.
# The package must be importable. Without an installation: copy warlight_env/, agents/, maps/ and train/ into one folder
# as warlight_env/, warlight_env/agents/, … and set PYTHONPATH to this folder.
set -uo pipefail

out=${1:-runs/gpu}
mkdir -p "$out"
{
    date -u +"%F %R UTC"
    python3 -c "import numba, numba_cuda, torch; print('numba', numba.__version__, 'numba-cuda', numba_cuda.__version__, 'torch', torch.__version__)"
    echo "== games on the GPU against those on the CPU, every array, bit by bit"
    timeout 120 python3 tests/device_runs.py 256 120
    timeout 40 python3 tests/device_scenarios.py 26 64
    timeout 40 python3 tests/device_inputs.py 4096
    timeout 40 python3 tests/device_vectors.py 256 40
    echo "== PPO's games on the GPU against compiled code"
    timeout 60 python3 tests/device_rollouts.py cuda 8192 32
    echo "== training in a compiled function of JAX, if JAX is installed"
    if python3 -c "import jax"; then timeout 40 python3 examples/jax_jit.py 100 cuda 4096 | tail -2; fi
    echo "== speeds"
    timeout 170 python3 benchmarks/gpu.py --seconds 0.5 --json "$out/speeds.json"
} 2>&1 | tee "$out/table.txt"
