"""Speed of the networks: value network at leaves, turn network for whole turns, and PPO updates of the turn network."""

from __future__ import annotations

import time

import numpy as np

from speed_table import Row, not_installed
from timing import interleaved
from warlight_env import Game
from warlight_env.agents import make_agent
from warlight_env.agents.context import Context
from warlight_env.agents.plug_ins.functions import make_context
from warlight_env.agents.records.generator_work import GeneratorWork, make_generator_work
from warlight_env.agents.records.turn_record import TurnNetwork
from warlight_env.agents.records.value_record import load_value
from warlight_env.agents.turn_net.turn_network_file import LEARNED, load_turn_network
from warlight_env.agents.turn_net.turns import network_turn
from warlight_env.agents.value.network import network_share
from warlight_env.agents.weights import PLANNING
from warlight_env.engine.jit import kernel
from warlight_env.engine.kernel_types import Armies, AttackRows, Int, RandomState, Real
from warlight_env.engine.position import Position
from warlight_env.engine.rng import make_rng
from warlight_env.engine.rules import Rules
from warlight_env.engine.stack import stack_floats

#: Number of positions, used in rotation.
POSITIONS = 64


def positions() -> Position:
    """Return positions of bot games on the world map: owner int8[K, N], army int32[K, N], round int32[K, 1]."""
    samples: list[tuple[object, ...]] = []
    seed = 0
    while len(samples) < POSITIONS:
        game = Game("world", seed=seed, picks="random")
        bots = [make_agent("aggressive", seed), make_agent("plan", seed)]
        while not game.done and game.round < 20 and len(samples) < POSITIONS:
            samples.append((game.owner.copy(), game.army.copy(), [game.round]))
            game.play_round([bot.act(game.view(seat)) for seat, bot in enumerate(bots)])
        seed += 1
    owner, army, rounds = zip(*samples, strict=True)
    return Position(np.array(owner, dtype=np.int8), np.array(army, dtype=np.int32), np.array(rounds, dtype=np.int32))


@kernel
def _leaves(context: Context, stack: Position, times: Int) -> Real:
    total, shares = 0.0, stack_floats()
    for i in range(times):
        k = i % stack.owner.shape[0]
        network_share(context, Position(stack.owner[k], stack.army[k], stack.round[k]), shares)
        total += shares[0]
    return total


@kernel
def _turns(
    context: Context, stack: Position, times: Int, temperature: Real, rng: RandomState, work: GeneratorWork,
    deploy: Armies, attacks: AttackRows,
) -> Int:  # fmt: skip
    total = 0
    for i in range(times):
        k = i % stack.owner.shape[0]
        position = Position(stack.owner[k], stack.army[k], stack.round[k])
        total += network_turn(context, position, 0, temperature, rng, work, deploy, attacks)
    return total


class Learner:
    """An iteration of PPO on turns of the world map, the same as in `warlight train ppo`: two threads, one pass."""

    THREADS = 2

    def __init__(self, games: int) -> None:
        import torch

        from warlight_env.train.common.game_configs import GameConfig, read_map
        from warlight_env.train.turn_net.evaluators import CompiledEvaluator
        from warlight_env.train.turn_net.module import TurnModule
        from warlight_env.train.turn_ppo.opponents import opponent_context
        from warlight_env.train.turn_ppo.rollouts import Rollouts
        from warlight_env.train.turn_ppo.settings import TurnPpoSettings
        from warlight_env.train.turn_ppo.update import TurnLearner

        self.config = GameConfig(read_map("world"), Rules.of("thesis"), 2)
        settings = TurnPpoSettings(n_envs=games, n_steps=32, n_epochs=1, batch_size=1024)
        self.games, self.steps = games, games * settings.n_steps
        network = load_turn_network(LEARNED)
        assert network is not None
        module = TurnModule(torch.Generator().manual_seed(1))
        module.copy_network(network)
        self.context = self._context(network)
        self.turns = CompiledEvaluator(self.context, self.THREADS)
        self.learner = TurnLearner(settings, module, "cpu")
        self.opponents = [opponent_context(self.config, name) for name in ("aggressive", "plan")]
        self.rollouts = Rollouts(self.config, games, settings.n_steps, 100, self.THREADS)

    def _context(self, network: TurnNetwork) -> Context:
        value = load_value("learned")
        return make_context(self.config.board, self.config.params, 2, PLANNING, value=value, turns=network)

    def iterate(self) -> tuple[float, float]:
        """Return the seconds of the games and of the updates."""
        start = time.perf_counter()
        rollout = self.rollouts.play(self.context, self.opponents, np.arange(self.games) % 2, 1, False)
        games_end = time.perf_counter()
        rng = np.random.default_rng(1)
        self.learner.update(self.turns, rollout, 1e-5, rng)
        return games_end - start, time.perf_counter() - games_end


def bench_networks(quick: bool) -> list[Row]:
    """Measure the bundled value and turn networks on positions of the world map."""
    stack, repeats = positions(), 3 if quick else 7
    view = Game("world", seed=1).view(0)
    context = make_context(
        view.board, view.params, 2, PLANNING, value=load_value("learned"), turns=load_turn_network(LEARNED)
    )  # fmt: skip
    n, e = view.board.n_regions, view.board.n_edges
    work, rng = make_generator_work(n, e, 2), make_rng(1)
    deploy, attacks = np.zeros(n, dtype=np.int32), np.zeros((e, 3), dtype=np.int32)
    n_leaves, n_turns = 20_000 if quick else 200_000, 1_000 if quick else 5_000

    def leaves() -> float:
        start = time.perf_counter()
        _leaves(context, stack, n_leaves)
        return n_leaves / (time.perf_counter() - start)

    def turns() -> float:
        start = time.perf_counter()
        _turns(context, stack, n_turns, 1.0, rng, work, deploy, attacks)
        return n_turns / (time.perf_counter() - start)

    leaves(), turns()  # compiles kernels
    rates = interleaved({"leaves": leaves, "turns": turns}, repeats)
    rows = [
        Row("values of leaves by the network, one core", "≥ 100,000/s", f"{rates['leaves']:,.0f}/s", rates["leaves"],
            rates["leaves"] >= 100_000),
        Row("turns in full by policy:any, one core", "–", f"{rates['turns']:,.0f}/s", rates["turns"], None),
    ]  # fmt: skip
    label, target = "PPO on turns, two threads: steps of the learner", "≥ 15,000/s"
    try:
        learner = Learner(64 if quick else 256)
    except ImportError as error:
        return [*rows, not_installed(label, target, error)]
    learner.iterate()
    game_seconds, update_seconds = np.median([learner.iterate() for _ in range(repeats)], axis=0)
    rate, share = learner.steps / (game_seconds + update_seconds), game_seconds / (game_seconds + update_seconds)
    return [
        *rows,
        Row(label, target, f"{rate:,.0f}/s", rate, rate >= 15_000),
        Row("… share of the time that games and the network's turns take", "–", f"{share:.2f}", share, None),
    ]
