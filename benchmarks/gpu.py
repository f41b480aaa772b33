"""Measure the games on a GPU: ``python benchmarks/bench.py gpu`` prints random playouts, steps of the environment, and
the results of `simulate`.

``--json runs/gpu.json`` also writes the numbers to a file. Each rate has its ratio to one core of the CPU, measured in
the same run.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

#: The numbers of games.
GAMES: Final = (1, 64, 1024, 16384, 65536, 131072, 262144)
#: The number of games on the CPU.
CPU_GAMES: Final = 512
#: The number of turns in a call of `simulate`, and the numbers of results: turns * scenarios.
TURNS: Final = 16
RESULTS: Final = (64, 256, 1024, 4096, 16384, 65536, 262144, 1048576)


def cpu_playouts() -> float:
    """Return the rounds per second of random games on one core."""
    from playouts import Playouts

    playouts = Playouts(CPU_GAMES)
    playouts.rate()
    return playouts.rate()


def gpu_playouts(games: int) -> float:
    """Return the rounds per second of random games on the GPU."""
    from numba import cuda
    from playouts import ROUNDS, Playouts

    from warlight_env.agents.players.batch_games import RANDOM, play_games
    from warlight_env.engine.state import make_workspace
    from warlight_env.tensor_env.gpu import allocate
    from warlight_env.tensor_env.launching import Launcher
    from warlight_env.tensor_env.linking import Linker, device_function
    from warlight_env.tensor_env.records import mapped, row_reader

    start = Playouts(1)
    linker = Linker()
    play = linker.device(play_games)
    one = make_workspace(start.board.n_regions, start.board.n_edges, 2)
    work = mapped(one, lambda array: array, linker.names)
    rows = device_function(row_reader(work))

    def run(context: Any, state: Any, policies: Any, rngs: Any, works: Any, played: Any, rounds: int) -> None:
        b = cuda.grid(1)
        if b < played.shape[0]:
            played[b] = play(context, state, b, b + 1, policies, rngs, rounds, rows(works, b))

    random = np.random.default_rng(1)
    state = mapped(start.start, lambda array: allocate(array[0], games, False))
    state = state._replace(rng=cuda.to_device(_generators(random, games)))
    fixed = (
        mapped(start.context, cuda.to_device, linker.names), state, cuda.to_device(np.full(2, RANDOM, dtype=np.int32)),
        cuda.to_device(_generators(random, games, 2)), mapped(work, lambda array: allocate(array, games, False)),
        cuda.to_device(np.zeros(games, dtype=np.int64)), ROUNDS,
    )  # fmt: skip
    launcher = Launcher(run, f"playouts {linker.digest(play_games)}", fixed)
    cuda.synchronize()
    began = time.perf_counter()
    launcher(games)
    cuda.synchronize()
    took = time.perf_counter() - began
    return float(fixed[5].copy_to_host().sum()) / took


def _generators(random: np.random.Generator, *shape: int) -> np.ndarray[Any, Any]:
    return random.integers(1, 2**63, (*shape, 2)).astype(np.uint64)


def steps(device: str, games: int, opponent: str | None, seconds: float) -> tuple[float, float]:
    """Return the steps per second of the environment with random factored actions, and the seconds until its start.

    The step includes the check of actions, observations and masks of both seats, and new games in place of ended ones.
    """
    import torch

    from warlight_env.tensor_env import WarlightTensorEnv

    began = time.perf_counter()
    env = WarlightTensorEnv(
        games, device=device, map="world", picking="random", opponents={"player_1": opponent} if opponent else None
    )
    env.reset(seed=1)
    wait: Callable[[], None] = torch.cuda.synchronize if device == "cuda" else lambda: None
    wait()
    start = time.perf_counter() - began
    limits = torch.as_tensor(np.array(env.limits), device=env.tensor_device)
    shape = games, len(env.limits)
    actions = [
        {agent: (torch.rand(shape, device=env.tensor_device) * limits).to(torch.int8) for agent in env.agents}
        for _ in range(4)
    ]
    for several in actions:
        env.step(several)
    wait()
    count, began = 0, time.perf_counter()
    while time.perf_counter() - began < seconds:
        for several in actions:
            env.step(several)
        wait()
        count += len(actions)
    return games * count / (time.perf_counter() - began), start


def simulations(device: str | None, results: int, seconds: float) -> float:
    """Return the results per second of `simulate`: whole calls, with the checks of the turns.

    The position is on the map "world" after five rounds. Player 0 has TURNS random turns.
    """
    import torch

    from warlight_env import Game, simulate
    from warlight_env.agents import make_agent

    game = Game("world", picks="random", seed=1)
    agents = [make_agent("aggressive", p) for p in range(2)]
    for _ in range(5):
        game.play_round([agent.act(game.view(p)) for p, agent in enumerate(agents)])
    answer = agents[1].act(game.view(1))
    turns = [[make_agent("random", i).act(game.view(0)), answer] for i in range(TURNS)]

    def call() -> None:
        simulate(game, turns, results // TURNS, device=device)
        if device == "cuda":
            torch.cuda.synchronize()

    call()
    count, began = 0, time.perf_counter()
    while time.perf_counter() - began < seconds:
        call()
        count += 1
    return results * count / (time.perf_counter() - began)


def compare_simulations(seconds: float, numbers: Sequence[int] = RESULTS) -> list[dict[str, Any]]:
    """Print the rates of `simulate` on one core and on the GPU; return the rows of the table."""
    rows: list[dict[str, Any]] = []
    for results in numbers:
        core, rate = simulations(None, results, seconds), simulations("cuda", results, seconds)
        rows.append({"what": "simulate", "results": results, "per_second": rate, "to_one_core": rate / core})
        print(
            f"{'simulate':26} {results:10} results {rate / 1e6:9.3f} M/s {rate / core:8.2f} x one core "
            f"({results / core * 1e3:.2f} ms on the core, {results / rate * 1e3:.2f} ms on the GPU)", flush=True,
        )  # fmt: skip
    faster = [row["results"] for row in rows if row["to_one_core"] > 1]
    print(
        f"simulate is faster on the GPU from {min(faster)} results on" if faster else "simulate is faster on the core"
    )
    return rows


def main(words: Sequence[str]) -> int:
    """Print the table. words: the command line after ``gpu``."""
    parser = argparse.ArgumentParser(prog="bench.py gpu", description=__doc__)
    parser.add_argument("--json", type=Path, help="the file for the numbers")
    parser.add_argument("--games", type=int, nargs="+", default=GAMES, help="numbers of games")
    parser.add_argument("--seconds", type=float, default=2.0, help="seconds of each measurement of steps")
    parser.add_argument("--only", choices=("simulate",), help="measure only `simulate`")
    given = parser.parse_args(words)

    from numba import cuda

    from warlight_env.tensor_env import toolkit

    toolkit.require()
    name = cuda.get_current_device().name
    rows: list[dict[str, Any]] = []

    def add(what: str, games: int, rate: float, core: float, start: float | None = None) -> None:
        rows.append({"what": what, "games": games, "per_second": rate, "to_one_core": rate / core, "start_s": start})
        late = "" if start is None else f"  first step after {start:.1f} s"
        print(f"{what:42} {games:7} games {rate / 1e6:9.3f} M/s {rate / core:8.1f} x one core{late}", flush=True)

    print(f"GPU: {name.decode() if isinstance(name, bytes) else name}")
    rows += compare_simulations(given.seconds)
    if given.only is None:
        core = cpu_playouts()
        print(f"random playouts, one core of the CPU: {core / 1e6:.3f} M rounds/s")
        for games in given.games:
            add("random playouts, rounds", games, gpu_playouts(games), core)
        for opponent in ("random", "aggressive", None):
            what = f"steps against {opponent}" if opponent else "steps, both seats are agents"
            core, _ = steps("cpu", CPU_GAMES, opponent, given.seconds)
            print(f"{what}, one core of the CPU: {core / 1e6:.3f} M steps/s")
            for games in given.games:
                rate, start = steps("cuda", games, opponent, given.seconds)
                add(what, games, rate, core, start)
    if given.json is not None:
        given.json.write_text(json.dumps({"gpu": str(name), "rows": rows}, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
