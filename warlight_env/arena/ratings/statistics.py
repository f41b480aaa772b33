"""Confidence intervals for shares of wins, from single games and from units of paired games."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import NormalDist
from typing import Any, NamedTuple

from warlight_env.arguments import is_integer, is_number, short_repr
from warlight_env.errors import InputError

CONFIDENCE = 0.95
#: The largest number of games that a float counts exactly.
MOST_GAMES = 2**53


class Interval(NamedTuple):
    """Ends of a confidence interval, both within 0 .. 1."""

    low: float
    high: float


def wilson_interval(wins: float, games: float, confidence: float = CONFIDENCE) -> Interval:
    """Return Wilson's score interval for the share of wins in independent games; 0 .. 1 without games.

    Only won games count as wins; draws and losses both count as games without a win. `games` may be fractional (an
    effective number).

    Raises:
        InputError: unless 0 <= wins <= games and 0 < confidence < 1.

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
    # At the ends of the range, rounding must not exclude the observed share.
    low = 0.0 if wins == 0 else max(0.0, middle - half)
    high = 1.0 if wins == games else min(1.0, middle + half)
    return Interval(low, high)


def unit_interval(shares: Sequence[float] | Mapping[float, int], confidence: float = CONFIDENCE) -> Interval:
    """Return an interval for the share of wins of games in independent units, such as one seed in all seats.

    `shares` is a list with each unit's share of wins (or its score, with a part of a win for a draw), 0 .. 1; or it
    maps each share to the number of units with this share. Games of a unit depend on each other, so the method counts
    units. It is Wilson's interval with an effective number of games. With this number, the mean of independent games
    has the same variance as the mean of the units (as for clustered samples: Korn and Graubard, Survey Methodology 24,
    1998). The estimate of the variance adds one virtual unit, half a game away from the mean. This keeps equal units
    from looking certain.

    Raises:
        InputError: a share outside 0 .. 1, a count that is not an integer from 0 up, or see `wilson_interval`.
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
    """Return the number of units by share, after a check."""
    try:
        counts = dict(shares) if isinstance(shares, Mapping) else Counter(list(shares))
    except Exception:  # methods of the caller's own object may raise any exception
        raise InputError(
            f"shares = {short_repr(shares)}: must be a list of numbers, or a mapping from numbers to counts"
        ) from None
    if not all(is_number(share) and 0 <= share <= 1 for share in counts):
        raise InputError("a unit's share of wins must lie in 0 .. 1")
    if not all(is_integer(count) and 0 <= count <= MOST_GAMES for count in counts.values()):
        raise InputError(f"shares = {short_repr(shares)}: counts must be integers from 0 up")
    return counts
