"""Use one object in several threads: ``python tests/thread_stress.py --seconds 600 --jobs 4 [NAME ...]``.

Each call must return a legal result or raise ConcurrentUseError. A failure is a signal, an illegal turn, any other
error, or an object that does not work afterwards. With --jobs, each name runs in a new process.
"""

from __future__ import annotations

import argparse
import contextlib
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from warlight_env import Game, maps
from warlight_env.agents import make_agent
from warlight_env.agents.players.mcts.agent import MctsAgent
from warlight_env.engine.orders import Orders
from warlight_env.engine.rules import Rules
from warlight_env.errors import InputError
from warlight_env.thread_ownership import ConcurrentUseError

THREADS = 3
#: Pause in seconds after a refused call. Without a pause, refused calls would take most of the time.
PAUSE = 1e-4
MAPS = ("small", "world")

Call = Callable[[np.random.Generator], Any]

AGENTS = (
    "random", "aggressive", "smart_random", "one_big_army", "one_ply", "plan", "nash:sims=40", "mcts:sims=60",
    "mcts_thesis:sims=60", "pmcts:sims=60", "flat_mc:sims=60", "minimax2:sims=200", "maxn:sims=200", "policy:any",
    "policy:world", "belief:mcts:sims=40", "belief:plan",
)  # fmt: skip


@dataclass
class Shared:
    """An object that several threads share, with their calls and a final check in one thread.

    `used` is the object that refuses calls of a second thread: the shared object, or an object inside it.
    """

    used: object
    calls: Sequence[Call]
    works: Callable[[], Any]
    allowed: tuple[type[BaseException], ...] = ()  #: errors that are correct if another thread was faster


@dataclass
class Counts:
    """The numbers of calls by their results."""

    done: int = 0
    refused: int = 0
    failures: Counter[str] = field(default_factory=Counter)


