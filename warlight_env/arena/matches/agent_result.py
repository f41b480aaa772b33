"""The results of one agent in a match: over all seats, for each seat, and the time that it spent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from warlight_env.arena.games.seated_agent import TimeUse
from warlight_env.arena.ratings.statistics import Interval


@dataclass(frozen=True)
class SeatResult:
    """An agent's games on one seat (from 0)."""

    seat: int
    games: int
    wins: int
    losses: int
    draws: int


@dataclass(frozen=True)
class TimeResult:
    """Time and simulations that an agent spent. Times are wall time in seconds."""

    answers: int  #: picks and turns
    mean: float  #: of an answer
    slowest: float
    late: int  #: answers that took longer than the clock allowed
    simulations: float | None  #: mean of a turn; None: the agent does not report them


@dataclass(frozen=True)
class AgentResult:
    """An agent's games.

    In a game without a winner, the agents that share the first place have a draw. All other agents have lost.
    """

    name: str
    games: int
    wins: int
    losses: int
    draws: int
    win_share: float  #: wins / games, 0 without games
    interval: Interval  #: for the share of wins
    score: float  #: a draw between k agents counts as 1/k of a win
    seats: tuple[SeatResult, ...]
    dropped: int  #: illegal picks and orders, which were left out
    crashes: int  #: games lost because the agent failed
    late_losses: int  #: games lost because an answer was late
    forfeits: int  #: games that the agent gave up itself
    time: TimeResult = field(compare=False)


def time_result(uses: Sequence[TimeUse]) -> TimeResult:
    """Return the sum of the times that an agent spent in several games."""
    answers, seconds = sum(use.answers for use in uses), sum(use.seconds for use in uses)
    counted = [use for use in uses if use.simulations is not None]
    simulations, turns = sum(use.simulations or 0 for use in counted), sum(use.turns for use in counted)
    return TimeResult(
        answers=answers,
        mean=seconds / answers if answers else 0.0,
        slowest=max((use.slowest for use in uses), default=0.0),
        late=sum(use.late for use in uses),
        simulations=simulations / turns if turns else None,
    )
