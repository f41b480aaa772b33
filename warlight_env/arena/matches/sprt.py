"""The sequential probability ratio test: a match that ends as soon as it is clear enough who is better."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal

from warlight_env.arena.matches.match_standing import score
from warlight_env.arena.playing.game_setup import Setup
from warlight_env.arena.playing.play import GameRecord
from warlight_env.arena.ratings.elo import expected_score
from warlight_env.arguments import is_number, short_repr
from warlight_env.errors import InputError

#: Units that each possible score is taken to have had before the first game, so that none seems impossible.
PRIOR: Final = 1e-3

Verdict = Literal["H0", "H1"]


class SprtError(InputError):
    """A test that cannot be; the message names the field and the reason."""


@dataclass(frozen=True)
class Sprt:
    """Is the first agent stronger than the second by `elo1` (H1), or only by `elo0` (H0)? A stop rule for matches.

    The model is logistic Elo: a difference d means an expected score of 1 / (1 + 10^(-d / 400)), a draw counting half.
    What is counted are units: single games score 0, 1/2 or 1 (trinomial); pairs with swapped seats 0, 1/4 … 1
    (pentanomial), so that what the games of a pair have in common does not count twice. How the scores are
    distributed around their mean is not assumed, but estimated: the generalised ratio compares the likeliest
    distribution with the mean of H1 to the likeliest with the mean of H0. The match ends with H1 when its logarithm
    reaches log((1 - beta) / alpha), with H0 at log(beta / (1 - alpha)).

    Args:
        elo0, elo1: the differences; elo0 < elo1.
        alpha: chance to end with H1 though H0 holds, at most about.
        beta: chance to end with H0 though H1 holds, at most about.

    Raises:
        SprtError: they do not fit together.

    A. Wald, "Sequential Tests of Statistical Hypotheses", Annals of Mathematical Statistics 16 (1945); M. Van den
    Bergh, "The Generalized Maximum Likelihood Ratio for the Expectation Value of a Distribution" (2019).
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not is_number(value):
                raise SprtError(f"sprt: {name} = {short_repr(value)}: must be a number")
        if not self.elo0 < self.elo1:
            raise SprtError(f"sprt: elo0 = {self.elo0:g} must be below elo1 = {self.elo1:g}")
        if max(abs(self.elo0), abs(self.elo1)) > 2000:
            raise SprtError("sprt: elo0 and elo1 must lie in -2000 .. 2000")
        for name in ("alpha", "beta"):
            if not 0 < getattr(self, name) < 0.5:
                raise SprtError(f"sprt: {name} = {getattr(self, name)}: must lie between 0 and 0.5")

    @classmethod
    def parse(cls, text: str) -> Sprt:
        """A test from ``elo0,elo1[,alpha[,beta]]``; without beta it is alpha's."""
        if not isinstance(text, str):
            raise SprtError(f"sprt {short_repr(text)}: must be a string")
        parts = text.split(",")
        try:
            values = [float(part) for part in parts]
        except ValueError:
            values = []
        if not 2 <= len(values) <= 4:
            raise SprtError(f"sprt {text!r}: must be elo0,elo1 or elo0,elo1,alpha,beta, as in 0,20 or 0,20,0.05,0.05")
        return cls(*values, *values[2:3]) if len(values) == 3 else cls(*values)

    @property
    def bounds(self) -> tuple[float, float]:
        """The logarithms of the likelihood ratio at which H0 and H1 are accepted."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def llr(self, units: Mapping[float, int], possible: Sequence[float]) -> float:
        """The logarithm of the generalised likelihood ratio of H1 to H0.

        Args:
            units: how many units had which score.
            possible: all scores that a unit can have.
        """
        counts = {x: units.get(x, 0) + PRIOR for x in possible}
        low, high = expected_score(self.elo0), expected_score(self.elo1)
        return _log_likelihood(counts, high) - _log_likelihood(counts, low)

    def verdict(self, llr: float) -> Verdict | None:
        """What a log-likelihood ratio decides; None: nothing yet."""
        lower, upper = self.bounds
        return "H1" if llr >= upper else "H0" if llr <= lower else None

    def judge(self, setup: Setup) -> SprtJudge:
        """See `StopRule.judge`."""
        if len(setup.agents) != 2:
            raise SprtError(f"sprt: compares two agents, not {len(setup.agents)}")
        return SprtJudge(self, setup.unit_size)

    def describe(self) -> dict[str, Any]:
        """See `StopRule.describe`."""
        return {"sprt": {name: float(value) for name, value in asdict(self).items()}}


class SprtJudge:
    """A test in progress."""

    def __init__(self, rule: Sprt, unit_size: int) -> None:
        self.rule = rule
        self.units: Counter[float] = Counter()
        self._possible = tuple(i / (2 * unit_size) for i in range(2 * unit_size + 1))

    @property
    def llr(self) -> float:
        """The logarithm of the likelihood ratio so far."""
        return self.rule.llr(self.units, self._possible)

    def add(self, unit: Sequence[GameRecord]) -> bool:
        """See `Judge.add`."""
        self.units[sum(score(record, 0) for record in unit) / len(unit)] += 1
        return self.rule.verdict(self.llr) is not None


def _log_likelihood(counts: Mapping[float, float], mean: float) -> float:
    """The largest log-likelihood of the counts under a distribution with that mean, up to a constant.

    The likeliest distribution has p_i = q_i / (1 + t (x_i - mean)), where q are the observed shares and t makes the
    mean right: the root of a function that falls from +inf to -inf between the ends where a p_i would be infinite.
    """
    total = sum(counts.values())
    shares = [(x - mean, count / total) for x, count in counts.items()]
    low, high = -1 / max(d for d, _ in shares), -1 / min(d for d, _ in shares)
    for _ in range(200):
        t = (low + high) / 2
        if t in (low, high):
            break
        if sum(q * d / (1 + t * d) for d, q in shares) > 0:
            low = t
        else:
            high = t
    return -total * sum(q * math.log1p(t * d) for d, q in shares)
