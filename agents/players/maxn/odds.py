"""Tables of exact battle probabilities, for kernels."""

from __future__ import annotations

import functools
import math
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from warlight_env.engine.dice import Dice, kills_pmf
from warlight_env.engine.jit import kernel, read_only, shared
from warlight_env.engine.kernel_types import Int, Real
from warlight_env.engine.reference import reference

#: Largest number of armies on one side for which the tables have exact probabilities. For more armies, the normal
#: distribution approximates the binomial distribution.
ODDS_ARMIES: Final = 200


@shared
class Odds(NamedTuple):
    """Probabilities to kill armies with the dice of the rules, as read-only arrays for kernels."""

    tail: npt.NDArray[
        np.float64
    ]  #: [2, n, k] probability that n attackers (index 0) or defenders (1) kill k or more; n, k <= ODDS_ARMIES
    kill: npt.NDArray[np.float64]  #: [2] probability that one attacker, or one defender, kills an army
    luck: float  #: `Dice.luck` of the rules


def make_odds(dice: Dice) -> Odds:
    """Return the tables for the dice of a set of rules. The tables are computed once per process and are read-only."""
    return _tables(float(dice.kill[0]), float(dice.kill[1]), float(dice.luck), bool(dice.stochastic))


@functools.cache
def _tables(attack_kill: float, defense_kill: float, luck: float, stochastic: bool) -> Odds:
    tail = np.zeros((2, ODDS_ARMIES + 1, ODDS_ARMIES + 1))
    for side, kill in enumerate((attack_kill, defense_kill)):
        for n in range(ODDS_ARMIES + 1):
            pmf = kills_pmf(n, kill, luck, stochastic)
            tail[side, n, : n + 1] = np.minimum(pmf[::-1].cumsum()[::-1], 1.0)
    return reference(read_only(Odds(tail, np.array([attack_kill, defense_kill]), luck)))


@kernel
def _kills_at_least(odds: Odds, side: Int, armies: Int, kills: Int) -> Real:
    """Return the probability that a side's armies kill `kills` armies or more."""
    if kills > armies:
        return 0.0
    if armies <= ODDS_ARMIES:
        return odds.tail[side, armies, kills]
    chance = odds.kill[side]
    deficit = kills - 0.5 - armies * chance
    spread = odds.luck * np.sqrt(armies * chance * (1.0 - chance))
    if spread == 0.0:
        return 1.0 if deficit <= 0.0 else 0.0
    return 0.5 * math.erfc(deficit / (spread * np.sqrt(2.0)))


@kernel
def capture_chance(odds: Odds, attackers: Int, defenders: Int) -> Real:
    """Return the probability that attackers capture a region: all defenders, but not all attackers, are killed."""
    if attackers < 1:
        return 0.0
    return _kills_at_least(odds, 0, attackers, defenders) * (1.0 - _kills_at_least(odds, 1, defenders, attackers))
