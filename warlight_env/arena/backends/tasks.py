"""Types and functions that all backends use: tasks, reports, the interface of workers, and `play_task`."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Final, Generic, NamedTuple, Protocol, TypeVar

from warlight_env.arena.games.game_loop import GameStopped

R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)

#: The number of seconds after which a worker reports its finished games, even if its task has more games.
REPORT_SECONDS: Final = 0.5


class Playable(Protocol[R_co]):
    """A set of games that can be played one by one, by number.

    The number of a game determines the game's result. The object is pickled and sent to worker processes.
    """

    def warm_up(self) -> None:
        """Load or compile the kernels that the games need."""
        ...

    def play(self, number: int, stop: Callable[[], bool] | None = None) -> R_co:
        """Play the game with the given number, and return its result.

        stop: a function that is called after every round; the game stops if it returns True.

        Raises:
            GameStopped: `stop` returned True.
        """
        ...


class Task(NamedTuple):
    """A set of games that is sent to a worker in one message."""

    contest: int  #: the index of the games' contest in the run
    numbers: tuple[int, ...]  #: the numbers of the games


class TaskReport(NamedTuple, Generic[R]):
    """The report of a worker: the results of the first games of a task, and the error that stopped the worker."""

    task: Task
    records: list[R]
    error: Exception | None = None


class Workers(Protocol[R]):
    """The interface of workers that play the games of a run."""

    slots: int  #: the largest number of tasks that may be submitted at the same time

    @property
    def busy(self) -> int:
        """The number of submitted tasks that have no report yet."""
        ...

    def submit(self, task: Task) -> None:
        """Send a task to a worker."""
        ...

    def wait(self) -> list[TaskReport[R]]:
        """Wait for at least one report, and return the new reports.

        Raises:
            RunError: the workers have ended.
        """
        ...

    def stop(self) -> list[TaskReport[R]]:
        """Stop all tasks after the current round of their games. Return the reports that `wait` has not returned
        yet."""
        ...


def play_task(setup: Playable[R], task: Task, stopped: Callable[[], bool] | None = None) -> TaskReport[R]:
    """Play the games of a task one after another; start no new game after `REPORT_SECONDS`.

    stopped: a function that is called after every round; no further round is played if it returns True.
    """
    records: list[R] = []
    end = time.perf_counter() + REPORT_SECONDS
    for number in task.numbers:
        try:
            records.append(setup.play(number, stopped))
        except GameStopped:
            break
        except Exception as error:  # the report contains the error and the games that were finished before
            return TaskReport(task, records, error)
        if time.perf_counter() >= end:
            break
    return TaskReport(task, records)


class InProcessWorkers(Generic[R]):
    """A worker in this process, which plays one game at a time."""

    slots = 1

    def __init__(self, setups: Sequence[Playable[R]]) -> None:
        self._setups = setups
        self._task: Task | None = None

    @property
    def busy(self) -> int:
        return int(self._task is not None)

    def submit(self, task: Task) -> None:
        self._task = task

    def wait(self) -> list[TaskReport[R]]:
        task, self._task = self._task, None
        assert task is not None
        return [TaskReport(task, [self._setups[task.contest].play(task.numbers[0])])]

    def stop(self) -> list[TaskReport[R]]:
        return []
