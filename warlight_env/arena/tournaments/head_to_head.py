"""The results of one agent against another agent in a tournament."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from warlight_env.arena.matches.agent_result import SeatResult
from warlight_env.arena.ratings.statistics import Interval, unit_interval, wilson_interval


@dataclass(frozen=True)
class HeadToHead:
    """The results of one agent against another agent in all their games.

    The agent with the better place wins; equal places are a draw.
    """

    games: int
    wins: int
    losses: int
    draws: int
    score: float  #: the mean score of a game, (wins + draws / 2) / games
    interval: Interval  #: the confidence interval of the score
    seats: tuple[SeatResult, ...]  #: the results of the games in which the agent had seat 0, 1, …

    def to_dict(self) -> dict[str, Any]:
        """Return the results as JSON data, with seats numbered from 1."""
        seats = [{**asdict(seat), "seat": seat.seat + 1} for seat in self.seats]
        return {**asdict(self), "interval": list(self.interval), "seats": seats}


class GameShare(NamedTuple):
    """The result of an agent against another agent in a game: its seat, and 1 for a win, 1/2 for a draw, else 0."""

    seat: int
    share: float


def head_to_head(units: list[list[GameShare]], players: int) -> HeadToHead:
    """Return the results of one agent against another agent.

    Args:
        units: for each unit (games with the same seed), the results of its games.
        players: the number of seats.
    """
    games = [game for unit in units for game in unit]
    total = sum(game.share for game in games)
    single = all(len(unit) == 1 for unit in units)
    interval = (
        wilson_interval(total, len(games))
        if single
        else unit_interval([sum(game.share for game in unit) / len(unit) for unit in units])
    )
    seats = []
    for seat in range(players):
        shares = [game.share for game in games if game.seat == seat]
        wins, draws = shares.count(1), shares.count(0.5)
        seats.append(SeatResult(seat, len(shares), wins, len(shares) - wins - draws, draws))
    wins, draws = sum(result.wins for result in seats), sum(result.draws for result in seats)
    return HeadToHead(len(games), wins, len(games) - wins - draws, draws, total / len(games), interval, tuple(seats))
