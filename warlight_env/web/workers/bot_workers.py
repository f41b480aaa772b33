"""A pool of bot processes with timeouts, and a limit of concurrent bot queries."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Final

from warlight_env.agents.registry import parse
from warlight_env.web.errors import RequestError
from warlight_env.web.workers.bot_process import Question, WorkerAnswer, serve
from warlight_env.web.workers.child_process import ChildDiedError, ChildProcess, ChildTimeoutError

#: Seconds that a bot may take beyond its own clock.
GRACE: Final = 10.0
#: Seconds more for the first answer of a worker: kernels may have to be compiled.
FIRST: Final = 180.0
EACH: Final = 2  # questions to bots at once with one token, or about one opened log
ALL: Final = 8  # and of all together: two workers do not answer more in the time that somebody waits


class BotWorkers:
    """A few bot processes. A seat always uses the same one, which keeps the bot's memory."""

    def __init__(self, workers: int = 2, limit: Callable[[Question, bool], float] | None = None) -> None:
        """`limit`: seconds for a question, and whether it is the worker's first of its kind; None: `patience`."""
        #: What plays a bot of that specification: a policy of the owner's is known by its name alone.
        self.played_as: Callable[[str | None], str | None] = lambda spec: spec
        self._slots = [_Slot(limit or patience) for _ in range(workers)]

    async def ask(self, question: Question, slot: int = 0) -> WorkerAnswer:
        """Ask the worker of that number (modulo their number), after those who asked it before."""
        played = self.played_as(question.spec)
        answer = await self._slots[slot % len(self._slots)].ask(replace(question, spec=played))
        if (
            answer.error is not None and played is not None and played != question.spec
        ):  # where it lies is told to nobody
            place, name = played.partition(":")[2], (question.spec or "").partition(":")[2]
            answer = replace(answer, error=answer.error.replace(place, name))
        return answer

    def busy(self, slot: int) -> bool:
        """Whether somebody asks that worker now."""
        return self._slots[slot % len(self._slots)].child.busy

    async def close(self) -> None:
        """End all workers."""
        for slot in self._slots:
            slot.child.close()


class ConcurrencyLimit:
    """Limits concurrent bot queries, per token and overall. Queries beyond the limits are refused, not queued."""

    def __init__(self, each: int = EACH, all_: int = ALL) -> None:
        self._each, self._all = each, all_
        self._inside: Counter[str] = Counter()

    @contextlib.contextmanager
    def slot(self, key: str) -> Iterator[None]:
        """Hold one of the slots of a key while the context lasts.

        Raises:
            RequestError: no slot is free, of this key (429) or of all (503).
        """
        if self._inside[key] >= self._each:
            text = f"{self._each} questions to bots are still being answered: wait for those"
            raise RequestError(text, 429, code="questions", n=self._each)
        if self._inside.total() >= self._all:
            raise RequestError("the bots are asked too much: try again in a moment", 503, code="bots-busy")
        self._inside[key] += 1
        try:
            yield
        finally:
            self._inside[key] -= 1
            if not self._inside[key]:
                del self._inside[key]


class _Slot:
    def __init__(self, limit: Callable[[Question, bool], float]) -> None:
        self._limit = limit
        self.child = ChildProcess(serve, "warlight-bot")
        self._warm: set[str] = set()

    async def ask(self, question: Question) -> WorkerAnswer:
        name = "" if question.spec is None else _unwrapped(question.spec)[0]
        try:
            answer: WorkerAnswer = await self.child.ask(question, lambda: self._limit(question, name not in self._warm))
        except ChildTimeoutError as error:
            self._warm.clear()
            return WorkerAnswer(error=str(error), late=True, seconds=self._limit(question, False))
        except ChildDiedError as error:
            self._warm.clear()
            return WorkerAnswer(error=f"the process in which it thought: {error}")
        self._warm.add(name)
        return answer


def patience(question: Question, first: bool) -> float:
    """Seconds after which a bot is ended: beyond three times its own clock something is wrong with it."""
    return GRACE + 3 * clock(question.spec) + (FIRST if first else 0)


def clock(spec: str | None) -> float:
    """Seconds that a bot takes for a move by its own account; 0 where it does not say."""
    if spec is None:
        return 0.0
    _, values = _unwrapped(spec)
    try:
        return float(values.get("secs") or 0.0)
    except ValueError:
        return 0.0


def _unwrapped(spec: str) -> tuple[str, dict[str, Any]]:
    """What kind of bot that is, by its name and the names of those that it wraps, and the parameters of the last."""
    info, values = parse(spec)
    kind = info.name
    while info.wraps:
        info, values = parse(values["text"])
        kind += f":{info.name}"
    return kind, values
