"""Parts that all backends use: tasks, and the function with which a worker plays one."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Final, Generic, NamedTuple, Protocol, TypeVar

from warlight_env.arena.games.game_loop import GameStopped

R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)

#: Seconds after which a worker reports its finished games, even if games of its task are left.
REPORT_SECONDS: Final = 0.5


class Playable(Protocol[R_co]):
    """A set of games with numbers. A game depends only on its number. Pickle sends the object to workers."""

    def warm_up(self) -> None:
        """Load the kernels that its games need."""
        ...

    def play(self, number: int, stop: Callable[[], bool] | None = None) -> R_co:
        """Play the game with this number. `stop` is called after every round.

        Raises:
            GameStopped: `stop` returned True.
        """
        ...


class Task(NamedTuple):
    """Games that a worker receives at once."""

    contest: int  #: index of the contest in the run
    numbers: tuple[int, ...]


class TaskReport(NamedTuple, Generic[R]):
    """The report of a worker: the first games of a task, and the error that stopped it, if any."""

    task: Task
    records: list[R]
    error: Exception | None = None


class Workers(Protocol[R]):
    """Workers that are ready to play the contests of a run."""

    slots: int  #: largest number of tasks at the same time

    @property
    def busy(self) -> int:
        """Number of tasks that were submitted and not yet reported."""
        ...

    def submit(self, task: Task) -> None:
        """Submit a task."""
        ...

    def wait(self) -> list[TaskReport[R]]:
        """Wait for at least one report, and return the new reports.

        Raises:
            RunError: the workers have ended.
        """
        ...

    def stop(self) -> list[TaskReport[R]]:
        """Stop all tasks soon. Return the reports of finished games that were not yet returned."""
        ...


def play_task(setup: Playable[R], task: Task, stopped: Callable[[], bool] | None = None) -> TaskReport[R]:
    """Play the games of a task, at most for `REPORT_SECONDS` and one game. `stopped` is called after every round."""
    records: list[R] = []
    end = time.perf_counter() + REPORT_SECONDS
    for number in task.numbers:
        try:
            records.append(setup.play(number, stopped))
        except GameStopped:
            break
        except Exception as error:  # reported together with the games before it
            return TaskReport(task, records, error)
        if time.perf_counter() >= end:
            break
    return TaskReport(task, records)


class InProcessWorkers(Generic[R]):
    """Workers in this process. They play one game at a time."""

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
