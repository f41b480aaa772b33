"""A pool of bot processes with timeouts, a limit on concurrent bot queries, and the bots of analyses."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

from warlight_env.agents.registry import parse, with_seconds
from warlight_env.web.errors import RequestError
from warlight_env.web.workers.bot_process import BotQuery, WorkerAnswer, serve
from warlight_env.web.workers.child_process import (
    ChildDiedError,
    ChildProcess,
    ChildTimeoutError,
    StateCallback,
    ignore,
)

#: Seconds that a bot may take in addition to its own time limit.
GRACE: Final = 10.0
#: More seconds for a worker's first answer: Numba may have to compile kernels.
FIRST: Final = 180.0
EACH: Final = 2  # the maximum number of concurrent questions with one token, or about one opened log
ALL: Final = 8  # the maximum for all users: two workers cannot answer more within a tolerable time


@dataclass(frozen=True)
class Engine:
    """A bot that searches each turn of an analysis for a given time.

    Attributes:
        bot: the specification of a bot that the page offers.
        seconds: the time for a turn; it has no effect on a bot whose specification has no parameter for the time.
        agent_spec: a function that returns the specification of the agent that plays as `bot`, see
            `BotWorkers.agent_spec`.
    """

    bot: str
    seconds: float
    agent_spec: Callable[[str | None], str | None]

    @property
    def name(self) -> str:
        """The bot's specification with the time for each turn."""
        return self._timed(self.seconds)

    def spec(self, seconds: float) -> str:
        """Return the specification of the agent that searches each turn for `seconds`."""
        timed = self._timed(seconds)
        return self.agent_spec(timed) or timed

    def _timed(self, seconds: float) -> str:
        return with_seconds(self.bot, seconds) if move_seconds(self.bot) else self.bot


class BotWorkers:
    """A few bot processes. A seat always uses the same process, which keeps the bot's memory."""

    def __init__(self, workers: int = 2, limit: Callable[[BotQuery, bool], float] | None = None) -> None:
        """`limit` returns the seconds for a question; see `query_timeout`, which is the default."""
        #: Returns the agent for a bot's specification. The page does not receive the path of a policy, only its name.
        self.agent_spec: Callable[[str | None], str | None] = lambda spec: spec
        self._slots = [_Slot(limit or query_timeout) for _ in range(workers)]

    async def ask(self, question: BotQuery, slot: int = 0, on_state: StateCallback = ignore) -> WorkerAnswer:
        """Ask worker `slot` (modulo the number of workers), after all earlier questions to this worker.

        `on_state` is called when the worker prepares the bot (starts, compiles) and when the bot computes, see
        `StateCallback`.
        """
        agent_spec = self.agent_spec(question.spec)
        answer = await self._slots[slot % len(self._slots)].ask(replace(question, spec=agent_spec), on_state)
        if (
            answer.error is not None and agent_spec is not None and agent_spec != question.spec
        ):  # the error must not reveal the path
            place, name = agent_spec.partition(":")[2], (question.spec or "").partition(":")[2]
            answer = replace(answer, error=answer.error.replace(place, name))
        return answer

    async def ask_for_user(self, question: BotQuery, bot: str, slot: int) -> WorkerAnswer:
        """Ask as `ask` does; raise a `RequestError` that names `bot` if the bot gives no answer."""
        answer = await self.ask(question, slot)
        if answer.error is not None:
            status = 503 if answer.late else 500
            raise RequestError(f"{bot}: {answer.error}", status, code="bot-failed", bot=bot, reason=answer.error)
        return answer

    def engine(self, bot: str, seconds: float) -> Engine:
        """Return a bot that searches each turn of an analysis for `seconds`."""
        return Engine(bot, seconds, self.agent_spec)

    def busy(self, slot: int) -> bool:
        """Return whether worker `slot` is answering a question now."""
        return self._slots[slot % len(self._slots)].child.busy

    async def close(self) -> None:
        """End all workers."""
        for slot in self._slots:
            slot.child.close()


class ConcurrencyLimit:
    """Limits concurrent bot queries, per token and overall. Queries beyond the limits are refused, not queued."""

    def __init__(self) -> None:
        self._inside: Counter[str] = Counter()

    @contextlib.contextmanager
    def slot(self, key: str) -> Iterator[None]:
        """Reserve one slot of `key` for a bot query until the ``with`` block ends.

        Raises:
            RequestError: the key has no free slot (429), or no slot of any key is free (503).
        """
        if self._inside[key] >= EACH:
            text = f"{EACH} bot queries are still running: try again in a moment"
            raise RequestError(text, 429, code="questions", n=EACH)
        if self._inside.total() >= ALL:
            raise RequestError("the bots have too many queries: try again in a moment", 503, code="bots-busy")
        self._inside[key] += 1
        try:
            yield
        finally:
            self._inside[key] -= 1
            if not self._inside[key]:
                del self._inside[key]


class _Slot:
    def __init__(self, limit: Callable[[BotQuery, bool], float]) -> None:
        self._limit = limit
        self.child = ChildProcess(serve, "warlight-bot")
        self._warm: set[tuple[str, str]] = set()  # the bots that have answered, with the phases of the game

    async def ask(self, question: BotQuery, on_state: StateCallback = ignore) -> WorkerAnswer:
        name = "" if question.spec is None else _unwrap(question.spec)[0], question.position.phase
        try:
            answer: WorkerAnswer = await self.child.ask(
                question, lambda: self._limit(question, name not in self._warm), on_state
            )
        except ChildTimeoutError as error:
            self._warm.clear()
            return WorkerAnswer(error=str(error), late=True, seconds=error.seconds)
        except ChildDiedError as error:
            self._warm.clear()
            return WorkerAnswer(error=f"the process of the bot failed: {error}")
        self._warm.add(name)
        return answer


def query_timeout(question: BotQuery, first: bool) -> float:
    """Return the time in seconds after which a bot that has not answered is killed.

    The timeout is more than three times the bot's own time limit, so that only a bot with an error reaches it.
    """
    return GRACE + 3 * move_seconds(question.spec) + (FIRST if first else 0)


def move_seconds(spec: str | None) -> float:
    """Return the seconds for a move from the bot's own parameters; 0 if they do not contain a limit."""
    if spec is None:
        return 0.0
    _, values = _unwrap(spec)
    try:
        return float(values.get("secs") or 0.0)
    except ValueError:
        return 0.0


def _unwrap(spec: str) -> tuple[str, dict[str, Any]]:
    """Return a bot's name with the names of the agents that it wraps, and the parameters of the innermost agent."""
    info, values = parse(spec)
    kind = info.name
    while info.wraps:
        info, values = parse(values["text"])
        kind += f":{info.name}"
    return kind, values
