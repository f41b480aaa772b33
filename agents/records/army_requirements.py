"""Tables of the number of armies that an attack or a defence needs, computed from exact distributions of battles.

The planner reads the numbers of armies for attacks and defences from these tables. The tables are exact for all
settings of luck and rounding in the rules.
"""

from __future__ import annotations

import functools
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from warlight_env.engine.dice import Dice, kills_pmf
from warlight_env.engine.jit import inline_kernel, read_only, shared
from warlight_env.engine.kernel_types import Int, Real
from warlight_env.engine.reference import reference

#: Number of armies up to which the tables are exact. For larger numbers, results are scaled in proportion.
FORCE_ARMIES: Final = 100
#: Probabilities of success for which the tables contain the needed number of armies.
LEVELS: Final = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)
#: Index of the probability 0.7 in LEVELS. The cost of a region is the number of armies that capture it with this
#: probability.
COST_LEVEL: Final = 2


@shared
class ArmyRequirements(NamedTuple):
    """Tables of the results of battles, as read-only arrays for kernels, with M = FORCE_ARMIES and L = len(LEVELS)."""

    capture: npt.NDArray[np.float64]  #: [M + 1, M + 1] probability that attackers (first index) beat defenders (second)
    #: [L, M + 1] fewest attackers that capture a region from n defenders (second index) with probability LEVELS[l]
    min_attackers: npt.NDArray[np.int32]
    #: [L, M + 1] fewest defenders that keep a region against n attackers (second index) with probability LEVELS[l]
    min_defenders: npt.NDArray[np.int32]
    attackers_lost: npt.NDArray[np.float64]  #: [M + 1, M + 1] mean loss of the attackers, indices as in `capture`
    #: [M + 1, M + 1] mean loss of the defenders, indices as in `capture`; after a capture, all defenders are lost
    defenders_lost: npt.NDArray[np.float64]


def make_army_requirements(dice: Dice) -> ArmyRequirements:
    """Return the tables for the dice of a set of rules. The tables are computed once per process and are read-only."""
    return _tables(float(dice.kill[0]), float(dice.kill[1]), float(dice.luck), bool(dice.stochastic))


@functools.lru_cache(maxsize=64)
def _tables(attack_kill: float, defense_kill: float, luck: float, stochastic: bool) -> ArmyRequirements:
    size = FORCE_ARMIES + 1
    numbers = np.arange(size)
    # For each side (0: attackers) and number n of armies: probability of k or more kills, and mean of min(kills, k).
    tail, mean = np.zeros((2, size, size + 1)), np.zeros((2, size, size))
    for side, kill in enumerate((attack_kill, defense_kill)):
        for n in range(size):
            pmf = kills_pmf(n, kill, luck, stochastic)
            tail[side, n, : n + 1] = np.minimum(pmf[::-1].cumsum()[::-1], 1.0)
        mean[side, :, 1:] = tail[side, :, 1:-1].cumsum(1)
    defenders_die = tail[0, :, :-1]  # [a, d] probability that a attackers kill all d defenders
    attackers_die = tail[1, :, :-1].T  # [a, d] probability that d defenders kill all a attackers
    capture = defenders_die * (1.0 - attackers_die)
    capture[0] = 0.0
    lost = mean[0] - defenders_die * attackers_die  # if all armies of both sides die, one defender survives
    # Because losses are rounded, more armies may be worse than fewer. The tables contain the smallest number for which
    # this number and all larger numbers are enough.
    worst = np.minimum.accumulate(capture[::-1], 0)[::-1]
    min_attackers = np.full((len(LEVELS), size), 0, dtype=np.int32)
    min_defenders = np.full((len(LEVELS), size), 0, dtype=np.int32)
    for i, level in enumerate(LEVELS):
        enough = worst >= level
        min_attackers[i] = np.where(enough.any(0), enough.argmax(0), 2 * size)
        holds = np.maximum.accumulate(capture[:, ::-1], 1)[:, ::-1] <= 1.0 - level + 1e-12
        holds[:, 0] = False
        min_defenders[i] = np.where(holds.any(1), holds.argmax(1), 2 * size)
    _extrapolate(min_attackers, numbers)
    _extrapolate(min_defenders, numbers)
    return reference(read_only(ArmyRequirements(capture, min_attackers, min_defenders, mean[1].T.copy(), lost)))


def _extrapolate(table: npt.NDArray[np.int32], numbers: npt.NDArray[np.int64]) -> None:
    """Replace entries above FORCE_ARMIES by numbers in proportion to the last exact entry."""
    for row in table:
        exact = np.flatnonzero(row[1:] <= FORCE_ARMIES) + 1
        if len(exact) and exact[-1] < FORCE_ARMIES:
            last = exact[-1]
            row[last + 1 :] = np.ceil(numbers[last + 1 :] * (row[last] / last)).astype(np.int32)


@inline_kernel
def _scaled(row: npt.NDArray[np.int32], armies: Int) -> Int:
    if armies <= FORCE_ARMIES:
        return np.int64(row[max(armies, 0)])
    return np.int64(np.ceil(armies * (row[FORCE_ARMIES] / np.float64(FORCE_ARMIES))))


@inline_kernel
def attackers_needed(requirements: ArmyRequirements, level: Int, defenders: Int) -> Int:
    """Return the fewest attackers that capture a region with probability LEVELS[level]."""
    return _scaled(requirements.min_attackers[level], defenders)


@inline_kernel
def cost_of(requirements: ArmyRequirements, defenders: Int) -> Int:
    """Return the number of armies that capture a region with probability 0.7."""
    return attackers_needed(requirements, COST_LEVEL, np.int64(defenders))


@inline_kernel
def defenders_needed(requirements: ArmyRequirements, level: Int, attackers: Int) -> Int:
    """Return the fewest defenders that keep a region with probability LEVELS[level]; 1 if there are no attackers."""
    return max(np.int64(1), _scaled(requirements.min_defenders[level], attackers))


@inline_kernel
def _scaled_armies(armies: Int, scale: Real) -> Int:
    return max(np.int64(0), np.int64(armies * scale + 0.5))


@inline_kernel
def _scale(attackers: Int, defenders: Int) -> Real:
    larger = max(attackers, defenders)
    return 1.0 if larger <= FORCE_ARMIES else FORCE_ARMIES / larger


@inline_kernel
def chance_of_capture(requirements: ArmyRequirements, attackers: Int, defenders: Int) -> Real:
    """Return the probability that attackers capture a region.

    If a number of armies is above FORCE_ARMIES, the attackers and the defenders are scaled down in proportion.
    """
    scale = _scale(attackers, defenders)
    return requirements.capture[_scaled_armies(attackers, scale), _scaled_armies(defenders, scale)]


@inline_kernel
def expected_losses(requirements: ArmyRequirements, attackers: Int, defenders: Int) -> tuple[Real, Real]:
    """Return the mean loss of the attackers and the mean loss of the defenders in a battle."""
    scale = _scale(attackers, defenders)
    a, d = _scaled_armies(attackers, scale), _scaled_armies(defenders, scale)
    return requirements.attackers_lost[a, d] / scale, requirements.defenders_lost[a, d] / scale
