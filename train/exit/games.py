"""The games of expert iteration, and two of their players: the expert (a search) and the student (the network).

The players of the seats are drawn at random. The expert chooses the turns that the network learns.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from warlight_env.agents import Agent, make_agent
from warlight_env.agents.base import Budget, KernelAgent
from warlight_env.agents.context import Context, generate
from warlight_env.agents.evaluation.determinization import minimal_determinization
from warlight_env.agents.planning.plans import only_plans, random_style_turn
from warlight_env.agents.plug_ins.functions import Functions, make_context
from warlight_env.agents.records.factored_turns import encode_nearest
from warlight_env.agents.records.generator_work import copy_turn
from warlight_env.agents.records.turn_record import TurnNetwork
from warlight_env.agents.records.value_record import load_value
from warlight_env.agents.search.lookahead import LookaheadWork, highest, make_lookahead_work, score_turns
from warlight_env.agents.turn_net.agent import TurnNetAgent
from warlight_env.agents.turn_net.candidates import plans_and_samples
from warlight_env.agents.weights import PLANNING
from warlight_env.arena.backends.backend import Backend, make_backend, play_all
from warlight_env.arena.backends.tasks import Workers
from warlight_env.arena.games.game_loop import GameStopped, ask_orders, pick_regions, play_orders
from warlight_env.engine.jit import kernel
from warlight_env.engine.kernel_types import Armies, AttackRows, Int, RandomState
from warlight_env.engine.orders import Orders
from warlight_env.engine.position import Position
from warlight_env.engine.rng import derive_seed, uniform
from warlight_env.engine.view import View
from warlight_env.game import Game
from warlight_env.train.common.game_configs import GameConfigs
from warlight_env.train.common.threads import in_threads
from warlight_env.train.exit.expert_turns import ExpertTurn, ExpertTurns
from warlight_env.train.exit.settings import EXPERT, NETWORK, ExitSettings
from warlight_env.train.turn_net.player import read_network

#: A function that plays the games with the given numbers. The function returns the expert's turns in these games, in
#: the order of the numbers.
Teach = Callable[[Sequence[int]], ExpertTurns]


class TargetSettings(NamedTuple):
    """The settings with which a search chooses the turns that are training targets."""

    samples: int  #: simulations of each turn, at least 1
    temperature: float  #: temperature of the softmax over the candidates' mean values; 0: the best turn


@kernel
def write_target(
    context: Context,
    position: Position,
    player: Int,
    settings: TargetSettings,
    rng: RandomState,
    work: LookaheadWork,
    row: npt.NDArray[np.int8],
    deploy: Armies,
    attacks: AttackRows,
) -> Int:
    """Choose one of the candidate turns as the training target of the network, and write it to the arrays.

    The candidates come from the context's generator. The value of a candidate is the player's mean value of the
    position after the round, over `samples` simulations. The target is drawn from the softmax of the candidates'
    values, divided by the temperature. With temperature 0, the target is the candidate with the highest value. The
    target is written to deploy int32[N] and attacks int32[E, 3], and as categorical choices (`factored_turns`) to row
    int8[N + 2 E]. Returns the number of attacks.
    """
    board, samples, temperature = context.board, settings.samples, settings.temperature
    count = generate(context, position, player, rng, work.generator, work.turns)
    target: Int = np.int64(0)
    if count > 1:
        score_turns(context, position, player, samples, work.turns, count, rng, work)
        target = highest(work.score, count)
    if temperature > 0.0:
        best, total = work.score[target], 0.0
        for i in range(count):
            work.score[i] = np.exp((work.score[i] - best) / samples / temperature)
            total += work.score[i]
        remaining = uniform(rng) * total
        for i in range(count):
            remaining -= work.score[i]
            if remaining < 0.0:
                target = np.int64(i)
                break
    n_attacks = copy_turn(work.turns, target, deploy, attacks)
    encode_nearest(board.neighbor_start, board.edge_target, position.army, deploy, attacks, n_attacks, row)
    return np.int64(n_attacks)


class Expert(KernelAgent):
    """The expert chooses its turn with a lookahead of one round.

    The candidate turns are plans (turns from heuristic rules). If there is a network, half of the candidate turns are
    turns of the network.

    Attributes:
        row: the last turn as a sequence of categorical choices (`factored_turns`), int8[N + 2 E].
    """

    name, weights = "expert", PLANNING

    def __init__(self, settings: ExitSettings, network: TurnNetwork | None, seed: int) -> None:
        super().__init__(seed)
        self._settings, self._network = settings, network
        self._target = TargetSettings(settings.samples, float(settings.target_temperature))

    def _prepare(self, view: View) -> None:
        super()._prepare(view)
        n, e, players, s = view.board.n_regions, view.board.n_edges, view.players, self._settings
        generator = only_plans if self._network is None else plans_and_samples
        functions = Functions(generator=generator, policy=random_style_turn, capacity=s.candidates)
        self._context = make_context(
            view.board, view.params, players, self.weights, functions=functions, value=load_value(s.value),
            turns=self._network,
        )  # fmt: skip
        self._work = make_lookahead_work(n, e, players, s.candidates)
        self.row = np.zeros(n + 2 * e, dtype=np.int8)

    def _write(self, view: View) -> int:
        return int(
            write_target(
                self._context, minimal_determinization(view), view.player, self._target, self.rng, self._work,
                self.row, self._deploy, self._attacks,
            )
        )  # fmt: skip


class Student(TurnNetAgent):
    """The student plays the network's turns, and also computes the turn of the expert (a search) in each position."""

    name = "pupil"

    def __init__(self, settings: ExitSettings, network: TurnNetwork, seed: int) -> None:
        super().__init__(network, seed, settings.policy_temperature)
        self.expert = Expert(settings, network, derive_seed(seed, 1))

    def act(self, view: View, budget: Budget | None = None) -> Orders:
        """See `Agent.act`."""
        self.expert.act(view)
        return super().act(view, budget)


