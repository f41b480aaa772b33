"""Speed of the games on a GPU: random playouts, and steps of the environment of all seats.

    python benchmarks/gpu.py --out results.json

Every row gives the GPU, the number of games, and the speed.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from typing import Any

import numpy as np


def playouts(games: int, rounds: int = 64, columns: bool = True) -> Callable[[], int]:
    """Return a function that plays random games on the GPU, and returns the number of played rounds."""
    from numba import cuda

    from warlight_env.agents.context import bare_context
    from warlight_env.agents.players.batch_games import RANDOM, play_games
    from warlight_env.agents.weights import THESIS
    from warlight_env.engine.state import make_workspace
    from warlight_env.envs.core import EnvCore
    from warlight_env.tensor_env.gpu import allocate
    from warlight_env.tensor_env.launching import Launcher
    from warlight_env.tensor_env.linking import Linker, device_function
    from warlight_env.tensor_env.records import mapped, row_reader

    core = EnvCore("world", batch=1, picking="random")
    core.reset([1])
    context = bare_context(core.board, core.params, 2, THESIS)
    linker = Linker()
    play = linker.device(play_games)
    one = make_workspace(core.board.n_regions, core.board.n_edges, 2)
    rows = device_function(row_reader(mapped(one, lambda array: array, linker.names)))

    def run(context: Any, state: Any, policies: Any, rngs: Any, work: Any, played: Any, rounds: int) -> None:
        b = cuda.grid(1)
        if b < played.shape[0]:
            played[b] = play(context, state, b, b + 1, policies, rngs, rounds, rows(work, b))

    random = np.random.default_rng(1)
    state = mapped(core.state, lambda array: allocate(array[0], games, columns))
    state.rng.copy_to_device(random.integers(1, 2**63, (games, 2)).astype(np.uint64)) if not columns else None
    work = mapped(one, lambda array: allocate(array, games, columns), linker.names)
    rngs = cuda.to_device(random.integers(1, 2**63, (games, 2, 2)).astype(np.uint64))
    if columns:
        state = state._replace(rng=cuda.to_device(random.integers(1, 2**63, (games, 2)).astype(np.uint64)))
    played = cuda.to_device(np.zeros(games, dtype=np.int64))
    policies = cuda.to_device(np.full(2, RANDOM, dtype=np.int32))
    shared = mapped(context, cuda.to_device, linker.names)
    launcher = Launcher(run, "playouts", (shared, state, policies, rngs, work, played, rounds))

    def play_all() -> int:
        launcher(games)
        cuda.synchronize()
        return int(played.copy_to_host().sum())

    return play_all


def steps(games: int, opponent: str | None, seconds: float, columns: Any) -> dict[str, Any]:
    """Measure steps of the environment with random actions of the factored encoding, autoreset in the same step."""
    import torch

    from warlight_env.tensor_env import gpu
    from warlight_env.tensor_env.env import WarlightTensorEnv

    gpu.COLUMNS = frozenset(columns)
    gpu.GpuGames.__init__.__defaults__ = (gpu.COLUMNS,)
    began = time.perf_counter()
    opponents = {"player_1": opponent} if opponent else None
    env = WarlightTensorEnv(
        games, device="cuda", map="world", picking="random", opponents=opponents, autoreset_mode="NextStep",
    )  # fmt: skip
    env.reset(seed=1)
    torch.cuda.synchronize()
    made = time.perf_counter() - began
    limits = torch.as_tensor(np.array(env.limits), device="cuda")
    many = [
        {agent: (torch.rand((games, len(env.limits)), device="cuda") * limits).to(torch.int8) for agent in env.agents}
        for _ in range(4)
    ]
    for i in range(20):
        env.step(many[i % 4])
    torch.cuda.synchronize()
    count, began = 0, time.perf_counter()
    while time.perf_counter() - began < seconds:
        for i in range(8):
            env.step(many[i % 4])
        torch.cuda.synchronize()
        count += 8
    took = time.perf_counter() - began
    return {"games": games, "opponent": opponent, "columns": sorted(columns), "start_s": round(made, 1),
            "ms": round(1000 * took / count, 3), "million_steps_per_s": round(games * count / took / 1e6, 3),
            "bytes_per_game": env._games.bytes_per_game}  # fmt: skip


def main() -> None:
    """Print a table of speeds, and write them as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", help="the JSON file")
    parser.add_argument("--seconds", type=float, default=2.0, help="seconds of each measurement of steps")
    parser.add_argument("--only", choices=("playouts", "steps"), help="measure only one kind")
    parser.add_argument("--columns", default="", help="the trees in column layout, separated by commas")
    parser.add_argument("--games", type=int, nargs="*", default=[1, 64, 1024, 16384, 65536, 131072, 262144])
    arguments = parser.parse_args()
    rows: list[dict[str, Any]] = []
    columns = [name for name in arguments.columns.split(",") if name]
    if arguments.only != "steps":
        for games in arguments.games:
            for by_columns in (False, True):
                began = time.perf_counter()
                play = playouts(games, columns=by_columns)
                play()
                start, began = time.perf_counter() - began, time.perf_counter()
                played = play()
                took = time.perf_counter() - began
                rows.append({"playouts": games, "columns": by_columns, "start_s": round(start, 1),
                             "million_rounds_per_s": round(played / took / 1e6, 2)})  # fmt: skip
                print(rows[-1], flush=True)
    if arguments.only != "playouts":
        for opponent in ("random", "aggressive", None):
            for games in arguments.games:
                rows.append(steps(games, opponent, arguments.seconds, columns))
                print(rows[-1], flush=True)
    if arguments.out:
        with open(arguments.out, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)


if __name__ == "__main__":
    main()
