"""A row of a result table: our number with its interval, the thesis's number, and whether the two agree."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from warlight_env.arena.ratings.statistics import CONFIDENCE, Interval, wilson_interval

Verdict = Literal["within", "above", "below", "no figure"]

#: Number of resamples in `bootstrap_interval`.
RESAMPLES = 2000


@dataclass(frozen=True)
class Row:
    """One measured number with its confidence interval. Shares are in 0 .. 1 and are shown in per cent."""

    label: str
    value: float
    low: float
    high: float
    thesis: float | None
    sample: str  #: what was measured and how often, for example the number of games
    thesis_sample: str = ""
    difference: Interval | None = None  #: 95 % interval of our share minus the thesis's share
    share: bool = False
    digits: int = 1
    even: float | None = None  #: the share of games that equal players win; None: the row is not a share of games

    @property
    def verdict(self) -> Verdict:
        """Whether the thesis's number is in our interval. "above": our interval is above the thesis's number."""
        if self.thesis is None:
            return "no figure"
        if self.low <= self.thesis <= self.high:
            return "within"
        return "above" if self.value > self.thesis else "below"

    def shown(self, value: float) -> str:
        """Return a number in the format of this row as text."""
        return f"{100 * value:.{self.digits}f} %" if self.share else f"{value:,.{self.digits}f}"

    def to_dict(self) -> dict[str, Any]:
        """Return the row as data for JSON."""
        difference = None if self.difference is None else list(self.difference)
        return {**asdict(self), "difference": difference, "verdict": self.verdict}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Row:
        """Return the row that `to_dict` wrote."""
        fields = {key: value for key, value in data.items() if key != "verdict"}
        difference = fields.pop("difference")
        return cls(**fields, difference=None if difference is None else Interval(*difference))


@dataclass(frozen=True)
class WinLoss:
    """Numbers of games won and lost in the thesis."""

    wins: int
    losses: int

    @property
    def games(self) -> int:
        return self.wins + self.losses


def win_rate_row(label: str, wins: int, losses: int, draws: int, thesis: WinLoss | None, even: float = 0.5) -> Row:
    """Return the row for a share of games won, with Wilson's confidence interval.

    even: the share of decided games that each of several equally strong players wins.
    """
    games = wins + losses + draws
    low, high = wilson_interval(wins, games)
    return Row(
        label=label,
        value=wins / games if games else math.nan,
        low=low,
        high=high,
        thesis=None if thesis is None else thesis.wins / thesis.games,
        sample=f"{wins} : {losses}" + (f", {draws} drawn" if draws else ""),
        thesis_sample="" if thesis is None else f"{thesis.wins} : {thesis.losses}",
        difference=None if thesis is None or not games else newcombe(wins, games, thesis.wins, thesis.games),
        share=True,
        even=even * (wins + losses) / games if games else None,
    )


def newcombe(wins: int, games: int, other_wins: int, other_games: int) -> Interval:
    """Return an interval for the difference of two independent shares, the first minus the second.

    R. G. Newcombe, "Interval estimation for the difference between independent proportions", Statistics in Medicine 17
    (1998), method 10, which uses Wilson's intervals of both shares.
    """
    a, b = wins / games, other_wins / other_games
    (low_a, high_a), (low_b, high_b) = wilson_interval(wins, games), wilson_interval(other_wins, other_games)
    lower = math.hypot(a - low_a, high_b - b)
    upper = math.hypot(high_a - a, b - low_b)
    return Interval(a - b - lower, a - b + upper)


def bootstrap_interval(
    clusters: Sequence[Sequence[float]],
    statistic: Callable[[npt.NDArray[np.float64]], float],
    seed: int = 1,
) -> Interval:
    """Return a percentile interval for a statistic of all values.

    The bootstrap resamples whole clusters, such as the values of a game.
    """
    arrays = [np.asarray(cluster, dtype=np.float64) for cluster in clusters]
    rng = np.random.default_rng(seed)
    statistics = [
        statistic(np.concatenate([arrays[i] for i in rng.integers(0, len(arrays), len(arrays))]))
        for _ in range(RESAMPLES)
    ]
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(statistics, [tail, 1 - tail])
    return Interval(float(low), float(high))


def number_row(
    label: str,
    clusters: Sequence[Sequence[float]],
    statistic: Literal["mean", "median"],
    thesis: float | None,
    noun: str,
    digits: int = 1,
) -> Row:
    """Return the row for a mean or median over clusters of dependent values, such as the moves of a game."""
    full = [cluster for cluster in clusters if len(cluster)]
    compute = np.mean if statistic == "mean" else np.median
    values = np.concatenate([np.asarray(cluster, dtype=np.float64) for cluster in full])
    low, high = bootstrap_interval(full, lambda sample: float(compute(sample)))
    value = float(compute(values))
    sample = f"{statistic} over {len(values)} {noun}"
    return Row(label, value, min(low, value), max(high, value), thesis, sample, digits=digits)
