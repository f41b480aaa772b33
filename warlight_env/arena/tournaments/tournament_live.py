"""`LiveTables`: write the current result of a tournament to a file while its games are played."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from warlight_env.arena.contests.contest_progress import ContestProgress, ContestResult
from warlight_env.arena.games.game_record import GameRecord
from warlight_env.arena.tournaments.tournament import Tournament
from warlight_env.arena.tournaments.tournament_result import TournamentResult
from warlight_env.errors import RunError
from warlight_env.output import write_errors, write_file

#: The name of the file with the result, in the run folder.
RESULT: Final = "tournament.json"
#: The minimum number of seconds between two writes of the file.
EVERY: Final = 2.0
#: The maximum fraction of the time that the writes may take. So the file of a large tournament is written less often.
SHARE: Final = 0.05


class LiveTables:
    """Writes the result of a tournament to a file in its run folder, repeatedly during play and at the end.

    The class is a context manager. When the `with` block ends, also after an error, the file states that the tournament
    is no longer running. Nothing is written before the first game is added; so a folder of another run does not change.

    Raises:
        RunError: the file cannot be written.
    """

    def __init__(self, tournament: Tournament, folder: Path) -> None:
        self._tournament, self._path = tournament, folder / RESULT
        self._progress = {contest.key: ContestProgress(contest) for contest in tournament.contests()}
        self._due = 0.0
        self._unwritten = False

    def __enter__(self) -> LiveTables:
        return self

    def __exit__(self, *exception: object) -> None:
        if self._unwritten:
            self._write(self._result(), running=False)

    def add(self, key: str, records: Sequence[GameRecord]) -> None:
        """Add the results of finished games of a contest, and write the file if enough time has passed.

        key: the key of the contest.
        """
        self._progress[key].add(records)
        self._unwritten = True
        if time.monotonic() >= self._due:
            begin = time.monotonic()
            result = self._result()
            self._write(result, running=True)
            if result.games:  # before the first complete unit there is no delay, so that its result is written at once
                now = time.monotonic()
                self._due = now + max(EVERY, (now - begin) / SHARE)

    def finish(self, results: Mapping[str, ContestResult]) -> TournamentResult:
        """Write the final result to the file, and return it. results: the results of all contests, by key."""
        result = TournamentResult(self._tournament, results)
        self._write(result, running=False)
        self._unwritten = False  # the file contains the final result, so the end of the block must not write it again
        return result

    def _result(self) -> TournamentResult:
        return TournamentResult(self._tournament, {key: progress.result() for key, progress in self._progress.items()})

    def _write(self, result: TournamentResult, *, running: bool) -> None:
        text = json.dumps(result.to_dict(running=running), indent=2, ensure_ascii=False) + "\n"
        with write_errors(self._path, RunError):
            write_file(self._path, text)
