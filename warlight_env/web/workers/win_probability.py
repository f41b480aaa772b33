"""Win probabilities of a log's positions. Rollouts estimate some positions; later positions get the last estimate."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from typing import Final

from warlight_env.errors import RunError
from warlight_env.protocol.view_transfer import QueriedPosition, WorkerSetup
from warlight_env.record import GameLog
from warlight_env.web.workers.bot_process import SIZE, BotQuery, Worker

Chances = list[list[float]]

#: The maximum number of a log's positions with rollouts. In longer games only every second, third … position has them.
POSITIONS: Final = 120
MIN_POSITIONS: Final = 12  # the number of positions with rollouts on the largest boards


class AnalysisError(RunError):
    """An error for a position whose win probabilities cannot be estimated."""


def questions_of(log: GameLog) -> dict[int, BotQuery]:
    """Return a dict from a number of rounds to the question for the win probabilities after these rounds.

    In a long game, there are questions only for some of the positions.
    """
    header = log.header
    setup = WorkerSetup.for_game(header.map, header.rules, len(header.players))
    positions = list(log.positions())[-(len(log.rounds) + 1) :]
    size = header.map.n_regions + 2 * len(header.map.borders)
    if not positions:  # the log ends before the start of the game
        return {}
    step = max(1, len(positions) // min(POSITIONS, max(MIN_POSITIONS, POSITIONS * SIZE // size)))
    questions: dict[int, BotQuery] = {}
    for number in sorted({*range(0, len(positions), step), len(positions) - 1}):
        owner, army = positions[number]
        if any(o >= 0 for o in owner):
            position = QueriedPosition(0, "play", number, list(owner), list(army), 0, (), 0)
            last = log.complete and number == len(positions) - 1
            absent = {failure.player for failure in log.failures} if last else log.absent(number)
            questions[number] = BotQuery(
                setup, position, None, number, win_probabilities=True, absent=tuple(sorted(absent))
            )
    return questions


def win_probabilities_of(log: GameLog) -> list[Chances] | None:
    """Return the share of playouts won, with its interval, for each position (before and after rounds) and player.

    None: the game has not started.

    Raises:
        AnalysisError: a position has no win probabilities; the error message gives the round and the reason.
    """
    return curve_of(log, estimate_positions(log, {})[0])


def estimate_positions(
    log: GameLog, known_estimates: Mapping[int, Chances], seconds: float = math.inf
) -> tuple[dict[int, Chances], bool]:
    """Estimate the win probabilities of positions of a log; return them by number of rounds, and whether all are known.

    Args:
        known_estimates: the estimates of earlier calls. The first estimated positions are far apart in the game.
        seconds: time after which no more positions are estimated. At least one more position is estimated.

    Raises:
        AnalysisError: see `win_probabilities_of`.
    """
    start, questions, worker = time.monotonic(), questions_of(log), Worker()
    remaining = [number for number in _from_coarse_to_fine(list(questions)) if number not in known_estimates]
    estimates: dict[int, Chances] = {}
    for number in remaining:
        if estimates and time.monotonic() - start > seconds:
            break
        answer = worker.answer(questions[number])
        if answer.win_probabilities is None:
            raise AnalysisError(f"round {number} has no win probabilities: {answer.error}")
        estimates[number] = answer.win_probabilities
    return estimates, len(estimates) == len(remaining)


def curve_of(log: GameLog, estimates: Mapping[int, Chances]) -> list[Chances] | None:
    """Return win probabilities for every position; a position without an estimate gets the last earlier estimate.

    None: `estimates` is empty.
    """
    if not estimates:
        return None
    chances: list[Chances] = []
    for number in range(len(log.rounds) + 1):
        chances.append(estimates.get(number, chances[-1] if chances else estimates[min(estimates)]))
    return chances


def _from_coarse_to_fine(numbers: list[int]) -> list[int]:
    """Return the numbers in this order: the last, the first, the middle one, the middles of both halves, and so on."""
    places = sorted(range(len(numbers)), key=lambda place: -(place & -place) if place else -len(numbers))
    return [numbers[-1], *(numbers[place] for place in places if place < len(numbers) - 1)] if numbers else []
