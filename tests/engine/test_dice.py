"""Dice compared with the exact distributions, and the exact distributions compared with the table of the rules."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from warlight_env.battle import battle_odds
from warlight_env.engine.dice import TABLE_ARMIES, draw_kills, kills_pmf, make_dice
from warlight_env.engine.rng import below, derive_seed, make_rng, next_u64, uniform
from warlight_env.engine.rules import Rules

#: Attackers, defenders, P(capture) in the thesis and challenge 1, and in challenge 2.
CAPTURE = [
    (1, 1, 0.1800, 0.0),
    (2, 1, 0.8400, 1.0),
    (2, 2, 0.1836, 0.0),
    (3, 2, 0.6480, 1.0),
    (4, 2, 0.8208, 1.0),
    (5, 3, 0.6826, 1.0),
    (6, 4, 0.5443, 0.8208),
    (9, 6, 0.4826, 0.2318),
    (10, 6, 0.6331, 0.9877),
    (15, 10, 0.4032, 0.0271),
]


@pytest.mark.parametrize(("attackers", "defenders", "thesis", "challenge2"), CAPTURE)
def test_capture_probabilities_match_the_table_of_the_rules(attackers, defenders, thesis, challenge2):
    for rules, expected in (("thesis", thesis), ("challenge1", thesis), ("challenge2", challenge2)):
        assert battle_odds(attackers, defenders, rules).capture == pytest.approx(expected, abs=5e-5)


def chi_square(draws: np.ndarray, pmf: np.ndarray) -> float:
    """P-value of draws against a distribution, rare outcomes pooled."""
    observed = np.bincount(draws, minlength=len(pmf)).astype(float)
    expected = pmf * len(draws)
    assert observed[pmf == 0].sum() == 0
    order = np.argsort(expected)
    rare = order[np.cumsum(expected[order]) < 20]
    keep = np.setdiff1d(np.flatnonzero(pmf), rare)
    seen = np.append(observed[keep], observed[rare].sum())
    wanted = np.append(expected[keep], expected[rare].sum())
    seen, wanted = seen[wanted > 0], wanted[wanted > 0]
    return float(stats.chisquare(seen, wanted).pvalue) if len(seen) > 1 else 1.0


@pytest.mark.parametrize("rules", [
    Rules.of("thesis"), Rules.of("challenge2"), Rules.of("thesis", luck=0.0, rounding="stochastic"),
    Rules.of("thesis", luck=0.3, rounding="stochastic"),
], ids=["binomial", "challenge2", "expectation", "mixed"])  # fmt: skip
@pytest.mark.parametrize("armies", [1, 2, 3, 7, 30, TABLE_ARMIES, TABLE_ARMIES + 1, 300])
def test_kills_follow_the_exact_distribution(rules, armies):
    stochastic = rules.rounding == "stochastic"
    dice = make_dice(rules.attack_kill, rules.defense_kill, rules.luck, stochastic)
    for side, p in enumerate((rules.attack_kill, rules.defense_kill)):
        rng = make_rng(derive_seed(7, side, armies))
        draws = np.array([draw_kills(dice, side, armies, rng) for _ in range(20_000)])
        assert chi_square(draws, kills_pmf(armies, p, rules.luck, stochastic)) > 1e-4


def test_exact_distribution_is_scipys_binomial():
    for n in (1, 5, 40, 128):
        assert kills_pmf(n, 0.6) == pytest.approx(stats.binom.pmf(np.arange(n + 1), n, 0.6), rel=1e-9)


def test_alias_tables_reproduce_the_distribution_entry_by_entry():
    dice = make_dice(0.6, 0.7, 1.0, False)
    for n in (1, 2, 9, 50, TABLE_ARMIES):
        row = dice.kills[1][n * (n + 1) // 2 : (n + 1) * (n + 2) // 2]
        keep = (row >> np.uint64(32)).astype(float) / 2**32
        mass = keep / (n + 1)
        np.add.at(mass, (row & np.uint64(0xFFFFFFFF)).astype(int), (1 - keep) / (n + 1))
        assert mass == pytest.approx(stats.binom.pmf(np.arange(n + 1), n, 0.7), abs=1e-9)


def test_generator_is_xoroshiro128plusplus():
    """The reference is the published recurrence, in Python integers."""
    mask = 2**64 - 1

    def rotl(x: int, k: int) -> int:
        return ((x << k) | (x >> (64 - k))) & mask

    rng = make_rng(123)
    s0, s1 = (int(word) for word in rng)
    for _ in range(1000):
        expected = (rotl((s0 + s1) & mask, 17) + s0) & mask
        assert int(next_u64(rng)) == expected
        s1 ^= s0
        s0, s1 = rotl(s0, 49) ^ s1 ^ ((s1 << 21) & mask), rotl(s1, 28)


def test_integers_and_reals_are_uniform():
    rng = make_rng(5)
    assert stats.chisquare(np.bincount([below(rng, 7) for _ in range(70_000)], minlength=7)).pvalue > 1e-4
    assert stats.kstest([uniform(rng) for _ in range(20_000)], "uniform").pvalue > 1e-4


def test_seeds_of_games_and_seats_differ():
    seeds = {derive_seed(seed, game, seat) for seed in range(20) for game in range(50) for seat in range(6)}
    assert len(seeds) == 20 * 50 * 6
    assert derive_seed(1) != derive_seed(1, 0)


@pytest.mark.parametrize(("attackers", "defenders"), [(3, 2), (10, 6), (1, 9), (40, 30)])
def test_battle_odds_are_consistent(attackers, defenders):
    odds = battle_odds(attackers, defenders)
    assert odds.attackers_left.sum() == pytest.approx(1)
    assert odds.defenders_left.sum() == pytest.approx(1)
    assert odds.capture == pytest.approx(odds.defenders_left[0])
    assert odds.expected_attackers == pytest.approx(odds.attackers_left @ np.arange(attackers + 1))


def test_battle_odds_reject_invalid_arguments():
    for attackers, defenders in ((0, 1), (1, 0), (-1, 2), (2.5, 1), (10**9, 1)):
        with pytest.raises(ValueError, match=r"attackers|defenders"):
            battle_odds(attackers, defenders)
