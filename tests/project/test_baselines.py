"""Tables of score cards: each has the requested bot, maps and policy."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

MAPS = ("small", "world", "large")


class Bench:
    """Instead of ``warlight bench``: counts the cards, and fails or is interrupted for some bots."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.failing = self.interrupted = "nobody"
        self.score = 0.5

    def __call__(self, words: list[str], **_: Any) -> None:
        bot, folder = words[4], Path(words[words.index("--out") + 1])
        maps = words[words.index("--map") + 1 :] if "--map" in words else list(MAPS)
        self.asked.append(bot)
        if self.failing in bot:
            raise subprocess.CalledProcessError(1, words)
        folder.mkdir(parents=True, exist_ok=True)
        row = {"score": self.score, "interval": [0.4, 0.6]}
        stopped = self.interrupted in bot
        card = {"maps": {} if stopped else dict.fromkeys(maps, row), "interrupted": stopped}
        (folder / "card.json").write_text(json.dumps(card | {"total": row if len(maps) == len(MAPS) else None}))
        if stopped:
            raise subprocess.CalledProcessError(130, words)


@pytest.fixture
def bench(benchmarks: None, monkeypatch: pytest.MonkeyPatch) -> Bench:
    made = Bench()
    monkeypatch.setattr(subprocess, "run", made)
    return made


@pytest.fixture
def learned(tmp_path: Path) -> Path:
    """A folder with policies of two seeds."""
    folder = tmp_path / "curves"
    folder.mkdir()
    for seed in (1, 2):
        (folder / f"exit-{seed}.npz").write_bytes(bytes([seed]))
    return folder


def baselines(tmp_path: Path, *words: str) -> int:
    import baselines

    return int(baselines.main([*words, "--out", str(tmp_path / "cards")]))


def test_a_card_is_made_once(bench: Bench, tmp_path: Path):
    for _ in range(2):
        assert baselines(tmp_path, "bots", "aggressive") == 0
    assert bench.asked == ["aggressive"]
    [folder] = (tmp_path / "cards" / "suite-v1").iterdir()
    assert folder.name.startswith("aggressive-")


def test_bots_that_play_different_maps_have_all_of_them_as_columns(
    bench: Bench, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    assert baselines(tmp_path, "bots", "policy:small", "policy:world") == 0
    told = capsys.readouterr().out
    assert "| bot | score | `small` | `world` |" in told
    assert "| `policy:small` | – | 50.0 (40.0–60.0) | – |" in told and "| – | – | 50.0 (40.0–60.0) |" in told


def test_other_maps_are_another_card(bench: Bench, tmp_path: Path, learned: Path, capsys: pytest.CaptureFixture[str]):
    assert baselines(tmp_path, "learned", "--curves", str(learned), "--map", "world") == 0
    assert "| method | score | `world` |" in capsys.readouterr().out
    (learned / "exit-2.npz").unlink()
    (learned / "exit-3.npz").write_bytes(b"3")  # has no card of the world alone
    assert baselines(tmp_path, "learned", "--curves", str(learned)) == 0
    assert "| method | score | `small` | `world` | `large` |" in capsys.readouterr().out
    assert len(bench.asked) == 4


def test_a_policy_learned_anew_is_another(
    bench: Bench, tmp_path: Path, learned: Path, capsys: pytest.CaptureFixture[str]
):
    assert baselines(tmp_path, "learned", "--curves", str(learned)) == 0
    bench.score = 0.9
    for seed in (1, 2):
        (learned / f"exit-{seed}.npz").write_bytes(b"more")
    capsys.readouterr()
    assert baselines(tmp_path, "learned", "--curves", str(learned)) == 0
    assert "| expert iteration, 2 seeds | 90.0 (90.0–90.0) |" in capsys.readouterr().out


def test_names_that_look_alike_share_nothing(bench: Bench, tmp_path: Path):
    bots = ["sb3:file=a/b.zip", "sb3:file=a-b.zip"]
    assert baselines(tmp_path, "bots", *bots) == 0
    assert bench.asked == bots
    assert len(list((tmp_path / "cards" / "suite-v1").iterdir())) == 2


@pytest.mark.parametrize("fault", ["failing", "interrupted"])
def test_what_has_no_card_is_left_out(
    bench: Bench, tmp_path: Path, learned: Path, capsys: pytest.CaptureFixture[str], fault: str
):
    setattr(bench, fault, "exit-1")
    for times in (1, 2):
        assert baselines(tmp_path, "learned", "--curves", str(learned)) == 0
        told = capsys.readouterr()
        assert "| expert iteration, 1 seeds | 50.0 (–) | 50.0 (–) |" in told.out
        assert "exit-1.npz has no card" in told.err
        assert len(bench.asked) == 1 + times  # it is tried again, and nothing else
    setattr(bench, fault, "nobody")
    assert baselines(tmp_path, "learned", "--curves", str(learned)) == 0
    assert "| expert iteration, 2 seeds | 50.0 (50.0–50.0) |" in capsys.readouterr().out
    assert baselines(tmp_path, "bots", f"policy:{learned / 'exit-1.npz'}", "plan") == 0


def test_a_damaged_card_is_named(bench: Bench, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert baselines(tmp_path, "bots", "plan") == 0
    [card] = (tmp_path / "cards" / "suite-v1").glob("*/card.json")
    card.write_text(card.read_text()[:20])
    capsys.readouterr()
    assert baselines(tmp_path, "bots", "plan", "aggressive") == 0
    told = capsys.readouterr()
    assert str(card) in told.err and "`aggressive`" in told.out and "`plan`" not in told.out
