"""Learning curves: curves of different settings are not mixed, and one seed gives no interval."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest


@pytest.fixture
def learning_curves(benchmarks: None, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return the module with one method, which immediately returns a policy that plays like `random`."""
    import learning_curves
    from curve_runs import Method

    def learn(seed: int, seconds: float, folder: Path) -> list[Any]:
        folder.mkdir()
        policy = folder / "policy.npz"
        policy.touch()
        return [SimpleNamespace(seconds=seconds, steps=1000, policy=policy, agent="random")]

    monkeypatch.setattr(learning_curves, "METHODS", {"exit": Method("learns quickly", "steps", learn)})
    return learning_curves


def write_curve(folder: Path, seed: int, score: float = 0.5, **settings: Any) -> Path:
    """Write the file of a curve; without `settings` it has the few entries of earlier versions."""
    points = [{"seconds": 60.0 * k, "steps": 1000 * k, "score": score} for k in (1, 2)]
    path = folder / f"exit-{seed}.curve.json"
    path.write_text(json.dumps({"method": "exit", "seed": seed, "opponent": "random", "points": points} | settings))
    return path


def run(learning_curves: Any, out: Path, *more: str) -> int:
    words = ["run", "--seeds", "1", "--minutes", "2", "--units", "1", "--opponent", "random", "--out", str(out)]
    return int(learning_curves.main([*words, *more]))


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
def test_a_curve_of_other_settings_is_refused(
    learning_curves: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], told: list[str], difference: str
):
    assert run(learning_curves, tmp_path) == 0
    path = tmp_path / "exit-1.curve.json"
    before = path.read_bytes()
    assert {"minutes": 2.0, "units": 1, "opponent": "random"}.items() <= json.loads(before).items()
    assert run(learning_curves, tmp_path) == 0  # a run with the same settings continues
    capsys.readouterr()
    assert run(learning_curves, tmp_path, "--seeds", "2", *told) == 2
    errors = capsys.readouterr().err
    assert str(path) in errors and difference in errors
    assert path.read_bytes() == before
    assert not (tmp_path / "exit-2.curve.json").exists()


@pytest.mark.parametrize("setting, values", [("opponent", ("random", "plan")), ("minutes", (2, 3)), ("units", (1, 9))])
def test_no_mean_is_drawn_over_different_settings(
    learning_curves: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], setting: str, values: tuple[Any, Any]
):
    first, second = (write_curve(tmp_path, seed, **{setting: value}) for seed, value in enumerate(values))
    assert draw(learning_curves, tmp_path) == 2
    output = capsys.readouterr()
    assert f"{second}: {setting} {values[1]}, but {values[0]} in {first}" in output.err
    assert not output.out and not (tmp_path / "picture.svg").exists()


def test_the_picture_names_the_opponent(learning_curves: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    write_curve(tmp_path, 1, 0.9)  # this file contains no minutes
    write_curve(tmp_path, 2, 0.8, minutes=2.0, units=50)
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
    write_curve(tmp_path, 1)
    assert draw(learning_curves, tmp_path) == 0
    assert "| 50.0 % (–) |" in capsys.readouterr().out
    assert "PolyCollection" not in (tmp_path / "picture.svg").read_text()


@pytest.mark.parametrize(
    "content", ['{"method": "qui', "[]", "{}", '{"method": "exit", "opponent": "a", "points": []}']
)
def test_the_error_names_a_damaged_file(
    learning_curves: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str
):
    path = write_curve(tmp_path, 1)
    path.write_text(content)
    assert draw(learning_curves, tmp_path) == 2
    assert run(learning_curves, tmp_path) == 2
    assert capsys.readouterr().err.count(str(path)) == 2
