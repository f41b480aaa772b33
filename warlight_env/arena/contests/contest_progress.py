"""The state of a contest during play: its finished games, its missing games, and whether its stop rule ended it."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from warlight_env.arena.games.game_record import GameRecord
from warlight_env.arena.games.game_setup import MatchSetup


class SequentialTest(Protocol):
    """The state of a stop rule during one contest (a set of games between the same agents)."""

    def add(self, unit: Sequence[GameRecord]) -> bool:
        """Add the results of the next unit (all games with one seed). Return True if the test says that the contest
        should stop.

        The units must be added in the order of their numbers.
        """
        ...


class StoppingRule(Protocol):
    """A rule that can end a contest before all its games are played, such as `Sprt`."""

    def start(self, setup: MatchSetup) -> SequentialTest:
        """Return a new test for a contest. Raise `InputError` if this stop rule cannot be used for the contest."""
        ...

    def describe(self) -> dict[str, Any]:
        """Return a description of the stop rule as JSON data. Equal stop rules must have equal descriptions."""
        ...


@dataclass(frozen=True)
class Contest:
    """A set of games between the same agents, with the same settings.

    Args:
        key: the contest's name, which must be unique in a run.
        setup: the agents and the settings of the games.
        games: the number of games. With pairing, the number of games is rounded up to complete units. A unit is a set
            of games with the same seed, one for each rotation of the agents' seats.
        stop: a rule that may end the contest early. The stop rule receives complete units in the order of their
            numbers.
    """

    key: str
    setup: MatchSetup
    games: int
    stop: StoppingRule | None = None

    @property
    def n_games(self) -> int:
        """The maximum number of games: `games`, rounded up to complete units (see `Contest`)."""
        size = self.setup.unit_size
        return -(-self.games // size) * size


@dataclass(frozen=True)
class ContestResult:
    """The result of a contest, which does not depend on the number of machines or on interruptions."""

    contest: Contest
    records: tuple[GameRecord, ...]  #: the results of the games of complete units, in the order of their numbers
    decided: bool  #: whether the stop rule ended the contest
    interrupted: bool  #: whether games are missing because the run was interrupted
    resumed_games: int = field(default=0, compare=False)  #: number of games that the run folder already contained


class ContestProgress:
    """The state of a contest during play: `next_games` returns the games to play, and `add` receives their results.

    Args:
        contest: the contest.
        finished: the results of games that were played before.
    """

    def __init__(self, contest: Contest, finished: Iterable[GameRecord] = ()) -> None:
        self.contest = contest
        self._size = contest.setup.unit_size
        self._judge = None if contest.stop is None else contest.stop.start(contest.setup)
        self._records: dict[int, GameRecord] = {}
        self._judged = 0  # the number of units that the stop rule has received
        self._decided = False
        self.add(finished)
        self._resumed = frozenset(self._records)
        self._missing = deque(n for n in range(contest.n_games) if n not in self._records)

    @property
    def missing(self) -> int:
        """The number of games that no worker has received yet; 0 after the stop rule has ended the contest."""
        return 0 if self._decided else len(self._missing)

    def next_games(self, limit: int) -> tuple[int, ...]:
        """Return the numbers of at most `limit` games that must be played next, and mark these games as taken."""
        return tuple(self._missing.popleft() for _ in range(min(limit, self.missing)))

    def requeue(self, numbers: Sequence[int]) -> None:
        """Put back the numbers of games that were taken but not played.

        `next_games` returns the numbers that were put back first.
        """
        self._missing.extendleft(reversed(numbers))

    def add(self, records: Iterable[GameRecord]) -> None:
        """Add the results of finished games, and pass complete units to the stop rule."""
        for record in records:
            self._records.setdefault(record.number, record)
        while self._judge is not None and not self._decided and (unit := self._unit(self._judged)) is not None:
            self._decided = self._judge.add(unit)
            self._judged += 1

    def _unit(self, unit: int) -> list[GameRecord] | None:
        """Return the results of all games of a unit; None if a game of the unit is missing."""
        numbers = range(unit * self._size, (unit + 1) * self._size)
        games = [self._records[n] for n in numbers if n in self._records]
        return games if len(games) == self._size else None

    def result(self) -> ContestResult:
        """Return the result of all complete units (games with the same seed), up to the decision of the stop rule."""
        units = self._judged if self._decided else self.contest.n_games // self._size
        complete_units = [games for unit in range(units) if (games := self._unit(unit)) is not None]
        records = tuple(record for games in complete_units for record in games)
        n_resumed = sum(record.number in self._resumed for record in records)
        return ContestResult(self.contest, records, self._decided, len(complete_units) < units, n_resumed)
