"""The work of a bot process: it answers questions over a pipe with bots' turns and rollouts."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import pickle
import time
from collections import OrderedDict
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Any, Final

import numpy as np

from warlight_env import maps
from warlight_env.agents import Agent
from warlight_env.agents.registry import make_agent
from warlight_env.engine.orders import Orders, OrdersTypeError, preferences_of
from warlight_env.engine.rules import Rules
from warlight_env.engine.view import View
from warlight_env.errors import crash_reason
from warlight_env.game import Game
from warlight_env.record.decision_info import decision_info
from warlight_env.step_results import RoundResult
from warlight_env.web.workers.child_process import serve_questions

AGENTS: Final = 16  # number of agents that are kept with their memory; the least recently used agent is removed
SETUPS: Final = 64
#: Boards with at most this number of regions plus directed edges get all requested playouts. Larger boards get a number
#: of playouts that takes about the same time, but at least `MIN_ROLLOUTS`.
SIZE: Final = 1000
MIN_ROLLOUTS: Final = 10


@dataclass(frozen=True)
class WorkerSetup:
    """The constant part of a game: with a position, it determines the answer.

    digest: of map, rules and players. map: pickled, or the name of a bundled map.
    """

    digest: str
    map: bytes | str
    rules: dict[str, Any]
    players: int

    @classmethod
    def of(cls, map_: maps.Map, rules: Rules, players: int) -> WorkerSetup:
        """Return the plain data of a game."""
        bundled = map_.name in maps.names() and maps.load(map_.name) == map_
        told = rules.to_dict()
        text = json.dumps([map_.digest(), told, players], sort_keys=True)
        return cls(
            hashlib.sha256(text.encode()).hexdigest(), map_.name if bundled else pickle.dumps(map_), told, players
        )


@dataclass(frozen=True)
class QueriedPosition:
    """The part of a game that a player sees, with the fields of a `View`."""

    player: int
    phase: str
    round: int
    owner: list[int]
    army: list[int]
    income: int
    offers: tuple[int, ...]
    picks_left: int
    starts: tuple[tuple[int, ...], ...] | None = None
    last_round: RoundResult | None = None  #: the part that the player saw

    @classmethod
    def of(cls, view: View) -> QueriedPosition:
        """Return the changing part of a view."""
        return cls(
            view.player, view.phase, view.round, view.owner.tolist(), view.army.tolist(), view.income, view.offers,
            view.picks_left, view.starts, view.last_round,
        )  # fmt: skip


@dataclass(frozen=True)
class BotQuery:
    """A question to a worker.

    ``spec``: the bot that chooses a turn; None: only win probabilities. ``agent_key``: id of the game in which the bot
    plays this seat and keeps its memory; None: the bot is made for this question.
    """

    setup: WorkerSetup
    position: QueriedPosition
    spec: str | None = None
    seed: int = 0
    agent_key: str | None = None
    win_probabilities: bool = False
    games: int = 200  #: playouts for the win probabilities; fewer on large boards


@dataclass(frozen=True)
class WorkerAnswer:
    """A worker's answer; `error` is the reason if it failed."""

    preferences: list[int] | None = None
    deploys: list[list[int]] = field(default_factory=list)
    attacks: list[list[int]] = field(default_factory=list)
    insight: dict[str, Any] | None = None
    win_probabilities: list[list[float]] | None = None
    seconds: float = 0.0
    error: str | None = None
    late: bool = False  #: whether the error is a timeout


class Worker:
    """Bots and boards, kept between questions."""

    def __init__(self) -> None:
        self._views: OrderedDict[tuple[str, int], View] = OrderedDict()
        self._agents: OrderedDict[tuple[str, int, str], Agent] = OrderedDict()

    def answer(self, question: BotQuery) -> WorkerAnswer:
        """Answer a question; errors become part of the answer and are not raised."""
        start = time.perf_counter()
        try:
            return self._answer(question)
        except (Exception, SystemExit) as error:
            self._forget(question)
            return WorkerAnswer(error=crash_reason(error), seconds=time.perf_counter() - start)

    def _answer(self, question: BotQuery) -> WorkerAnswer:
        view = self._view(question.setup, question.position)
        chances = None
        if question.win_probabilities and view.phase == "play":
            from warlight_env.web.workers.rollout_estimate import estimate_win_probabilities

            position, size = question.position, view.board.n_regions + view.board.n_edges
            games = min(question.games, max(MIN_ROLLOUTS, question.games * SIZE // size))
            chances = estimate_win_probabilities(view, position.owner, position.army, question.seed, games)
        if question.spec is None:
            return WorkerAnswer(win_probabilities=chances)
        start = time.perf_counter()
        agent = self._agent(question, question.spec)
        if view.phase == "pick":
            preferences = preferences_of(agent.pick(view), view.player)
            seconds = time.perf_counter() - start
            return WorkerAnswer(preferences=preferences, insight=decision_info(agent, 0), seconds=seconds)
        orders = agent.act(view)
        if not isinstance(orders, Orders):
            raise OrdersTypeError(f"act returned {type(orders).__name__}, not Orders")
        deploys, attacks = (rows.tolist() for rows in orders.arrays())
        seconds = time.perf_counter() - start
        return WorkerAnswer(None, deploys, attacks, decision_info(agent, view.round + 1), chances, seconds)

    def _view(self, setup: WorkerSetup, position: QueriedPosition) -> View:
        """Return the view of a position. Boards are compared by identity, so each setup has one board."""
        key = setup.digest, position.player
        base = self._views.get(key)
        if base is None:
            map_ = maps.load(setup.map) if isinstance(setup.map, str) else pickle.loads(setup.map)
            base = Game(map_, Rules.of(setup.rules), setup.players).view(position.player)
            self._views[key] = base
            if len(self._views) > SETUPS:
                self._views.popitem(last=False)
        self._views.move_to_end(key)
        regions = base.board.n_regions
        if not len(position.owner) == len(position.army) == regions:
            raise ValueError(f"the position has {len(position.owner)} regions, but the map has {regions}")
        return dataclasses.replace(
            base,
            phase=position.phase,
            round=position.round,
            owner=np.array(position.owner, dtype=np.int8),
            army=np.array(position.army, dtype=np.int32),
            income=position.income,
            offers=position.offers,
            picks_left=position.picks_left,
            starts=position.starts,
            _told=lambda: position.last_round,
        )

    def _agent(self, question: BotQuery, spec: str) -> Agent:
        if question.agent_key is None:
            return make_agent(spec, question.seed)
        key = (question.agent_key, question.position.player, spec)
        agent = self._agents.pop(key, None) or make_agent(spec, question.seed)
        self._agents[key] = agent
        if len(self._agents) > AGENTS:
            self._agents.popitem(last=False)
        return agent

    def _forget(self, question: BotQuery) -> None:
        if question.agent_key is not None and question.spec is not None:
            self._agents.pop((question.agent_key, question.position.player, question.spec), None)


def serve(pipe: Connection) -> None:
    """Run a bot process."""
    serve_questions(pipe, Worker().answer, lambda error: WorkerAnswer(error=crash_reason(error)), 5)
