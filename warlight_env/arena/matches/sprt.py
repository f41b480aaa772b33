"""The sequential probability ratio test: a match ends as soon as the test accepts one of two hypotheses."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal

from warlight_env.arena.games.game_record import GameRecord
from warlight_env.arena.games.game_setup import MatchSetup
from warlight_env.arena.matches.match_score import score
from warlight_env.arena.ratings.elo import expected_score
from warlight_env.arguments import is_number, short_repr
from warlight_env.errors import InputError

#: The count of each possible score before the first game. It is above 0, so that no score has the probability 0.
PRIOR: Final = 1e-3

Verdict = Literal["H0", "H1"]


class SprtError(InputError):
    """An error for a test with impossible settings. The error message contains the field and the reason."""


@dataclass(frozen=True)
class Sprt:
    """A sequential test of two hypotheses about the Elo of the first agent minus the Elo of the second agent.

    The hypothesis H1 says that the difference is `elo1`; H0 says that it is `elo0`. The test is a stop rule for
    matches. The model is logistic Elo: with a difference d, the expected score is 1 / (1 + 10^(-d / 400)). A draw
    counts as half a win.

    The test counts units of games. A single game has the score 0, 1/2 or 1 (a trinomial distribution). A pair of games
    with swapped seats has the score 0, 1/4, …, 1 (a pentanomial distribution). Because a pair counts as one unit, the
    test accounts for the correlation between its two games.

    The test does not assume a distribution of the scores around their mean, but estimates this distribution. For each
    hypothesis, the test finds the most likely distribution of scores whose mean is the expected score under the
    hypothesis. The generalised likelihood ratio is the likelihood of the distribution for H1 divided by the likelihood
    of the distribution for H0. The match ends with H1 if the logarithm of the ratio reaches log((1 - beta) / alpha).
    The match ends with H0 if the logarithm of the ratio reaches log(beta / (1 - alpha)).

    Args:
        elo0, elo1: the Elo differences of the two hypotheses; elo0 < elo1.
        alpha: the approximate maximum probability that the test accepts H1 although H0 is true.
        beta: the approximate maximum probability that the test accepts H0 although H1 is true.

    Raises:
        SprtError: a value is out of range, or elo0 is not below elo1.

    The sequential test is from Wald, "Sequential Tests of Statistical Hypotheses", Annals of Mathematical Statistics 16
    (1945). The generalised ratio is from Van den Bergh, "The Generalized Maximum Likelihood Ratio for the Expectation
    Value of a Distribution" (2019).
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
        """Convert a text ``elo0,elo1[,alpha[,beta]]`` to an `Sprt`. If beta is missing, it is equal to alpha."""
        if not isinstance(text, str):
            raise SprtError(f"sprt {short_repr(text)}: must be a string")
        parts = text.split(",")
        try:
            values = [float(part) for part in parts]
        except ValueError:
            values = []
        if not 2 <= len(values) <= 4:
            raise SprtError(f"sprt {text!r}: must be elo0,elo1 or elo0,elo1,alpha,beta, such as 0,20 or 0,20,0.05,0.05")
        return cls(*values, *values[2:3]) if len(values) == 3 else cls(*values)

    @property
    def bounds(self) -> tuple[float, float]:
        """The log-likelihood ratios at which the test accepts H0 and H1, in this order."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def llr(self, units: Mapping[float, int], possible: Sequence[float]) -> float:
        """Return the logarithm of the generalised likelihood ratio of H1 to H0.

        Args:
            units: a dict from a score to the number of units with this score.
            possible: all scores that a unit can have.
        """
        counts = {x: units.get(x, 0) + PRIOR for x in possible}
        low, high = expected_score(self.elo0), expected_score(self.elo1)
        return _log_likelihood(counts, high) - _log_likelihood(counts, low)

    def verdict(self, llr: float) -> Verdict | None:
        """Return the hypothesis that the test accepts if the log-likelihood ratio is `llr`; None if it accepts none."""
        lower, upper = self.bounds
        return "H1" if llr >= upper else "H0" if llr <= lower else None

    def format_llr(self, llr: float) -> str:
        """Return a log-likelihood ratio as text, in the form of the program fastchess.

        The text has the ratio, its fraction of the nearer bound, both bounds, and the Elo of both hypotheses.
        """
        lower, upper = self.bounds
        share = llr / (upper if llr >= 0 else lower)
        return f"LLR: {llr:.2f} ({100 * share:.1f}%) ({lower:.2f}, {upper:.2f}) [{self.elo0:.2f}, {self.elo1:.2f}]"

    def format_verdict(self, verdict: Verdict | None) -> str:
        """Return the state of the test as text, in the form of the program fastchess."""
        test = f"SPRT ([{self.elo0:.2f}, {self.elo1:.2f}])"
        return f"{test} not completed" if verdict is None else f"{test} completed - {verdict} was accepted"

    def start(self, setup: MatchSetup) -> RunningSprt:
        """Return a new test for a match; raise `SprtError` unless the match has two agents."""
        if len(setup.agents) != 2:
            raise SprtError(f"sprt: the test compares two agents, not {len(setup.agents)}")
        return RunningSprt(self, setup.unit_size)

    def describe(self) -> dict[str, Any]:
        """Return the settings of the test as JSON data."""
        return {"sprt": {name: float(value) for name, value in asdict(self).items()}}


class RunningSprt:
    """The state of an `Sprt` test during a match."""

    def __init__(self, rule: Sprt, unit_size: int) -> None:
        self.rule = rule
        self.units: Counter[float] = Counter()
        self._possible = tuple(i / (2 * unit_size) for i in range(2 * unit_size + 1))

    @property
    def llr(self) -> float:
        """The log-likelihood ratio of H1 to H0 after all units that were added so far."""
        return self.rule.llr(self.units, self._possible)

    def add(self, unit: Sequence[GameRecord]) -> bool:
        """Add the games of the next unit. Return True if the test accepts a hypothesis, so that the match can end."""
        self.units[sum(score(record, 0) for record in unit) / len(unit)] += 1
        return self.rule.verdict(self.llr) is not None


def _log_likelihood(counts: Mapping[float, float], mean: float) -> float:
    """Return the maximum log-likelihood of the counts among all distributions with the given mean, plus a constant.

    The most likely distribution is p_i = q_i / (1 + t (x_i - mean)) with the observed frequencies q_i. The number t is
    chosen so that the distribution p has the given mean. The number t is the root of a function that falls from +inf to
    -inf between two bounds; at each bound, one p_i is infinite.
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
