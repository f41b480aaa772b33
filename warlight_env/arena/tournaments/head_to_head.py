"""The results of one agent against another agent in a tournament."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from warlight_env.arena.ratings.statistics import Interval, unit_interval, wilson_interval


class HeadToHeadScore(NamedTuple):
    """The numbers of wins, losses and draws of one agent against another agent in some games.

    The agent with the better place wins; equal places are a draw.
    """

    games: int
    wins: int
    losses: int
    draws: int


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
    seats: tuple[HeadToHeadScore, ...]  #: the results of the games in which the agent had seat 0, 1, …


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
    seats = tuple(_tally([game for game in games if game.seat == seat]) for seat in range(players))
    return HeadToHead(*_tally(games), total / len(games), interval, seats)


def _tally(games: list[GameShare]) -> HeadToHeadScore:
    wins, draws = sum(game.share == 1 for game in games), sum(game.share == 0.5 for game in games)
    return HeadToHeadScore(len(games), wins, len(games) - wins - draws, draws)


def head_to_head_data(meeting: HeadToHead) -> dict[str, Any]:
    """Return the results as JSON data, with seats numbered from 1."""
    return {
        **asdict(meeting),
        "interval": list(meeting.interval),
        "seats": [{"seat": seat + 1, **tally._asdict()} for seat, tally in enumerate(meeting.seats)],
    }
