"""Runs long work in two child processes, so that the server's event loop never waits for it."""

from __future__ import annotations

import signal
from collections.abc import Callable
from typing import Any, Final

from warlight_env.web.errors import ProcessPoolError, RequestError
from warlight_env.web.workers.child_process import ChildDiedError, ChildProcess, ChildTimeoutError
from warlight_env.web.workers.worker_tasks import serve

#: Maximum seconds of computing time for long work and for short work. The wall-clock limit is `SHARE` times as long,
#: because a busy machine computes more slowly.
LONG: Final = 30.0
SHORT: Final = 10.0
SHARE: Final = 4
#: The largest number of tasks that wait or run, for long work and for short work each. Further tasks are refused.
QUEUE: Final = 8


class ProcessPool:
    """Two child processes that run tasks.

    One process runs only long tasks, so that short tasks never wait for long tasks. A task is a function of a module,
    for example of `worker_tasks`, with its arguments. If the function raises an `InputError`, this class raises a
    `RequestError`; for any other exception it raises a `ProcessPoolError`. After a timeout or a crash, the next task
    gets a new process.
    """

    def __init__(self, long: float = LONG, short: float = SHORT, queue: int = QUEUE) -> None:
        """Set the timeouts `long` and `short` of tasks, in seconds, and the largest number of waiting tasks, see
        `QUEUE`.
        """
        self._long, self._short = WorkerQueue(long, queue), WorkerQueue(short, queue)

    async def long(self, work: Callable[..., Any], *args: Any) -> Any:
        """Run work in the process for long work: opened logs, new maps, branches, win probabilities.

        Raises:
            RequestError: the work raised an `InputError`; or (503) the queue is full, the work takes too long, or the
                process died. ProcessPoolError: the program has an error.
        """
        return await self._long.ask(work, args)

    async def short(self, work: Callable[..., Any], *args: Any) -> Any:
        """Run work that usually takes a moment in the other process: the server's own games and tournaments."""
        return await self._short.ask(work, args)

    def close(self) -> None:
        """End both processes."""
        self._long.child.close()
        self._short.child.close()


class WorkerQueue:
    def __init__(self, limit: float, queue: int) -> None:
        self.child = ChildProcess(serve, "warlight-worker")
        self._limit, self._queue = limit, queue
        self._pending = 0

    async def ask(self, work: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        if self._pending >= self._queue:
            raise RequestError("the server is busy: try again in a moment", 503, code="busy")
        self._pending += 1
        try:
            answer = await self.child.ask((work, args, self._limit), lambda: SHARE * self._limit)
        except (ChildTimeoutError, ChildDiedError) as error:
            if isinstance(error, ChildTimeoutError) or error.exitcode == -getattr(signal, "SIGPROF", 0):
                reason = f"the request takes more than {self._limit:g} s, the limit of this server"
                raise RequestError(reason, 503, code="takes-long", seconds=self._limit) from None
            raise RequestError(
                f"the process for this request failed: {error}", 503, code="process", reason=str(error)
            ) from None
        finally:
            self._pending -= 1
        if isinstance(answer, RequestError | ProcessPoolError):
            raise answer
        return answer