def hammer(shared: Shared, seconds: float) -> Counts:
    """Make each call once, make random calls from all threads for some seconds, then check the object."""
    for call in shared.calls:  # the first call compiles kernels
        with contextlib.suppress(*shared.allowed):
            call(np.random.default_rng(0))
    counts, lock, end = Counts(), threading.Lock(), time.monotonic() + seconds

    def run(seed: int) -> None:
        rng, done, refused, failures = np.random.default_rng(seed), 0, 0, Counter[str]()
        while time.monotonic() < end:
            call = shared.calls[rng.integers(len(shared.calls))]
            try:
                call(rng)
                done += 1
            except ConcurrentUseError:
                refused += 1
                time.sleep(PAUSE)
            except shared.allowed:
                done += 1
            except Exception as error:
                failures[f"{type(error).__name__}: {error}"] += 1
        with lock:
            counts.done += done
            counts.refused += refused
            counts.failures += failures

    threads = [threading.Thread(target=run, args=(seed,)) for seed in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    try:
        shared.works()
    except Exception as error:
        counts.failures[f"afterwards {type(error).__name__}: {error}"] += 1
    return counts


def _legal(game: Game, player: int, orders: Orders) -> None:
    illegal = game.check(player, orders)
    if illegal:
        raise AssertionError(f"illegal: {illegal[0]}")


def agent(spec: str) -> Shared:
    """An agent that plays on two maps."""
    rules = "challenge2" if spec.startswith("belief") else "thesis"
    starts = [Game(name, rules, seed=3, picks="random") for name in MAPS if not ("world" in spec and name == "small")]
    views = [game.view(0) for game in starts]
    picking = Game(starts[0].map, rules, seed=4)
    picks = picking.view(0)
    shared = make_agent(spec, 1)

    def act(rng: np.random.Generator) -> None:
        k = int(rng.integers(len(starts)))
        orders = shared.act(views[k])
        _legal(starts[k].clone(), 0, orders)

    def pick(rng: np.random.Generator) -> None:
        assert set(shared.pick(picks)) <= set(picks.offers)

    def think(rng: np.random.Generator) -> None:
        shared.last_search()
        shared.search_policy()
        shared.insight()

    act(np.random.default_rng(0))
    return Shared(shared, [act, act, act, pick, think], lambda: act(np.random.default_rng(1)))


def search() -> Shared:
    """The search of an `AnytimeAgent`."""
    game = Game("small", seed=3, picks="random")
    view, player = game.view(0), MctsAgent(1, sims=40)
    player.act(view)
    shared = player.search

    def best(rng: np.random.Generator) -> None:
        _legal(game.clone(), 0, shared.best())

    return Shared(
        shared,
        [
            lambda rng: shared.run(20), lambda rng: shared.improve_by_local_search(20), best,
            lambda rng: shared.candidates(), lambda rng: shared.statistics(),
            lambda rng: shared.begin(view, int(rng.integers(100))), lambda rng: shared.agreed,
        ],
        lambda: best(np.random.default_rng(1)),
    )  # fmt: skip


def game() -> Shared:
    """A `Game`."""
    bot, shared = make_agent("random", 1), Game("small", "thesis", seed=3, picks="random")
    lock = threading.Lock()

    def play(rng: np.random.Generator) -> None:
        view = shared.view(0)
        if view.phase != "play":
            shared.undo()
            return
        with lock:
            orders = bot.act(view)
        shared.play_round({0: orders}, on_illegal="skip")

    def clone(rng: np.random.Generator) -> None:
        other = shared.clone(seed=int(rng.integers(100)))
        if not other.done:
            other.play_round({}, on_illegal="skip")
        Game.from_dict(other.to_dict())

    def hashes(rng: np.random.Generator) -> None:
        assert len(shared.hash()) == 64
        assert len(shared.fingerprint()) == 16

    return Shared(
        shared,
        [
            play,
            play,
            clone,
            hashes,
            lambda rng: shared.undo(),
            lambda rng: shared.reseed(int(rng.integers(100))),
            lambda rng: shared.view(1),
            lambda rng: shared.changed(),
        ],
        lambda: Game.from_dict(shared.to_dict()).view(0),
        (InputError,),
    )


def core() -> Shared:
    """An `EnvCore`."""
    from warlight_env.envs.core import EnvCore

    shared = EnvCore("small", batch=8, action="factored")
    shared.reset(range(8))
    start = shared.snapshot()
    rows = np.zeros((8, shared.slots, shared.row_size), dtype=np.int64)

    def restore(rng: np.random.Generator) -> None:
        shared.restore(start)

    def clone(rng: np.random.Generator) -> None:
        other = shared.clone()
        other.restore(other.snapshot())
        other.step(rows)

    return Shared(
        shared,
        [
            lambda rng: shared.step(rows), lambda rng: shared.step(rows), lambda rng: shared.reset(range(8)), restore,
            clone, lambda rng: shared.view(0), lambda rng: shared.mask(0), lambda rng: shared.refresh_observations(),
            lambda rng: shared.snapshot(),
        ],
        lambda: clone(np.random.default_rng(0)),
        (InputError,),
    )  # fmt: skip


def front(name: str) -> Shared:
    """One of the environment classes."""
    from gymnasium import error

    from warlight_env import warlight_v0
    from warlight_env.envs import sb3
    from warlight_env.envs.many_maps import WarlightMapsEnv, WarlightMapsVectorEnv
    from warlight_env.envs.single import WarlightEnv
    from warlight_env.envs.vector import WarlightVectorEnv

    small: dict[str, Any] = {"map": "small", "action": "strategies"}
    makers: dict[str, Callable[[], Any]] = {
        "single": lambda: WarlightEnv(**small),
        "vector": lambda: WarlightVectorEnv(4, **small),
        "maps": lambda: WarlightMapsEnv(map=["small", "world"], action="factored"),
        "maps_vector": lambda: WarlightMapsVectorEnv(4, map=["small", "world"], action="factored"),
        "sb3": lambda: sb3.make_vec_env(4, seed=1, **small),
        "parallel": lambda: warlight_v0.parallel_env(**small),
        "aec": lambda: warlight_v0.env(**small),
    }
    shared = makers[name]()
    shared.reset(**({} if name == "sb3" else {"seed": 1}))

    def step(rng: np.random.Generator) -> None:
        if name == "aec":
            agent = shared.agent_selection
            shared.step(None if shared.terminations[agent] or shared.truncations[agent] else 0)
        elif name == "parallel":
            shared.step(dict.fromkeys(shared.agents, 0))
        elif name == "sb3":
            shared.step(np.zeros(4, dtype=np.int64))
        elif name in ("maps", "maps_vector"):
            shared.step(np.zeros(shared.action_space.shape, dtype=np.int64))
        else:
            shared.step(0 if name == "single" else np.zeros(4, dtype=np.int64))

    def wait(rng: np.random.Generator) -> None:
        shared.step_async(np.zeros(4, dtype=np.int64))
        shared.step_wait()

    def reset(rng: np.random.Generator) -> None:
        shared.reset()

    # PettingZoo's turn-based environment and its wrappers have additional state in Python.
    allowed = (Exception,) if name == "aec" else (InputError, error.Error)

    def works() -> None:
        shared.reset()
        step(np.random.default_rng(0))

    calls: list[Call] = [step, step, step, reset]
    if name == "parallel":
        calls += [lambda rng: shared.set_state(shared.get_state()), lambda rng: shared.clone().reset()]
    elif name == "sb3":
        calls += [lambda rng: shared.seed(int(rng.integers(100))), lambda rng: shared.set_options({"seat": 1}), wait]
    elif name == "maps_vector":
        calls += [lambda rng: shared.set_maps(["small"])]
    return Shared(shared.unwrapped, calls, works, allowed)


def describer() -> Shared:
    """A `FeatureExtractor`."""
    from warlight_env.engine.board import make_board
    from warlight_env.features.extraction import FeatureExtractor

    board = make_board(maps.load("world"))
    shared = FeatureExtractor(board, Rules.of("thesis"), 2, 100)
    owner = np.zeros((64, board.n_regions), dtype=np.int8)
    ones, none = np.ones_like(owner, dtype=np.int32), np.zeros(64, dtype=np.int32)
    expected = shared(owner, ones, none, none, none)

    def same(rng: np.random.Generator) -> None:
        assert (shared(owner, ones, none, none, none) == expected).all()

    return Shared(shared, [same], lambda: same(np.random.default_rng(0)))


def rollouts() -> Shared:
    """A trainer's `Rollouts`."""
    from warlight_env.agents.plug_ins.functions import Functions, make_context
    from warlight_env.agents.turn_net.choice import load_networks
    from warlight_env.agents.turn_net.turns import sampled_turn
    from warlight_env.agents.weights import THESIS
    from warlight_env.train.common.game_configs import GameConfig
    from warlight_env.train.turn_ppo.rollouts import Rollouts

    config = GameConfig(maps.load("small"), Rules.of("thesis"), 2)
    networks = load_networks("learned")
    assert networks is not None
    net = networks.for_known_position(Game("small", seed=1, picks="random").view(0))
    context = make_context(
        config.board, config.params, 2, THESIS, functions=Functions(policy=sampled_turn), turns=net
    )  # fmt: skip
    shared = Rollouts(config, 4, 3, 10, 1)
    met = np.zeros(4, dtype=np.int64)

    def play(rng: np.random.Generator) -> None:
        shared.play(context, [context], met, int(rng.integers(100)), False)

    return Shared(shared, [play], lambda: play(np.random.default_rng(0)))


FRONTS = ("single", "vector", "maps", "maps_vector", "sb3", "parallel", "aec")

SUBJECTS: dict[str, Callable[[], Shared]] = {
    "Game": game, "EnvCore": core, "search": search, "FeatureExtractor": describer,
    "Rollouts": rollouts, **{name: lambda name=name: front(name) for name in FRONTS},
    **{spec: lambda spec=spec: agent(spec) for spec in AGENTS},
}  # fmt: skip


def report(name: str, seconds: float, must_refuse: bool = False) -> bool:
    """Test one object in this process and print a line; return whether nothing failed."""
    counts = hammer(SUBJECTS[name](), seconds)
    if must_refuse and counts.refused == 0:
        counts.failures["no call was refused"] += 1
    failures = "; ".join(f"{count} x {reason}"[:300] for reason, count in counts.failures.most_common(3))
    print(f"{name:22}{counts.done:>10} done{counts.refused:>12} refused   {failures or 'ok'}", flush=True)
    return not counts.failures


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(SUBJECTS))
    parser.add_argument("--seconds", type=float, default=10.0, help="of each name")
    parser.add_argument("--jobs", type=int, default=0, help="processes at once; 0: one process for all")
    parser.add_argument("--must-refuse", action="store_true", help="a name of which no call was refused is a failure")
    options = parser.parse_args(arguments)
    names = options.names or list(SUBJECTS)
    for name in names:
        if name not in SUBJECTS:
            parser.error(f"no subject {name!r}; there are {', '.join(SUBJECTS)}")
    if options.jobs == 0:
        failed = sum(not report(name, options.seconds, options.must_refuse) for name in names)
        return min(failed, 1)

    def alone(name: str) -> bool:
        command = [sys.executable, str(Path(__file__)), name, "--seconds", str(options.seconds)]
        command += ["--must-refuse"] * options.must_refuse
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        print(done.stdout, end="", flush=True)
        if done.returncode < 0 or (done.returncode and not done.stdout):
            print(f"{name:22} ended with {done.returncode}: {done.stderr[-500:]}", flush=True)
        return done.returncode == 0

    with ThreadPoolExecutor(options.jobs) as pool:
        return 0 if all(list(pool.map(alone, names))) else 1


if __name__ == "__main__":
    sys.exit(main())
