"""The interface of backends, which run games in processes or on machines, the available backends, and `play_all`."""

from __future__ import annotations

import contextlib
import os
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Final, Protocol

from warlight_env.arena.backends.tasks import InProcessWorkers, Playable, R, Task, Workers
from warlight_env.arena.games.game_setup import MatchError
from warlight_env.arguments import short_repr
from warlight_env.errors import did_you_mean

#: The largest number of games in a task. A task with many short games is sent to a worker only once, which saves time.
CHUNK: Final = 64


class Backend(Protocol):
    """The processes or machines that play games. The results of the games do not depend on the backend."""

    def open(self, setups: Sequence[Playable[R]], jobs: int | None) -> AbstractContextManager[Workers[R]]:
        """Return a context manager that starts workers, and stops the workers at the end of the ``with`` block.

        Args:
            setups: for each contest (a set of games between the same agents), its agents and settings.
            jobs: the number of tasks that run at the same time. If `jobs` is None, the backend chooses the number.

        Raises:
            MatchError: the agents cannot be pickled, so they cannot be sent to workers.
        """
        ...


@dataclass(frozen=True)
class LocalBackend:
    """A backend with processes on this machine; with one job (the default), the present process plays the games."""

    def open(self, setups: Sequence[Playable[R]], jobs: int | None) -> AbstractContextManager[Workers[R]]:
        if jobs in (None, 1):
            return contextlib.nullcontext(InProcessWorkers(setups))
        from warlight_env.arena.backends.pool import ProcessWorkers

        return ProcessWorkers(setups, jobs)


def _ray() -> Backend:
    from warlight_env.arena.backends.ray_backend import RayBackend

    return RayBackend()


BACKENDS: Final[dict[str, Callable[[], Backend]]] = {"local": LocalBackend, "ray": _ray}


def make_backend(backend: str | Backend) -> Backend:
    """Return the backend with the name `backend`. A `Backend` object is returned unchanged.

    Raises:
        MatchError: no backend has the name `backend`, or `backend` is another object.
    """
    if not isinstance(backend, str):
        if isinstance(backend, os.PathLike) or not callable(getattr(type(backend), "open", None)):
            raise MatchError(f"backend = {short_repr(backend)}: must be a Backend, or one of {', '.join(BACKENDS)}")
        return backend
    if backend not in BACKENDS:
        raise MatchError(f"no backend {backend!r}{did_you_mean(backend, BACKENDS)}; there are {', '.join(BACKENDS)}")
    return BACKENDS[backend]()


def play_all(workers: Workers[R], numbers: Sequence[int]) -> list[R]:
    """Play the games with the given numbers, and return their results in the order of `numbers`.

    The games belong to the first contest (set of games) for which the workers were started.

    Raises:
        RunError: the workers have ended.
        Exception: the exception that a game raised. After an exception, all games that still run are stopped.
    """
    queue = deque(numbers)
    results: dict[int, R] = {}
    try:
        while queue or workers.busy:
            while queue and workers.busy < workers.slots:
                size = max(1, min(CHUNK, len(queue) // (4 * workers.slots)))
                workers.submit(Task(0, tuple(queue.popleft() for _ in range(size))))
            for report in workers.wait():
                n_played = len(report.records)
                results.update(zip(report.task.numbers[:n_played], report.records, strict=True))
                if report.error is not None:
                    raise report.error
                queue.extend(report.task.numbers[n_played:])
    except BaseException:
        workers.stop()
        raise
    return [results[number] for number in numbers]
