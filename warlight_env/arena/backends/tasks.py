"""What backends have in common: tasks, and how a worker plays one."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Final, Generic, NamedTuple, Protocol, TypeVar

from warlight_env.arena.playing.play import GameStopped

R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)

#: Seconds after which a worker reports what it has played, though games of its task are left.
SLICE: Final = 0.5


class Playable(Protocol[R_co]):
    """Games by their numbers, of which each depends on nothing else; travels to workers by pickle."""

    def warm_up(self) -> None:
        """Load the kernels that its games need."""
        ...

    def play(self, number: int, stop: Callable[[], bool] | None = None) -> R_co:
        """Play the game of that number; `stop`: asked after every round.

        Raises:
            GameStopped: that said so.
        """
        ...


class Task(NamedTuple):
    """Games that are handed to a worker at once."""

    contest: int  #: which of the run's contests
    numbers: tuple[int, ...]


class Done(NamedTuple, Generic[R]):
    """What a worker reports: the first games of a task, and why it could not play on."""

    task: Task
    records: list[R]
    error: Exception | None = None


class Workers(Protocol[R]):
    """Workers that are ready to play the contests of a run."""

    slots: int  #: tasks that they can work at side by side, at most

    @property
    def busy(self) -> int:
        """Tasks that were submitted and not reported."""
        ...

    def submit(self, task: Task) -> None:
        """Have a task played."""
        ...

    def wait(self) -> list[Done[R]]:
        """Wait until something is reported.

        Raises:
            RunError: the workers are gone.
        """
        ...

    def stop(self) -> list[Done[R]]:
        """Have all tasks ended soon, and return what had been played and not reported."""
        ...


def play_task(setup: Playable[R], task: Task, stopped: Callable[[], bool] | None = None) -> Done[R]:
    """Play the games of a task, up to `SLICE` seconds (and one game); `stopped` is asked after every round."""
    records: list[R] = []
    end = time.perf_counter() + SLICE
    for number in task.numbers:
        try:
            records.append(setup.play(number, stopped))
        except GameStopped:
            break
        except Exception as error:  # reported with what was played before
            return Done(task, records, error)
        if time.perf_counter() >= end:
            break
    return Done(task, records)


class Here(Generic[R]):
    """Plays in this process, a game at a time."""

    slots = 1

    def __init__(self, setups: Sequence[Playable[R]]) -> None:
        self._setups = setups
        self._task: Task | None = None

    @property
    def busy(self) -> int:
        return int(self._task is not None)

    def submit(self, task: Task) -> None:
        self._task = task

    def wait(self) -> list[Done[R]]:
        task, self._task = self._task, None
        assert task is not None
        return [Done(task, [self._setups[task.contest].play(task.numbers[0])])]

    def stop(self) -> list[Done[R]]:
        return []
