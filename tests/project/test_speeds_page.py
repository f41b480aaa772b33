"""The page of speeds is written only from files of one clean commit and one machine."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest


@pytest.fixture
def speeds(benchmarks: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """Return a function that measures a row with a name, at a commit, and returns the file."""
    import provenance

    import speed_table

    def measure(name: str, commit: str = "a" * 40, dirty: bool = False) -> Path:
        monkeypatch.setattr(provenance, "checkout", lambda: (commit, dirty))
        path = tmp_path / "speeds" / f"{len(list(tmp_path.glob('speeds/*')))}.json"
        monkeypatch.setattr(sys, "argv", ["bench.py", "--quick", "--json", str(path)])
        parts = {
            "game": lambda quick: [
                speed_table.Row(name, "≥ 5/s", "7/s", np.float32(7), np.float32(7) >= 5),
                speed_table.Row("… of it", "–", "0.5", 0.5, None),
            ],
            "none": lambda quick: [speed_table.not_installed(f"{name} twice", "–", ImportError(name="torch"))],
        }
        speed_table.run_parts("bench.py", parts, None)
        return path

    return measure


def test_a_failed_part_does_not_affect_other_parts(
    benchmarks: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    import provenance

    import speed_table

    path = tmp_path / "speeds.json"
    monkeypatch.setattr(provenance, "checkout", lambda: ("a" * 40, False))
    monkeypatch.setattr(sys, "argv", ["bench.py", "--json", str(path)])

    def fail(quick: bool) -> list[speed_table.Row]:
        raise ZeroDivisionError("nothing was measured")

    parts = {name: lambda quick, name=name: [speed_table.Row(name, "–", "7/s", 7.0, None)] for name in ("one", "two")}
    with pytest.raises(SystemExit, match=r"^bench\.py: these parts failed: broken$"):
        speed_table.run_parts("bench.py", {"one": parts["one"], "broken": fail, "two": parts["two"]}, None)
    assert [row["what"] for row in json.loads(path.read_text())["rows"]] == ["one", "two"]
    assert "nothing was measured" in capsys.readouterr().out


def page(tmp_path: Path, *files: Path) -> tuple[int, Path]:
    import speeds_page

    target = tmp_path / "page" / "speeds.md"
    return speeds_page.main([*map(str, files), "--page", str(target)]), target


def test_files_of_one_commit_give_a_page(speeds: Any, tmp_path: Path):
    code, target = page(tmp_path, speeds("clones"), speeds("packs"))
    text = target.read_text(encoding="utf-8")
    assert code == 0 and "| commit | `aaaaaaaaaa` |" in text
    assert "| command | `python benchmarks/bench.py --quick` |" in text and str(tmp_path) not in text
    assert "| clones | ≥ 5/s | 7/s |\n| clones … of it | – | 0.5 |" in text
    assert "| packs twice | – | torch is not installed |" in text


@pytest.mark.parametrize(
    ("second", "said"),
    [
        ({"name": "packs", "commit": "b" * 40}, f"commit {'b' * 40}, but other results are of"),
        ({"name": "packs", "dirty": True}, "uncommitted changes"),
        ({"name": "clones"}, "'clones' is in another file, too"),
    ],
)
def test_files_of_other_commits_and_repeated_rows_are_refused(
    speeds: Any, tmp_path: Path, second: dict[str, Any], said: str, capsys: pytest.CaptureFixture[str]
):
    first, other = speeds("clones"), speeds(**second)
    code, target = page(tmp_path, first, other)
    assert code == 2 and not target.exists()
    errors = capsys.readouterr().err
    assert said in errors and str(other) in errors


@pytest.mark.parametrize("change", ["machine", "rows", "old"])
def test_damaged_files_and_other_machines_are_refused(
    speeds: Any, tmp_path: Path, change: str, capsys: pytest.CaptureFixture[str]
):
    first, other = speeds("clones"), speeds("packs")
    data = json.loads(other.read_text(encoding="utf-8"))
    if change == "machine":
        data["provenance"]["machine"] = "another"
    elif change == "rows":
        del data["rows"][0]["what"]
    else:
        data = data["rows"]
    other.write_text(json.dumps(data), encoding="utf-8")
    code, target = page(tmp_path, first, other)
    assert code == 2 and not target.exists() and str(other) in capsys.readouterr().err
