"""The backend that plays games on a Ray cluster. If a worker or a node fails, its games are played again."""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import pickle
import socket
from collections.abc import Iterator, Sequence
from typing import Any, Final, Generic

from warlight_env.agents import AgentError
from warlight_env.arena.backends.tasks import Playable, R, Task, TaskReport, play_task
from warlight_env.arena.games.game_setup import MatchError
from warlight_env.errors import RunError

#: The number of attempts for a task. Then the run fails, because an agent may end its worker process in each attempt.
ATTEMPTS: Final = 5

_log = logging.getLogger(__name__)

#: Global data of a worker process: a dict from a digest to the setups of a run, and the contests with loaded kernels.
_setups: dict[str, tuple[Playable[Any], ...]] = {}
_warm: set[tuple[str, int]] = set()


class RayBackend:
    """A backend that plays games on a Ray cluster.

    If the program is already connected to a cluster, the backend uses this cluster; otherwise the backend connects to
    the cluster at `address`. This package and the code of the agents must be installed on the cluster's nodes.

    Args:
        address: the address of the cluster, an argument of `ray.init`. If `address` is None, the environment variable
            ``RAY_ADDRESS`` gives the address. If `address` is None and the variable is not set, Ray starts a cluster on
            this machine for the run.

    Raises:
        MatchError: Ray is not installed.
    """

    def __init__(self, address: str | None = None) -> None:
        try:
            import ray
        except ImportError as error:
            raise MatchError(
                f"the backend ray needs Ray: pip install 'warlight-env[ray]' or '.[ray]' ({error})"
            ) from None
        self._ray: Any = ray
        self._address = address

    @contextlib.contextmanager
    def open(self, setups: Sequence[Playable[R]], jobs: int | None) -> Iterator[RayWorkers[R]]:
        """Connect to the cluster, and start workers; see `Backend.open`."""
        ray = self._ray
        try:
            pickled = pickle.dumps(tuple(setups))
        except Exception as error:
            raise MatchError(f"the agents cannot be sent to a Ray cluster ({error})") from error
        connected = ray.is_initialized()
        if not connected:
            try:
                _check_reachable(self._address)
                options = {} if self._address or os.environ.get("RAY_ADDRESS") else {"include_dashboard": False}
                ray.init(self._address, log_to_driver=False, logging_level=logging.WARNING, **options)
            except (OSError, ValueError, RuntimeError) as error:
                target = "to Ray" if self._address is None else f"to Ray at {self._address}"
                raise RunError(f"cannot connect {target}: {error}") from error
        try:
            yield RayWorkers(ray, pickled, jobs)
        finally:
            if not connected:
                ray.shutdown()


def _check_reachable(address: str | None) -> None:
    """Raise `OSError` at once if no server listens at the address; Ray itself would try to connect for minutes."""
    host, colon, port = (address or "").removeprefix("ray://").rpartition(":")
    if colon and port.isdecimal():
        socket.create_connection((host.strip("[]"), int(port)), timeout=10).close()


class RayWorkers(Generic[R]):
    """Workers that play games on a Ray cluster. Each task uses one CPU."""

    def __init__(self, ray: Any, pickled: bytes, jobs: int | None) -> None:
        cpus = int(ray.cluster_resources().get("CPU", 1))
        # With two tasks for each CPU, a worker never has to wait for its next task.
        self.slots = 2 * cpus if jobs is None else jobs
        self._ray = ray
        self._digest = hashlib.sha256(pickled).hexdigest()
        self._pickled = ray.put(pickled)
        # Ray does not repeat failed tasks here (max_retries=0). This class repeats them, so that it can log each
        # attempt and stop after `ATTEMPTS` attempts.
        self._play = ray.remote(num_cpus=1, max_retries=0)(_play)
        self._pending: dict[Any, tuple[Task, int]] = {}  # values: a task and the number of attempts so far
        self._reports: list[TaskReport[R]] = []

    @property
    def busy(self) -> int:
        return len(self._pending)

    def submit(self, task: Task) -> None:
        self._submit(task, 1)

    def _submit(self, task: Task, attempt: int) -> None:
        self._pending[self._play.remote(self._pickled, self._digest, task)] = task, attempt

    def wait(self) -> list[TaskReport[R]]:
        while not self._reports:
            self._ray.wait(list(self._pending), num_returns=1)
            self._collect()
        return self._take_reports()

    def stop(self) -> list[TaskReport[R]]:
        if self._pending:
            with contextlib.suppress(RunError, MatchError):
                self._collect()
        for reference in self._pending:
            self._ray.cancel(reference, force=False)
        self._pending.clear()
        return self._take_reports()

    def _collect(self) -> None:
        """Move the reports of all finished tasks to `_reports`, without waiting."""
        ready, _ = self._ray.wait(list(self._pending), num_returns=len(self._pending), timeout=0)
        for reference in ready:
            report = self._report(reference)
            if report is not None:
                self._reports.append(report)

    def _take_reports(self) -> list[TaskReport[R]]:
        reports, self._reports = self._reports, []
        return reports

    def _report(self, reference: Any) -> TaskReport[R] | None:
        """Return the report of a finished task.

        If the worker of the task was lost, submit the task again, and return None.
        """
        errors = self._ray.exceptions
        task, attempt = self._pending[reference]
        try:
            report: TaskReport[R] = self._ray.get(reference)
        except (
            errors.WorkerCrashedError,
            errors.NodeDiedError,
            errors.LocalRayletDiedError,
            errors.ObjectLostError,
            errors.OutOfMemoryError,
        ) as error:
            reason = str(error).strip().splitlines()[0]
            games = f"games {', '.join(str(number + 1) for number in task.numbers)}"
            if attempt == ATTEMPTS:
                raise RunError(f"{games}: the worker was lost {ATTEMPTS} times ({reason})") from error
            _log.warning("%s: a worker was lost; the games are played again (%s)", games, reason)
            del self._pending[reference]
            self._submit(task, attempt + 1)
            return None
        except errors.RayTaskError as error:
            if isinstance(error.cause, AgentError):
                raise MatchError(
                    f"{error.cause} (a Ray cluster cannot use agents that a program registers at run time)"
                ) from error
            raise RunError(f"a task failed on the cluster: {error.cause!r}") from error
        except errors.RayError as error:
            raise RunError(f"the Ray cluster failed: {error}") from error
        del self._pending[reference]
        return report


def _play(pickled: bytes, digest: str, task: Task) -> TaskReport[Any]:
    """Play a task in a worker process. pickled: the setups of the run; digest: the digest of `pickled`."""
    if digest not in _setups:
        _setups[digest] = pickle.loads(pickled)
    setup = _setups[digest][task.contest]
    if (digest, task.contest) not in _warm:
        setup.warm_up()
        _warm.add((digest, task.contest))
    return play_task(setup, task)
