"""Computes the win probabilities of all positions of logs in the background, and keeps the results in memory."""

from __future__ import annotations

import asyncio
import itertools
import json
from typing import Final

from cachetools import LRUCache

from warlight_env.web.documents.replay_document import encoded
from warlight_env.web.errors import RequestError
from warlight_env.web.workers import worker_tasks
from warlight_env.web.workers.process_pool import ProcessPool
from warlight_env.web.workers.win_probability import Chances
from warlight_env.web.workers.worker_tasks import LogSource

CURVE_BYTES: Final = 16 << 20  # bytes of kept results
OVERHEAD: Final = 200  # bytes that count for each result in addition to its data
PART: Final = 1.0  # seconds of one task: other tasks of the process pool need not wait longer
PARTS: Final = 10  # tasks for a log; positions without an estimate get the last earlier estimate
AT_ONCE: Final = 2  # logs whose win probabilities are computed at the same time; other logs wait
WAITING: Final = 8  # logs that are computed or wait; more requests are refused


class WinCurves:
    """The win probabilities of logs as JSON: for each number of rounds and player [share of playouts won, low, high].

    The result of a log is ``null`` if its game has not started.
    """

    def __init__(self, process_pool: ProcessPool) -> None:
        self._process_pool = process_pool
        self._curves: LRUCache[str, bytes] = LRUCache(
            CURVE_BYTES, getsizeof=lambda curve: min(len(curve) + OVERHEAD, CURVE_BYTES)
        )
        self._running: dict[str, asyncio.Task[bytes]] = {}
        self._slots = asyncio.Semaphore(AT_ONCE)

    async def get(self, source: LogSource) -> bytes:
        """Return the win probabilities of a log, after at most about `PARTS` times `PART` seconds of computing time.

        Raises:
            RequestError: the log has errors, or the server computes the win probabilities of many other logs.
        """
        curve = self._curves.get(source.key)
        if curve is not None:
            return curve
        if source.key not in self._running and len(self._running) >= WAITING:
            text = "the server is analysing other games: try again in a moment"
            raise RequestError(text, 503, code="reports-wait")
        return await asyncio.shield(self._begin(source))

    def largest_losses(self, source: LogSource) -> list[float]:
        """Return the largest loss of win probability of a player in each round; an empty list if it is not known."""
        curve = json.loads(self._curves.get(source.key, b"null")) or []
        return [
            max(before[0] - after[0] for before, after in zip(*pair, strict=True)) for pair in itertools.pairwise(curve)
        ]

    def begin(self, source: LogSource) -> None:
        """Begin to compute the win probabilities of a log, unless they are known or `WAITING` logs wait."""
        if source.key not in self._curves and len(self._running) < WAITING:
            self._begin(source)

    def _begin(self, source: LogSource) -> asyncio.Task[bytes]:
        """Return the task that computes the win probabilities of a log; all requests share it."""
        task = self._running.get(source.key)
        if task is None:
            task = self._running[source.key] = asyncio.get_running_loop().create_task(self._compute(source))
            task.add_done_callback(lambda done: self._finished(source.key, done))
        return task

    def _finished(self, key: str, task: asyncio.Task[bytes]) -> None:
        del self._running[key]
        if not task.cancelled() and task.exception() is None:  # the callers of `get` raise an exception
            self._curves[key] = task.result()

    async def _compute(self, source: LogSource) -> bytes:
        estimates: dict[int, Chances] = {}
        async with self._slots:
            for _ in range(PARTS):
                part, complete = await self._process_pool.long(
                    worker_tasks.win_probability_part, source, estimates, PART
                )
                estimates |= part
                if complete:
                    break
            return encoded(await self._process_pool.long(worker_tasks.win_curve, source, estimates))

    async def close(self) -> None:
        """Cancel the computations."""
        tasks = list(self._running.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
