"""Measure the games on a GPU: ``python benchmarks/bench.py gpu`` prints rates and their ratios to one core of the CPU.

It measures random playouts, steps of the environment, and steps of PPO on turns. With the package ``pgx`` it also
measures PGX's backgammon, which is PGX's closest game: turns of two players with dice. ``--json runs/gpu.json`` also
writes the numbers to a file. ``python benchmarks/bench.py gpu --page runs/gpu.json`` writes docs/results/gpu.md.
"""

from __future__ import annotations

import argparse
import datetime
import importlib.util
import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import gpu_page
import numpy as np
from provenance import ProvenanceError, checkout

#: The numbers of games.
GAMES: Final = (1, 64, 1024, 16384, 65536, 131072, 262144)
#: The numbers of games of a rollout of PPO.
LEARNER_GAMES: Final = (1024, 16384, 65536)
#: The number of games on the CPU.
CPU_GAMES: Final = 512
#: The number of rounds of a rollout of PPO.
LEARNER_ROUNDS: Final = 16


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


def steps(device: str, games: int, opponent: str | None, seconds: float) -> tuple[float, float, float]:
    """Return the steps per second of the environment with random factored actions, the seconds until its start, and the
    bytes of a game in the memory of a GPU (0 on the CPU).

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
    return games * count / (time.perf_counter() - began), start, getattr(env.device_games, "bytes_per_game", 0)


def copied_bytes() -> float:
    """Return the bytes per second that a copy inside the memory of the GPU reads and writes."""
    import torch

    source = torch.zeros(2**30, dtype=torch.int8, device="cuda")
    target = torch.empty_like(source)
    for count in (2, 10):  # the first copies are a warm-up
        torch.cuda.synchronize()
        began = time.perf_counter()
        for _ in range(count):
            target.copy_(source)
        torch.cuda.synchronize()
        took = time.perf_counter() - began
    return 2 * count * source.nbytes / took


def learner_steps(device: str, games: int, seconds: float) -> float:
    """Return the steps per second of PPO on turns against `aggressive`: games, draws, advantages and one pass."""
    import tempfile

    from warlight_env.train.common.journal import Journal
    from warlight_env.train.turn_ppo.run import TurnPpoRun
    from warlight_env.train.turn_ppo.settings import TurnPpoSettings

    settings = TurnPpoSettings(
        start="learned", critic="own", opponents=("aggressive",), n_envs=games, n_steps=LEARNER_ROUNDS, n_epochs=1,
        batch_size=min(games * LEARNER_ROUNDS, max(1024, games)), target_kl=1000.0, threads=1, holdout=(),
    )  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        run = TurnPpoRun(settings, Journal(Path(folder), {}), device=device)
        run.learn(0)
        count, began = 0, time.perf_counter()
        while count == 0 or time.perf_counter() - began < seconds:
            count += 1
            run.learn(count)
        return count * games * LEARNER_ROUNDS / (time.perf_counter() - began)


def pgx_steps(games: int) -> float:
    """Return the steps per second of PGX's backgammon with random moves; one player moves in each step."""
    import jax
    import jax.numpy as jnp
    import pgx
    from pgx.experimental import auto_reset

    env = pgx.make("backgammon")
    step = auto_reset(env.step, env.init)

    def one(carry: Any, _: Any) -> Any:
        state, key = carry
        key, draw, dice = jax.random.split(key, 3)
        actions = jax.random.categorical(draw, jnp.log(state.legal_action_mask.astype(jnp.float32)), axis=-1)
        return (jax.vmap(step)(state, actions, jax.random.split(dice, games)), key), None

    play = jax.jit(lambda carry: jax.lax.scan(one, carry, None, length=50)[0])
    key = jax.random.PRNGKey(0)
    carry = jax.block_until_ready(play((jax.jit(jax.vmap(env.init))(jax.random.split(key, games)), key)))
    began = time.perf_counter()
    jax.block_until_ready(play(carry))
    return 50 * games / (time.perf_counter() - began)


class Table:
    """The rows of the measurement; it prints each new row."""

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []

    def add(self, what: str, games: int, rate: float, core: float | None, **more: float) -> None:
        """Add a rate. core: the rate of one core of the CPU; None if the program does not run on the CPU."""
        ratio = None if core is None else rate / core
        self.rows.append({"what": what, "games": games, "per_second": rate, "to_one_core": ratio, **more})
        parts = [f"{what:34} {games:7} games {rate / 1e6:9.3f} M/s"]
        parts += [] if ratio is None else [f"{ratio:8.1f} x one core"]
        print("  ".join([*parts, *(f"{name} {value:.2f}" for name, value in more.items())]), flush=True)


def measure(games: Sequence[int], seconds: float) -> list[dict[str, Any]]:
    """Measure everything, print it, and return the rows."""
    table = Table()
    core = cpu_playouts()
    table.add("random playouts, rounds, CPU", CPU_GAMES, core, core)
    for count in games:
        table.add("random playouts, rounds", count, gpu_playouts(count), core)
    bandwidth = copied_bytes()
    for opponent in ("random", "aggressive", None):
        what = f"steps against {opponent}" if opponent else "steps, both seats are agents"
        core, *_ = steps("cpu", CPU_GAMES, opponent, seconds)
        table.add(f"{what}, CPU", CPU_GAMES, core, core)
        for count in games:
            rate, start, size = steps("cuda", count, opponent, seconds)
            table.add(what, count, rate, core, first_step_s=start, share_of_bandwidth=rate * size / bandwidth)
    core = learner_steps("cpu", 256, seconds)
    table.add("steps of PPO on turns, CPU", 256, core, core)
    for count in LEARNER_GAMES:
        if count <= max(games):
            table.add("steps of PPO on turns", count, learner_steps("cuda", count, seconds), core)
    if importlib.util.find_spec("pgx") is None:
        print("pgx is not installed, so there is no row for PGX's backgammon")
    else:
        for count in (count for count in games if count >= 1024):
            table.add("PGX, backgammon, steps", count, pgx_steps(count), None)
    return table.rows


def main(words: Sequence[str]) -> int:
    """Print the table, or write the page. words: the command line after ``gpu``."""
    parser = argparse.ArgumentParser(prog="bench.py gpu", description=__doc__)
    parser.add_argument("--json", type=Path, help="the file for the numbers")
    parser.add_argument("--games", type=int, nargs="+", default=GAMES, help="numbers of games")
    parser.add_argument("--seconds", type=float, default=2.0, help="seconds of each measurement of steps")
    parser.add_argument("--commit", help="the commit of these sources, for --json outside a Git checkout")
    parser.add_argument("--page", type=Path, metavar="FILE", help="measure nothing; write the page from this file")
    given = parser.parse_args(words)
    if given.page is not None:
        gpu_page.write(given.page)
        return 0
    made = facts(given.commit) if given.json is not None else {}

    from numba import cuda

    from warlight_env.tensor_env import toolkit

    toolkit.require()
    name = cuda.get_current_device().name
    made["gpu"] = name.decode() if isinstance(name, bytes) else name
    print(f"GPU: {made['gpu']}")
    rows = measure(given.games, given.seconds)
    if given.json is not None:
        given.json.write_text(json.dumps({**made, "rows": rows}, indent=1) + "\n", encoding="utf-8")
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
