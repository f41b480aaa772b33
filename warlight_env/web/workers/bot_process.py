"""The process that runs bots: it answers questions over a pipe with turns of bots and win probabilities."""

from __future__ import annotations

import time
from collections import OrderedDict
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Any, Final

from warlight_env.agents import Agent
from warlight_env.agents.registry import make_agent
from warlight_env.engine.orders import Orders, OrdersTypeError, preferences_of
from warlight_env.errors import crash_reason
from warlight_env.protocol.view_transfer import QueriedPosition, WorkerSetup, view_of_position
from warlight_env.record.decision_info import decision_info
from warlight_env.web.workers.child_process import serve_questions

AGENTS: Final = 16  # number of agents that are kept with their memory; the least recently used agent is removed
#: Boards with at most this number of regions plus directed edges get all requested playouts. Larger boards get a number
#: of playouts that takes about the same time, but at least `MIN_ROLLOUTS`.
SIZE: Final = 1000
MIN_ROLLOUTS: Final = 10


@dataclass(frozen=True)
class BotQuery:
    """A question about a position to a worker process.

    Attributes:
        spec: the bot that chooses a turn; if it is None, the answer contains only win probabilities.
        agent_key: the id of the game in which the bot plays this seat and keeps its memory; None: the worker makes the
            bot only for this question.
        win_probabilities: whether to estimate win probabilities of the position and of the bot's first candidates.
    """

    setup: WorkerSetup
    position: QueriedPosition
    spec: str | None = None
    seed: int = 0
    agent_key: str | None = None
    win_probabilities: bool = False
    games: int = 200  #: playouts for the win probabilities; fewer on large boards
    absent: tuple[int, ...] = ()  #: the players that have resigned or lost by forfeit; they win no playout


@dataclass(frozen=True)
class WorkerAnswer:
    """A worker's answer to a question; `error` is the reason if the worker has no answer."""

    preferences: list[int] | None = None
    orders: Orders = field(default_factory=Orders)  #: with Python integers
    insight: dict[str, Any] | None = None
    win_probabilities: list[list[float]] | None = None
    seconds: float = 0.0
    error: str | None = None
    late: bool = False  #: whether the error is a timeout


class Worker:
    """Answers questions about games, and keeps bots from one question to the next."""

    def __init__(self) -> None:
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
        view = view_of_position(question.setup, question.position)
        chances = None
        if question.win_probabilities and view.phase == "play":
            from warlight_env.web.workers.rollout_estimate import estimate_win_probabilities

            position, size = question.position, view.board.n_regions + view.board.n_edges
            games = min(question.games, max(MIN_ROLLOUTS, question.games * SIZE // size))
            chances = estimate_win_probabilities(
                view, position.owner, position.army, question.seed, games, question.absent
            )
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
        plain_orders = orders.normalized()
        seconds = time.perf_counter() - start
        insight = decision_info(agent, view.round + 1)
        if question.win_probabilities:
            from warlight_env.web.workers.candidate_values import with_win_probabilities

            insight = with_win_probabilities(insight, orders, view, question.seed, question.absent)
        return WorkerAnswer(None, plain_orders, insight, chances, seconds)

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
