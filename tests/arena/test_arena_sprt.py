"""Elo differences compared with known values; likelihood ratio and error rates of the SPRT."""

from __future__ import annotations

import json
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize

from arena_agents import Idle
from warlight_env.arena import (
    EloDifference,
    GameRecord,
    Match,
    MatchScore,
    Sprt,
    SprtError,
    elo_of,
    expected_score,
)
from warlight_env.arena.matches.sprt import PRIOR
from warlight_env.arena.ratings.bradley_terry import GameRanking, rate

PAIRS = (0.0, 0.25, 0.5, 0.75, 1.0)
GAMES = (0.0, 0.5, 1.0)


# Elo


@pytest.mark.parametrize("score, elo", [(0.5, 0.0), (10 / 11, 400.0), (1 / 101, -800.0), (0.75, 190.8485)])
def test_elo_and_score_match_known_values(score, elo):
    assert elo_of(score) == pytest.approx(elo, abs=1e-4)
    assert expected_score(elo) == pytest.approx(score, abs=1e-6)


@given(st.floats(-1500, 1500))
def test_elo_of_inverts_the_expected_score(elo):
    assert elo_of(expected_score(elo)) == pytest.approx(elo, abs=1e-6)


def test_infinite_differences_are_none_in_json():
    assert elo_of(1.0) == math.inf and elo_of(0.0) == -math.inf
    difference = EloDifference(elo_of(1.0), elo_of(0.75), elo_of(1.0))
    assert json.dumps(difference.to_dict()) == json.dumps({"elo": None, "low": difference.low, "high": None})


@pytest.mark.parametrize("score", [-0.1, 1.1, float("nan")])
def test_impossible_scores_raise_an_error(score):
    with pytest.raises(ValueError, match="score"):
        elo_of(score)


@pytest.mark.parametrize("paired", [False, True])
def test_a_match_reports_elo_with_its_interval(paired):
    result = Match(("random", "random:chunks=1"), games=60, map="small", paired=paired, max_rounds=12).run()
    assert result.agents[0].draws, "so that scores and wins differ"
    rankings = [GameRanking((0, 1), record.placements, record.unit) for record in result.records]
    first, second = rate(["a", "b"], rankings, anchor="b")
    assert second.elo == 0 and result.elo.elo == pytest.approx(first.elo, abs=1e-3)
    assert result.elo.low == pytest.approx(first.low, abs=12) and result.elo.high == pytest.approx(first.high, abs=12)
    assert result.elo.low < result.elo.elo < result.elo.high
    assert f"Elo of random: {result.elo.elo:+.0f}" in str(result)


def test_elo_is_finite_after_only_wins_and_the_text_states_the_prior():
    result = Match((Idle, "aggressive"), games=20, map="small").run()
    assert result.agents[1].wins == 20
    assert result.elo.elo == pytest.approx(elo_of(0.5 / 21)) and math.isfinite(result.elo.low)
    assert "with one virtual draw" in str(result) and "one virtual draw" in result.to_dict()["elo_convention"]


@pytest.mark.parametrize("llr, text", [(1.472, "50.0%"), (-2.944, "100.0%"), (0.0, "0.0%")])
def test_the_likelihood_ratio_has_the_format_of_fastchess(llr, text):
    assert Sprt(0, 20).format_llr(llr) == f"LLR: {llr:.2f} ({text}) (-2.94, 2.94) [0.00, 20.00]"


def test_a_match_of_three_agents_has_no_elo():
    assert Match(("random", Idle, Idle), games=3, map="world", max_rounds=2).run().elo is None


def test_a_match_score_ignores_the_order_and_counts_complete_units():
    result = Match(("random", "random:chunks=1"), games=20, map="small", paired=True).run()
    records = result.records
    one, other = MatchScore(2, True), MatchScore(2, True)
    one.add(records)
    other.add([records[i] for i in np.random.default_rng(3).permutation(20)])
    assert (one.wins, one.draws, one.shares, one.scores) == (other.wins, other.draws, other.shares, other.scores)
    assert (
        one.interval(0)
        == Match(("random", "random:chunks=1"), games=20, map="small", paired=True).run().agents[0].interval
    )
    other.add(Match(("random", "random:chunks=1"), games=22, map="small", paired=True).run().records[20:21])
    assert (other.games, other.units) == (20, 10)
    assert (other.wins, other.played, other.draws) == (one.wins, one.played, one.draws), "half a unit does not count"


