"""Learning curves: curves of different settings are not mixed, and one seed does not describe other seeds."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest


@pytest.fixture
def learning_curves(benchmarks: None, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The module, with one method that finds a policy at once, which plays as `random` does."""
    import learning_curves
    from curve_runs import Method

    def learn(seed: int, seconds: float, folder: Path) -> list[Any]:
        folder.mkdir()
        policy = folder / "policy.npz"
        policy.touch()
        return [SimpleNamespace(seconds=seconds, steps=1000, policy=policy, agent="random")]

    monkeypatch.setattr(learning_curves, "METHODS", {"exit": Method("learns quickly", "steps", learn)})
    return learning_curves


def put(folder: Path, seed: int, score: float = 0.5, **settings: Any) -> Path:
    """A curve's file in a folder, as they were before they had more settings."""
    points = [{"seconds": 60.0 * k, "steps": 1000 * k, "score": score} for k in (1, 2)]
    path = folder / f"exit-{seed}.curve.json"
    path.write_text(json.dumps({"method": "exit", "seed": seed, "opponent": "random", "points": points} | settings))
    return path


def run(learning_curves: Any, out: Path, *told: str) -> int:
    words = ["run", "--seeds", "1", "--minutes", "2", "--units", "1", "--opponent", "random", "--out", str(out)]
    return int(learning_curves.main([*words, *told]))


def draw(learning_curves: Any, out: Path) -> int:
    return int(learning_curves.main(["draw", "--out", str(out), "--svg", str(out / "picture.svg")]))


@pytest.mark.parametrize(
    "told, difference",
    [
        (["--minutes", "3"], "minutes 2.0, but 3.0"),
        (["--units", "2"], "units 1, but 2"),
        (["--opponent", "aggressive"], "opponent random, but aggressive"),
    ],
)
def test_a_curve_of_other_settings_is_not_taken_for_the_one_asked_for(
    learning_curves: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], told: list[str], difference: str
):
    assert run(learning_curves, tmp_path) == 0
    path = tmp_path / "exit-1.curve.json"
    before = path.read_bytes()
    assert {"minutes": 2.0, "units": 1, "opponent": "random"}.items() <= json.loads(before).items()
    assert run(learning_curves, tmp_path) == 0  # the very same goes on
    capsys.readouterr()
    assert run(learning_curves, tmp_path, "--seeds", "2", *told) == 2
    said = capsys.readouterr().err
    assert str(path) in said and difference in said
    assert path.read_bytes() == before
    assert not (tmp_path / "exit-2.curve.json").exists()


@pytest.mark.parametrize("setting, values", [("opponent", ("random", "plan")), ("minutes", (2, 3)), ("units", (1, 9))])
def test_no_mean_over_other_settings(
    learning_curves: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], setting: str, values: tuple[Any, Any]
):
    first, second = (put(tmp_path, seed, **{setting: value}) for seed, value in enumerate(values))
    assert draw(learning_curves, tmp_path) == 2
    said = capsys.readouterr()
    assert f"{second}: {setting} {values[1]}, but {values[0]} in {first}" in said.err
    assert not said.out and not (tmp_path / "picture.svg").exists()


def test_the_picture_says_whom_they_played(learning_curves: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    put(tmp_path, 1, 0.9)  # it does not tell its minutes
    put(tmp_path, 2, 0.8, minutes=2.0, units=50)
    assert draw(learning_curves, tmp_path) == 0
    table = capsys.readouterr().out
    assert "score against `random`" in table and "85.0 % (± 63.5)" in table and "1.0 minutes, 1 of 2" in table
    picture = (tmp_path / "picture.svg").read_text()
    assert "score against random, %" in picture and "aggressive" not in picture
    assert 'id="FillBetweenPolyCollection' in picture


def test_one_seed_has_no_interval(learning_curves: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    from curve_runs import half_interval

    assert half_interval([0.9]) == float("inf")
    assert half_interval([[0.9, 0.8]]).tolist() == [float("inf")] * 2
    put(tmp_path, 1)
    assert draw(learning_curves, tmp_path) == 0
    assert "| 50.0 % (–) |" in capsys.readouterr().out
    assert "PolyCollection" not in (tmp_path / "picture.svg").read_text()


@pytest.mark.parametrize(
    "content", ['{"method": "qui', "[]", "{}", '{"method": "exit", "opponent": "a", "points": []}']
)
def test_a_damaged_file_is_named(
    learning_curves: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str
):
    path = put(tmp_path, 1)
    path.write_text(content)
    assert draw(learning_curves, tmp_path) == 2
    assert run(learning_curves, tmp_path) == 2
    assert capsys.readouterr().err.count(str(path)) == 2
