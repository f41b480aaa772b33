"""Studies on the command line: verify them, write them as a page, and open them in the browser."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from warlight_env import Game
from warlight_env.cli import main
from warlight_env.record import Study, Variations, play_variation
from web_helpers import needs_page, serving


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """The file of a study with one variation."""
    game = Game("small", seed=3, picks="random")
    start = Study(game.map, game.rules, ("Ann", "Bo"), tuple(game.owner.tolist()), tuple(game.army.tolist()))
    _, node = play_variation(start.game, 0, [None, None], 1)
    path = tmp_path / "corner.study.json"
    replace(start, title="Corner", variations=Variations().added(node)).save(path)
    return path


def test_verify_replays_the_turns_of_studies(study: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["log", "verify", str(study)]) == 0
    assert "corner.study.json: ok, 1 variation" in capsys.readouterr().out
    data = json.loads(study.read_text())
    data["variations"]["nodes"][0]["changed"] = [[0, 0, 50]]
    study.write_text(json.dumps(data))
    assert main(["log", "verify", "--json", str(study.parent)]) == 1
    (report,) = json.loads(capsys.readouterr().out)
    assert report["ok"] is False
    assert "variation 1: 'changed' differs" in report["error"]


@needs_page
def test_replay_writes_a_study_only_as_a_page(study: Path, capsys: pytest.CaptureFixture[str]):
    page = study.with_name("corner.html")
    assert main(["replay", str(study), "--html", str(page)]) == 0
    assert '"title":"Corner"' in page.read_text()
    for more in ([], ["--text"], ["--html", str(page), "--round", "1"]):
        assert main(["replay", str(study), *more]) == 2
        assert "can only be written as a page" in capsys.readouterr().err


@needs_page
def test_play_opens_a_copy_of_a_study(study: Path, tmp_path: Path):
    before = study.read_bytes()
    with serving(tmp_path / "games", "play", "--study", str(study)) as server:
        place = server.address.partition("#/study/")[2]
        client = server.client()
        assert client.get(f"studies/{place}").json()["study"]["title"] == "Corner"
        client.post(f"studies/{place}/variations/delete", json={"node": 1})
    assert study.read_bytes() == before


def test_play_rejects_a_damaged_study_and_game_settings(study: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["play", "--study", str(study), "--map", "large"]) == 2
    assert "--map: not possible with --study" in capsys.readouterr().err
    study.write_text("{}")
    assert main(["play", "--study", str(study)]) == 2
    assert "not a study" in capsys.readouterr().err
