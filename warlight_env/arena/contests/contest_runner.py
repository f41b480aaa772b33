"""`play_contests`: all games of several contests, on a backend, resumable."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from warlight_env.arena.backends.backend import CHUNK, Backend, make_backend
from warlight_env.arena.backends.tasks import Task, TaskReport, Workers
from warlight_env.arena.contests.append_only import RunFolderError
from warlight_env.arena.contests.contest_progress import Contest, ContestProgress, ContestResult
from warlight_env.arena.contests.interrupts import uninterrupted
from warlight_env.arena.contests.run_folder import RunFolder
from warlight_env.arena.games.game_loop import GameRecord
from warlight_env.arena.games.game_setup import MatchError
from warlight_env.arguments import is_integer, short_repr
from warlight_env.errors import RunError
from warlight_env.folder_lock import FolderLock
from warlight_env.record.errors import LogWriteError

#: The largest number of games at the same time.
MOST_JOBS: Final = 4096

#: Called with a contest's key and a batch of its games: first those from the run folder, then newly finished ones.
OnContestGames = Callable[[str, Sequence[GameRecord]], None]


def play_contests(
    contests: Iterable[Contest],
    *,
    jobs: int | None = None,
    backend: str | Backend = "local",
    folder: str | Path | FolderLock | None = None,
    on_games: OnContestGames | None = None,
) -> dict[str, ContestResult]:
    """Play all games of all contests.

    A game depends only on its contest and its number. Stop rules receive complete units in the order of their numbers.
    So the result does not depend on jobs, backend or interruptions, unless agents use a clock. Ctrl-C
    ends the run early; the results then contain the finished games and are marked as interrupted.

    Args:
        contests: contests with different keys.
        jobs: number of games at the same time; None: one on this machine, as many as there are CPUs on a cluster.
        backend: "local" (processes), "ray" (a Ray cluster), or a `Backend`.
        folder: a run folder, made if it does not exist; or its lock, if the caller has locked the folder. Every
            finished game is written to the folder. An interrupted or killed run continues from these games, with the
            same final result. A folder of other contests is refused. During play the folder is locked, and so are the
            folders of logs.
        on_games: receives every game once.

    Returns:
        The results by key, in the order of `contests`.

    Raises:
        AgentCrashError: an agent failed, and the contest's setup says that a failure ends the run.
        MatchError: contests, jobs or backend cannot be used, or the agents cannot be sent to workers.
        RunFolderError: the folder belongs to other contests or is damaged; or another run writes to it, or to a folder
            of logs.
        LogError: a setup's folder for logs belongs to another match, or has no log of a game in the run folder.
        RunError: workers were lost, or a folder cannot be written. The games played before are in the folder.
    """
    try:
        contests = tuple(contests)
    except Exception:  # methods of the caller's own object may raise any exception
        raise MatchError(f"contests = {short_repr(contests)}: must be an iterable of contests") from None
    for contest in contests:
        if not isinstance(contest, Contest):
            raise MatchError(f"contests: {short_repr(contest)}: must be a Contest")
    _check(contests, jobs)
    chosen = make_backend(backend)
    with contextlib.ExitStack() as stack:
        own = Path(folder) if isinstance(folder, str) else folder
        taken = own.folder if isinstance(own, FolderLock) else own
        for log in _log_folders(contests, taken):
            stack.enter_context(_lock_logs(log))
        run = None if own is None else stack.enter_context(RunFolder(own, contests))
        contests_in_progress = [ContestProgress(c, () if run is None else run.known[c.key]) for c in contests]
        if on_games is not None and run is not None:
            for key, records in run.known.items():
                if records:
                    on_games(key, records)

        def keep(reports: Sequence[TaskReport[GameRecord]]) -> None:
            with uninterrupted():  # every counted game must also be on disk
                for report in reports:
                    progress = contests_in_progress[report.task.contest]
                    progress.add(report.records)
                    progress.requeue(report.task.numbers[len(report.records) :])
                    if run is not None:
                        run.append(progress.contest.key, report.records)

        for progress in contests_in_progress:
            known = () if run is None else run.known[progress.contest.key]
            if progress.missing or known:
                progress.contest.setup.open_log(record.number for record in known)
            if progress.missing:
                progress.contest.setup.warm_up()
        left = sum(progress.missing for progress in contests_in_progress)
        if left:
            with chosen.open([c.setup for c in contests], 1 if jobs is not None and left == 1 else jobs) as workers:
                _play(contests_in_progress, workers, keep, on_games)
    return {progress.contest.key: progress.result() for progress in contests_in_progress}


def _log_folders(contests: Sequence[Contest], run: Path | None) -> list[Path]:
    """Return the folders of logs, each once, without the run folder, which is locked already."""
    folders = {contest.setup.log.resolve(): contest.setup.log for contest in contests if contest.setup.log is not None}
    return [log for path, log in folders.items() if run is None or path != run.resolve()]


def _lock_logs(folder: Path) -> FolderLock:
    def unwritable(error: OSError) -> LogWriteError:
        return LogWriteError(f"cannot write logs to {folder}: {error.strerror or error}")

    return FolderLock(folder, in_use=RunFolderError, unwritable=unwritable)


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
    """Raise `MatchError` unless the number of games at the same time is an integer from 1 to `MOST_JOBS`."""
    check_count("jobs", jobs, optional=optional)
    if jobs is not None and jobs > MOST_JOBS:
        raise MatchError(f"jobs = {jobs}: must be at most {MOST_JOBS}")


def check_count(name: str, value: Any, *, optional: bool = False) -> None:
    """Raise `MatchError` unless the value is an integer of at least 1."""
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
    """Keep the workers busy until no game is missing, or until Ctrl-C."""
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
        with contextlib.suppress(RunError):  # if the folder cannot be written, the first error reports it
            keep(workers.stop())
        raise


def _tasks(contests_in_progress: Sequence[ContestProgress], slots: int) -> Iterator[Task | None]:
    """Yield the next tasks, one contest after the other; None while no game is missing."""
    while True:
        for i, progress in enumerate(contests_in_progress):
            if progress.missing:
                size = max(1, min(CHUNK, progress.missing // (8 * slots)))
                yield Task(i, progress.next_games(size))
                break
        else:
            yield None
