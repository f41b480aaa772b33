"""Confidence intervals of win rates, from single games and from units of games with the same seed."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import NormalDist
from typing import Any, NamedTuple

from warlight_env.arguments import is_integer, is_number, short_repr
from warlight_env.errors import InputError

CONFIDENCE = 0.95
#: The maximum number of games: the largest integer up to which a float represents every integer exactly.
MOST_GAMES = 2**53


class Interval(NamedTuple):
    """A confidence interval of a win rate or a score, from `low` to `high`, both in 0 .. 1."""

    low: float
    high: float


def wilson_interval(wins: float, games: float, confidence: float = CONFIDENCE) -> Interval:
    """Return Wilson's score interval of the win rate in independent games; without games it is 0 .. 1.

    Draws and losses both count as games without a win. `games` need not be an integer, because it may be an effective
    number of games.

    Raises:
        InputError: the condition 0 <= wins <= games or the condition 0 < confidence < 1 is false.

    E. B. Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22 (1927).
    """
    if not (is_number(wins) and is_number(games) and 0 <= wins <= games <= MOST_GAMES):
        raise InputError(f"wins = {short_repr(wins)} of {short_repr(games)} games: must lie in 0 .. games")
    _check_confidence(confidence)
    if games == 0:
        return Interval(0.0, 1.0)
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    share = wins / games
    weight = z * z / games
    middle = (share + weight / 2) / (1 + weight)
    half = z * math.sqrt(share * (1 - share) / games + weight / (4 * games)) / (1 + weight)
    # If the win rate is 0 or 1, rounding errors must not exclude it from the interval.
    low = 0.0 if wins == 0 else max(0.0, middle - half)
    high = 1.0 if wins == games else min(1.0, middle + half)
    return Interval(low, high)


def unit_interval(shares: Sequence[float] | Mapping[float, int], confidence: float = CONFIDENCE) -> Interval:
    """Return a confidence interval of the win rate, or of the mean score, from independent units of games.

    A unit is a set of games that depend on each other, for example all games with the same seed.

    shares: a list with the win rate or the mean score in each unit, 0 .. 1; or a mapping from these numbers to the
    number of units.

    The result is Wilson's interval for an effective number of games. The effective number is chosen so that the mean of
    independent games has the same variance as the mean of the units. Korn and Graubard (Survey Methodology 24, 1998)
    use the same method for clustered samples. The estimate of the variance includes one virtual unit whose score
    differs by 1/2 from the mean. Because of the virtual unit, the variance is above 0 even if all units have the same
    score.

    Raises:
        InputError: a win rate is not in 0 .. 1, a count is not an integer from 0 up, or `confidence` is not between 0
            and 1.
    """
    _check_confidence(confidence)
    counts = _counts(shares)
    units = sum(counts.values())
    if units == 0:
        return Interval(0.0, 1.0)
    mean = math.fsum(share * count for share, count in counts.items()) / units
    if mean in (0.0, 1.0):
        return wilson_interval(mean * units, units, confidence)
    variance = (math.fsum(count * (share - mean) ** 2 for share, count in counts.items()) + 0.25) / units
    effective = units * mean * (1 - mean) / variance
    return wilson_interval(mean * effective, effective, confidence)


def _check_confidence(confidence: Any) -> None:
    if not is_number(confidence) or not 0 < confidence < 1:
        raise InputError(f"confidence = {short_repr(confidence)}: must lie between 0 and 1")


def _counts(shares: Any) -> Mapping[float, int]:
    """Check the argument `shares` of `unit_interval`; return a mapping from a win rate to the number of units."""
    try:
        counts = dict(shares) if isinstance(shares, Mapping) else Counter(list(shares))
    except Exception:  # the caller's object may have methods that raise any exception
        raise InputError(
            f"shares = {short_repr(shares)}: must be a list of numbers, or a mapping from numbers to counts"
        ) from None
    if not all(is_number(share) and 0 <= share <= 1 for share in counts):
        raise InputError("shares: the win rate in a unit must lie in 0 .. 1")
    if not all(is_integer(count) and 0 <= count <= MOST_GAMES for count in counts.values()):
        raise InputError(f"shares = {short_repr(shares)}: counts must be integers from 0 up")
    return counts
