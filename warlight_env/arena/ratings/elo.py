"""The logistic Elo model: conversion between expected scores and Elo differences, with confidence intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final, NamedTuple

import numpy as np

from warlight_env.arena.ratings.statistics import CONFIDENCE
from warlight_env.arguments import is_number, short_repr
from warlight_env.errors import InputError

#: The largest Elo difference that `expected_score` accepts. At 123,000 its formula overflows.
MOST_ELO: Final = 100_000

#: The number of virtual drawn games that all Elo estimates add for each two agents that played against each other. With
#: these games, all estimates are finite.
PRIOR_DRAWS: Final = 1.0

#: The default number of bootstrap resamples for an interval.
RESAMPLES: Final = 1000

#: The convention of all Elo estimates, as text for reports.
ELO_CONVENTION: Final = (
    "Elo by maximum likelihood with one virtual draw between each two agents; intervals of 95 % by the Bayesian "
    "bootstrap over units of games"
)


class EloDifference(NamedTuple):
    """The Elo difference between two agents, with a confidence interval from `low` to `high`."""

    elo: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.elo:+z.0f} ({self.low:+z.0f} to {self.high:+z.0f})"

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
    """Return the expected score of a player whose rating is `elo` points above the rating of the opponent.

    Raises:
        InputError: elo is not a number in -100,000 .. 100,000.
    """
    if not is_number(elo) or not abs(elo) <= MOST_ELO:
        raise InputError(f"elo = {short_repr(elo)}: must be a number in {-MOST_ELO} .. {MOST_ELO}")
    return float(1 / (1 + 10 ** (-elo / 400)))


def estimate_elo(units: Mapping[float, int], size: int) -> EloDifference:
    """Estimate the Elo difference of two agents from the scores of the first agent in units of games.

    The function `rate` gives the same estimate for two agents; its docstring describes the model. `PRIOR_DRAWS` virtual
    drawn games are added, and the interval is computed with the Bayesian bootstrap over units.

    Args:
        units: a dict from the mean score in a unit (0 .. 1, a draw is half a win) to the number of units.
        size: the number of games in a unit.
    """
    scores = np.array(list(units), dtype=np.float64)
    counts = np.array(list(units.values()), dtype=np.float64)
    rng = np.random.default_rng(1)
    # The sum of n weights from Gamma(1) has the distribution Gamma(n), so that each score needs only one weight.
    weights = size * rng.standard_gamma(counts, (RESAMPLES, len(counts)))
    win, loss = rng.standard_gamma(PRIOR_DRAWS / 2, (2, RESAMPLES))
    resampled = (weights @ scores + win) / (weights.sum(axis=1) + win + loss)
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(resampled, (tail, 1 - tail))
    games = size * float(counts.sum())
    point = (size * float(counts @ scores) + PRIOR_DRAWS / 2) / (games + PRIOR_DRAWS)
    return EloDifference(elo_of(point), elo_of(float(low)), elo_of(float(high)))
