"""Speed of training: games of one-ply players in compiled code, and the speed-up by a second thread."""

from __future__ import annotations

import time
from pathlib import Path

from speed_table import Row
from timing import build_c_loop, c_processes, interleaved, temporary_folder
from warlight_env.agents.weights import THESIS
from warlight_env.train.weights.duel_batches import Duels

SPIN = 400_000_000  # iterations of the C loop


def bench_training(quick: bool) -> list[Row]:
    """Measure the games per second of a generation of 8 candidates, in one thread and in two."""
    units, repeats = (40, 3) if quick else (200, 7)

    def rate(jobs: int) -> float:
        duels = Duels("world", jobs=jobs)
        start = time.perf_counter()
        scores = duels.scores([THESIS] * 8, [THESIS], units, 1)
        return scores.size / (time.perf_counter() - start)

    rate(1)
    with temporary_folder() as folder:
        library = build_c_loop(Path(folder))
        works = {"one": lambda: rate(1), "two": lambda: rate(2)}
        if library is not None:
            works["c one"] = lambda: c_processes(library, 1, SPIN)
            works["c two"] = lambda: c_processes(library, 2, SPIN)
        rates = interleaved(works, repeats)
    one = rates["one"]
    rows = [Row("one-ply players against each other, world, one thread", "–", f"{one:,.0f} games/s", one, None)]
    if "c one" in rates:
        machine, ours = rates["c two"] / rates["c one"], rates["two"] / one
        text = f"{ours / machine:.3f} ({ours:.2f} × against {machine:.2f} ×)"
        what = "evolution in two threads: share of two C processes"
        rows.append(Row(what, "≥ 0.93", text, ours / machine, ours / machine >= 0.93))
    return rows
