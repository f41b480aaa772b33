"""`play_contests`: play all games of several contests on a backend. An interrupted run can be continued."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from warlight_env.arena.backends.backend import CHUNK, Backend, make_backend
from warlight_env.arena.backends.tasks import Task, TaskReport, Workers
from warlight_env.arena.contests.append_only import RunFolderError
from warlight_env.arena.contests.contest_progress import Contest, ContestProgress, ContestResult
from warlight_env.arena.contests.run_folder import RunFolder
from warlight_env.arena.games.game_record import GameRecord
from warlight_env.arena.games.game_setup import MatchError, OnWarmUp, warm_up_all
from warlight_env.arena.games.match_logs import unwritable
from warlight_env.arguments import is_integer, path_of, short_repr
from warlight_env.errors import RunError
from warlight_env.folder_lock import FolderLock
from warlight_env.worker_processes import uninterrupted

#: The largest allowed number of games at the same time.
MOST_JOBS: Final = 4096

#: A function that is called with a contest's key and results of its games. The first calls contain the games from the
#: run folder; later calls contain newly finished games.
OnContestGames = Callable[[str, Sequence[GameRecord]], None]


def play_contests(
    contests: Iterable[Contest],
    *,
    jobs: int | None = None,
    backend: str | Backend = "local",
    folder: str | Path | FolderLock | None = None,
    on_games: OnContestGames | None = None,
    on_warm_up: OnWarmUp | None = None,
) -> dict[str, ContestResult]:
    """Play all games of all contests.

    The contest and the number of a game determine the result of the game. Stop rules receive complete units (games with
    the same seed) in the order of the units' numbers. The results of the contests therefore do not depend on jobs,
    backend or interruptions, unless agents use a clock. Ctrl-C ends the run early: the results then contain only the
    finished games, and the field `interrupted` of the results is True.

    Args:
        contests: contests with different keys.
        jobs: the number of games at the same time. If `jobs` is None, it is 1 on this machine, and the number of CPUs
            on a cluster.
        backend: "local" (processes on this machine), "ray" (a Ray cluster), or a `Backend`.
        folder: a run folder, which is made if it does not exist; or the lock of a folder that the caller has locked.
            Every finished game is written to the folder. A later call with the same contests and the same folder
            continues an interrupted run, with the same final result. If the folder belongs to other contests, an error
            is raised. During play, the run folder and the folders of logs are locked.
        on_games: a function that receives the result of every game once, see `OnContestGames`.
        on_warm_up: a function that is called before the warm-up game of each agent, see `OnWarmUp`.

    Returns:
        A dict from the key of each contest to its result, in the order of `contests`.

    Raises:
        AgentCrashError: an agent failed, and the contest's setup has ``on_crash="stop"``.
        MatchError: an argument is invalid, or the agents cannot be sent to workers.
        RunFolderError: the folder belongs to other contests or is damaged, or another run is using it or a folder of
            logs.
        LogError: a folder of logs belongs to another match, or a game in the run folder has no log.
        RunError: workers were lost, or a folder cannot be written. The run folder still contains the games that were
            finished before the error.
    """
    try:
        contests = tuple(contests)
    except Exception:  # the caller's object may have methods that raise any exception
        raise MatchError(f"contests = {short_repr(contests)}: must be an iterable of contests") from None
    for contest in contests:
        if not isinstance(contest, Contest):
            raise MatchError(f"contests: {short_repr(contest)}: must be a Contest")
    _check(contests, jobs)
    game_backend = make_backend(backend)
    for name, function in (("on_games", on_games), ("on_warm_up", on_warm_up)):
        if function is not None and not callable(function):
            raise MatchError(f"{name} = {short_repr(function)}: must be a function or None")
    with contextlib.ExitStack() as stack:
        run_target = folder if isinstance(folder, FolderLock | None) else path_of(folder, "folder", MatchError)
        run_path = run_target.folder if isinstance(run_target, FolderLock) else run_target
        # The folders of logs may be inside the run folder, so the run folder is opened first and closed last.
        run = None if run_target is None else stack.enter_context(RunFolder(run_target, contests))
        for log in _log_folders(contests, run_path):
            lock = FolderLock(log, in_use=RunFolderError, unwritable=functools.partial(unwritable, log))
            stack.enter_context(lock)
        contests_in_progress = [ContestProgress(c, () if run is None else run.finished[c.key]) for c in contests]
        if on_games is not None and run is not None:
            for key, records in run.finished.items():
                if records:
                    on_games(key, records)

        def keep(reports: Sequence[TaskReport[GameRecord]]) -> None:
            with uninterrupted():  # Ctrl-C must not separate the count of a game from its line in the run folder
                for report in reports:
                    progress = contests_in_progress[report.task.contest]
                    progress.add(report.records)
                    progress.requeue(report.task.numbers[len(report.records) :])
                    if run is not None:
                        run.append(progress.contest.key, report.records)

        for progress in contests_in_progress:
            finished = () if run is None else run.finished[progress.contest.key]
            if progress.missing or finished:
                progress.contest.setup.open_log(record.number for record in finished)
            if progress.missing:
                progress.contest.setup.check_agents()
        warm_up_all((progress.contest.setup for progress in contests_in_progress if progress.missing), on_warm_up)
        n_missing = sum(progress.missing for progress in contests_in_progress)
        if n_missing:
            with game_backend.open(
                [c.setup for c in contests], 1 if jobs is not None and n_missing == 1 else jobs
            ) as workers:
                _play(contests_in_progress, workers, keep, on_games)
    return {progress.contest.key: progress.result() for progress in contests_in_progress}


def _log_folders(contests: Sequence[Contest], run: Path | None) -> list[Path]:
    """Return the folders of logs that must be locked, each once.

    The run folder is left out, because it is already locked.
    """
    logs = [contest.setup.log for contest in contests if contest.setup.log is not None]
    try:
        folders = {log.resolve(): log for log in logs}
    except ValueError:  # a NUL character in a path
        raise MatchError("log: this is not a valid file name") from None
    return [log for path, log in folders.items() if run is None or path != run.resolve()]


def _check(contests: Sequence[Contest], jobs: int | None) -> None:
    keys = [contest.key for contest in contests]
    for key in keys:
        if keys.count(key) > 1:
            raise MatchError(f"contest {key!r}: two contests have this key")
    check_jobs(jobs, optional=True)
    for contest in contests:
        check_count(f"contest {contest.key!r}: games", contest.games)
        contest.setup.check_clocks()


def check_jobs(jobs: Any, *, optional: bool = False) -> None:
    """Raise `MatchError` unless `jobs` is an integer from 1 to `MOST_JOBS` (or None, if `optional` is True)."""
    check_count("jobs", jobs, optional=optional)
    if jobs is not None and jobs > MOST_JOBS:
        raise MatchError(f"jobs = {jobs}: must be at most {MOST_JOBS}")


def check_count(name: str, value: Any, *, optional: bool = False) -> None:
    """Raise `MatchError` unless the value is an integer of at least 1 (or None, if `optional` is True).

    name: the name of the argument in the message.
    """
    if value is None and optional:
        return
    if not is_integer(value):
        raise MatchError(f"{name} = {short_repr(value)}: must be an integer")
    if not 1 <= value < 2**63:
        raise MatchError(f"{name} = {short_repr(value)}: must be at least 1, and below 2**63")


def _play(
    contests_in_progress: Sequence[ContestProgress],
    workers: Workers[GameRecord],
    keep: Callable[[Sequence[TaskReport[GameRecord]]], None],
    on_games: OnContestGames | None,
) -> None:
    """Send tasks to the workers until all games are played, or until Ctrl-C."""
    tasks = _tasks(contests_in_progress, workers.slots)
    try:
        while True:
            while workers.busy < workers.slots and (task := next(tasks)) is not None:
                workers.submit(task)
            if not workers.busy:
                return
            reports = workers.wait()
            keep(reports)
            for report in reports:
                if on_games is not None and report.records:
                    on_games(contests_in_progress[report.task.contest].contest.key, report.records)
            for report in reports:
                if report.error is not None:
                    raise report.error
    except KeyboardInterrupt:
        keep(workers.stop())
    except BaseException:
        with contextlib.suppress(RunError):  # ignore an error of this write, so that the first error is raised
            keep(workers.stop())
        raise


def _tasks(contests_in_progress: Sequence[ContestProgress], slots: int) -> Iterator[Task | None]:
    """Yield the next tasks, one contest after another. Yield None while all remaining games are already in progress."""
    while True:
        for i, progress in enumerate(contests_in_progress):
            if progress.missing:
                size = max(1, min(CHUNK, progress.missing // (8 * slots)))
                yield Task(i, progress.next_games(size))
                break
        else:
            yield None
