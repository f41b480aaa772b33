"""Write a tournament's tables to disk while its games are played."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Final

from warlight_env.arena.contests.contest_progress import ContestProgress, ContestResult
from warlight_env.arena.games.game_loop import GameRecord
from warlight_env.arena.tournaments.tournament import Tournament
from warlight_env.arena.tournaments.tournament_result import TournamentResult
from warlight_env.errors import RunError
from warlight_env.output import write_file

#: Name of the file in the run folder.
RESULT: Final = "tournament.json"
#: Smallest number of seconds between two writes of the tables.
EVERY: Final = 2.0
#: Largest share of the time for these writes: large tournaments are written less often.
SHARE: Final = 0.05


class LiveTables:
    """Writes a tournament's result to its run folder, repeatedly during play and at the end.

    It is a context manager. After every exit from the context, the file says that no games are being played. Nothing
    is written before the first game is added, so a folder of another run does not change.

    Raises:
        RunError: the file cannot be written.
    """

    def __init__(self, asked: Tournament, folder: Path) -> None:
        self._asked, self._path = asked, folder / RESULT
        self._progress = {contest.key: ContestProgress(contest) for contest in asked.contests()}
        self._due = 0.0
        self._told = False

    def __enter__(self) -> LiveTables:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._told:
            self._write(self._result(), running=False)

    def add(self, key: str, records: Sequence[GameRecord]) -> None:
        """Add finished games of a contest; see `OnContestGames`."""
        self._progress[key].add(records)
        self._told = True
        if time.monotonic() >= self._due:
            begin = time.monotonic()
            result = self._result()
            self._write(result, running=True)
            if result.games:  # the result with the first complete unit is written at once
                now = time.monotonic()
                self._due = now + max(EVERY, (now - begin) / SHARE)

    def finish(self, results: Mapping[str, ContestResult]) -> TournamentResult:
        """Write and return the result at the end of the run. `add` need not have received all games."""
        result = TournamentResult(self._asked, results)
        self._write(result, running=False)
        self._told = False  # the file is final
        return result

    def _result(self) -> TournamentResult:
        return TournamentResult(self._asked, {key: progress.result() for key, progress in self._progress.items()})

    def _write(self, result: TournamentResult, *, running: bool) -> None:
        text = json.dumps(result.to_dict(running=running), indent=2, ensure_ascii=False) + "\n"
        try:
            write_file(self._path, text)
        except OSError as error:
            raise RunError(f"cannot write {self._path}: {error.strerror or error}") from None
