"""The ladder is played once, continues after an interruption, and is written to its page from one clean commit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

COMMIT = "0123456789abcdef"


@pytest.fixture
def ladder(benchmarks: None, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return the module `ladder`, in a clean checkout of COMMIT."""
    import ladder
    import provenance

    monkeypatch.setattr(provenance, "checkout", lambda: (COMMIT, False))
    return ladder


def run(ladder: Any, out: Path, *more: str) -> int:
    words = ["run", "--out", str(out), "--players", "random", "aggressive", "--maps", "small", "--rules", "thesis"]
    return int(ladder.main([*words, "--games", "2", "--jobs", "1", *more]))


def page(ladder: Any, out: Path) -> int:
    return int(ladder.main(["page", "--out", str(out), "--page", str(out / "page" / "ladder.md")]))


def test_two_players_on_one_map_give_a_page(ladder: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert run(ladder, tmp_path) == 0
    assert "2 games in 1 tournaments, about 0.0 hours on 1 idle cores" in capsys.readouterr().err
    games = (tmp_path / "small-thesis" / "games.jsonl").read_bytes()
    assert games.count(b"\n") == 2
    assert run(ladder, tmp_path) == 0
    assert "all games are played" in capsys.readouterr().err
    assert (tmp_path / "small-thesis" / "games.jsonl").read_bytes() == games
    assert len(ladder.read_run(tmp_path)["sessions"]) == 1
    assert page(ladder, tmp_path) == 0
    text = (tmp_path / "page" / "ladder.md").read_text(encoding="utf-8")
    assert "| commit | `0123456789` |" in text and "--games 2 --jobs 1` |" in text
    [result] = [ladder.played(tmp_path / "small-thesis")]
    rows = {row["name"]: row for row in result["ratings"]}
    assert set(rows) == {"random", "aggressive"} and rows["random"]["elo"] == 0
    assert "| `random` | 0 |" in text and f"| `aggressive` | {round(rows['aggressive']['elo'])} (" in text


def test_a_folder_of_another_commit_is_refused(
    ladder: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    assert run(ladder, tmp_path) == 0
    import provenance

    monkeypatch.setattr(provenance, "checkout", lambda: ("f" * 16, False))
    before = sorted(path.name for path in tmp_path.iterdir())
    assert run(ladder, tmp_path, "--rules", "thesis", "challenge1") == 2
    assert f"commit {'f' * 16}, but other results are of {COMMIT}" in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_no_page_is_written_with_uncommitted_changes(
    ladder: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    import provenance

    monkeypatch.setattr(provenance, "checkout", lambda: (COMMIT, True))
    assert run(ladder, tmp_path) == 2
    assert "uncommitted changes" in capsys.readouterr().err and not list(tmp_path.iterdir())
    assert run(ladder, tmp_path, "--dirty") == 0
    assert page(ladder, tmp_path) == 2
    assert "uncommitted changes" in capsys.readouterr().err and not (tmp_path / "page").exists()


@pytest.mark.parametrize("change", ["mixed", "missing", "unknown"])
def test_the_page_needs_all_games_of_one_commit(
    ladder: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], change: str
):
    assert run(ladder, tmp_path) == 0
    run_data = ladder.read_run(tmp_path)
    if change == "mixed":
        run_data["sessions"].append(run_data["sessions"][0] | {"commit": "f" * 16})
    elif change == "missing":
        run_data["cells"].append("world-thesis")
    else:
        run_data["sessions"] = [{}]
    (tmp_path / ladder.RUN).write_text(json.dumps(run_data), encoding="utf-8")
    assert page(ladder, tmp_path) == 2
    messages = {"mixed": "but other results are of", "missing": "games are missing", "unknown": "of which commit"}
    assert messages[change] in capsys.readouterr().err


def test_players_play_only_supported_maps_and_rules(ladder: Any, tmp_path: Path):
    arguments = type("Told", (), {"players": ladder.PLAYERS, "external": ["theirs=java x", "old@challenge1=./a=b"]})
    names = {
        (map_, rules): {name for name, _ in ladder.Cell(map_, rules).players(arguments)}
        for map_ in ladder.MAPS
        for rules in ladder.PRESETS
    }
    assert len(names) == 12
    for (map_, rules), players in names.items():
        fog = rules.startswith("challenge")
        assert ("policy:world" in players) == ("policy:fog" in players) == (map_ == "world")
        assert ("belief:nash:sims=300" in players) == ("theirs" in players) == fog
        assert ("old" in players) == (rules == "challenge1")
        assert {"random", "policy:any", "nash:sims=300"} < players
    assert ("old", "cmd:./a=b") in ladder.Cell("world", "challenge1").players(arguments)


@pytest.mark.parametrize("text", ["java x", "=java", "a@nowhere=java", "a="])
def test_an_external_program_needs_a_name_and_a_command(ladder: Any, text: str, capsys: pytest.CaptureFixture[str]):
    assert ladder.main(["estimate", "--external", text, "--maps", "small"]) == 2
    assert f"--external {text}: must be NAME=COMMAND" in capsys.readouterr().err


def test_the_page_contains_no_path_of_the_machine(ladder: Any):
    words = [
        "run", "--external", "a=/home/me/bot", "--external=b@challenge2=java x", "--out", "/home/me/2/",
        "--out=/home/me/2/", "--jobs", "2", "--maps", "small", "--dirty",
    ]  # fmt: skip
    assert ladder._public_words(words) == [
        "run", "--external", "a=COMMAND", "--external=b@challenge2=COMMAND", "--out", "runs/2", "--out=runs/2",
        "--jobs", "2", "--maps", "small", "--dirty",
    ]  # fmt: skip


def test_abbreviated_options_are_refused(ladder: Any, capsys: pytest.CaptureFixture[str]):
    """An abbreviated option could put a path of the machine on the page."""
    with pytest.raises(SystemExit):
        ladder.main(["run", "--ou=/home/me/first"])
    assert "unrecognized arguments: --ou=/home/me/first" in capsys.readouterr().err
