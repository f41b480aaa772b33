"""Win probabilities of the positions of a log: by rollouts for some, the nearest earlier ones for the rest."""

from __future__ import annotations

import time
from typing import Final

from warlight_env.errors import RunError
from warlight_env.record import GameLog
from warlight_env.web.workers.bot_process import SIZE, AskedPosition, Question, Worker, WorkerSetup

Chances = list[list[float]]

#: Positions of a log that get chances; of longer games every second, third … one, the others those before them.
POSITIONS: Final = 120
FEWEST: Final = 12  # positions on the largest boards


class AnalysisError(RunError):
    """The chances of a position could not be reckoned."""


def questions_of(log: GameLog) -> dict[int, Question]:
    """What is to be asked for the chances of a log's positions, by rounds played; of long games not of every one."""
    header = log.header
    setup = WorkerSetup.of(header.map, header.rules, len(header.players))
    positions = list(log.positions())[-(len(log.rounds) + 1) :]
    size = header.map.n_regions + 2 * len(header.map.borders)
    if not positions:  # it was cut off before its start
        return {}
    step = max(1, len(positions) // min(POSITIONS, max(FEWEST, POSITIONS * SIZE // size)))
    questions: dict[int, Question] = {}
    for number in sorted({*range(0, len(positions), step), len(positions) - 1}):
        owner, army = positions[number]
        if any(o >= 0 for o in owner):
            position = AskedPosition(0, "play", number, list(owner), list(army), 0, (), 0)
            questions[number] = Question(setup, position, None, number, chances=True)
    return questions


def chances_of(log: GameLog, seconds: float | None = None) -> list[Chances] | None:
    """For each position, before and after each round, and player the share of playouts won, with its interval.

    Args:
        seconds: after which no more positions are looked at: those far apart come first. None: all are.

    Raises:
        AnalysisError: with the round and the reason.
    """
    questions, worker, began = questions_of(log), Worker(), time.monotonic()
    found: dict[int, Chances] = {}
    for number in _from_coarse_to_fine(list(questions)):
        if found and seconds is not None and time.monotonic() - began > seconds:
            break
        answer = worker.answer(questions[number])
        if answer.chances is None:
            raise AnalysisError(f"no chances of round {number}: {answer.error}")
        found[number] = answer.chances
    return _spread(log, found)


def _from_coarse_to_fine(numbers: list[int]) -> list[int]:
    """The last, the first, the one in the middle, those between them, and so on."""
    places = sorted(range(len(numbers)), key=lambda place: -(place & -place) if place else -len(numbers))
    return [numbers[-1], *(numbers[place] for place in places if place < len(numbers) - 1)] if numbers else []


def _spread(log: GameLog, found: dict[int, Chances]) -> list[Chances] | None:
    """Chances for every position: those that were not asked for have the last ones before them."""
    if not found:
        return None
    chances: list[Chances] = []
    for number in range(len(log.rounds) + 1):
        chances.append(found.get(number, chances[-1] if chances else found[min(found)]))
    return chances
