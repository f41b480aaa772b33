"""Workers that play games in several processes on this machine."""

from __future__ import annotations

import contextlib
import multiprocessing
import pickle
import tempfile
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, Final, Generic

from warlight_env.agents import AgentError
from warlight_env.arena.backends.tasks import Playable, R, Task, TaskReport, play_task
from warlight_env.arena.games.game_setup import MatchError
from warlight_env.errors import RunError
from warlight_env.worker_processes import begin_worker, interrupts_blocked

#: The seconds that a process has to finish its current round after a stop; then the process is killed.
STOP_TIMEOUT: Final = 2.0


class _Worker:
    """Global data of a worker process: the agents and settings of contests, and a flag that stops the process."""

    setups: Sequence[Playable[Any]]
    stop: Any
    warm: set[int]


def _start(file: Path, stop: Any) -> None:
    begin_worker(file.parent)
    _Worker.setups, _Worker.stop, _Worker.warm = pickle.loads(file.read_bytes()), stop, set()


def _stopped() -> bool:
    return bool(_Worker.stop.value)


def _play(task: Task) -> TaskReport[Any]:
    setup = _Worker.setups[task.contest]
    if task.contest not in _Worker.warm:
        setup.warm_up()
        _Worker.warm.add(task.contest)
    return play_task(setup, task, _stopped)


class ProcessWorkers(Generic[R]):
    """Workers that play games in several processes; the processes stop at the end of the ``with`` block."""

    def __init__(self, setups: Sequence[Playable[R]], jobs: int) -> None:
        self.slots = 2 * jobs  # a second task waits for each process, so that the process is never idle
        self._jobs = jobs
        self._setups = setups
        self._pending: set[Future[TaskReport[R]]] = set()
        self._workers: set[BaseProcess] = set()

    def __enter__(self) -> ProcessWorkers[R]:
        try:
            pickled = pickle.dumps(tuple(self._setups))
        except Exception as error:
            raise MatchError(f"jobs = {self._jobs}: the agents cannot be sent to other processes ({error})") from error
        # A file transports the setups to the processes. A pipe could block: if a process fails to start, it reads
        # nothing from its pipe, and a write that is larger than the pipe's buffer never ends.
        self._folder = tempfile.TemporaryDirectory(prefix="warlight-match-")
        file = Path(self._folder.name, "setups.pickle")
        file.write_bytes(pickled)
        context = multiprocessing.get_context("spawn")
        self._stop = context.RawValue("b", 0)
        self._pool = ProcessPoolExecutor(self._jobs, context, _start, (file, self._stop))
        return self

    def __exit__(self, *exception: object) -> None:
        self._end()
        self._folder.cleanup()

    @property
    def busy(self) -> int:
        return len(self._pending)

    def submit(self, task: Task) -> None:
        before = set(multiprocessing.active_children())
        with interrupts_blocked(), self._translated():
            try:
                self._pending.add(self._pool.submit(_play, task))
            except (OSError, ValueError):  # the pool has closed its resources, for example because a process died
                self._pool.submit(_stopped)  # if a process died, this call raises BrokenProcessPool
                raise
        self._workers |= set(multiprocessing.active_children()) - before

    def wait(self) -> list[TaskReport[R]]:
        done, pending = wait(self._pending, return_when=FIRST_COMPLETED)
        with self._translated():
            reports = [future.result() for future in done]
        self._pending = pending
        return reports

    @contextlib.contextmanager
    def _translated(self) -> Iterator[None]:
        """Return a context manager that replaces errors of the process pool by errors with helpful messages."""
        try:
            yield
        except AgentError as error:
            raise MatchError(f"{error} (agents that a program registers at run time need jobs = 1)") from error
        except BrokenProcessPool as error:
            self._kill()  # otherwise the pool would wait without end for processes that started after the error
            raise RunError(
                "a process of the match ended: it was killed, it had too little memory, or the script calls Match.run "
                'with jobs > 1 outside of `if __name__ == "__main__":`'
            ) from error

    def stop(self) -> list[TaskReport[R]]:
        self._end()
        finished = (future for future in self._pending if future.done() and not future.cancelled())
        return [future.result() for future in finished if future.exception() is None]

    def _end(self) -> None:
        """Stop each process after the current round of its game.

        Kill each process that needs longer than `STOP_TIMEOUT`. A process that is starting, compiling, or computing a
        long turn may need longer than `STOP_TIMEOUT`. If a process is killed, only the finished games of its last task
        can be lost.
        """
        self._stop.value = 1
        killer = threading.Timer(STOP_TIMEOUT, self._kill)
        killer.daemon = True
        killer.start()
        try:
            self._pool.shutdown(wait=True, cancel_futures=True)
        finally:
            killer.cancel()

    def _kill(self) -> None:
        for worker in self._workers:
            worker.kill()
