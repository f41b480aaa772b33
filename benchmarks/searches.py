"""Speed of the tree search: simulations per second, and the speed-up by a second thread with each parallelization."""

from __future__ import annotations

import os
import statistics
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from speed_table import Row
from timing import build_c_loop, c_processes, interleaved, temporary_folder
from warlight_env import Game
from warlight_env.agents import make_agent
from warlight_env.agents.players.mcts import THESIS_SETTINGS, MctsAgent, MctsSettings, TreeSearch

SPIN = 400_000_000  # iterations of the C loop


def midgame(players: int = 2) -> Game:
    """Return a game on the world map after some rounds between bots: eight for two players, four for more."""
    game = Game("world", seed=7, picks="random", players=players)
    bots = [make_agent("aggressive", seat) for seat in range(players)]
    for _ in range(8 if players == 2 else 4):
        game.play_round([bot.act(game.view(seat)) for seat, bot in enumerate(bots)])
    return game


def tree_rates(settings: MctsSettings, seconds: float, seed: int = 1, players: int = 2) -> list[float]:
    """Return the simulations per second of each tree."""
    search = TreeSearch(midgame(players).view(0), settings, seed)
    search.run(50)
    before, start = search.statistics().simulations, time.perf_counter()
    search.run(seconds=seconds)
    wall = time.perf_counter() - start
    return [(n - old) / wall for n, old in zip(search.statistics().simulations, before, strict=True)]


def rate(settings: MctsSettings, seconds: float, seed: int = 1, players: int = 2) -> float:
    """Return the simulations per second of all trees together."""
    return sum(tree_rates(settings, seconds, seed, players))


def independent(seconds: float) -> float:
    """Return the simulations per second of two independent searches in two threads."""
    with ThreadPoolExecutor(2) as pool:
        return sum(pool.map(lambda seed: rate(THESIS_SETTINGS, seconds, seed), (1, 2)))


def bench_search(quick: bool) -> list[Row]:
    """Measure one thread, in games of two and four players, and two threads.

    The speed-up by two threads is relative to the speed-up by two processes of a C loop.
    """
    seconds, repeats = (0.5, 3) if quick else (2.0, 7)
    two = {name: replace(THESIS_SETTINGS, parallel=name, threads=2) for name in ("root", "tree", "lock", "leaf")}
    with temporary_folder() as folder:
        library = build_c_loop(Path(folder))
        functions = {
            "one": lambda: rate(THESIS_SETTINGS, seconds),
            "four players": lambda: rate(THESIS_SETTINGS, seconds, players=4),
            "independent": lambda: independent(seconds),
        }
        for name, settings in two.items():
            functions[name] = lambda settings=settings: rate(settings, seconds)
        functions["root, the slower tree"] = lambda: 2 * min(tree_rates(two["root"], seconds))
        if library is not None:
            functions["c one"] = lambda: c_processes(library, 1, SPIN)
            functions["c two"] = lambda: c_processes(library, 2, SPIN)
        rates = interleaved(functions, repeats)
    base = rates["one"]
    rows = [Row("mcts, one thread, 15 samples, 10 rounds", "≥ 5,000 sims/s", f"{base:,.0f}/s", base, base >= 5000)]
    share = rates["four players"] / base
    text = f"{share:.2f} ({rates['four players']:,.0f}/s)"
    rows.append(Row("… in games of four, as a share of that", "≥ 0.33", text, share, share >= 1 / 3))
    if "c one" not in rates:
        return rows
    machine = rates["c two"] / rates["c one"]
    minimums = {"root": 0.95, "root, the slower tree": 0.95, "tree": 0.85}
    for name in ("independent", "root", "root, the slower tree", "tree", "lock", "leaf"):
        share = rates[name] / base / machine
        text = f"{share:.3f} ({rates[name] / base:.2f} × against {machine:.2f} ×)"
        target = f"≥ {minimums[name]}" if name in minimums else "–"
        is_met = share >= minimums[name] if name in minimums else None
        rows.append(Row(f"… two threads, {name}: share of two C processes", target, text, share, is_met))
    return rows


def bench_trees(quick: bool) -> list[Row]:
    """Measure the simulations per tree of 1, 2, 4 … trees in the time of the thesis's table 3.10, a thread each."""
    seconds, rows, single_tree = (1.0 if quick else 15.0), [], 0.0
    for threads in (n for n in (1, 2, 4, 8) if n <= (os.cpu_count() or 1)):
        search = TreeSearch(midgame().view(0), replace(THESIS_SETTINGS, threads=threads, memory=2000), 1)
        search.run(50)
        search.run(seconds=seconds)
        record = search.statistics()
        simulations, nodes = statistics.median(record.simulations), statistics.median(record.nodes)
        single_tree = single_tree or simulations
        text = f"{simulations:,.0f} simulations ({simulations / single_tree:.3f} of one tree's), {nodes:,.0f} nodes"
        rows.append(Row(f"{seconds:g} s, a tree in each of {threads} threads: per tree", "–", text, simulations, None))
    return rows


def bench_deadlines(quick: bool) -> list[Row]:
    """Measure the largest time by which a move exceeds its limit, with each parallelization."""
    game, seconds, worst = midgame(), 0.1, {}
    for name in ("root", "tree", "lock", "leaf"):
        agent = MctsAgent(1, secs=seconds, parallel=name, threads=1 if name == "root" else 2)
        agent.act(game.view(0))
        late = 0.0
        for _ in range(10 if quick else 100):
            start = time.perf_counter()
            agent.act(game.view(0))
            late = max(late, time.perf_counter() - start - seconds)
        worst[name] = 1000 * late
    longest = max(worst.values())
    text = ", ".join(f"{name} {late:.1f}" for name, late in worst.items())
    return [Row("a move of 0.1 s ends late by, at worst of 100", "≤ 20 ms", f"{text} ms", longest, longest <= 20)]
