"""Functions for ``warlight bot precompile``: an agent plays short games as a bot, so that its code is compiled."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from warlight_env.agents import Agent, Budget, make_agent
from warlight_env.arena.games.game_loop import pick_regions, play_rounds
from warlight_env.beliefs.order_observer import OrderObserver
from warlight_env.engine.compile_progress import compiled_count
from warlight_env.engine.orders import Orders
from warlight_env.engine.view import View
from warlight_env.game import Game
from warlight_env.protocol import messages as m
from warlight_env.protocol.bot_side import BotSide
from warlight_env.protocol.clock import BotClock
from warlight_env.protocol.engine_messages import opening_messages, orders_of, pick_question, region_ids, round_messages
from warlight_env.protocol.external_agent import ExternalBot, ExternalBotOptions
from warlight_env.protocol.warm_up import TURN_SECONDS

#: The minimum and the maximum number of rounds of a game. After the minimum, the players have become neighbours.
_MIN_ROUNDS, _MAX_ROUNDS = 6, 20
#: The maximum time in seconds that `first_answer` waits for the first answer.
_FIRST_ANSWER_SECONDS: Final = 60.0


@dataclass(frozen=True)
class Step:
    """The picks or a round of a short game, with the time and the number of compiled functions."""

    label: str
    seconds: float
    compiled: int  #: number of functions that were compiled in this step


class MessageDrivenAgent(Agent):
    """An agent that plays through a `BotSide`, which receives the messages that a game engine would send."""

    def __init__(self, make: Callable[[], Agent], challenge: m.Challenge) -> None:
        self._side, self._challenge = BotSide(make, challenge), challenge
        self._observer = OrderObserver()
        self._has_begun = self._playing = False

    def _receive_all(self, messages: Iterable[m.Message]) -> None:
        for message in messages:
            self._side.receive(message)

    def _begin_game(self, view: View) -> None:
        if not self._has_begun:
            self._has_begun = True
            clock = BotClock.for_challenge(self._challenge)
            self._receive_all(opening_messages(view, self._challenge, clock))

    def pick(self, view: View) -> list[int]:
        """Return the picks of the `BotSide`. See `Agent.pick`."""
        self._begin_game(view)
        answer = self._side.answer(pick_question(view, self._challenge, 0))
        assert isinstance(answer, m.PicksAnswer)
        self._side.confirm_picks(answer)
        return [region - 1 for region in answer.regions]

    def act(self, view: View, budget: Budget | None = None) -> Orders:
        """Return the orders of the `BotSide`. See `Agent.act`."""
        if not self._playing and view.starts is not None:
            self._receive_all([m.OpponentStartingRegions(region_ids(view.starts[1 - view.player]))])
        self._playing = True
        self._receive_all(round_messages(view, self._observer.observe(view)))
        placements = self._side.answer(m.Go(m.PLACE, 0), budget)
        moves = self._side.answer(m.Go(m.ATTACK, 0), budget)
        assert isinstance(placements, m.PlaceOrders) and isinstance(moves, m.MoveOrders)
        return orders_of(placements, moves)


def precompile(spec: str, seed: int = 0, challenges: Iterable[m.Challenge] = (1, 2)) -> Iterator[Step]:
    """Let an agent play against itself on the world map until all its code is loaded and compiled.

    Yields a `Step` for the picks and for each round.

    Raises:
        AgentError: there is no agent with this specification.
        AgentCrashError: the agent raises an exception.
    """
    make_agent(spec, seed)
    for challenge in challenges:
        yield from _game(spec, seed, challenge)


def _game(spec: str, seed: int, challenge: m.Challenge) -> Iterator[Step]:
    agents = [MessageDrivenAgent(lambda seat=seat: make_agent(spec, seed + seat), challenge) for seat in range(2)]  # type: ignore[misc]
    game = Game("world", f"challenge{challenge}", seed=seed)
    start, before = time.perf_counter(), compiled_count()
    pick_regions(game, agents)
    yield Step(f"challenge {challenge}, picks", time.perf_counter() - start, compiled_count() - before)
    start, before = time.perf_counter(), compiled_count()
    for _ in play_rounds(game, agents, _MAX_ROUNDS, Budget(seconds=TURN_SECONDS)):
        seconds, compiled = time.perf_counter() - start, compiled_count() - before
        yield Step(f"challenge {challenge}, round {game.round}", seconds, compiled)
        if game.round >= _MIN_ROUNDS and seconds < 2 * len(agents) * TURN_SECONDS and not compiled:
            break
        start, before = time.perf_counter(), compiled_count()


def first_answer(spec: str, seed: int = 0) -> float:
    """Start ``warlight bot run`` and return the time until its first answer in challenge 1, in seconds.

    Raises:
        RunError: this operating system does not support process groups, which external bots need.
    """
    command = [sys.executable, "-m", "warlight_env", "bot", "run", spec, "--seed", str(seed)]
    bot = ExternalBot(command, seed, ExternalBotOptions(challenge=1, policy="skip", bank=_FIRST_ANSWER_SECONDS))
    view = Game("world", "challenge1", seed=seed).view(0)
    start = time.perf_counter()
    try:
        bot.pick(view)
        return time.perf_counter() - start
    finally:
        bot.close()
