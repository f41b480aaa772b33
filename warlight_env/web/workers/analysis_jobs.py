"""Jobs that analyse logged games position by position in a child process, while a client polls them.

A job analyses every position of a log in passes. Each pass searches longer and repeats the round with more dice. The
position that the client displays comes first in each pass, then the rounds with the largest changes of the win
probability. The displayed position gets more passes than the others.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from warlight_env.engine.orders import Orders
from warlight_env.web.errors import RequestError
from warlight_env.web.workers.analysed_position import PLAYOUTS, Judgement, PositionResult
from warlight_env.web.workers.analysis_process import AnalysedGame, PositionQuery, serve
from warlight_env.web.workers.bot_workers import Engine
from warlight_env.web.workers.child_process import ChildDiedError, ChildProcess, ChildTimeoutError
from warlight_env.web.workers.game_report import GameReport
from warlight_env.web.workers.turn_report import TurnReport
from warlight_env.web.workers.worker_tasks import LogSource

_log = logging.getLogger(__name__)

QUEUE: Final = 8  # the largest number of jobs in progress; further requests are refused
EACH: Final = 2  # the largest number of jobs in progress for one log
KEPT: Final = 16  # the largest number of jobs whose results are kept
ROUNDS: Final = 300  # a game with more rounds gets no analysis
POLL_TIMEOUT: Final = 10.0  # seconds without a poll until a job pauses
LIMIT: Final = 300.0  # seconds for a position: Numba may have to compile kernels
#: The passes: the share of the chosen time for a turn, and the number of rolls of the dice. Only the displayed
#: position has the passes after `PASSES`.
LEVELS: Final = ((0.05, 12), (0.2, 24), (1.0, 48), (2.0, 96), (4.0, 192))
PASSES: Final = 3
LEAST_SECONDS, MOST_SECONDS = 0.01, 20.0  # seconds of search for a turn


@dataclass
class _Job:
    """The analysis of a log with an engine (a bot with a time for each turn)."""

    source: LogSource
    engine: Engine
    largest_losses: Sequence[float]  #: by round: the largest loss of win probability of a player; empty: not known
    last_poll: float
    focus: int = 0  #: the number of rounds before the displayed position
    game: AnalysedGame | None = None
    levels: list[int] = field(default_factory=list)  #: by position: the number of finished passes
    results: list[PositionResult | None] = field(default_factory=list)
    changed: list[int] = field(default_factory=list)  #: by position: the version of its result
    version: int = 0  #: the number of results so far
    error: RequestError | None = None
    task: asyncio.Task[None] | None = None

    @property
    def active(self) -> bool:
        """Whether positions are being analysed."""
        return self.task is not None and not self.task.done()

    def next(self) -> int | None:
        """Return the position to analyse next; None: all positions are analysed."""
        min_level = min(self.levels)
        focus = self.focus if self.focus < len(self.levels) else None
        if focus is not None and self.levels[focus] < (len(LEVELS) if min_level >= PASSES else min_level + 1):
            return focus
        losses = dict(enumerate(self.largest_losses))
        unfinished = [index for index, level in enumerate(self.levels) if level < PASSES]
        return min(unfinished, key=lambda index: (self.levels[index], -losses.get(index, 0.0), index), default=None)


class AnalysisJobs:
    """Analyses logs: serves the jobs in turn, one position at a time; a job that no client polls pauses."""

    def __init__(self) -> None:
        self._child = ChildProcess(serve, "warlight-analysis")
        self._jobs: OrderedDict[tuple[str, str], _Job] = OrderedDict()
        self._preparations: dict[str, asyncio.Task[None]] = {}

    def poll(
        self, source: LogSource, engine: Engine, focus: int = 0, since: int = 0, largest_losses: Sequence[float] = ()
    ) -> dict[str, Any]:
        """Continue the analysis of a log, and return the results that the client does not have yet.

        Args:
            focus: the number of rounds before the displayed position.
            since: the ``version`` of the last answer that the client received.
            largest_losses: for each round, the largest loss of win probability of any player. The rounds with the
                largest losses are analysed first.

        Raises:
            RequestError: the analysis failed, or too many analyses are in progress.
        """
        key = (source.key, engine.name)
        job = self._jobs.get(key)
        if job is None:
            job = self._jobs[key] = _Job(source, engine, largest_losses, time.monotonic())
            self._delete_old_jobs()
        self._jobs.move_to_end(key)
        job.last_poll, job.focus, job.largest_losses = time.monotonic(), focus, largest_losses or job.largest_losses
        if job.error is not None:
            del self._jobs[key]
            raise job.error
        if not job.active and (job.game is None or job.next() is not None):
            active = [running.source.key for running in self._jobs.values() if running.active]
            if len(active) >= QUEUE or active.count(source.key) >= EACH:
                text = "the server is analysing other games: try again in a moment"
                raise RequestError(text, 503, code="reports-wait")
            job.task = asyncio.get_running_loop().create_task(self._run(job))
        return _new_results(job, since)

    def prepare(self, source: LogSource, engine: Engine) -> None:
        """Load an engine in the background, so that a later analysis begins sooner.

        The process analyses the first position of a log, and the result is discarded. Numba may have to compile
        kernels. A call has no effect if the bot is loaded, or while another preparation runs.
        """
        runs = any(not work.done() for work in self._preparations.values())
        if not runs and engine.bot not in self._preparations:
            work = asyncio.get_running_loop().create_task(self._prepare(source, engine))
            self._preparations[engine.bot] = work

    async def _prepare(self, source: LogSource, engine: Engine) -> None:
        try:
            await self._ask(PositionQuery(source, 0, None, engine.spec(LEAST_SECONDS), 2, "preparation"))
        except RequestError as error:  # an analysis would report it
            _log.warning("preparation of %s: %s", engine.bot, error)
            del self._preparations[engine.bot]

    async def judge(self, source: LogSource, engine: Engine, number: int, seat: int, orders: Orders) -> Judgement:
        """Judge a turn of a player in round `number`, with the search and the dice of the log's analysis.

        Raises:
            RequestError: the log has no such round, the player has no turn in it, or an order is illegal.
        """
        game = await self._ask(PositionQuery(source))
        if not 1 <= number <= game.rounds or seat >= len(game.names):
            text = f"round {number}, seat {seat}: the log has rounds 1 to {game.rounds} and {len(game.names)} seats"
            raise RequestError(text, code="variation", reason=text)
        share, rolls = LEVELS[PASSES - 1]
        spec = engine.spec(max(LEAST_SECONDS, share * engine.seconds))
        judgement = await self._ask(PositionQuery(source, number - 1, (seat, orders), spec, rolls, engine.name))
        assert isinstance(judgement, Judgement)
        return judgement

    def finished_report(self, source: LogSource) -> dict[str, Any] | None:
        """Return the report of the last complete analysis of a log; None if no analysis of the log is complete."""
        for job in reversed(self._jobs.values()):
            if job.source.key == source.key and job.game is not None and all(job.levels[: job.game.rounds]):
                return _report(job).to_dict()
        return None

    def _delete_old_jobs(self) -> None:
        """Delete the results of the jobs that were polled least recently."""
        for key in [key for key, job in self._jobs.items() if not job.active][: max(0, len(self._jobs) - KEPT)]:
            del self._jobs[key]

    async def _run(self, job: _Job) -> None:
        try:
            if job.game is None:
                game = await self._ask(PositionQuery(job.source))
                if not 0 < game.rounds <= ROUNDS:
                    text = f"an analysis needs a game of 1 to {ROUNDS} rounds, but this game has {game.rounds}"
                    raise RequestError(text, code="report-rounds", most=ROUNDS, rounds=game.rounds)
                job.levels, job.changed = [0] * game.positions, [0] * game.positions
                job.results, job.game = [None] * game.positions, game
            while (index := job.next()) is not None and time.monotonic() - job.last_poll <= POLL_TIMEOUT:
                share, rolls = LEVELS[job.levels[index]]
                seconds = min(max(LEAST_SECONDS, share * job.engine.seconds), max(MOST_SECONDS, job.engine.seconds))
                query = PositionQuery(job.source, index, None, job.engine.spec(seconds), rolls, job.engine.name)
                job.results[index] = await self._ask(query)
                job.levels[index] += 1
                job.version += 1
                job.changed[index] = job.version
        except RequestError as error:
            job.error = error  # the next request raises it
        except Exception as error:
            kind = type(error).__name__
            text = f"the analysis failed ({kind}): see the server's log"
            job.error = RequestError(text, 500, code="report-failed", kind=kind)
            _log.exception("analysis of %s", job.source.key)

    async def _ask(self, query: PositionQuery) -> Any:
        try:
            answer = await self._child.ask(query, lambda: LIMIT)
        except (ChildTimeoutError, ChildDiedError) as error:
            text = f"the process for this request failed: {error}"
            raise RequestError(text, 503, code="process", reason=str(error)) from None
        if isinstance(answer, RequestError):
            raise answer
        return answer

    async def close(self) -> None:
        """Cancel all jobs."""
        tasks = [job.task for job in self._jobs.values() if job.task is not None]
        tasks += self._preparations.values()
        for task in tasks:
            task.cancel()
        self._child.close()
        await asyncio.gather(*tasks, return_exceptions=True)


def _report(job: _Job) -> GameReport:
    assert job.game is not None
    none = (None,) * len(job.game.names)
    rounds = tuple(none if result is None else result.turns for result in job.results[: job.game.rounds])
    rolls = LEVELS[max(0, min(job.levels[: job.game.rounds]) - 1)][1]
    return GameReport(job.engine.name, rolls, PLAYOUTS, job.game.names, rounds)


def _new_results(job: _Job, since: int) -> dict[str, Any]:
    """Return the progress of a job, and all results that are newer than version `since`."""
    progress: dict[str, Any] = {"bot": job.engine.bot, "seconds": job.engine.seconds, "version": job.version}
    if job.game is None:
        return {**progress, "done": 0, "total": None, "positions": [], "summary": None}
    changed = [index for index, version in enumerate(job.changed) if version > since]
    positions = [{"played": index, "level": job.levels[index], **_position(job, index)} for index in changed]
    report = _report(job).summary() if changed else None
    done = sum(min(level, PASSES) for level in job.levels)
    return {**progress, "done": done, "total": PASSES * len(job.levels), "positions": positions, "summary": report}


def _position(job: _Job, index: int) -> dict[str, Any]:
    result = job.results[index]
    assert result is not None
    share, rolls = LEVELS[job.levels[index] - 1]
    return {
        "seconds": share * job.engine.seconds,
        "preliminary": job.levels[index] < PASSES,
        "complete": job.levels[index] == len(LEVELS),
        "games": rolls * PLAYOUTS,
        "turns": [None if turn is None else _turn(turn, job.levels[index]) for turn in result.turns],
        "best": result.best,
        "decisions": result.decisions,
        "chances": result.chances,
    }


def _turn(turn: TurnReport, level: int) -> dict[str, Any]:
    """Return the report on a turn. A turn gets the mark for a good turn only in the last pass of the analysis."""
    report = turn.to_dict()
    return {**report, "mark": None} if turn.mark == "!" and level < PASSES else report
