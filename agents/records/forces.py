"""Force tables: how many armies it takes, from the exact distributions of a set of rules.

All sizing of planned attacks and defences goes by them, so that it is right whatever the luck and the rounding.
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

#: Armies up to which tables are exact; beyond, they go on in proportion.
FORCE_ARMIES: Final = 100
#: Chances that the tables are made for.
LEVELS: Final = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)


@shared
class Forces(NamedTuple):
    """What battles come to, for kernels, with M = FORCE_ARMIES. Read-only."""

    capture: npt.NDArray[np.float64]  #: [M + 1, M + 1] chance that so many attackers capture from so many defenders
    need: npt.NDArray[np.int32]  #: [L, M + 1] fewest attackers that capture from so many with the chance of LEVELS
    hold: npt.NDArray[np.int32]  #: [L, M + 1] fewest defenders that hold against so many attackers with that chance
    attackers_lost: npt.NDArray[np.float64]  #: [M + 1, M + 1] mean, by attackers and defenders
    defenders_lost: npt.NDArray[np.float64]  #: [M + 1, M + 1] mean; all, where the region is captured


def make_forces(dice: Dice) -> Forces:
    """The tables for a set of rules; built once per process, shared and read-only."""
    return _tables(float(dice.kill[0]), float(dice.kill[1]), float(dice.luck), bool(dice.stochastic))


@functools.lru_cache(maxsize=64)
def _tables(attack_kill: float, defense_kill: float, luck: float, stochastic: bool) -> Forces:
    size = FORCE_ARMIES + 1
    numbers = np.arange(size)
    # By side (0: attackers) and armies n: chance of k kills or more, and the mean of the smaller of kills and k.
    tail, mean = np.zeros((2, size, size + 1)), np.zeros((2, size, size))
    for side, kill in enumerate((attack_kill, defense_kill)):
        for n in range(size):
            pmf = kills_pmf(n, kill, luck, stochastic)
            tail[side, n, : n + 1] = np.minimum(pmf[::-1].cumsum()[::-1], 1.0)
        mean[side, :, 1:] = tail[side, :, 1:-1].cumsum(1)
    wiped = tail[0, :, :-1]  # [a, d] a attackers kill all d defenders
    dead = tail[1, :, :-1].T  # [a, d] d defenders kill all a attackers
    capture = wiped * (1.0 - dead)
    capture[0] = 0.0
    lost = mean[0] - wiped * dead  # where all die, one defender stays
    # Where a defender more or an attacker fewer would do as well by the rounding of losses, the safer number stands.
    worst = np.minimum.accumulate(capture[::-1], 0)[::-1]
    need = np.full((len(LEVELS), size), 0, dtype=np.int32)
    hold = np.full((len(LEVELS), size), 0, dtype=np.int32)
    for i, level in enumerate(LEVELS):
        enough = worst >= level
        need[i] = np.where(enough.any(0), enough.argmax(0), 2 * size)
        held = np.maximum.accumulate(capture[:, ::-1], 1)[:, ::-1] <= 1.0 - level + 1e-12
        held[:, 0] = False
        hold[i] = np.where(held.any(1), held.argmax(1), 2 * size)
    _go_on(need, numbers)
    _go_on(hold, numbers)
    return reference(read_only(Forces(capture, need, hold, mean[1].T.copy(), lost)))


def _go_on(table: npt.NDArray[np.int32], numbers: npt.NDArray[np.int64]) -> None:
    """Where more armies are needed than tables hold, continue in proportion to the last that are known."""
    for row in table:
        known = np.flatnonzero(row[1:] <= FORCE_ARMIES) + 1
        if len(known) and known[-1] < FORCE_ARMIES:
            last = known[-1]
            row[last + 1 :] = np.ceil(numbers[last + 1 :] * (row[last] / last)).astype(np.int32)


@inline_kernel
def _scaled(row: npt.NDArray[np.int32], armies: Int) -> Int:
    if armies <= FORCE_ARMIES:
        return np.int64(row[max(armies, 0)])
    return np.int64(np.ceil(armies * (row[FORCE_ARMIES] / np.float64(FORCE_ARMIES))))


@inline_kernel
def attackers_needed(forces: Forces, level: Int, defenders: Int) -> Int:
    """The fewest attackers that capture a region with the chance LEVELS[level]."""
    return _scaled(forces.need[level], defenders)


@inline_kernel
def defenders_needed(forces: Forces, level: Int, attackers: Int) -> Int:
    """The fewest defenders that hold a region with the chance LEVELS[level]; 1 where nobody attacks."""
    return max(np.int64(1), _scaled(forces.hold[level], attackers))


@inline_kernel
def _within(armies: Int, scale: Real) -> Int:
    return max(np.int64(0), np.int64(armies * scale + 0.5))


@inline_kernel
def _scale(attackers: Int, defenders: Int) -> Real:
    most = max(attackers, defenders)
    return 1.0 if most <= FORCE_ARMIES else FORCE_ARMIES / most


@inline_kernel
def chance_of_capture(forces: Forces, attackers: Int, defenders: Int) -> Real:
    """The chance that attackers capture a region; beyond the tables, that of as many in proportion."""
    scale = _scale(attackers, defenders)
    return forces.capture[_within(attackers, scale), _within(defenders, scale)]


@inline_kernel
def expected_losses(forces: Forces, attackers: Int, defenders: Int) -> tuple[Real, Real]:
    """The mean losses of attackers and of defenders."""
    scale = _scale(attackers, defenders)
    a, d = _within(attackers, scale), _within(defenders, scale)
    return forces.attackers_lost[a, d] / scale, forces.defenders_lost[a, d] / scale
