"""TD learning: its model, gradient and returns, its results and the texts of its command."""

from __future__ import annotations

import math
from copy import deepcopy

import numpy as np
import pytest
from scipy.optimize import approx_fprime

from helpers import as_position, board_of, shares_of
from warlight_env import maps
from warlight_env.agents.context import bare_context
from warlight_env.agents.evaluation.static_evaluation import extended_share
from warlight_env.agents.weights import THESIS, Weights
from warlight_env.cli import main
from warlight_env.errors import RunError
from warlight_env.train.common.conditions import Conditions
from warlight_env.train.common.journal import Journal
from warlight_env.train.td.run import Model, TdRun, returns
from warlight_env.train.td.settings import TdSettings

SMALL = Conditions(map="small", max_rounds=60)


def test_a_parameter_that_is_not_finite_stops_the_run(tmp_path):
    settings = TdSettings(batches=3, games=8, samples=1, eval_pairs=2, conditions=SMALL, learning_rate=1e300)
    with Journal(tmp_path, settings.to_dict()) as journal:
        with pytest.raises(RunError, match="not a number"), np.errstate(all="ignore"):
            TdRun(settings, journal).run()
        assert len(journal.entries) < 3 and all(math.isfinite(x) for e in journal.entries for x in e["theta"])


def test_the_winning_probability_of_the_model_equals_the_share_of_the_search():
    """The equality holds for initial and for learned parameters, so the share is a calibrated probability."""
    model, (board, params) = Model("world", THESIS), board_of(maps.load("world"))
    rng = np.random.default_rng(4)
    for _ in range(20):
        model.theta = model.theta * np.exp(rng.normal(0, 0.3, 10)) + [0, 0, 0, 0, 0, 0, 0, 0, *rng.normal(0, 5, 2)]
        model.sharpness = float(np.exp(rng.normal(0, 0.5)))
        model.project()
        context = bare_context(board, params, 2, model.weights())
        owner = rng.integers(-1, 2, board.n_regions).astype(np.int8)
        owner[board.super_region == 1] = 0
        army = rng.integers(1, 9, board.n_regions).astype(np.int32)
        position = as_position(owner, army)
        features = _features(board, model.terms, position)
        share = shares_of(extended_share, context, position)[0]
        assert model.chance(features) == pytest.approx(share, rel=1e-5)
        model = Model("world", THESIS)


def _features(board, terms, position):
    from warlight_env.agents.players.duels import FEATURES, write_features

    features = np.zeros((2, len(FEATURES)))
    for player in range(2):
        write_features(board, terms, position, player, features[player])
    return features


def test_the_gradient_matches_finite_differences_of_the_loss():
    model = Model("world", THESIS)
    model.sharpness = 1.7
    rng = np.random.default_rng(2)
    features, target = rng.uniform(1, 9, (30, 2, 10)), rng.random(30)
    features[:, :, 1:5] = 0.0  # keeps positions above 0

    def loss(x):
        other = deepcopy(model)
        other.theta, other.sharpness = x[:-1], math.exp(x[-1])
        chance = other.chance(features)
        return -(target * np.log(chance) + (1 - target) * np.log(1 - chance)).mean()

    by_theta, by_log = model.gradient(features, target)
    x = np.append(model.theta, math.log(model.sharpness))
    assert [*by_theta, by_log] == pytest.approx(approx_fprime(x, loss, 1e-6), rel=1e-3, abs=1e-7)


def test_lambda_returns_match_their_definition():
    values, outcome = np.array([0.3, 0.6, 0.2, 0.9]), 1.0
    for lambda_ in (0.0, 0.4, 1.0):
        for t in range(4):
            steps = [*values[t + 1 :], outcome]  # the n-step returns: there are no intermediate rewards
            weights = [(1 - lambda_) * lambda_**n for n in range(len(steps) - 1)] + [lambda_ ** (len(steps) - 1)]
            assert returns(values, outcome, lambda_)[t] == pytest.approx(np.dot(weights, steps))


def test_td_learning_improves_its_predictions(tmp_path):
    settings = TdSettings(batches=6, games=64, samples=1, eval_interval=3, eval_pairs=20, conditions=SMALL)
    with Journal(tmp_path, settings.to_dict()) as journal:
        run = TdRun(settings, journal, jobs=2)
        weights = run.run().weights
        losses = [entry["loss"] for entry in journal.entries]
        assert losses[-1] < losses[0] < math.log(2)
        best = max((e for e in journal.entries if "against_start" in e), key=lambda e: e["against_start"])
        assert weights.sharpness == best["sharpness"]
        rows = run.calibration(60)
    assert sum(row["predicted"] * row["positions"] for row in rows) == pytest.approx(
        sum(row["positions"] for row in rows) / 2
    ), "seen from both sides chances come to one half"
    assert rows[0]["won"] < 0.3 and rows[-1]["won"] > 0.7


def test_the_result_is_saved_before_the_calibration(tmp_path, monkeypatch):
    settings = TdSettings(batches=1, games=8, samples=1, eval_pairs=2, conditions=SMALL)

    def interrupted(self, games):
        raise KeyboardInterrupt

    monkeypatch.setattr(TdRun, "calibration", interrupted)
    with Journal(tmp_path, settings.to_dict()) as journal:
        run = TdRun(settings, journal)
        result = run.run()
        with pytest.raises(KeyboardInterrupt):
            run.finish(result)
    assert Weights.load(tmp_path / "found.json") == result.weights


def test_the_command_prints_progress_and_results(tmp_path, capsys):
    file = tmp_path / "td.toml"
    file.write_text('samples = 1\n[conditions]\nmap = "small"\nmax_rounds = 40\n')
    assert main(["train", "td", str(file), "--quick", "--out", str(tmp_path / "run"), "--start", "default"]) == 0
    shown = capsys.readouterr()
    assert "found against start" in shown.out and "report.html" in shown.out
    assert "TD learning: 2/2 batches" in shown.err and "final match" in shown.err
    assert "Calibration" in (tmp_path / "run" / "report.md").read_text()
