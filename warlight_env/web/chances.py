"""The chances of every position of a log: what to ask workers, or this process, and the answers in a row."""

from __future__ import annotations

import functools
from collections import OrderedDict
from typing import Any, Final

from warlight_env.errors import RunError
from warlight_env.record import GameLog
from warlight_env.web.thinking import Thinkers
from warlight_env.web.worker import Position, Question, Setup, Worker

#: Positions of a log that get chances; of longer games every second, third … one, the others those before them.
POSITIONS: Final = 120
KNOWN: Final = 50  # logs whose chances are kept

_known: OrderedDict[tuple[Any, ...], list[list[list[float]]] | None] = OrderedDict()


class AnalysisError(RunError):
    """A worker could not answer."""


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
