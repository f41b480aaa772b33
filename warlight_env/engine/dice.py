"""Dice of battles: random numbers of kills, drawn from exact tables, and the exact distributions of kills."""

from __future__ import annotations

import functools
from fractions import Fraction
from math import comb
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from warlight_env.engine.jit import inline_kernel, kernel, read_only, shared
from warlight_env.engine.kernel_types import Int, RandomState, Script
from warlight_env.engine.rng import below, next_u64, uniform

U64 = np.uint64
#: The maximum number of armies for one draw from a table; more armies need several draws.
TABLE_ARMIES: Final = 128
_SHIFT, _LOW = U64(32), U64(0xFFFFFFFF)
#: Tolerance of the float formula for more armies than the tables have. The tolerance is far above the rounding error
#: and far below the difference between two results.
_EPSILON: Final = 1e-9


@shared
class Dice(NamedTuple):
    """Alias tables for fast draws of kills, for 0 to TABLE_ARMIES armies. Read-only.

    On the first axis of each array, index 0 is for attackers, and index 1 is for defenders.

    Row n of a table is for n armies; it has n + 1 columns and starts at index n (n + 1) / 2. An entry of a table has a
    threshold in its upper 32 bits, and a number of kills, the alias, in its lower 32 bits. A draw of kills chooses a
    random column of row n. With probability threshold / 2**32, the drawn number of kills is the index of the column;
    otherwise, it is the alias.
    """

    kills: npt.NDArray[np.uint64]  #: [2, T] tables of kills, with luck and rounding
    rolls: npt.NDArray[np.uint64]  #: [2, T] tables of binomial numbers, without luck and rounding
    kill: npt.NDArray[np.float64]  #: [2] probability that one army kills
    luck: float
    stochastic: bool


def binomial_weights(n: int, p: Fraction) -> list[int]:
    """Return integers proportional to the probabilities of 0 .. n kills, if n armies each kill with probability p."""
    top, complement = p.numerator, p.denominator - p.numerator
    return [comb(n, k) * top**k * complement ** (n - k) for k in range(n + 1)]


