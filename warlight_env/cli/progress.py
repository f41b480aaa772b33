"""How far a match is: a live table where a terminal is, otherwise a plain line every tenth, on stderr."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from warlight_env.arena import Contest, GameRecord


class MatchProgress(Protocol):
    """Takes the games of a match as they are finished."""

    def add(self, records: Sequence[GameRecord]) -> None: ...


class Quiet:
    """Shows nothing."""

    def add(self, records: Sequence[GameRecord]) -> None:
        pass


class Tally:
    """Counts games, and the time that they take."""

    def __init__(self, names: Sequence[str], contest: Contest) -> None:
        from warlight_env.arena import Standing

        self.names, self.total = names, contest.n_games
        self.standing = Standing(len(names), contest.setup.paired)
        self._first, self._began = 0, 0.0

    def count(self, records: Sequence[GameRecord]) -> None:
        """Take in finished games."""
        self.standing.add(records)
        if self._first == 0:
            self._first, self._began = self.played, time.perf_counter()

    @property
    def played(self) -> int:
        """Games."""
        return self.standing.games

    @property
    def rate(self) -> float:
        """Games per second since the first ones were reported: neither the start of processes counts nor games that
        were found in a run folder. 0 while that is unknown."""
        since = self.played - self._first
        return since / max(1e-9, time.perf_counter() - self._began)

    @property
    def speed(self) -> str:
        """The rate as text."""
        return f"{self.rate:.1f} g/s" if self.rate else "… g/s"

    @property
    def eta(self) -> str:
        """Time to the last game, as text."""
        if not self.rate:
            return "-:--"
        seconds = round((self.total - self.played) / self.rate)
        hours = f"{seconds // 3600}:{seconds // 60 % 60:02}" if seconds >= 3600 else f"{seconds // 60}"
        return f"{hours}:{seconds % 60:02}"


class Lines(Tally):
    """A line for each tenth of the match."""

    def add(self, records: Sequence[GameRecord]) -> None:
        tenth = self.played * 10 // self.total
        self.count(records)
        if self.played * 10 // self.total > tenth:
            wins = [sum(by_seat) for by_seat in self.standing.wins]
            draws = self.played - sum(wins)
            score = " : ".join(map(str, wins)) + (f" ({draws} drawn)" if draws else "")
            line = f"{self.played}/{self.total} games, {self.speed}, {' : '.join(self.names)} = {score}"
            print(line, file=sys.stderr, flush=True)


@contextlib.contextmanager
def make_progress(names: Sequence[str], contest: Contest, quiet: bool) -> Iterator[MatchProgress]:
    """The progress that fits stderr, shown while the context lasts."""
    if quiet:
        yield Quiet()
    elif not sys.stderr.isatty():
        yield Lines(names, contest)
    else:
        from warlight_env.cli.live import Board

        with Board(Tally(names, contest), contest.stop) as board:
            yield board
