"""Speed of the tree search: simulations a second, and what a second thread adds in each way to run it in parallel."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from measure import build_c_loop, c_processes, interleaved, temporary_folder
from rows import Row
from warlight_env import Game
from warlight_env.agents import make_agent
from warlight_env.agents.mcts import MctsSettings, Search

SPIN = 400_000_000  # iterations of the C loop


def midgame() -> Game:
    """The world after eight rounds between two bots."""
    game = Game("world", seed=7, picks="random")
    bots = [make_agent("aggressive", seat) for seat in range(2)]
    for _ in range(8):
        game.play_round([bot.act(game.view(seat)) for seat, bot in enumerate(bots)])
    return game


def rate(settings: MctsSettings, seconds: float, seed: int = 1) -> float:
    """Simulations a second, all trees together, with the thesis's 15 samples and 10 rounds unless told otherwise."""
    search = Search(midgame().view(0), settings, seed)
    search.run(50)
    before, start = search.simulations, time.perf_counter()
    search.run(seconds=seconds)
    return (search.simulations - before) / (time.perf_counter() - start)


def independent(seconds: float) -> float:
    """Two searches that know nothing of each other, each in a thread of its own."""
    with ThreadPoolExecutor(2) as pool:
        return sum(pool.map(lambda seed: rate(MctsSettings(), seconds, seed), (1, 2)))


def bench_search(quick: bool) -> list[Row]:
    """One thread, then two threads against one, as a share of what two processes of a C loop reach against one."""
    seconds, repeats = (0.5, 3) if quick else (2.0, 7)
    two = {name: MctsSettings(parallel=name, threads=2) for name in ("root", "tree", "lock", "leaf")}
    with temporary_folder() as folder:
        library = build_c_loop(Path(folder))
        works = {"one": lambda: rate(MctsSettings(), seconds), "independent": lambda: independent(seconds)}
        for name, settings in two.items():
            works[name] = lambda settings=settings: rate(settings, seconds)
        if library is not None:
            works["c one"] = lambda: c_processes(library, 1, SPIN)
            works["c two"] = lambda: c_processes(library, 2, SPIN)
        rates = interleaved(works, repeats)
    one = rates["one"]
    rows = [Row("mcts, one thread, 15 samples, 10 rounds", "≥ 5,000 sims/s", f"{one:,.0f}/s", one, one >= 5000)]
    if "c one" not in rates:
        return rows
    machine = rates["c two"] / rates["c one"]
    least = {"root": 0.95, "tree": 0.85}
    for name in ("independent", *two):
        share = rates[name] / one / machine
        text = f"{share:.3f} ({rates[name] / one:.2f} × against {machine:.2f} ×)"
        asked = f"≥ {least[name]}" if name in least else "–"
        reached = share >= least[name] if name in least else None
        rows.append(Row(f"… two threads, {name}: share of two C processes", asked, text, share, reached))
    return rows
