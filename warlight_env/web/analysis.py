"""Insight that is asked for: what a bot would do here, and the chances of every position of a log."""

from __future__ import annotations

import functools
from collections import OrderedDict
from typing import Any, Final

from warlight_env.engine.rng import derive_seed
from warlight_env.errors import RunError
from warlight_env.record import GameLog, game_at
from warlight_env.web.errors import RequestError
from warlight_env.web.lobby import Access
from warlight_env.web.requests import InsightBody
from warlight_env.web.thinking import Thinkers
from warlight_env.web.worker import Position, Question, Setup, Worker

#: Positions of a log that get chances; of longer games every second, third … one, the others by interpolation.
POSITIONS: Final = 120

KNOWN: Final = 50  # logs whose chances are kept

_known: OrderedDict[tuple[Any, ...], list[list[list[float]]] | None] = OrderedDict()


class AnalysisError(RunError):
    """A worker could not answer."""


async def insight_for(thinkers: Thinkers, there: Access, body: InsightBody) -> dict[str, Any]:
    """A bot's thoughts, and the chances, as the player of the seat sees the position."""
    room = there.room
    past = body.round is not None and body.round != room.game.round
    if past and there.seat is not None and not room.over:
        raise RequestError("past rounds can be analysed once the game is over", 409)
    seat = there.seat if there.seat is not None and body.seat is None else body.seat
    if seat is None:
        seat = 0
    if seat >= room.game.players or (seat != there.seat and there.seat is not None and not room.over):
        raise RequestError(f"seat {seat}: not to be looked at with this token", 403)
    game = game_at(room.book.log, body.round) if past else room.game
    if game.phase != "play" or not game.alive(seat):
        raise RequestError("there is nothing to think about: no turn of this player now", 409)
    seed = derive_seed(game.seed, 99, game.round)
    question = Question(room.setup, Position.of(game.view(seat)), body.bot, seed, keep=False, chances=True)
    answer = await thinkers.ask(question, room.number + seat + 1)
    if answer.error is not None:
        raise RequestError(f"{body.bot}: {answer.error}", 500)
    return {
        "player": seat,
        "round": game.round + 1,
        "orders": {"deploys": answer.deploys, "attacks": answer.attacks},
        "data": answer.insight,
        "chances": answer.chances,
        "seconds": answer.seconds,
    }


def questions_of(log: GameLog) -> dict[int, Question]:
    """What is to be asked for the chances of a log's positions, by rounds played; of long games not of every one."""
    header = log.header
    setup = Setup.of(f"chances-{header.seed}", header.map, header.rules, len(header.players))
    positions = list(log.positions())[-(len(log.rounds) + 1) :]
    step = max(1, len(positions) // POSITIONS)
    questions: dict[int, Question] = {}
    for number in sorted({*range(0, len(positions), step), len(positions) - 1}):
        owner, army = positions[number]
        if any(o >= 0 for o in owner):
            position = Position(0, "play", number, list(owner), list(army), 0, (), 0)
            questions[number] = Question(setup, position, None, number, chances=True)
    return questions


def answer_of(question: Question) -> list[list[float]]:
    """The chances of a position, reckoned in this process."""
    answer = _here().answer(question)
    assert answer.chances is not None  # asked of a position in play
    return answer.chances


@functools.cache
def _here() -> Worker:
    return Worker()


def spread(log: GameLog, found: dict[int, list[list[float]]]) -> list[list[list[float]]] | None:
    """Chances for every position: those that were not asked for have the last ones before them."""
    if not found:
        return None
    chances: list[list[list[float]]] = []
    for number in range(len(log.rounds) + 1):
        chances.append(found.get(number, chances[-1] if chances else found[min(found)]))
    return chances


async def chances_of(thinkers: Thinkers, log: GameLog) -> list[list[list[float]]] | None:
    """For each position, before and after each round, and player the share of playouts won, with its interval."""
    key = (log.header.seed, log.header.map.digest(), len(log.steps), log.steps[-1].hash if log.steps else "")
    if key not in _known:
        found: dict[int, list[list[float]]] = {}
        for number, question in questions_of(log).items():
            answer = await thinkers.ask(question, 1)
            if answer.error is not None or answer.chances is None:
                raise AnalysisError(f"no chances of round {number}: {answer.error}")
            found[number] = answer.chances
        _known[key] = spread(log, found)
        if len(_known) > KNOWN:
            _known.popitem(last=False)
    return _known[key]
