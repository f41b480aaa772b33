"""The cost of logging: the time of a match with logs relative to the same match without logs, and bytes per round."""

from __future__ import annotations

import statistics
from pathlib import Path

from speed_table import Row
from timing import seconds, temporary_folder
from warlight_env.arena import Match
from warlight_env.record import GameLog, summarize

#: Matches whose logs are measured: agents, number of games, map.
SIZES = (
    (("random", "aggressive"), 100, "world"),
    (("smart_random", "one_big_army"), 50, "world"),
    (("mcts:sims=100", "aggressive"), 20, "world"),
    (("mcts:sims=30", "mcts:sims=30"), 10, "world"),
    (("random", "aggressive", "smart_random", "one_big_army"), 30, "world"),
    (("aggressive", "random"), 20, "large"),
)


def bench_log(quick: bool) -> list[Row]:
    """Measure the time of a match of random against aggressive with and without logs, and the size of logs."""
    return [_time(quick), *_size(quick)]


def _time(quick: bool) -> Row:
    """Return the ratio of times with and without logs, for alternating parts of a match with a new folder each."""
    games, parts = (100, 7) if quick else (400, 25)
    rates: dict[str, list[float]] = {"without": [], "with": []}
    with temporary_folder() as folder:
        for part in range(parts + 1):
            logs = Path(folder, str(part))
            for name, log in (("without", None), ("with", logs)):
                match = Match(["random", "aggressive"], games=games, seed=part, log=log)
                rates[name].append(seconds(match.run) / games)
    pairs = zip(rates["without"][1:], rates["with"][1:], strict=True)  # the first part is a warm-up
    ratio = statistics.median(logged / plain for plain, logged in pairs)
    plain = statistics.median(rates["without"][1:])
    text = f"{ratio:.2f} × ({1000 * plain:.2f} ms a game without)"
    label = f"random against aggressive with logs, {games * parts:,} games, against without"
    return Row(label, "≤ 1.3 ×", text, ratio, ratio <= 1.3)


def _size(quick: bool) -> list[Row]:
    """Return the bytes per round, including headers, uncompressed and compressed."""
    totals = {"plain": 0, "compressed": 0}
    rounds = 0
    with temporary_folder() as folder:
        for number, (agents, games, map_) in enumerate(SIZES):
            logs = Path(folder, str(number))
            Match(agents, games=max(1, games // 10) if quick else games, map=map_, log=logs).run()
            for file in logs.iterdir():
                totals["compressed"] += file.stat().st_size
                rounds += summarize(file).rounds
                plain = Path(folder, "plain.wl.jsonl")
                GameLog.load(file).save(plain)
                totals["plain"] += plain.stat().st_size
    rows = []
    for name, limit in (("plain", 1500), ("compressed", 250)):
        size = totals[name] / rounds
        rows.append(Row(f"a log, {name}, a round", f"≤ {limit:,} bytes", f"{size:.0f} bytes", size, size <= limit))
    return rows
