"""What runs in a worker process: bots that think, and playouts, asked over a pipe."""

from __future__ import annotations

import dataclasses
import os
import signal
import time
from collections import OrderedDict
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Any, Final

import numpy as np

from warlight_env import maps
from warlight_env.agents import Agent
from warlight_env.agents.registry import make_agent
from warlight_env.arena.play import crash_reason
from warlight_env.engine.orders import Orders
from warlight_env.engine.rules import Rules
from warlight_env.engine.view import View
from warlight_env.game import Game
from warlight_env.record.insight import insight_of

AGENTS: Final = 16  # kept with their memory; the one that was not asked for longest is made anew when it is needed
GAMES: Final = 64


@dataclass(frozen=True)
class Setup:
    """What stays the same in a game; `key` names it."""

    key: str
    map: dict[str, Any] | str
    rules: dict[str, Any]
    players: int

    @classmethod
    def of(cls, key: str, map_: maps.Map, rules: Rules, players: int) -> Setup:
        """The plain data of a game."""
        bundled = map_.name in maps.names() and maps.load(map_.name) == map_
        return cls(key, map_.name if bundled else map_.to_dict(), rules.to_dict(), players)


@dataclass(frozen=True)
class Position:
    """What a player sees, as a `View` has it."""

    player: int
    phase: str
    round: int
    owner: list[int]
    army: list[int]
    income: int
    offers: tuple[int, ...]
    picks_left: int

    @classmethod
    def of(cls, view: View) -> Position:
        """The changing part of a view."""
        return cls(
            view.player, view.phase, view.round, view.owner.tolist(), view.army.tolist(), view.income, view.offers,
            view.picks_left,
        )  # fmt: skip


@dataclass(frozen=True)
class Question:
    """What a worker is asked. ``spec``: which bot thinks; None: only chances. ``keep``: the bot plays this seat."""

    setup: Setup
    position: Position
    spec: str | None = None
    seed: int = 0
    keep: bool = True
    chances: bool = False
    games: int = 200  #: playouts for the chances


@dataclass(frozen=True)
class Answer:
    """A worker's answer; `error` says why there is none."""

    wishes: list[int] | None = None
    deploys: list[list[int]] = field(default_factory=list)
    attacks: list[list[int]] = field(default_factory=list)
    insight: dict[str, Any] | None = None
    chances: list[list[float]] | None = None
    seconds: float = 0.0
    error: str | None = None


class Worker:
    """Bots and boards, kept between questions."""

    def __init__(self) -> None:
        self._views: OrderedDict[str, View] = OrderedDict()
        self._agents: OrderedDict[tuple[str, int, str | None], Agent] = OrderedDict()

    def answer(self, question: Question) -> Answer:
        """Think; whatever goes wrong in the bot is told, not raised."""
        view = self._view(question.setup, question.position)
        chances = None
        if question.chances and view.phase == "play":
            from warlight_env.web.outlook import win_chances

            chances = win_chances(view, question.position.owner, question.position.army, question.seed, question.games)
        if question.spec is None:
            return Answer(chances=chances)
        start = time.perf_counter()
        try:
            agent = self._agent(question)
            if view.phase == "pick":
                wishes = [int(r) for r in agent.pick(view)]
                insight = insight_of(agent, 0)
                return Answer(wishes=wishes, insight=insight, seconds=time.perf_counter() - start)
            orders = agent.act(view)
            if not isinstance(orders, Orders):
                return Answer(error=f"act returned {type(orders).__name__}, not Orders")
            deploys, attacks = (rows.tolist() for rows in orders.arrays())
            seconds = time.perf_counter() - start
            return Answer(None, deploys, attacks, insight_of(agent, view.round + 1), chances, seconds)
        except Exception as error:
            self._agents.pop((question.setup.key, question.position.player, question.spec), None)
            return Answer(error=crash_reason(error), seconds=time.perf_counter() - start)

    def _view(self, setup: Setup, position: Position) -> View:
        """The view again: boards are compared by identity, so they are made once for each game."""
        key = f"{setup.key}/{position.player}"
        base = self._views.get(key)
        if base is None:
            map_ = maps.load(setup.map) if isinstance(setup.map, str) else maps.from_dict(setup.map)
            base = Game(map_, Rules.of(setup.rules), setup.players).view(position.player)
            self._views[key] = base
            if len(self._views) > GAMES:
                self._views.popitem(last=False)
        self._views.move_to_end(key)
        return dataclasses.replace(
            base,
            phase=position.phase,
            round=position.round,
            owner=np.array(position.owner, dtype=np.int8),
            army=np.array(position.army, dtype=np.int32),
            income=position.income,
            offers=position.offers,
            picks_left=position.picks_left,
        )

    def _agent(self, question: Question) -> Agent:
        assert question.spec is not None
        if not question.keep:
            return make_agent(question.spec, question.seed)
        key = (question.setup.key, question.position.player, question.spec)
        agent = self._agents.pop(key, None) or make_agent(question.spec, question.seed)
        self._agents[key] = agent
        if len(self._agents) > AGENTS:
            self._agents.popitem(last=False)
        return agent


def serve(pipe: Connection) -> None:
    """Answer questions until the pipe closes; below the server's priority, and deaf to Ctrl-C, which is for that."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(os, "nice"):
        os.nice(5)
    worker = Worker()
    while True:
        try:
            pipe.send(worker.answer(pipe.recv()))
        except (EOFError, OSError):  # the server has gone
            return
