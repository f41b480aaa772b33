"""How far a match is: a bar where a terminal is, otherwise a plain line every tenth, on stderr."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from warlight_env.arena import GameRecord


class MatchProgress(Protocol):
    """Takes the games of a match as they are finished."""

    def add(self, records: Sequence[GameRecord]) -> None: ...


class Quiet:
    """Shows nothing."""

    def add(self, records: Sequence[GameRecord]) -> None:
        pass


class Tally:
    """Counts games and wins."""

    def __init__(self, names: Sequence[str], total: int) -> None:
        self.names, self.total = names, total
        self.wins = [0] * len(names)
        self.played = 0
        self._first, self._began = 0, 0.0

    def count(self, records: Sequence[GameRecord]) -> None:
        """Take in finished games."""
        self.played += len(records)
        if self._first == 0:
            self._first, self._began = self.played, time.perf_counter()
        for record in records:
            if record.winner is not None:
                self.wins[record.winner] += 1

    @property
    def rate(self) -> str:
        """Games per second since the first ones were reported: the start of processes does not count."""
        since = self.played - self._first
        return f"{since / max(1e-9, time.perf_counter() - self._began):.1f} g/s" if since else "… g/s"

    @property
    def score(self) -> str:
        """The running score."""
        draws = self.played - sum(self.wins)
        wins = " : ".join(str(count) for count in self.wins)
        return f"{wins} ({draws} drawn)" if draws else wins


class Lines(Tally):
    """A line for each tenth of the match."""

    def add(self, records: Sequence[GameRecord]) -> None:
        tenth = self.played * 10 // self.total
        self.count(records)
        if self.played * 10 // self.total > tenth:
            line = f"{self.played}/{self.total} games, {self.rate}, {' : '.join(self.names)} = {self.score}"
            print(line, file=sys.stderr, flush=True)


class Bar(Tally):
    """A bar of rich's."""

    def __init__(self, names: Sequence[str], total: int, bar: Progress, task: TaskID) -> None:
        super().__init__(names, total)
        self._bar, self._task = bar, task

    def add(self, records: Sequence[GameRecord]) -> None:
        self.count(records)
        self._bar.update(self._task, completed=self.played, rate=self.rate, score=self.score)


@contextlib.contextmanager
def make_progress(names: Sequence[str], total: int, quiet: bool) -> Iterator[MatchProgress]:
    """The progress that fits stderr, shown while the context lasts."""
    if quiet:
        yield Quiet()
    elif not sys.stderr.isatty():
        yield Lines(names, total)
    else:
        from rich.console import Console
        from rich.markup import escape
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (
            TextColumn("{task.description}"), MofNCompleteColumn(), BarColumn(), TextColumn("{task.fields[rate]}"),
            TextColumn("eta"), TimeRemainingColumn(), TextColumn("{task.fields[score]}"),
        )  # fmt: skip
        with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task(escape(" vs ".join(names)), total=total, rate="", score="")
            yield Bar(names, total, bar, task)
