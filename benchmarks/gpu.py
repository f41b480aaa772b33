"""Measure the games on a GPU: ``python benchmarks/bench.py gpu`` prints rates and their ratios to one core of the CPU.

It measures random playouts, steps of the environment, steps of PPO on turns, and results of `simulate`. With the
package ``pgx`` it also measures PGX's backgammon, which is PGX's closest game: turns of two players with dice. ``--json
runs/gpu.json`` also writes the numbers to a file. ``bench.py gpu --page runs/gpu.json`` writes docs/results/gpu.md.
"""

from __future__ import annotations

import argparse
import datetime
import importlib.util
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import gpu_page
from gpu_rates import (
    CPU_GAMES,
    copied_bytes,
    cpu_playouts,
    gpu_playouts,
    learner_steps,
    pgx_steps,
    simulations,
    steps,
)
from provenance import ProvenanceError, checkout

#: The numbers of games.
GAMES: Final = (1, 64, 1024, 16384, 65536, 131072, 262144)
#: The numbers of games of a rollout of PPO.
LEARNER_GAMES: Final = (1024, 16384, 65536)
#: The numbers of results of `simulate`: turns * scenarios.
RESULTS: Final = (64, 256, 1024, 4096, 16384, 65536, 262144, 1048576)


class Table:
    """The rows of the measurement; it prints each new row."""

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []

    def add(self, label: str, games: int, rate: float, core: float | None, **columns: float) -> None:
        """Add a rate. core: the rate of one core of the CPU; None if the program does not run on the CPU."""
        ratio = None if core is None else rate / core
        self.rows.append({"what": label, "games": games, "per_second": rate, "to_one_core": ratio, **columns})
        parts = [f"{label:34} {games:7} games {rate / 1e6:9.3f} M/s"]
        parts += [] if ratio is None else [f"{ratio:8.1f} x one core"]
        print("  ".join([*parts, *(f"{name} {value:.2f}" for name, value in columns.items())]), flush=True)


def measure(table: Table, games: Sequence[int], seconds: float) -> None:
    """Measure everything, and add the rates to the table."""
    core = cpu_playouts()
    table.add("random playouts, rounds, CPU", CPU_GAMES, core, core)
    for count in games:
        table.add("random playouts, rounds", count, gpu_playouts(count), core)
    bandwidth = copied_bytes()
    for opponent in ("random", "aggressive", None):
        label = f"steps against {opponent}" if opponent else "steps, both seats are agents"
        core, *_ = steps("cpu", CPU_GAMES, opponent, seconds)
        table.add(f"{label}, CPU", CPU_GAMES, core, core)
        for count in games:
            rate, start, size = steps("cuda", count, opponent, seconds)
            table.add(label, count, rate, core, first_step_s=start, share_of_bandwidth=rate * size / bandwidth)
    core = learner_steps("cpu", 256, seconds)
    table.add("steps of PPO on turns, CPU", 256, core, core)
    for count in LEARNER_GAMES:
        if count <= max(games):
            table.add("steps of PPO on turns", count, learner_steps("cuda", count, seconds), core)
    measure_simulations(table, seconds)
    if importlib.util.find_spec("pgx") is None:
        print("pgx is not installed, so there is no row for PGX's backgammon")
    else:
        for count in (count for count in games if count >= 1024):
            table.add("PGX, backgammon, steps", count, pgx_steps(count), None)


def measure_simulations(table: Table, seconds: float) -> None:
    """Measure `simulate` on one core and on the GPU, and print from which number of results the GPU is faster."""
    faster = []
    for results in RESULTS:
        core, rate = (simulations(device, results, seconds) for device in (None, "cuda"))
        table.add(
            "results of simulate", results, rate, core, ms_on_a_core=results / core * 1e3, ms=results / rate * 1e3
        )
        faster += [results] if rate > core else []
    print(
        f"simulate is faster on the GPU from {min(faster)} results on" if faster else "simulate is faster on the core"
    )


def main(words: Sequence[str]) -> int:
    """Print the table, or write the page. words: the command line after ``gpu``."""
    parser = argparse.ArgumentParser(prog="bench.py gpu", description=__doc__)
    parser.add_argument("--json", type=Path, help="the file for the numbers")
    parser.add_argument("--games", type=int, nargs="+", default=GAMES, help="numbers of games")
    parser.add_argument("--seconds", type=float, default=2.0, help="seconds of each measurement of steps")
    parser.add_argument("--only", choices=("simulate",), help="measure only `simulate`")
    parser.add_argument("--commit", help="the commit of these sources, for --json outside a Git checkout")
    parser.add_argument("--page", type=Path, metavar="FILE", help="measure nothing; write the page from this file")
    args = parser.parse_args(words)
    if args.page is not None:
        gpu_page.write(args.page)
        return 0
    metadata = facts(args.commit) if args.json is not None else {}

    from numba import cuda

    from warlight_env.tensor_env import toolkit

    toolkit.require()
    name = cuda.get_current_device().name
    metadata["gpu"] = name.decode() if isinstance(name, bytes) else name
    print(f"GPU: {metadata['gpu']}")
    table = Table()
    if args.only == "simulate":
        measure_simulations(table, args.seconds)
    else:
        measure(table, args.games, args.seconds)
    if args.json is not None:
        args.json.write_text(json.dumps({**metadata, "rows": table.rows}, indent=1) + "\n", encoding="utf-8")
    return 0


def facts(commit: str | None) -> dict[str, Any]:
    """Return the date, the commit and the versions of the measurement. commit: None in a clean Git checkout.

    Raises:
        ProvenanceError: there is no commit, or the checkout has changes.
    """
    import numba
    import numba_cuda
    import torch

    if commit is None:
        commit, dirty = checkout()
        if dirty:
            raise ProvenanceError("the checkout has uncommitted changes, so the numbers would have no commit")
    versions = {"torch": torch.__version__, "numba": numba.__version__, "numba-cuda": numba_cuda.__version__}
    return {"commit": commit, "date": datetime.datetime.now(datetime.UTC).date().isoformat(), "versions": versions}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
