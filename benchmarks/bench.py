"""Measure speeds: ``python benchmarks/bench.py`` prints rates, and ratios to other rates of the same run.

``python benchmarks/bench.py --json runs/speeds.json`` also writes them to a file, and
``python benchmarks/bench.py page runs/speeds.json`` writes docs/results/speeds.md from such files of one commit.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import speeds_page
from environments import bench_all_seats, bench_maps, bench_own, bench_sb3, bench_simulate, bench_vector
from networks import bench_networks
from playouts import Playouts

import cpp_baseline
from external_bot import bench_hosting
from logs import bench_log
from searches import bench_deadlines, bench_search, bench_trees
from speed_table import Row, not_installed, run_parts
from timing import build_c_loop, c_processes, interleaved, seconds, temporary_folder
from training import bench_training, bench_turn_ppo
from warlight_env.agents.players.aggressive import AggressiveAgent
from warlight_env.agents.players.batch_games import AGGRESSIVE
from warlight_env.engine.position import compact_size, make_position, pack, unpack
from warlight_env.engine.rng import derive_seed
from warlight_env.engine.state import OVER


def bench_playouts(quick: bool) -> list[Row]:
    """Measure random playouts, also relative to the same playouts in C++, and aggressive playouts."""
    playouts = Playouts(1000 if quick else 5000)
    playouts.play()
    rows = []
    functions = {"kernel": playouts.rate}
    library = cpp_baseline.build()
    if library is not None:

        def cpp() -> float:
            _, rounds, wall = playouts.play_in_cpp(library)
            return rounds / wall

        functions["cpp"] = cpp
    rates = interleaved(functions, 3 if quick else 9)
    rows.append(
        Row("random playouts, one core", "≥ 1 M rounds/s", f"{rates['kernel'] / 1e6:.2f} M/s", rates["kernel"],
            rates["kernel"] >= 1e6)
    )  # fmt: skip
    if "cpp" in rates:
        ratio = rates["kernel"] / rates["cpp"]
        rows.append(Row("… as a share of portable C++", "≥ 0.6", f"{ratio:.2f}", ratio, ratio >= 0.6))
    aggressive = interleaved({"": lambda: playouts.rate(AGGRESSIVE)}, 3)[""]
    rows.append(Row("aggressive playouts, one core", "–", f"{aggressive / 1e6:.2f} M/s", aggressive, None))
    return rows


def bench_threads(quick: bool) -> list[Row]:
    """Measure the speed-up by two threads, relative to the speed-up by two processes of a plain C loop."""
    if (os.cpu_count() or 1) < 2:
        return [Row("two threads", "≥ 0.95", "one core only", float("nan"), None)]
    playouts = Playouts(4000 if quick else 20_000)
    playouts.play()
    with temporary_folder() as folder:
        library = build_c_loop(Path(folder))
        if library is None:
            return [Row("two threads", "≥ 0.95", "no C compiler", float("nan"), None)]
        n = 300_000_000 if quick else 1_000_000_000
        rates = interleaved(
            {
                "one": playouts.rate,
                "c one": lambda: c_processes(library, 1, n),
                "two": lambda: playouts.rate(threads=2),
                "c two": lambda: c_processes(library, 2, n),
            },
            3 if quick else 7,
        )
    speedup, c_speedup = rates["two"] / rates["one"], rates["c two"] / rates["c one"]
    share = speedup / c_speedup
    text = f"{share:.3f} ({speedup:.2f} × against {c_speedup:.2f} ×)"
    return [Row("two threads, share of two C processes", "≥ 0.95", text, share, share >= 0.95)]


def bench_core(quick: bool) -> list[Row]:
    """Measure the core of the environments: a batch of games, factored actions, graph observations, masks."""
    from warlight_env.envs.core import EnvCore

    batch = 1024
    core = EnvCore("world", batch=batch, picking="random")
    core.reset([derive_seed(1, b) for b in range(batch)])
    rng = np.random.default_rng(0)
    steps, repeats = 40, 3 if quick else 9
    playouts, rates, shares, illegal = Playouts(1000), [], [], 0
    playouts.play()
    for repeat in range(repeats + 1):
        core.reset([derive_seed(repeat, b) for b in range(batch)])
        wall, rounds = 0.0, 0
        for _ in range(steps):
            rows = core.out.mask.reshape(batch, 2, -1, 5)
            actions = (rng.integers(0, 5, size=rows.shape[:3]) * rows[..., 4]).astype(np.int8)
            rounds += int((core.state.phase != OVER).sum())
            wall += seconds(lambda actions=actions: core.step(actions))
            illegal += int(core.out.illegal.sum())
        rates.append(rounds / wall)
        shares.append(rounds / wall / playouts.rate())
    assert illegal == 0, "a legal action was counted as illegal"
    rate, share = float(np.median(rates[1:])), float(np.median(shares[1:]))
    label = f"env core, B = {batch}: actions, round, observations, masks"
    return [
        Row(label, "≥ 400,000 steps/s", f"{rate:,.0f}/s", rate, rate >= 400_000),
        Row("… for each round of random playouts", "≥ 0.25", f"{share:.3f}", share, share >= 0.25),
    ]


def bench_parallel(quick: bool) -> list[Row]:
    """Measure `parallel_env.step` with legal random actions of both players in one game."""
    from warlight_env import warlight_v0

    env = warlight_v0.parallel_env(picking="random")
    rng = np.random.default_rng(0)
    n = env.action_space("player_0").shape[0]
    playouts, rates, shares, seed, steps = Playouts(1000), [], [], 0, 500
    playouts.play()
    observations, _ = env.reset(seed=seed)
    for _ in range(6 if quick else 40):
        wall = 0.0
        for _ in range(steps):
            if not env.agents:
                seed += 1
                observations, _ = env.reset(seed=seed)
            actions = {
                agent: rng.integers(0, 5, size=n) * observations[agent]["action_mask"].reshape(n, 5)[:, 4]
                for agent in env.agents
            }
            start = time.perf_counter()
            observations, *_ = env.step(actions)
            wall += time.perf_counter() - start
        rates.append(steps / wall)
        shares.append(steps / wall / playouts.rate())
    rate, share = float(np.median(rates[1:])), float(np.median(shares[1:]))
    return [
        Row("parallel_env.step, factored", "≥ 10,000/s", f"{rate:,.0f}/s", rate, rate >= 10_000),
        Row("… for each round of random playouts", "≥ 0.012", f"{share:.4f}", share, share >= 0.012),
    ]


def bench_game(quick: bool) -> list[Row]:
    """Measure `Game.clone`, a round in a clone, and the compact form of a position."""
    from warlight_env.game import Game

    game = Game("world", seed=1, picks="random")
    turns = [AggressiveAgent(player).act(game.view(player)) for player in range(2)]
    n = 20_000 if quick else 200_000

    def clone_often() -> None:
        for _ in range(n):
            game.clone()

    def clones() -> float:
        return n / seconds(clone_often)

    def rounds_in_place() -> None:
        for _ in range(n // 20):
            game.play_round(turns)
            game.undo()

    def rounds_in_clones() -> None:
        for seed in range(n // 20):
            game.clone(seed=seed).play_round(turns)

    rates = interleaved(
        {
            "clones": clones,
            "in place": lambda: n // 20 / seconds(rounds_in_place),
            "in clones": lambda: n // 20 / seconds(rounds_in_clones),
        },
        5,
    )
    rate, ratio = rates["clones"], rates["in place"] / rates["in clones"]
    position = game.view(0).position
    packed, back = np.zeros(compact_size(len(position.owner)), dtype=np.uint8), make_position(len(position.owner))
    assert pack(position, packed)
    unpack(packed, back)
    assert all(map(np.array_equal, position, back))
    return [
        Row("Game.clone() from Python", "≥ 200,000/s", f"{rate:,.0f}/s", rate, rate >= 200_000),
        Row("Game.play_round() and undo()", "–", f"{rates['in place']:,.0f}/s", rates["in place"], None),
        Row("… duration of clone(seed) and play_round(), divided by this", "≤ 2", f"{ratio:.2f}", ratio, ratio <= 2),
        Row("a state in its compact form, 42 regions", "≤ 128 bytes", f"{packed.nbytes} bytes", packed.nbytes,
            packed.nbytes <= 128),
    ]  # fmt: skip


def bench_start(quick: bool) -> list[Row]:
    """Measure the time from the start of the process to the end of the first game or move, including compilation."""
    rows = []
    for bots, label, cold in (
        (("random", "aggressive"), "first match of two bots", 20.0),
        (("mcts:sims=2", "aggressive"), "first match of mcts:sims=2", 45.0),
    ):
        with tempfile.TemporaryDirectory() as folder:
            environment = {**os.environ, "WARLIGHT_CACHE_DIR": folder}
            for name, limit in (("nothing cached", cold), ("cached", 2.0)):
                command = [sys.executable, "-m", "warlight_env", "match", *bots, "--games", "1", "--json"]
                start = time.perf_counter()
                subprocess.run(command, env=environment, check=True, capture_output=True, cwd=folder)
                wall = time.perf_counter() - start
                text = f"{wall:.1f} s"
                rows.append(Row(f"{label}, {name}, first game included", f"≤ {limit:.0f} s", text, wall, wall <= limit))
    return rows


def bench_learning(quick: bool) -> list[Row]:
    """Measure learning with PPO, if its libraries are installed."""
    try:
        import learning
    except ImportError as error:
        return [not_installed("PPO on factored, 16 games", "≥ 10 ×", error)]
    return learning.bench_learning(quick)


PARTS = {
    "playouts": bench_playouts,
    "threads": bench_threads,
    "core": bench_core,
    "parallel": bench_parallel,
    "game": bench_game,
    "start": bench_start,
    "search": bench_search,
    "trees": bench_trees,
    "deadlines": bench_deadlines,
    "networks": bench_networks,
    "training": bench_training,
    "turns": bench_turn_ppo,
    "log": bench_log,
    "hosting": bench_hosting,
    "vector": bench_vector,
    "all-seats": bench_all_seats,
    "simulate": bench_simulate,
    "sb3": bench_sb3,
    "own": bench_own,
    "maps": bench_maps,
    "learning": bench_learning,
}


if __name__ == "__main__":
    if sys.argv[1:2] == ["page"]:
        sys.exit(speeds_page.main(sys.argv[2:]))
    if sys.argv[1:2] == ["gpu"]:
        import gpu

        sys.exit(gpu.main(sys.argv[2:]))
    run_parts("bench.py", PARTS, __doc__)
