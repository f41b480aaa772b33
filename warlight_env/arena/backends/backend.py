"""Where games are played: the backends by name."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Final, Protocol

from warlight_env.arena.backends.tasks import Here, Playable, R, Workers
from warlight_env.arena.playing.game_setup import MatchError
from warlight_env.errors import did_you_mean

#: Most games in a task: fast games share the cost of handing them out.
CHUNK: Final = 64


class Backend(Protocol):
    """A place to play games: the same games, wherever it is."""

    def open(self, setups: Sequence[Playable[R]], jobs: int | None) -> AbstractContextManager[Workers[R]]:
        """Workers for contests with these setups, or for other games.

        jobs: tasks side by side; None: as the backend sees fit.

        Raises:
            MatchError: the agents cannot be sent to workers.
        """
        ...


@dataclass(frozen=True)
class LocalBackend:
    """Processes on this machine; with one job (the default) this process itself."""

    def open(self, setups: Sequence[Playable[R]], jobs: int | None) -> AbstractContextManager[Workers[R]]:
        if jobs in (None, 1):
            return contextlib.nullcontext(Here(setups))
        from warlight_env.arena.backends.pool import Processes

        return Processes(setups, jobs)


def _ray() -> Backend:
    from warlight_env.arena.backends.ray_backend import RayBackend

    return RayBackend()


BACKENDS: Final[dict[str, Callable[[], Backend]]] = {"local": LocalBackend, "ray": _ray}


def make_backend(backend: str | Backend) -> Backend:
    """A backend by its name.

    Raises:
        MatchError: there is none of that name.
    """
    if not isinstance(backend, str):
        return backend
    if backend not in BACKENDS:
        raise MatchError(f"no backend {backend!r}{did_you_mean(backend, BACKENDS)}; there are {', '.join(BACKENDS)}")
    return BACKENDS[backend]()