def kill_weights(n: int, p: Fraction, luck: Fraction, stochastic: bool) -> list[int]:
    """Return integers proportional to the probabilities of 0 .. n kills under the rules of luck and rounding.

    The number of kills is (1 - luck) * mean + luck * roll, rounded; `roll` is a binomial random number of kills.
    """
    rolls = binomial_weights(n, p)
    if luck == 1:
        return rolls
    kills = [0] * (n + 1)
    unit = p.denominator * luck.denominator
    mean = int((1 - luck) * p * n * unit)
    step = int(luck * unit)
    for roll, weight in enumerate(rolls):
        value = mean + step * roll  # as a multiple of 1 / unit
        if stochastic:
            low, up = divmod(value, unit)
            kills[low] += weight * (unit - up)
            if up:
                kills[low + 1] += weight * up
        else:
            kills[(2 * value + unit) // (2 * unit)] += weight
    return kills


def kills_pmf(n: int, p: float, luck: float = 1.0, stochastic: bool = False) -> npt.NDArray[np.float64]:
    """Return the exact probabilities of 0 .. n kills by n armies, rounded to float64[n + 1]."""
    weights = kill_weights(n, exact(p), exact(luck), stochastic)
    total = sum(weights)
    return np.array([weight / total for weight in weights])


def _alias_row(weights: list[int]) -> list[int]:
    """Return one packed entry per outcome 0 .. n, computed with Walker's alias method in exact integers."""
    n = len(weights)
    total = sum(weights)
    scaled = [weight * n for weight in weights]
    entries = [0] * n
    small = [k for k in range(n) if scaled[k] < total]
    large = [k for k in range(n) if scaled[k] >= total]
    while small and large:
        k, giver = small.pop(), large[-1]
        entries[k] = ((scaled[k] << 32) // total) << 32 | giver
        scaled[giver] -= total - scaled[k]
        if scaled[giver] < total:
            small.append(large.pop())
    for k in large + small:
        entries[k] = 0xFFFFFFFF << 32 | k
    return entries


def _table(p: Fraction, luck: Fraction, stochastic: bool) -> npt.NDArray[np.uint64]:
    rows = [_alias_row(kill_weights(n, p, luck, stochastic)) for n in range(TABLE_ARMIES + 1)]
    return np.array([entry for row in rows for entry in row], dtype=np.uint64)


def exact(probability: float) -> Fraction:
    """Return the exact value of a probability's decimal form: 0.6 is 3/5."""
    return Fraction(str(probability))


@functools.lru_cache(maxsize=64)
def make_dice(attack_kill: float, defense_kill: float, luck: float, stochastic: bool) -> Dice:
    """Return the read-only tables for the battle rules. Later calls with the same arguments return the same arrays."""
    sides = (exact(attack_kill), exact(defense_kill))
    rolls = np.stack([_table(p, Fraction(1), False) for p in sides])
    kills = rolls if luck == 1 else np.stack([_table(p, exact(luck), stochastic) for p in sides])
    chances = np.array([attack_kill, defense_kill], dtype=np.float64)
    return read_only(Dice(kills, rolls, chances, float(luck), stochastic))


@inline_kernel
def _draw(table: npt.NDArray[np.uint64], n: Int, rng: RandomState) -> Int:
    bits = next_u64(rng)
    column = ((bits >> _SHIFT) * U64(n + 1)) >> _SHIFT
    entry = table[(n * (n + 1)) // 2 + np.int64(column)]
    if (bits & _LOW) < (entry >> _SHIFT):
        return np.int64(column)
    return np.int64(entry & _LOW)


@kernel
def _draw_many(dice: Dice, side: Int, n: Int, rng: RandomState) -> Int:
    """Draw the kills of more than TABLE_ARMIES armies: add several binomial draws, then apply luck and rounding."""
    remaining = n
    roll = 0
    while remaining > TABLE_ARMIES:
        roll += _draw(dice.rolls[side], TABLE_ARMIES, rng)
        remaining -= TABLE_ARMIES
    roll += _draw(dice.rolls[side], remaining, rng)
    if dice.luck == 1.0:
        return roll
    value = (1.0 - dice.luck) * dice.kill[side] * n + dice.luck * roll + _EPSILON
    if dice.stochastic:
        low = np.int64(np.floor(value))
        if uniform(rng) < value - low:
            low += 1
        return min(low, n)
    return min(np.int64(np.floor(value + 0.5)), n)


@inline_kernel
def draw_kills(dice: Dice, side: Int, n: Int, rng: RandomState) -> Int:
    """Draw the kills of `n` armies of a side (0: attackers, 1: defenders), without a limit to the enemy's armies."""
    if n <= TABLE_ARMIES:
        return _draw(dice.kills[side], n, rng)
    return _draw_many(dice, side, n, rng)


@kernel
def scripted_below(script: Script, n: Int) -> Int:
    """Return the next scripted decision, as an integer in 0 .. n - 1.

    `script` is int64[1 + K]: the index of the next value, then K values. After the last value, the next decision is the
    first value again.
    """
    length = script.shape[0] - 1
    value = script[1 + script[0] % length] % n
    script[0] += 1
    return value


@inline_kernel
def choose(n: Int, rng: RandomState, script: Script) -> Int:
    """Choose an integer in 0 .. n - 1: from the script if it is not None, otherwise at random."""
    if script is None:
        return below(rng, n)
    return scripted_below(script, n)


@inline_kernel
def roll_kills(dice: Dice, side: Int, n: Int, rng: RandomState, script: Script) -> Int:
    """Draw kills like `draw_kills`.

    If `script` is not None, its next value is the number of kills before luck and rounding, 0 .. n, and the value after
    this number decides whether the number of kills is rounded up.
    """
    if script is None:
        return draw_kills(dice, side, n, rng)
    value = np.float64(scripted_below(script, n + 1))
    if dice.luck != 1.0:
        value = (1.0 - dice.luck) * dice.kill[side] * n + dice.luck * value + _EPSILON
    if not dice.stochastic:
        return np.int64(np.floor(value + 0.5))
    low = np.int64(np.floor(value))
    up = scripted_below(script, 2)
    return low + up if value - low > 2 * _EPSILON else low
