"""Statistics of a running match: numbers of games, speed and Elo difference; and their lines on stderr."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from warlight_env.cli.progress import LineInterval
from warlight_env.tables import counted

if TYPE_CHECKING:
    from warlight_env.arena import Contest, GameRecord


class MatchStats:
    """The number of finished games of a running match, the games per second, and the score so far.

    `match_score` is the score over the games that count. With the option --paired, all games with the same seed (one
    for each rotation of the bots on the seats) count together, when the last one is finished.
    """

    def __init__(self, names: Sequence[str], contest: Contest) -> None:
        from warlight_env.arena import MatchScore

        self.names, self.total = names, contest.n_games
        self.match_score = MatchScore(len(names), contest.setup.paired)
        self.played = 0  #: number of finished games
        self._stop = contest.stop
        self._first, self._start = 0, 0.0

    def count(self, records: Sequence[GameRecord]) -> None:
        """Add finished games to the statistics."""
        self.match_score.add(records)
        self.played += len(records)
        if self._first == 0:
            self._first, self._start = self.played, time.perf_counter()

    @property
    def rate(self) -> float:
        """The number of games per second; 0 while it is unknown.

        The time begins at the first call of `count`: the rate includes neither the start of worker processes nor the
        games of an earlier run.
        """
        games = self.played - self._first
        return games / max(1e-9, time.perf_counter() - self._start)

    @property
    def speed(self) -> str:
        """The number of games per second (g/s) as text."""
        return f"{self.rate:.1f} g/s" if self.rate else "… g/s"

    @property
    def eta(self) -> str:
        """The expected time until the last game ends, as text such as 1:05 (minutes and seconds)."""
        if not self.rate:
            return "-:--"
        seconds = round((self.total - self.played) / self.rate)
        hours = f"{seconds // 3600}:{seconds // 60 % 60:02}" if seconds >= 3600 else f"{seconds // 60}"
        return f"{hours}:{seconds % 60:02}"

    @property
    def strength(self) -> str:
        """The Elo difference, and the state of the sequential test if the match has one, as text."""
        from warlight_env.arena.matches.sprt import RunningSprt, Sprt

        match_score, stop, parts = self.match_score, self._stop, []
        elo = match_score.elo()
        if elo is not None:
            parts.append(f"Elo {elo}")
        if isinstance(stop, Sprt) and match_score.units:
            judge = RunningSprt(stop, 2 if match_score.paired else 1)
            judge.units.update(match_score.scores[0])
            parts.append(stop.format_llr(judge.llr))
        return ", ".join(parts)


class ProgressLines(MatchStats):
    """The statistics of a running match, which are printed from time to time; `LineInterval` decides when."""

    def __init__(self, names: Sequence[str], contest: Contest) -> None:
        super().__init__(names, contest)
        self._pace = LineInterval(self.total)
        self._limit = "games" if contest.stop is None else "games at most"

    def add(self, records: Sequence[GameRecord]) -> None:
        """Add finished games, and print a line if it is due."""
        self.count(records)
        if self._pace.is_due(self.played):
            match_score = self.match_score
            wins = [sum(by_seat) for by_seat in match_score.wins]
            draws = match_score.games - sum(wins)
            score = " : ".join(map(str, wins)) + (f" ({draws} drawn)" if draws else "")
            parts = [f"{self.played}/{self.total} {self._limit}", self.speed, f"{' : '.join(self.names)} = {score}"]
            if pending := self.played - match_score.games:
                parts.append(f"not counted: {counted(pending, 'game')} (unit not finished)")
            if self._stop is not None:
                parts.append(self.strength)
            print(", ".join(filter(None, parts)), file=sys.stderr, flush=True)
