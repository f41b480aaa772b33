"""The process that analyses positions of logs: it improves the results for a position with each query."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any, Final

from warlight_env.engine.orders import Orders
from warlight_env.record import GameLog, game_at
from warlight_env.web.errors import RequestError
from warlight_env.web.workers.analysed_position import AnalysedPosition, Judgement, PositionResult
from warlight_env.web.workers.child_process import serve_questions
from warlight_env.web.workers.worker_tasks import LogSource, failed, opened_log

POSITIONS: Final = 1000  # the largest number of positions that are kept with their rolls of the dice


@dataclass(frozen=True)
class PositionQuery:
    """A query for the analysis of one position of a log, for an `AnalysedGame`, or for a `Judgement`.

    Attributes:
        rounds: the number of rounds before the position; None if the query asks for the `AnalysedGame`.
        turn: a player and its orders, if the query asks for the `Judgement` on these orders.
        bot: the specification of the bot that searches turns.
        rolls: the number of times that the round is repeated with other dice.
        engine: a name that all analyses of a log by the same bot with the same time have in common.
    """

    source: LogSource
    rounds: int | None = None
    turn: tuple[int, Orders] | None = None
    bot: str = ""
    rolls: int = 0
    engine: str = ""


@dataclass(frozen=True)
class AnalysedGame:
    """The names of a game's players, its number of rounds, and the number of positions with a turn to analyse."""

    names: tuple[str, ...]
    rounds: int
    positions: int


class PositionCache:
    """Answers queries, and keeps the analyses of the most recent positions in memory."""

    def __init__(self) -> None:
        self._positions: OrderedDict[tuple[Any, ...], AnalysedPosition] = OrderedDict()

    def answer(self, query: PositionQuery) -> AnalysedGame | PositionResult | Judgement:
        """Return the names and numbers of a log, the results of a position, or the judgement on a turn."""
        log = opened_log(query.source)
        if query.rounds is None:
            return _analysed_game(log)
        key = (query.source.key, query.rounds, query.engine)
        position = self._positions.pop(key, None)
        if position is None:
            step = log.rounds[query.rounds] if query.rounds < len(log.rounds) else None
            position = AnalysedPosition(game_at(log, query.rounds), step, absent=log.absent)
        if query.turn is None or not position.analysed:
            result: PositionResult | Judgement = position.deepen(query.bot, query.rolls)
        if query.turn is not None:
            result = position.judge(*query.turn)
        self._positions[key] = position
        if len(self._positions) > POSITIONS:
            self._positions.popitem(last=False)
        return result


def _analysed_game(log: GameLog) -> AnalysedGame:
    rounds = len(log.rounds)
    is_over = not rounds or log.complete or game_at(log).phase != "play"
    return AnalysedGame(tuple(log.names), rounds, rounds + (not is_over))


def _failed(error: BaseException) -> RequestError:
    """Return the error of a query; for an error in this program, without its message, which may contain file paths."""
    failure = failed(error)
    return failure if isinstance(failure, RequestError) else RequestError(type(error).__name__, 500)


def serve(pipe: Connection) -> None:
    """Run the analysis process."""
    serve_questions(pipe, PositionCache().answer, _failed, 10)
