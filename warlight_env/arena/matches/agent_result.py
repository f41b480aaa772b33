"""The results of one agent in a match: its games on all seats together, on each seat, and the time that it used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from warlight_env.arena.games.seated_agent import TimeUse
from warlight_env.arena.ratings.statistics import Interval


@dataclass(frozen=True)
class SeatResult:
    """The numbers of an agent's games, wins, losses and draws on one seat. Seats are numbered from 0."""

    seat: int
    games: int
    wins: int
    losses: int
    draws: int


@dataclass(frozen=True)
class TimeResult:
    """The time and the simulations that an agent used in its games. Times are wall-clock times in seconds."""

    answers: int  #: the number of answers: picks and turns
    mean: float  #: the mean time of an answer
    slowest: float  #: the time of the slowest answer
    late: int  #: the number of answers that took longer than the clock allowed
    simulations: float | None  #: the mean number of simulations in a turn; None: the agent does not report them


@dataclass(frozen=True)
class AgentResult:
    """The results of an agent in a match.

    In a game without a winner, the agents that share the first place have a draw. An agent that has neither won nor
    drawn has lost.
    """

    name: str
    games: int
    wins: int
    losses: int
    draws: int
    win_share: float  #: the win rate, wins / games; 0 without games
    interval: Interval  #: the confidence interval of the win rate
    score: float  #: the mean score of a game, in which a draw between k agents counts as 1/k of a win
    seats: tuple[SeatResult, ...]
    dropped: int  #: the number of illegal picks and orders; the games ignored them
    crashes: int  #: the number of games lost because the agent failed
    late_losses: int  #: the number of games lost because an answer was late
    forfeits: int  #: the number of games that the agent gave up
    time: TimeResult = field(compare=False)


def time_result(uses: Sequence[TimeUse]) -> TimeResult:
    """Return the time and the simulations that an agent used in several games together."""
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
