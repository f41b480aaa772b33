"""The games of expert iteration.

The players of the seats are drawn at random. The expert (a search) chooses the turns that the network learns.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from warlight_env.agents import Agent, make_agent
from warlight_env.arena.backends.backend import Backend, make_backend
from warlight_env.arena.backends.dispatch import play_all
from warlight_env.arena.backends.tasks import Workers
from warlight_env.arena.games.game_loop import GameStopped, ask_orders, pick_regions, play_orders
from warlight_env.engine.rng import derive_seed
from warlight_env.game import Game
from warlight_env.train.common.game_configs import GameConfigs
from warlight_env.train.common.threads import in_threads
from warlight_env.train.exit.expert_turns import ExpertTurn, ExpertTurns
from warlight_env.train.exit.players import Expert, Student
from warlight_env.train.exit.settings import EXPERT, NETWORK, ExitSettings
from warlight_env.train.turn_net.player import read_network

#: A function that plays the games with the given numbers. The function returns the expert's turns in these games, in
#: the order of the numbers.
Teach = Callable[[Sequence[int]], ExpertTurns]


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
        at = self._configs.draw(rng)
        config = self._configs[at]
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
                    turns.append(ExpertTurn(at, number, round_, seat, owner, army, expert.row.copy(), value))
            play_orders(game, agents, orders)
        if game.winner is not None:
            value[game.winner] = 1.0
        return turns

    def _agent(self, kind: str, seed: int) -> Agent:
        if kind not in (EXPERT, NETWORK):
            return make_agent(kind, seed)
        read = read_network(self.network)
        if kind == EXPERT or read is None:
            return Expert(self.settings, read, seed)
        return Student(self.settings, read, seed)


@contextlib.contextmanager
def teaching(games: ExpertGames, jobs: int, backend: str | Backend = "local") -> Iterator[Teach]:
    """Yield a function that plays games and returns the expert's turns in them.

    Args:
        games: the games of an iteration.
        jobs: number of threads, or of concurrent tasks.
        backend: ``local`` plays in threads of this process; other backends start worker processes at the first call.
    """
    with contextlib.ExitStack() as opened:
        if backend == "local":

            def play(numbers: Sequence[int]) -> list[list[ExpertTurn]]:
                return in_threads(games.play, numbers, jobs)

        else:
            place = make_backend(backend)
            workers: list[Workers[list[ExpertTurn]]] = []

            def play(numbers: Sequence[int]) -> list[list[ExpertTurn]]:
                if not workers:
                    workers.append(opened.enter_context(place.open([games], jobs)))
                return play_all(workers[0], numbers)

        yield lambda numbers: ExpertTurns.of([turn for game in play(numbers) for turn in game])
