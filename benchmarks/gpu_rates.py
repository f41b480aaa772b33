"""Rates of games, PPO and other programs on a GPU, in units per second."""

from __future__ import annotations

import itertools
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

import timing

if TYPE_CHECKING:
    from warlight_env.tensor_env import WarlightTensorEnv

#: The number of games on the CPU.
CPU_GAMES: Final = 512
#: The number of rounds of a rollout of PPO.
LEARNER_ROUNDS: Final = 16
#: The number of steps in a call of the function that `random_steps` returns.
STEPS: Final = 4
#: The number of turns in a call of `simulate`.
TURNS: Final = 16


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
    from warlight_env.tensor_env.gpu import allocate, upload
    from warlight_env.tensor_env.launching import Launcher
    from warlight_env.tensor_env.linking import Linker, device_function
    from warlight_env.tensor_env.records import mapped, row_reader

    start = Playouts(1)
    linker = Linker()
    play = linker.device(play_games)
    workspace = make_workspace(start.board.n_regions, start.board.n_edges, 2)
    work = mapped(workspace, lambda array: array, linker.names)
    rows = device_function(row_reader(work))

    def run(context: Any, state: Any, policies: Any, rngs: Any, workspaces: Any, counts: Any, rounds: int) -> None:
        b = cuda.grid(1)
        if b < counts.shape[0]:
            counts[b] = play(context, state, b, b + 1, policies, rngs, rounds, rows(workspaces, b))

    random = np.random.default_rng(1)
    state = mapped(start.start, lambda array: allocate(array[0], games, False))
    state = state._replace(rng=upload(_generators(random, games)))
    fixed = (
        mapped(start.context, upload, linker.names), state, upload(np.full(2, RANDOM, dtype=np.int32)),
        upload(_generators(random, games, 2)), mapped(work, lambda array: allocate(array, games, False)),
        upload(np.zeros(games, dtype=np.int64)), ROUNDS,
    )  # fmt: skip
    launcher = Launcher(run, f"playouts {linker.digest(play_games)}", fixed)

    def play_all() -> None:
        launcher(games)
        cuda.synchronize()

    cuda.synchronize()
    elapsed = timing.seconds(play_all)
    return float(fixed[5].copy_to_host().sum()) / elapsed


def _generators(random: np.random.Generator, *shape: int) -> np.ndarray[Any, Any]:
    return random.integers(1, 2**63, (*shape, 2)).astype(np.uint64)


def steps(device: str, games: int, opponent: str | None, seconds: float) -> tuple[float, float, float]:
    """Return the steps per second of the environment with random factored actions, the seconds until its start, and the
    bytes of a game in the memory of a GPU (0 on the CPU).

    The step includes the check of actions, observations and masks of both seats, and new games in place of ended ones.
    """
    import torch

    from warlight_env.tensor_env import WarlightTensorEnv

    start = time.perf_counter()
    env = WarlightTensorEnv(
        games, device=device, map="world", picking="random", opponents={"player_1": opponent} if opponent else None
    )
    env.reset(seed=1)
    if device == "cuda":
        torch.cuda.synchronize()
    start_seconds = time.perf_counter() - start
    play = random_steps(env)
    play()
    rate = games * STEPS * timing.calls_per_second(play, seconds)
    return rate, start_seconds, getattr(env.device_games, "bytes_per_game", 0)


def random_steps(env: WarlightTensorEnv) -> Callable[[], None]:
    """Return a function that makes STEPS steps with random actions, and waits until the device has finished.

    All calls use the same actions. The actions belong to an encoding with limits of at most 127.
    """
    import torch

    limits = torch.as_tensor(np.array(env.limits), device=env.tensor_device)
    shape = env.num_envs, len(limits)
    actions = [
        {agent: (torch.rand(shape, device=env.tensor_device) * limits).to(torch.int8) for agent in env.agents}
        for _ in range(STEPS)
    ]

    def play() -> None:
        for several in actions:
            env.step(several)
        if env.device == "cuda":
            torch.cuda.synchronize()

    return play


def copied_bytes() -> float:
    """Return the bytes per second that a copy inside the memory of the GPU reads and writes."""
    import torch

    source = torch.zeros(2**30, dtype=torch.int8, device="cuda")
    target, copies = torch.empty_like(source), 10

    def copy() -> None:
        for _ in range(copies):
            target.copy_(source)
        torch.cuda.synchronize()

    copy()
    return 2 * copies * source.nbytes / timing.seconds(copy)


def learner_steps(device: str, games: int, seconds: float) -> float:
    """Return the steps per second of PPO on turns against `aggressive`: games, draws, advantages and one pass."""
    from warlight_env.train.common.journal import Journal
    from warlight_env.train.turn_ppo.run import TurnPpoRun
    from warlight_env.train.turn_ppo.settings import TurnPpoSettings

    settings = TurnPpoSettings(
        start="learned", critic="own", opponents=("aggressive",), n_envs=games, n_steps=LEARNER_ROUNDS, n_epochs=1,
        batch_size=min(games * LEARNER_ROUNDS, max(1024, games)), target_kl=1000.0, threads=1, holdout=(),
    )  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        run = TurnPpoRun(settings, Journal(Path(folder), {}), device=device)
        iterations = itertools.count()

        def learn() -> None:
            run.learn(next(iterations))

        learn()
        return games * LEARNER_ROUNDS * timing.calls_per_second(learn, seconds)


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
    return 50 * games / timing.seconds(lambda: jax.block_until_ready(play(carry)))


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
    return results * timing.calls_per_second(call, seconds)
