"""Jobs that make game reports for the page, round by round in a child process, while a client polls them."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any, Final

from cachetools import LRUCache

from warlight_env.web.documents.replay_document import encoded
from warlight_env.web.errors import RequestError
from warlight_env.web.workers.child_process import ChildDiedError, ChildProcess, ChildTimeoutError, serve_questions
from warlight_env.web.workers.game_report import PLAYOUTS, ROLLS, GameReport, analysed_round
from warlight_env.web.workers.worker_tasks import LogSource, TaskFailure, failed, opened_log

_log = logging.getLogger(__name__)

QUEUE: Final = 8  # the largest number of reports in progress; further requests are refused
ROUNDS: Final = 300  # a game with more rounds gets no report
BUDGET: Final = 120.0  # seconds of search for a whole game, at most a second for a turn
MIN_TURN_SECONDS: Final = 0.05  # seconds for a turn
POLL_TIMEOUT: Final = 60.0  # seconds without a poll until a report is cancelled, and until an error is forgotten
LIMIT: Final = 300.0  # seconds for a round: Numba may have to compile kernels
REPORT_BYTES: Final = 16 << 20  # bytes of cached reports


@dataclass(frozen=True)
class RoundAnalysis:
    """One round to analyse; round 0 asks for the names of the players and the number of rounds."""

    source: LogSource
    round: int = 0
    judge: str = ""


@dataclass
class _Making:
    """A game report that is being made."""

    looked: float
    done: int = 0
    rounds: int | None = None  #: the number of rounds of the game; None: not known yet
    error: RequestError | None = None
    task: asyncio.Task[None] | None = None

    @property
    def over(self) -> bool:
        """Whether the work on the report has ended.

        After the work has failed, this object contains the error for the next request.
        """
        return self.task is not None and self.task.done()


class AnalysisJobs:
    """Makes reports one after another. A report is cancelled when clients stop polling it."""

    def __init__(self) -> None:
        self._child = ChildProcess(serve, "warlight-analysis")
        self._making: dict[str, _Making] = {}
        self._turn = asyncio.Lock()
        self._done: LRUCache[str, bytes] = LRUCache(REPORT_BYTES, getsizeof=len)

    def poll(self, source: LogSource) -> dict[str, Any]:
        """Return the progress of a log's report: ``done`` of ``rounds``, and the ``report`` once it is complete.

        Raises:
            RequestError: the report failed, or too many reports are in progress.
        """
        if (report := self.finished_report(source)) is not None:
            return {"done": len(report["rounds"]), "rounds": len(report["rounds"]), "report": report}
        making = self._making.get(source.key)
        if making is None:
            self._forget()
            if sum(not other.over for other in self._making.values()) >= QUEUE:
                raise RequestError(
                    "the server is making other reports: try again in a moment", 503, code="reports-wait"
                )
            making = self._making[source.key] = _Making(time.monotonic())
            making.task = asyncio.get_running_loop().create_task(self._make(source, making))
        making.looked = time.monotonic()
        if making.error is not None:
            del self._making[source.key]
            raise making.error
        return {"done": making.done, "rounds": making.rounds, "report": None}

    def finished_report(self, source: LogSource) -> dict[str, Any] | None:
        """Return a log's report if it is complete; None otherwise."""
        kept = self._done.get(source.key)
        return None if kept is None else json.loads(kept)

    def _forget(self) -> None:
        """Delete old errors that no client has asked for."""
        now = time.monotonic()
        for key, making in list(self._making.items()):
            if making.over and now - making.looked > POLL_TIMEOUT:
                del self._making[key]

    async def _make(self, source: LogSource, making: _Making) -> None:
        try:
            async with self._turn:
                report = await self._report(source, making)
            if report is not None:
                self._done[source.key] = encoded(report.to_dict())
            del self._making[source.key]
        except RequestError as error:
            making.error = error  # the next request raises it
        except Exception as error:
            kind = type(error).__name__
            text = f"the report failed ({kind}): see the server's log"
            making.error = RequestError(text, 500, code="report-failed", kind=kind)
            _log.exception("report of %s", source.key)

    async def _report(self, source: LogSource, making: _Making) -> GameReport | None:
        """Make the report; return None if no client is waiting for the report."""
        names, making.rounds = await self._ask(RoundAnalysis(source))
        if not 0 < making.rounds <= ROUNDS:
            text = f"a report needs a game of 1 to {ROUNDS} rounds, but this game has {making.rounds}"
            raise RequestError(text, code="report-rounds", most=ROUNDS, rounds=making.rounds)
        seconds = max(MIN_TURN_SECONDS, min(1.0, BUDGET / (making.rounds * len(names))))
        judge, rounds = f"nash:secs={seconds:.2g}", []
        for number in range(1, making.rounds + 1):
            if time.monotonic() - making.looked > POLL_TIMEOUT:
                return None
            rounds.append(await self._ask(RoundAnalysis(source, number, judge)))
            making.done = number
        return GameReport(judge, ROLLS, PLAYOUTS, names, tuple(rounds))

    async def _ask(self, case: RoundAnalysis) -> Any:
        try:
            answer = await self._child.ask(case, lambda: LIMIT)
        except (ChildTimeoutError, ChildDiedError) as error:
            text = f"the process for this request failed: {error}"
            raise RequestError(text, 503, code="process", reason=str(error)) from None
        if isinstance(answer, TaskFailure):
            raise answer.error()
        return answer

    async def close(self) -> None:
        """Cancel all reports."""
        tasks = [making.task for making in self._making.values() if making.task is not None]
        for task in tasks:
            task.cancel()
        self._child.close()
        await asyncio.gather(*tasks, return_exceptions=True)


def _answer(case: RoundAnalysis) -> Any:
    log = opened_log(case.source)
    if not case.round:
        return tuple(log.names), len(log.rounds)
    return analysed_round(log, case.round, case.judge)


def serve(pipe: Connection) -> None:
    """Run the analysis process."""
    serve_questions(pipe, _answer, failed, 10)
