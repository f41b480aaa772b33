"""Progress of a match on stderr: a live table on a terminal, otherwise a plain line from time to time."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

from warlight_env.cli.match_stats import MatchStats
from warlight_env.cli.progress import LineInterval

if TYPE_CHECKING:
    from warlight_env.arena import Contest, GameRecord


class MatchProgress(Protocol):
    """An object that receives the finished games of a match and shows the progress."""

    def add(self, records: Sequence[GameRecord]) -> None: ...


class NoProgress:
    """A `MatchProgress` that shows nothing."""

    def add(self, records: Sequence[GameRecord]) -> None:
        pass


class ProgressLines(MatchStats):
    """A `MatchProgress` that prints a line from time to time; `LineInterval` decides when."""

    def __init__(self, names: Sequence[str], contest: Contest) -> None:
        super().__init__(names, contest)
        self._pace = LineInterval(self.total)
        self._limit = "games" if contest.stop is None else "games at most"

    def add(self, records: Sequence[GameRecord]) -> None:
        self.count(records)
        if self._pace.is_due(self.played):
            match_score = self.match_score
            wins = [sum(by_seat) for by_seat in match_score.wins]
            draws = match_score.games - sum(wins)
            score = " : ".join(map(str, wins)) + (f" ({draws} drawn)" if draws else "")
            parts = [f"{self.played}/{self.total} {self._limit}", self.speed, f"{' : '.join(self.names)} = {score}"]
            if match_score.games < self.played:
                parts.append(f"{self.played - match_score.games} not counted until all games of their seed are played")
            if self._stop is not None:
                parts.append(self.strength)
            print(", ".join(filter(None, parts)), file=sys.stderr, flush=True)


@contextlib.contextmanager
def make_progress(names: Sequence[str], contest: Contest, quiet: bool) -> Iterator[MatchProgress]:
    """Show progress on stderr until the context ends: a table on a terminal, otherwise lines."""
    if quiet:
        yield NoProgress()
    elif not sys.stderr.isatty():
        from warlight_env.engine import compile_progress

        with compile_progress.shown():
            yield ProgressLines(names, contest)
    else:
        from warlight_env.cli.score_board import ScoreBoard

        with ScoreBoard(MatchStats(names, contest)) as board:
            yield board