@dataclass(frozen=True)
class ExpertGames:
    """The games of expert iteration, as a `tasks.Playable` that backends play.

    Attributes:
        settings: settings of the run.
        network: the content of the current network's file, see `pack_arrays`; empty if there is none.
        seed: the seed of all games; the seed and the number of a game determine the whole game.
    """

    settings: ExitSettings
    network: bytes
    seed: int

    @cached_property
    def _configs(self) -> GameConfigs:
        return GameConfigs(self.settings)

    def warm_up(self) -> None:
        """See `Playable.warm_up`."""
        self.play(0, rounds=1)

    def play(self, number: int, stop: Callable[[], bool] | None = None, rounds: int | None = None) -> list[ExpertTurn]:
        """Play a game. For the seats of the expert (a search) and of the network, return the turns of the expert."""
        settings, seed = self.settings, derive_seed(self.seed, number)
        rng = np.random.default_rng(seed)
        config_index = self._configs.draw(rng)
        config = self._configs[config_index]
        taught = [seat for seat in settings.seat_agents if seat in (EXPERT, NETWORK)]
        kinds = [str(rng.choice(taught)), *rng.choice(settings.seat_agents, config.players - 1).tolist()]
        order = rng.permutation(config.players)
        agents = [self._agent(kinds[k], derive_seed(seed, seat)) for seat, k in enumerate(order)]
        picks = "random" if rng.random() < settings.random_start_share else "play"
        game = Game(config.map, config.rules, config.players, seed, picks=picks)  # type: ignore[arg-type]
        pick_regions(game, agents)
        turns: list[ExpertTurn] = []
        value = np.zeros(config.players, dtype=np.float32)  # gets the result at the end of the game
        while not game.done and game.round < (settings.max_rounds if rounds is None else rounds):
            if stop is not None and stop():
                raise GameStopped
            owner, army, round_ = game.owner.copy(), game.army.copy(), game.round
            orders = ask_orders(game, agents)
            for seat in orders:
                agent = agents[seat]
                expert = agent.expert if isinstance(agent, Student) else agent
                if isinstance(expert, Expert):
                    turns.append(ExpertTurn(config_index, number, round_, seat, owner, army, expert.row.copy(), value))
            play_orders(game, agents, orders)
        if game.winner is not None:
            value[game.winner] = 1.0
        return turns

    def _agent(self, kind: str, seed: int) -> Agent:
        if kind not in (EXPERT, NETWORK):
            return make_agent(kind, seed)
        network = read_network(self.network)
        if kind == EXPERT or network is None:
            return Expert(self.settings, network, seed)
        return Student(self.settings, network, seed)


@contextlib.contextmanager
def teaching(games: ExpertGames, jobs: int, backend: str | Backend = "local") -> Iterator[Teach]:
    """Yield a function that plays games and returns the expert's turns in them.

    Args:
        games: the games of an iteration.
        jobs: number of threads, or of concurrent tasks.
        backend: ``local`` plays in threads of this process; other backends start worker processes at the first call.
    """
    with contextlib.ExitStack() as stack:

        @functools.cache
        def workers() -> Workers[list[ExpertTurn]]:
            return stack.enter_context(make_backend(backend).open([games], jobs))

        def teach(numbers: Sequence[int]) -> ExpertTurns:
            played = in_threads(games.play, numbers, jobs) if backend == "local" else play_all(workers(), numbers)
            return ExpertTurns.from_turns([turn for game in played for turn in game])

        yield teach
