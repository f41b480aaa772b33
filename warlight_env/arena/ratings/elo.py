"""The logistic Elo model: conversion between expected scores and Elo differences, with confidence intervals."""

from __future__ import annotations

import math
from typing import Final, NamedTuple

from warlight_env.arena.ratings.statistics import Interval
from warlight_env.arguments import is_number, short_repr
from warlight_env.errors import InputError

#: The largest Elo difference that `expected_score` accepts. At 123,000 its formula overflows.
MOST_ELO: Final = 100_000


class EloDifference(NamedTuple):
    """The Elo difference between two agents, with a confidence interval from `low` to `high`.

    `high` is infinite if no game was lost; `low` is infinite if no game was won.
    """

    elo: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.elo:+.0f} ({self.low:+.0f} to {self.high:+.0f})"

    def to_dict(self) -> dict[str, float | None]:
        """Return the difference and its interval as JSON data. None replaces infinity, which JSON does not have."""
        return {name: value if math.isfinite(value) else None for name, value in self._asdict().items()}


def elo_of(score: float) -> float:
    """Return the Elo difference at which a player has the expected score s = `score`: 400 log10(s / (1 - s)).

    Raises:
        InputError: the score is not a number in 0 .. 1.

    A. Elo, "The Rating of Chessplayers" (1978); this function uses the logistic curve of today's rating systems.
    """
    if not is_number(score) or not 0 <= score <= 1:
        raise InputError(f"score = {short_repr(score)}: must lie in 0 .. 1")
    if score in (0, 1):
        return math.inf if score else -math.inf
    return 400 * math.log10(score / (1 - score))


def expected_score(elo: float) -> float:
    """Return the expected score of a player against an opponent with `elo` points less; the inverse of `elo_of`.

    Raises:
        InputError: elo is not a number in -100,000 .. 100,000.
    """
    if not is_number(elo) or not abs(elo) <= MOST_ELO:
        raise InputError(f"elo = {short_repr(elo)}: must be a number in {-MOST_ELO} .. {MOST_ELO}")
    return float(1 / (1 + 10 ** (-elo / 400)))


def elo_difference(score: float, interval: Interval) -> EloDifference:
    """Convert a score in games of two players, and its confidence interval, to an Elo difference with an interval.

    In the score, a draw counts as half a win. The conversion is monotone, so both intervals have the same confidence
    level.

    Raises:
        InputError: the score or an end of the interval is not in 0 .. 1.
    """
    if not isinstance(interval, Interval):
        raise InputError(f"interval = {short_repr(interval)}: must be an Interval")
    return EloDifference(elo_of(score), elo_of(interval.low), elo_of(interval.high))
