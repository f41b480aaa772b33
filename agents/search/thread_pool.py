"""Execution of jobs in several threads, or alternately in one thread, in slices of a few milliseconds."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

_SLICE = 0.004  # seconds between a job's checks of the clock


class Quota:
    """A number of remaining steps that several threads share."""

    def __init__(self, steps: int) -> None:
        self._remaining, self._lock = steps, threading.Lock()

    def take(self, limit: int) -> int:
        """Take up to `limit` of the remaining steps, and return the number of taken steps."""
        with self._lock:
            steps = min(limit, self._remaining)
            self._remaining -= steps
            return steps


class Job:
    """A computation that a thread does in small steps.

    step(n) does n steps. rate: the assumed number of steps per second, until it is measured. grain: each call of `step`
    does a multiple of `grain` steps; only the last call may do fewer.
    """

    def __init__(self, step: Callable[[int], None], rate: float, grain: int = 1) -> None:
        self._step, self._rate, self._grain = step, rate, grain
        self.done = 0  #: number of steps so far

    def slice(self, quota: Quota, deadline: float) -> bool:
        """Do steps for a few milliseconds at most; return False if the time or the quota is used up."""
        now = time.perf_counter()
        if now >= deadline:
            return False
        steps = int(self._rate * min(_SLICE, deadline - now))
        n = quota.take(max(1, steps // self._grain) * self._grain)
        if n < 1:
            return False
        self._step(n)
        self.done += n
        self._rate = 0.5 * self._rate + 0.5 * n / max(1e-6, time.perf_counter() - now)
        return True


def run_jobs(
    jobs: Sequence[Job], quotas: Sequence[Quota], threads: int, deadline: float, stopped: Callable[[], bool]
) -> None:
    """Run each job until its quota is used up, the deadline has passed, or `stopped` returns True.

    An exception in one job ends all jobs, and this function raises the exception.
    """
    if len(jobs) == 1 or threads == 1:
        while not stopped():
            progress = [job.slice(quota, deadline) for job, quota in zip(jobs, quotas, strict=True)]
            if not any(progress):
                break
        return

    failed = threading.Event()

    def run(job: Job, quota: Quota) -> None:
        try:
            while not (stopped() or failed.is_set()) and job.slice(quota, deadline):
                pass
        except BaseException:
            failed.set()
            raise

    with ThreadPoolExecutor(threads) as pool:
        futures = [pool.submit(run, *pair) for pair in zip(jobs, quotas, strict=True)]
        try:
            for future in futures:
                future.result()
        except BaseException:  # also KeyboardInterrupt while this thread waits
            failed.set()
            raise
