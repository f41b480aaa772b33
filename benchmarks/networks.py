"""Speed of the networks on one core: values of leaves, turns in full, and the fit that teaches such turns."""

from __future__ import annotations

import time

import numpy as np

from measure import interleaved
from rows import Row, not_installed
from warlight_env import Game
from warlight_env.agents import make_agent
from warlight_env.agents.context import Context
from warlight_env.agents.generator_work import GeneratorWork, make_generator_work
from warlight_env.agents.plug_ins import make_context
from warlight_env.agents.turn_net.turn_file import LEARNED, load_turns
from warlight_env.agents.turn_net.turns import network_turn
from warlight_env.agents.value.network import network_share
from warlight_env.agents.value_record import load_value
from warlight_env.agents.weights import PLANNING
from warlight_env.engine.jit import kernel
from warlight_env.engine.kernel_types import Armies, AttackRows, Int, RandomState, Real
from warlight_env.engine.position import Position
from warlight_env.engine.rng import make_rng

#: Positions that are looked at, in turn.
POSITIONS = 64


def positions() -> Position:
    """Positions of games between bots on the world: owner int8[K, N], army int32[K, N], round int32[K, 1]."""
    seen: list[tuple[object, ...]] = []
    seed = 0
    while len(seen) < POSITIONS:
        game = Game("world", seed=seed, picks="random")
        bots = [make_agent("aggressive", seed), make_agent("plan", seed)]
        while not game.done and game.round < 20 and len(seen) < POSITIONS:
            seen.append((game.owner.copy(), game.army.copy(), [game.round]))
            game.play_round([bot.act(game.view(seat)) for seat, bot in enumerate(bots)])
        seed += 1
    owner, army, rounds = zip(*seen, strict=True)
    return Position(np.array(owner, dtype=np.int8), np.array(army, dtype=np.int32), np.array(rounds, dtype=np.int32))


@kernel
def _leaves(context: Context, stack: Position, times: Int) -> Real:
    total = 0.0
    for i in range(times):
        k = i % stack.owner.shape[0]
        total += network_share(context, Position(stack.owner[k], stack.army[k], stack.round[k]), 0)
    return total


@kernel
def _turns(
    context: Context, stack: Position, times: Int, heat: Real, rng: RandomState, work: GeneratorWork, deploy: Armies,
    attacks: AttackRows,
) -> Int:  # fmt: skip
    total = 0
    for i in range(times):
        k = i % stack.owner.shape[0]
        position = Position(stack.owner[k], stack.army[k], stack.round[k])
        total += network_turn(context, position, 0, heat, rng, work, deploy, attacks)
    return total


def _fit_rate(stack: Position, steps: int) -> float:
    """Turns a second that a fit of batches of 256 learns from, on one core."""
    import torch

    from warlight_env.train.torch_threads import one_thread
    from warlight_env.train.turn_batches import TurnRows, make_batch
    from warlight_env.train.turn_loss import turn_loss
    from warlight_env.train.turn_module import TurnModule, board_tensors

    size, draw = 256, np.random.default_rng(1)
    game = Game("world", seed=1)
    view = game.view(0)
    context = make_context(view.board, view.params, 2, PLANNING)
    work = make_generator_work(view.board.n_regions, view.board.n_edges, 2)
    which = draw.integers(0, POSITIONS, size)
    rows = TurnRows(
        stack.owner[which], stack.army[which], stack.round[which, 0], np.zeros(size, dtype=np.int64),
        draw.integers(0, 5, (size, view.board.n_regions + 2 * view.board.n_edges)).astype(np.int8),
        np.eye(2, dtype=np.float32)[draw.integers(0, 2, size)],
    )  # fmt: skip
    with one_thread():
        module, tensors = TurnModule(torch.Generator().manual_seed(1)), board_tensors(view.board)
        optimizer = torch.optim.AdamW(module.parameters(), lr=1e-4)
        start = time.perf_counter()
        for _ in range(steps):
            loss = sum(turn_loss(module, tensors, make_batch(context, work.net, rows)))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        return steps * size / (time.perf_counter() - start)


def bench_networks(quick: bool) -> list[Row]:
    """The bundled value and turn networks on positions of the world map."""
    stack, repeats = positions(), 3 if quick else 7
    view = Game("world", seed=1).view(0)
    context = make_context(
        view.board, view.params, 2, PLANNING, value=load_value("learned"), turns=load_turns(LEARNED)
    )  # fmt: skip
    n, e = view.board.n_regions, view.board.n_edges
    work, rng = make_generator_work(n, e, 2), make_rng(1)
    deploy, attacks = np.zeros(n, dtype=np.int32), np.zeros((e, 3), dtype=np.int32)
    many, few = 20_000 if quick else 200_000, 1_000 if quick else 5_000

    def leaves() -> float:
        start = time.perf_counter()
        _leaves(context, stack, many)
        return many / (time.perf_counter() - start)

    def turns() -> float:
        start = time.perf_counter()
        _turns(context, stack, few, 1.0, rng, work, deploy, attacks)
        return few / (time.perf_counter() - start)

    leaves(), turns()  # compiles
    works = {"leaves": leaves, "turns": turns}
    try:
        _fit_rate(stack, 1)
        works["fit"] = lambda: _fit_rate(stack, 10 if quick else 40)
    except ImportError as error:
        missing = [not_installed("turns that a fit learns from", "–", error)]
    else:
        missing = []
    rates = interleaved(works, repeats)
    rows = [
        Row("values of leaves by the network, one core", "≥ 100,000/s", f"{rates['leaves']:,.0f}/s", rates["leaves"],
            rates["leaves"] >= 100_000),
        Row("turns in full by policy:any, one core", "–", f"{rates['turns']:,.0f}/s", rates["turns"], None),
    ]  # fmt: skip
    if "fit" in rates:
        rows.append(
            Row("turns that a fit learns from, one core", "–", f"{rates['fit']:,.0f}/s", rates["fit"], None)
        )  # fmt: skip
    return rows + missing
