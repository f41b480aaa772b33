"""Confidence intervals: Wilson's interval compared with SciPy, and the coverage of the intervals of units."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from warlight_env.arena.ratings.statistics import unit_interval, wilson_interval


@given(st.integers(1, 5000), st.data(), st.sampled_from((0.5, 0.9, 0.95, 0.99)))
def test_wilson_agrees_with_scipy(games, data, confidence):
    wins = data.draw(st.integers(0, games))
    expected = binomtest(wins, games).proportion_ci(confidence_level=confidence, method="wilson")
    assert wilson_interval(wins, games, confidence) == pytest.approx((expected.low, expected.high), abs=1e-12)


@given(st.integers(1, 5000), st.data())
def test_the_interval_contains_the_share(games, data):
    wins = data.draw(st.integers(0, games))
    low, high = wilson_interval(wins, games)
    assert 0 <= low <= wins / games <= high <= 1


def test_without_games_the_interval_is_0_to_1():
    assert wilson_interval(0, 0) == (0, 1)
    assert unit_interval([]) == (0, 1)


@pytest.mark.parametrize("wins, games", [(-1, 3), (4, 3), (float("nan"), 3)])
def test_impossible_counts_raise_an_error(wins, games):
    with pytest.raises(ValueError, match="wins"):
        wilson_interval(wins, games)


def test_units_of_independent_games_give_the_interval_of_their_games():
    shares = np.random.default_rng(1).binomial(2, 0.6, size=2000) / 2
    by_units, by_games = unit_interval(shares.tolist()), wilson_interval(2 * shares.sum(), 4000)
    assert by_units.high - by_units.low == pytest.approx(by_games.high - by_games.low, rel=0.05)


def test_games_that_repeat_each_other_count_once():
    shares = [1.0] * 120 + [0.0] * 80
    assert unit_interval(shares) == pytest.approx(wilson_interval(120, 200), abs=0.003)


def test_pairs_that_the_seat_decides_give_a_narrow_interval():
    low, high = unit_interval([0.5] * 100)
    assert 0.48 < low < 0.5 < high < 0.52


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_few_equal_units_give_a_wide_interval(share):
    low, high = unit_interval([share] * 2)
    assert high - low > 0.5


@pytest.mark.parametrize("chances", [(0.25, 0.5, 0.25), (0.05, 0.9, 0.05), (0.4, 0.2, 0.4), (0.0, 0.1, 0.9)])
def test_the_interval_of_units_has_the_nominal_coverage(chances):
    rng, inside, trials = np.random.default_rng(7), 0, 400
    truth = chances[1] / 2 + chances[2]
    for _ in range(trials):
        lost, split, won = rng.multinomial(40, chances)
        low, high = unit_interval([0.0] * lost + [0.5] * split + [1.0] * won)
        inside += low <= truth <= high
    assert inside / trials > 0.93


def test_shares_out_of_range_raise_an_error():
    with pytest.raises(ValueError, match="share"):
        unit_interval([0.5, 1.5])
