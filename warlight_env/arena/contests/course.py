"""A contest while it is played: what is missing, what was played, and when its stop rule decides."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from warlight_env.arena.playing.game_setup import Setup
from warlight_env.arena.playing.play import GameRecord


class Judge(Protocol):
    """Watches one contest on behalf of a stop rule."""

    def add(self, unit: Sequence[GameRecord]) -> bool:
        """Take in the next whole unit, in the order of numbers; True: enough is known, play no more."""
        ...


class StopRule(Protocol):
    """Says when a contest is decided before all its games are played, as `Sprt` does."""

    def judge(self, setup: Setup) -> Judge:
        """A judge for one contest; `InputError` if the rule does not fit it."""
        ...

    def describe(self) -> dict[str, Any]:
        """The rule as JSON takes it; rules that decide alike have equal descriptions."""
        ...


@dataclass(frozen=True)
class Contest:
    """Games of one setup, under a name of their own.

    Args:
        key: tells it from the other contests of a run.
        setup: how its games go.
        games: how many; with pairing rounded up to whole units.
        stop: decides, on whole units in the order of numbers, that no more games are needed.
    """

    key: str
    setup: Setup
    games: int
    stop: StopRule | None = None

    @property
    def n_games(self) -> int:
        """Games to play at most: `games` in whole units."""
        size = self.setup.unit_size
        return -(-self.games // size) * size


@dataclass(frozen=True)
class ContestResult:
    """What a contest came to; equal however its games were spread over time and machines."""

    contest: Contest
    records: tuple[GameRecord, ...]  #: whole units in the order of numbers
    decided: bool  #: the stop rule ended it
    interrupted: bool  #: games are missing
    found: int = field(default=0, compare=False)  #: games that the run folder held when the run began


class Course:
    """The state of a contest: hands out the numbers of games and takes in the records."""

    def __init__(self, contest: Contest, known: Iterable[GameRecord] = ()) -> None:
        self.contest = contest
        self._size = contest.setup.unit_size
        self._judge = None if contest.stop is None else contest.stop.judge(contest.setup)
        self._records: dict[int, GameRecord] = {}
        self._judged = 0  # units
        self._decided = False
        self.add(known)
        self._found = frozenset(self._records)
        self._missing = deque(n for n in range(contest.n_games) if n not in self._records)

    @property
    def missing(self) -> int:
        """Games that nobody has been asked to play; 0 as soon as the stop rule has decided."""
        return 0 if self._decided else len(self._missing)

    def take(self, most: int) -> tuple[int, ...]:
        """Numbers of games to play next."""
        return tuple(self._missing.popleft() for _ in range(min(most, self.missing)))

    def give_back(self, numbers: Sequence[int]) -> None:
        """Numbers that were taken and not played: they come first again."""
        self._missing.extendleft(reversed(numbers))

    def add(self, records: Iterable[GameRecord]) -> None:
        """Take in games that were played."""
        for record in records:
            self._records.setdefault(record.number, record)
        while self._judge is not None and not self._decided and (unit := self._unit(self._judged)) is not None:
            self._decided = self._judge.add(unit)
            self._judged += 1

    def _unit(self, unit: int) -> list[GameRecord] | None:
        """A unit's games, None where some are missing."""
        numbers = range(unit * self._size, (unit + 1) * self._size)
        games = [self._records[n] for n in numbers if n in self._records]
        return games if len(games) == self._size else None

    def result(self) -> ContestResult:
        """What counts: up to the decision, or all whole units."""
        units = self._judged if self._decided else self.contest.n_games // self._size
        whole = [games for unit in range(units) if (games := self._unit(unit)) is not None]
        records = tuple(record for games in whole for record in games)
        found = sum(record.number in self._found for record in records)
        return ContestResult(self.contest, records, self._decided, len(whole) < units, found)
