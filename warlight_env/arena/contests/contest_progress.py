"""The state of a contest during play: its missing games, its finished games, and the decision of its stop rule."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from warlight_env.arena.games.game_loop import GameRecord
from warlight_env.arena.games.game_setup import MatchSetup


class SequentialTest(Protocol):
    """The part of a stop rule that follows one contest."""

    def add(self, unit: Sequence[GameRecord]) -> bool:
        """Add the games of the next complete unit, in the order of the units. Return True to stop the contest."""
        ...


class StoppingRule(Protocol):
    """A rule that decides a contest before all its games are played, such as `Sprt`."""

    def start(self, setup: MatchSetup) -> SequentialTest:
        """Return the test for one contest. Raise `InputError` if the rule does not fit the contest."""
        ...

    def describe(self) -> dict[str, Any]:
        """Return the rule in a form for JSON. Rules with the same decisions have equal descriptions."""
        ...


@dataclass(frozen=True)
class Contest:
    """Games of one setup, with a key.

    Args:
        key: the contest's name, unique in a run.
        setup: the setup of its games.
        games: number of games. With pairing it is rounded up to complete units: all rotations of the seats of a seed.
        stop: a rule that ends the contest early. It receives complete units in the order of their numbers.
    """

    key: str
    setup: MatchSetup
    games: int
    stop: StoppingRule | None = None

    @property
    def n_games(self) -> int:
        """The largest number of games: `games`, rounded up to complete units."""
        size = self.setup.unit_size
        return -(-self.games // size) * size


@dataclass(frozen=True)
class ContestResult:
    """The result of a contest. It does not depend on how the games were distributed over time and machines."""

    contest: Contest
    records: tuple[GameRecord, ...]  #: the games of complete units, in the order of their numbers
    decided: bool  #: the stop rule ended the contest
    interrupted: bool  #: games are missing
    resumed_games: int = field(default=0, compare=False)  #: games that the run folder contained at the start of the run


class ContestProgress:
    """The state of a contest. It returns the numbers of games to play and receives the records."""

    def __init__(self, contest: Contest, known: Iterable[GameRecord] = ()) -> None:
        self.contest = contest
        self._size = contest.setup.unit_size
        self._judge = None if contest.stop is None else contest.stop.start(contest.setup)
        self._records: dict[int, GameRecord] = {}
        self._judged = 0  # number of units
        self._decided = False
        self.add(known)
        self._found = frozenset(self._records)
        self._missing = deque(n for n in range(contest.n_games) if n not in self._records)

    @property
    def missing(self) -> int:
        """Number of games that no worker has received; 0 after a decision of the stop rule."""
        return 0 if self._decided else len(self._missing)

    def next_games(self, most: int) -> tuple[int, ...]:
        """Return the numbers of the next games to play, at most `most`."""
        return tuple(self._missing.popleft() for _ in range(min(most, self.missing)))

    def requeue(self, numbers: Sequence[int]) -> None:
        """Put back numbers that were taken but not played. They are the next to be taken."""
        self._missing.extendleft(reversed(numbers))

    def add(self, records: Iterable[GameRecord]) -> None:
        """Add games that were played."""
        for record in records:
            self._records.setdefault(record.number, record)
        while self._judge is not None and not self._decided and (unit := self._unit(self._judged)) is not None:
            self._decided = self._judge.add(unit)
            self._judged += 1

    def _unit(self, unit: int) -> list[GameRecord] | None:
        """Return the games of a unit; None if some are missing."""
        numbers = range(unit * self._size, (unit + 1) * self._size)
        games = [self._records[n] for n in numbers if n in self._records]
        return games if len(games) == self._size else None

    def result(self) -> ContestResult:
        """Return the games that count: the games up to the decision, or all complete units."""
        units = self._judged if self._decided else self.contest.n_games // self._size
        whole = [games for unit in range(units) if (games := self._unit(unit)) is not None]
        records = tuple(record for games in whole for record in games)
        found = sum(record.number in self._found for record in records)
        return ContestResult(self.contest, records, self._decided, len(whole) < units, found)
