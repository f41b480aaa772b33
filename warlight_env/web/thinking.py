"""Workers that think for the bots: asked side by side, ended when their clock has run out."""

from __future__ import annotations

import asyncio
import multiprocessing
from collections.abc import Callable
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from typing import Final

from warlight_env.agents.registry import parse
from warlight_env.web.worker import Answer, Question, serve

#: Seconds that a bot may take beyond its own clock.
GRACE: Final = 10.0
#: Seconds more for the first answer of a worker: kernels may have to be compiled.
FIRST: Final = 180.0


class Thinkers:
    """A few worker processes. A bot's seat always asks the same one, which keeps the bot's memory."""

    def __init__(self, workers: int = 2, limit: Callable[[Question, bool], float] | None = None) -> None:
        """`limit`: seconds for a question, and whether it is the worker's first of its kind; None: `patience`."""
        self._slots = [_Slot(limit or patience) for _ in range(workers)]

    async def ask(self, question: Question, slot: int = 0) -> Answer:
        """Ask the worker of that number (modulo their number), after those who asked it before."""
        return await self._slots[slot % len(self._slots)].ask(question)

    def busy(self, slot: int) -> bool:
        """Whether somebody asks that worker now."""
        return self._slots[slot % len(self._slots)].busy

    async def close(self) -> None:
        """End all workers."""
        for slot in self._slots:
            slot.close()


class _Slot:
    def __init__(self, limit: Callable[[Question, bool], float]) -> None:
        self._limit = limit
        self._lock = asyncio.Lock()
        self._process: SpawnProcess | None = None
        self._pipe: Connection | None = None
        self._warm: set[str] = set()

    @property
    def busy(self) -> bool:
        return self._lock.locked()

    async def ask(self, question: Question) -> Answer:
        async with self._lock:
            return await asyncio.shield(asyncio.get_running_loop().run_in_executor(None, self._ask, question))

    def _ask(self, question: Question) -> Answer:
        name = (question.spec or "").partition(":")[0]
        limit = self._limit(question, name not in self._warm)
        if self._process is None or not self._process.is_alive():
            self._start()
        assert self._pipe is not None
        try:
            self._pipe.send(question)
            if not self._pipe.poll(limit):
                self.close()
                return Answer(error=f"no answer in {limit:.0f} s", seconds=limit)
            answer: Answer = self._pipe.recv()
        except (EOFError, OSError):
            self.close()
            return Answer(error="the process in which it thought has died")
        self._warm.add(name)
        return answer

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=serve, args=(theirs,), daemon=True, name="warlight-thinker")
        self._process.start()
        theirs.close()

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.join(5)
        if self._pipe is not None:
            self._pipe.close()
        self._process, self._pipe = None, None
        self._warm.clear()


def patience(question: Question, first: bool) -> float:
    """Seconds after which a bot is ended: beyond three times its own clock something is wrong with it."""
    return GRACE + 3 * clock(question.spec) + (FIRST if first else 0)


def clock(spec: str | None) -> float:
    """Seconds that a bot takes for a move by its own account; 0 where it does not say."""
    if spec is None:
        return 0.0
    _, values = parse(spec)
    try:
        return float(values.get("secs") or 0.0)
    except ValueError:
        return 0.0
