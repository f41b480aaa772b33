"""Workers that think for the bots: asked side by side, ended when their clock has run out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from warlight_env.agents.registry import parse
from warlight_env.web.side_process import Child, DiedError, LateError
from warlight_env.web.worker import Question, WorkerAnswer, serve

#: Seconds that a bot may take beyond its own clock.
GRACE: Final = 10.0
#: Seconds more for the first answer of a worker: kernels may have to be compiled.
FIRST: Final = 180.0


class Thinkers:
    """A few worker processes. A bot's seat always asks the same one, which keeps the bot's memory."""

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


class _Slot:
    def __init__(self, limit: Callable[[Question, bool], float]) -> None:
        self._limit = limit
        self.child = Child(serve, "warlight-thinker")
        self._warm: set[str] = set()

    async def ask(self, question: Question) -> WorkerAnswer:
        name = "" if question.spec is None else _unwrapped(question.spec)[0]
        try:
            answer: WorkerAnswer = await self.child.ask(question, lambda: self._limit(question, name not in self._warm))
        except LateError as error:
            self._warm.clear()
            return WorkerAnswer(error=str(error), late=True, seconds=self._limit(question, False))
        except DiedError as error:
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
