"""Rates of games, PPO and other programs on a GPU, in units per second."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np

#: The number of games on the CPU.
CPU_GAMES: Final = 512
#: The number of rounds of a rollout of PPO.
LEARNER_ROUNDS: Final = 16
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