# The test


def best_log_likelihood(counts: dict[float, float], mean: float) -> float:
    """Return the maximal log-likelihood over all distributions with a given mean, from a general optimizer."""
    x, n = np.array(list(counts)), np.array(list(counts.values()))
    total = n.sum()
    result = optimize.minimize(
        lambda p: -(n * np.log(p)).sum() / total,
        np.full(len(x), 1 / len(x)),
        jac=lambda p: -n / p / total,
        hess=lambda p: np.diag(n / p**2 / total),
        bounds=optimize.Bounds(1e-9, 1, keep_feasible=True),
        method="trust-constr",
        options={"gtol": 1e-10, "xtol": 1e-12, "maxiter": 5000},
        constraints=[optimize.LinearConstraint(np.ones(len(x)), 1, 1), optimize.LinearConstraint(x, mean, mean)],
    )
    return -result.fun * total


@pytest.mark.parametrize(
    "possible, units",
    [(PAIRS, (3, 10, 20, 12, 5)), (PAIRS, (30, 1, 2, 1, 9)), (GAMES, (40, 15, 45)), (PAIRS, (1, 2, 60, 4, 2))],
)
def test_the_likelihood_ratio_matches_a_general_optimizer(possible, units):
    rule = Sprt(-10, 60)
    counts = {x: n + PRIOR for x, n in zip(possible, units, strict=True)}
    expected = best_log_likelihood(counts, expected_score(60)) - best_log_likelihood(counts, expected_score(-10))
    assert rule.llr(dict(zip(possible, units, strict=True)), possible) == pytest.approx(expected, abs=2e-3)


def test_without_draws_the_likelihood_ratio_is_binomial():
    """With two outcomes, the mean determines the distribution, and the test is Wald's."""
    low, high = expected_score(0), expected_score(50)
    expected = 70 * math.log(high / low) + 40 * math.log((1 - high) / (1 - low))
    assert Sprt(0, 50).llr({1.0: 70, 0.0: 40}, (0.0, 1.0)) == pytest.approx(expected, abs=1e-2)


def test_swapping_the_players_negates_the_likelihood_ratio():
    units = {0.0: 4, 0.25: 9, 0.5: 20, 0.75: 8, 1.0: 11}
    swapped = {1 - x: n for x, n in units.items()}
    assert Sprt(-10, 40).llr(units, PAIRS) == pytest.approx(-Sprt(-40, 10).llr(swapped, PAIRS), abs=1e-9)


def test_the_bounds_match_wald_s_formula():
    assert Sprt(0, 20).bounds == pytest.approx((-2.9444, 2.9444), abs=1e-4)
    assert Sprt(0, 20, 0.05, 0.1).bounds == pytest.approx((-2.2513, 2.8904), abs=1e-4)


def mean_shifted(shape: tuple[float, ...], possible: tuple[float, ...], mean: float) -> np.ndarray:
    """Return `shape`, exponentially tilted to the given mean."""
    x, weights = np.array(possible), np.array(shape)

    def tilted(t: float) -> np.ndarray:
        p = weights * np.exp(t * x)
        return p / p.sum()

    return tilted(optimize.brentq(lambda t: tilted(t) @ x - mean, -50, 50))


@pytest.mark.parametrize("trials, most", [(100, 18), pytest.param(400, 54, marks=pytest.mark.slow)])
@pytest.mark.parametrize("truth, error", [("elo0", "H1"), ("elo1", "H0")])
@pytest.mark.parametrize(
    "possible, shape",
    [
        (PAIRS, (1, 2, 4, 2, 1)),  # paired games that are nearly independent
        (PAIRS, (1, 0, 20, 0, 1)),  # the seat decides nearly all games: pairs split
        (PAIRS, (9, 0, 2, 0, 9)),  # the seed decides nearly all games: both games of a pair end alike
        (GAMES, (1, 1, 1)),
        (GAMES, (1, 0, 1)),  # no draws
    ],
)
def test_error_rates_are_at_most_the_nominal_ones(possible, shape, truth, error, trials, most):
    rule = Sprt(0, 100, 0.1, 0.1)
    p = mean_shifted(shape, possible, expected_score(getattr(rule, truth)))
    rng, wrong = np.random.default_rng(11), 0
    for _ in range(trials):
        units: Counter[float] = Counter()
        verdict = None
        while verdict is None:
            units.update(rng.choice(possible, p=p, size=4).tolist())
            verdict = rule.verdict(rule.llr(units, possible))
        wrong += verdict == error
    # The nominal error rate is 10 %. At that rate, the probability of more than `most` errors is below 1 %.
    assert wrong <= most
    assert wrong > 0, "a test that never errs asks for more games than it needs"


