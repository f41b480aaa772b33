"""The exact outcome of a battle: the probability of capture and the distributions of surviving armies."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from warlight_env.arguments import check_integer
from warlight_env.engine.dice import kills_pmf
from warlight_env.engine.rules import Rules
from warlight_env.errors import InputError

#: The maximum number of armies on each side of a battle for which `battle_odds` computes exact distributions.
MAX_BATTLE = 2_000


class BattleError(InputError):
    """An error for a number of armies outside 1 .. `MAX_BATTLE`."""


@dataclass(frozen=True)
class BattleOdds:
    """The probabilities of the outcomes when `attackers` armies attack `defenders` armies.

    After a capture no defenders are left. If all armies on both sides die, the rules let the defender keep one army.
    """

    attackers: int
    defenders: int
    capture: float  #: probability that the region changes owner
    attackers_left: npt.NDArray[np.float64]  #: [attackers + 1] probability of each number of surviving attackers
    defenders_left: npt.NDArray[np.float64]  #: [defenders + 1] probability of each number of surviving defenders

    @property
    def expected_attackers(self) -> float:
        """The expected number of surviving attackers."""
        return float(self.attackers_left @ np.arange(self.attackers + 1))

    @property
    def expected_defenders(self) -> float:
        """The expected number of surviving defenders."""
        return float(self.defenders_left @ np.arange(self.defenders + 1))


def battle_odds(attackers: int, defenders: int, rules: str | Rules | dict[str, Any] = "thesis") -> BattleOdds:
    """Return the exact probabilities of the outcomes of a battle under the given rules.

    Args:
        attackers: number of armies that attack, 1 .. MAX_BATTLE, without the army that must stay on the source region.
        defenders: number of armies on the attacked region, 1 .. MAX_BATTLE.
        rules: the name of a rules preset, a `Rules` object, or a dict with the fields of `Rules`.

    Raises:
        BattleError: an argument is out of range; the message names it. RulesError: the rules are not valid.
    """
    for name, value in (("attackers", attackers), ("defenders", defenders)):
        check_integer(value, name, 1, MAX_BATTLE, BattleError)
    battle_rules = Rules.of(rules)
    return _odds(
        int(attackers), int(defenders), battle_rules.attack_kill, battle_rules.defense_kill, battle_rules.luck,
        battle_rules.rounding == "stochastic",
    )  # fmt: skip


@functools.lru_cache(maxsize=4096)
def _odds(a: int, d: int, attack_kill: float, defense_kill: float, luck: float, stochastic: bool) -> BattleOdds:
    killed = _clipped(kills_pmf(a, attack_kill, luck, stochastic), d)  # defenders that die
    lost = _clipped(kills_pmf(d, defense_kill, luck, stochastic), a)  # attackers that die, independently
    attackers_left, defenders_left = lost[::-1].copy(), killed[::-1].copy()
    capture = killed[d] * (1.0 - lost[a])
    both_die = killed[d] * lost[a]
    defenders_left[0] -= both_die
    defenders_left[1] += both_die
    attackers_left.flags.writeable = defenders_left.flags.writeable = False
    return BattleOdds(a, d, float(capture), attackers_left, defenders_left)


def _clipped(pmf: npt.NDArray[np.float64], limit: int) -> npt.NDArray[np.float64]:
    """Return the distribution of the number of kills if at most `limit` armies can die, as float64[limit + 1]."""
    out = np.zeros(limit + 1)
    shared = min(len(pmf), limit + 1)
    out[:shared] = pmf[:shared]
    out[limit] += pmf[limit + 1 :].sum()
    return out
