"""The backends that play games, by name."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Final, Protocol

from warlight_env.arena.backends.tasks import InProcessWorkers, Playable, R, Workers
from warlight_env.arena.games.game_setup import MatchError
from warlight_env.errors import did_you_mean

#: The largest number of games in a task. Fast games share the cost of sending a task to a worker.
CHUNK: Final = 64


class Backend(Protocol):
    """The processes or machines that play games. The games do not depend on the backend."""

    def open(self, setups: Sequence[Playable[R]], jobs: int | None) -> AbstractContextManager[Workers[R]]:
        """Return workers for contests with these setups, or for other games.

        Args:
            jobs: number of tasks that run at the same time. None: the backend chooses.

        Raises:
            MatchError: the agents cannot be sent to workers.
        """
        ...


@dataclass(frozen=True)
class LocalBackend:
    """Processes on this machine. With one job (the default), this process plays the games itself."""

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
    """Return the backend with this name. A `Backend` object is returned unchanged.

    Raises:
        MatchError: no backend has this name.
    """
    if not isinstance(backend, str):
        return backend
    if backend not in BACKENDS:
        raise MatchError(f"no backend {backend!r}{did_you_mean(backend, BACKENDS)}; there are {', '.join(BACKENDS)}")
    return BACKENDS[backend]()
