"""The benchmark of the calibration of values under fog."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest


@pytest.fixture(autouse=True)
def beside(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "benchmarks"))


def test_the_measures_are_those_of_the_definitions():
    import value_calibration

    # two predictors: one is certain and right in three of four positions, the other always says one half
    chance = np.array([[1.0, 0.5], [1.0, 0.5], [0.0, 0.5], [0.0, 0.5]])
    won = np.array([True, True, False, True])
    wrong = -np.log(value_calibration.LEAST) / 4
    assert value_calibration.log_loss(chance, won) == pytest.approx([wrong, np.log(2)])
    # the certain one: half of the predictions are 0, where half of the games are won; the other: 0.5 against 0.75
    assert value_calibration.calibration_error(chance, won) == pytest.approx([0.25, 0.25])


def test_it_prints_both_tables(capsys: pytest.CaptureFixture[str]):
    import value_calibration

    words = ["--map", "small", "--rules", "challenge2", "--games", "4", "--playouts", "2"]
    assert value_calibration.main(words) == 0
    said = capsys.readouterr().out
    titles = re.findall(r"^(.*):$", said, re.MULTILINE)
    assert titles == ["Log-loss", "Expected calibration error"]
    losses, errors = said.split("Expected calibration error")
    assert "2 rollouts of 10 rounds" in losses and "only what the player knows" in errors
    first = re.search(r"^\| 0 to 2 \| (\d+) \| (.*) \|$", losses, re.MULTILINE)
    assert first and 4 <= int(first[1]) <= 12
    assert all(0 < float(value) < 4 for value in first[2].split(" | "))


def test_an_impossible_number_is_refused(capsys: pytest.CaptureFixture[str]):
    import value_calibration

    with pytest.raises(SystemExit):
        value_calibration.main(["--games", "0"])
    assert "--games 0: must be at least 1" in capsys.readouterr().err
