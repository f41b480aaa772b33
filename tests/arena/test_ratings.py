"""Ratings: compared with SciPy's maximizer and closed forms; coverage of the intervals."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, stats

from warlight_env.arena import expected_score
from warlight_env.arena.ratings.bradley_terry import GameRanking, RatingError, rate


def duels(i, j, wins, losses, draws=0, first_unit=0):
    """Return games between two agents, each in a separate unit."""
    places = [(1, 2)] * wins + [(2, 1)] * losses + [(1, 1)] * draws
    return [GameRanking((i, j), place, first_unit + k, stratum=10 * i + j) for k, place in enumerate(places)]


def elo_by_scipy(n, games, prior):
    """Maximize the likelihood with SciPy."""
    wins = np.zeros((n, n))
    for game in games:
        for a, i in enumerate(game.players):
            for b, j in enumerate(game.players):
                if i != j:
                    wins[i, j] += 1.0 * (game.places[a] < game.places[b]) + 0.5 * (game.places[a] == game.places[b])
    played_pairs = (wins + wins.T) > 0
    wins = wins + prior / 2 * played_pairs

    def loss(theta):
        difference = theta[:, None] - theta[None, :]
        return float((wins * np.logaddexp(0, -difference)).sum())

    found = optimize.minimize(loss, np.zeros(n), method="BFGS", options={"gtol": 1e-9})
    return (found.x - found.x.mean()) * 400 / math.log(10)


@pytest.mark.parametrize(
    "wins, losses, draws, prior", [(30, 10, 0, 0), (30, 10, 6, 0), (365, 35, 0, 1), (20, 0, 0, 1), (0, 5, 0, 3)]
)
def test_ratings_of_two_agents_match_the_closed_form(wins, losses, draws, prior):
    a, b = rate("ab", duels(0, 1, wins, losses, draws), prior=prior, resamples=10)
    odds = (wins + draws / 2 + prior / 2) / (losses + draws / 2 + prior / 2)
    assert a.elo - b.elo == pytest.approx(400 * math.log10(odds), abs=1e-6)
    assert a.elo + b.elo == pytest.approx(0, abs=1e-6)
    assert a.games == b.games == wins + losses + draws
    assert a.score == pytest.approx((wins + draws / 2) / (wins + losses + draws))
    assert a.perfect == b.perfect == (0 in (wins + draws, losses + draws))


@given(st.integers(3, 6), st.integers(0, 2**32 - 1), st.sampled_from([0.1, 1.0, 4.0]))
def test_ratings_match_the_maximum_of_scipy(n, seed, prior):
    rng = np.random.default_rng(seed)
    games = []
    for number in range(int(rng.integers(n, 60))):
        size = int(rng.integers(2, n + 1))
        players = tuple(int(p) for p in rng.permutation(n)[:size])
        games.append(GameRanking(players, tuple(int(p) for p in rng.integers(1, 4, size)), number))
    games += duels(0, 1, 1, 0) + [GameRanking((i, i + 1), (1, 2), 1000 + i) for i in range(n - 1)]  # a chain
    ours = [row.elo for row in rate([str(i) for i in range(n)], games, prior=prior, resamples=1)]
    assert ours == pytest.approx(elo_by_scipy(n, games, prior), abs=0.05)


def test_ratings_of_extreme_scores_converge():
    a, b, c = rate("abc", [*duels(0, 1, 10_000, 1), *duels(1, 2, 10_000, 1)], resamples=5)
    assert a.elo - b.elo == pytest.approx(400 * math.log10(10_000.5 / 1.5), abs=0.1)
    assert b.elo - c.elo == pytest.approx(400 * math.log10(10_000.5 / 1.5), abs=0.1)


@pytest.mark.parametrize("wins, losses", [(20, 0), (17, 3), (1, 1), (190, 10)])
def test_the_interval_of_two_agents_is_that_of_jeffreys(wins, losses):
    a, b = rate("ab", duels(0, 1, wins, losses), anchor="b", resamples=40_000, seed=7)
    assert (b.elo, b.low, b.high) == (0, 0, 0)
    exact = stats.beta.ppf([0.025, 0.975], wins + 0.5, losses + 0.5)
    shares = [expected_score(end) for end in (a.low, a.high)]
    # With 40,000 samples, the tail probability at a bound has an error of about 0.2 %.
    tails = stats.beta.cdf(shares, wins + 0.5, losses + 0.5)
    assert tails == pytest.approx([0.025, 0.975], abs=0.004), (shares, exact)


def test_units_of_dependent_games_widen_the_interval():
    independent = rate("ab", duels(0, 1, 60, 40), resamples=4000)[0]
    # The same hundred games in units of ten with equal outcomes.
    together = [GameRanking((0, 1), (1, 2) if k < 60 else (2, 1), k // 10) for k in range(100)]
    dependent = rate("ab", together, resamples=4000)[0]
    assert dependent.elo == pytest.approx(independent.elo, abs=1e-6)
    assert dependent.high - dependent.low > 2 * (independent.high - independent.low)


def test_intervals_have_the_nominal_coverage():
    """In many tournaments with known strengths, about 95 % of the intervals contain the true value."""
    rng = np.random.default_rng(3)
    truth = np.array([120.0, 0.0, -30.0, -90.0])
    inside = total = 0
    for k in range(120):
        games = []
        for i in range(4):
            for j in range(i + 1, 4):
                wins = int(rng.binomial(25, expected_score(truth[i] - truth[j])))
                games += duels(i, j, wins, 25 - wins)
        for row, real in zip(rate("abcd", games, resamples=200, seed=k), truth - truth.mean(), strict=True):
            inside += row.low <= real <= row.high
            total += 1
    assert stats.binomtest(inside, total, 0.95).pvalue > 1e-4, inside / total


def test_a_game_of_three_agents_counts_as_three_comparisons():
    by_places = rate("abc", [GameRanking((2, 0, 1), (1, 2, 3), 0)], resamples=1)
    by_pairs = rate(
        "abc", [GameRanking((2, 0), (1, 2), 0), GameRanking((2, 1), (1, 2), 1), GameRanking((0, 1), (1, 2), 2)]
    )
    assert [row.elo for row in by_places] == pytest.approx([row.elo for row in by_pairs], abs=1e-9)
    assert [row.score for row in by_places] == [0.5, 0, 1]


def test_equal_seeds_give_equal_intervals():
    games = duels(0, 1, 7, 3)
    assert rate("ab", games) == rate("ab", games)
    assert rate("ab", games) != rate("ab", games, seed=2)


@pytest.mark.parametrize(
    "names, games, more, message",
    [
        ("a", [], {}, "at least 2 agents"),
        ("abcd", [*duels(0, 1, 3, 3), *duels(2, 3, 3, 3)], {}, "no chain of games connects c, d with a"),
        ("abc", duels(0, 1, 3, 3), {}, "no chain of games connects c with a"),
        ("ab", duels(0, 1, 3, 0), {"prior": 1e-300}, "did not converge in 200 steps .*the prior is too small"),
        ("ab", duels(0, 1, 3, 0), {"prior": 0}, "b never beat any of the other agents|a never lost to"),
        ("abc", [*duels(0, 1, 3, 2), *duels(1, 2, 4, 0)], {"prior": 0}, "c never beat any of the other agents"),
        ("ab", duels(0, 1, 1, 1), {"anchor": "z"}, "anchor 'z': no such agent; there are a, b"),
        ("ab", [GameRanking((0, 2), (1, 2), 0)], {}, "players must lie in 0 .. 1"),
        ("ab", [GameRanking((0, 1), (1,), 0)], {}, "each player must have one place"),
    ],
)
def test_games_without_ratings_raise_an_error(names, games, more, message):
    with pytest.raises(RatingError, match=message):
        rate(list(names), games, **more)