@pytest.mark.parametrize(
    "text, rule",
    [("0,20", Sprt(0, 20)), ("-5,5,0.1", Sprt(-5, 5, 0.1, 0.1)), ("0,20,0.01,0.2", Sprt(0, 20, 0.01, 0.2))],
)
def test_tests_are_parsed_from_text(text, rule):
    assert Sprt.parse(text) == rule


@pytest.mark.parametrize(
    "text",
    ["", "5", "a,b", "20,0", "5,5", "0,20,0", "0,20,0.5", "0,20,0.05,1", "0,20,0.1,0.1,3", "nan,3", "0,inf", "0,9999"],
)
def test_invalid_test_texts_raise_an_error(text):
    with pytest.raises(SprtError, match="sprt"):
        Sprt.parse(text)


def test_a_test_with_three_agents_raises_an_error():
    with pytest.raises(SprtError, match="two agents"):
        Match(("random",) * 3, games=3, stop=Sprt(0, 20)).run()


# In matches


def sprt_match(**kwargs):
    settings = {"games": 2000, "map": "small", "stop": Sprt(0, 100), "paired": True, **kwargs}
    return Match(("aggressive", "smart_random"), **settings)


@pytest.mark.parametrize("paired", [True, False])
def test_a_match_ends_when_the_test_is_decided(paired):
    result = sprt_match(paired=paired).run()
    assert result.decided and not result.interrupted and result.games < result.games_asked
    assert result.sprt.verdict in ("H0", "H1")
    size = 2 if paired else 1
    scores = [sum(r.winner == 0 for r in result.records[i : i + size]) / size for i in range(0, result.games, size)]
    possible = PAIRS if paired else GAMES
    verdicts = [Sprt(0, 100).verdict(Sprt(0, 100).llr(Counter(scores[:n]), possible)) for n in range(len(scores) + 1)]
    assert verdicts == [None] * len(scores) + [result.sprt.verdict], "at the first unit that decides"


@pytest.mark.usefixtures("forked_workers")
def test_the_decision_depends_neither_on_processes_nor_on_interruptions(tmp_path):
    wanted = sprt_match().run()
    for jobs, stops in ((2, (11,)), (1, (10, wanted.games - 2))):
        for stop_at in stops:

            def interrupt(records, stop_at=stop_at):
                if records[-1].number >= stop_at:
                    raise KeyboardInterrupt

            cut = sprt_match().run(interrupt, folder=tmp_path / str(jobs))
            assert cut.interrupted and cut.sprt.verdict is None
        again = sprt_match(jobs=jobs).run(folder=tmp_path / str(jobs))
        assert again.records == wanted.records and again.sprt == wanted.sprt and again.decided


def test_an_undecided_match_reports_no_verdict():
    result = sprt_match(games=10).run()
    assert not result.decided and result.games == 10 and result.sprt.verdict is None
    assert "not completed" in str(result)
    assert result.to_dict()["sprt"]["verdict"] is None


def test_equal_agents_in_pairs_are_decided_within_a_hundred_games():
    result = Match(("random", "random"), games=2000, map="small", paired=True, stop=Sprt(0, 100)).run()
    assert result.sprt.verdict == "H0" and result.games < 100


def test_draws_count_half():
    rule, judge = Sprt(0, 50), Sprt(0, 50).start(Match(("random", "random"), map="small").setup())
    judge.add([GameRecord(0, 0, 1, (0, 1), None, 9, (1, 1), True, (0, 0))])
    judge.add([GameRecord(1, 1, 1, (1, 0), 0, 9, (1, 2), False, (0, 0))])
    assert judge.units == {0.5: 1, 1.0: 1}
    assert judge.llr == rule.llr(judge.units, GAMES)
