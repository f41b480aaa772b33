"""Tables of score cards: each table has the requested bot, maps and policy."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

MAPS = ("small", "world", "large")


class Bench:
    """A replacement for ``warlight bench`` that counts the cards, and fails or is interrupted for some bots."""

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
    """Write policies of two seeds, and return their folder."""
    folder = tmp_path / "curves"
    folder.mkdir()
    for seed in (1, 2):
        (folder / f"exit-{seed}.npz").write_bytes(bytes([seed]))
    return folder


def baselines(tmp_path: Path, *words: str) -> int:
    import baselines

    return int(baselines.main([*words, "--out", str(tmp_path / "cards")]))


def test_an_existing_card_is_not_measured_again(bench: Bench, tmp_path: Path):
    for _ in range(2):
        assert baselines(tmp_path, "bots", "aggressive") == 0
    assert bench.asked == ["aggressive"]
    [folder] = (tmp_path / "cards" / "suite-v1").iterdir()
    assert folder.name.startswith("aggressive-")


def test_bots_with_different_maps_have_columns_for_all_maps(
    bench: Bench, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    assert baselines(tmp_path, "bots", "policy:small", "policy:world") == 0
    output = capsys.readouterr().out
    assert "| bot | score | `small` | `world` |" in output
    assert "| `policy:small` | – | 50.0 (40.0–60.0) | – |" in output and "| – | – | 50.0 (40.0–60.0) |" in output


def test_other_maps_need_another_card(bench: Bench, tmp_path: Path, learned: Path, capsys: pytest.CaptureFixture[str]):
    assert baselines(tmp_path, "learned", "--curves", str(learned), "--map", "world") == 0
    assert "| method | score | `world` |" in capsys.readouterr().out
    (learned / "exit-2.npz").unlink()
    (learned / "exit-3.npz").write_bytes(b"3")  # without a card for the world map alone
    assert baselines(tmp_path, "learned", "--curves", str(learned)) == 0
    assert "| method | score | `small` | `world` | `large` |" in capsys.readouterr().out
    assert len(bench.asked) == 4


def test_a_retrained_policy_needs_another_card(
    bench: Bench, tmp_path: Path, learned: Path, capsys: pytest.CaptureFixture[str]
):
    assert baselines(tmp_path, "learned", "--curves", str(learned)) == 0
    bench.score = 0.9
    for seed in (1, 2):
        (learned / f"exit-{seed}.npz").write_bytes(b"more")
    capsys.readouterr()
    assert baselines(tmp_path, "learned", "--curves", str(learned)) == 0
    assert "| expert iteration, 2 seeds | 90.0 (90.0–90.0) |" in capsys.readouterr().out


def test_similar_names_have_separate_cards(bench: Bench, tmp_path: Path):
    bots = ["sb3:file=a/b.zip", "sb3:file=a-b.zip"]
    assert baselines(tmp_path, "bots", *bots) == 0
    assert bench.asked == bots
    assert len(list((tmp_path / "cards" / "suite-v1").iterdir())) == 2


@pytest.mark.parametrize("fault", ["failing", "interrupted"])
def test_bots_without_a_card_are_omitted(
    bench: Bench, tmp_path: Path, learned: Path, capsys: pytest.CaptureFixture[str], fault: str
):
    setattr(bench, fault, "exit-1")
    for times in (1, 2):
        assert baselines(tmp_path, "learned", "--curves", str(learned)) == 0
        output = capsys.readouterr()
        assert "| expert iteration, 1 seeds | 50.0 (–) | 50.0 (–) |" in output.out
        assert "exit-1.npz has no card" in output.err
        assert len(bench.asked) == 1 + times  # the command measures the missing card again, and no other
    setattr(bench, fault, "nobody")
    assert baselines(tmp_path, "learned", "--curves", str(learned)) == 0
    assert "| expert iteration, 2 seeds | 50.0 (50.0–50.0) |" in capsys.readouterr().out
    assert baselines(tmp_path, "bots", f"policy:{learned / 'exit-1.npz'}", "plan") == 0


def test_the_error_names_a_damaged_card(bench: Bench, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert baselines(tmp_path, "bots", "plan") == 0
    [card] = (tmp_path / "cards" / "suite-v1").glob("*/card.json")
    card.write_text(card.read_text()[:20])
    capsys.readouterr()
    assert baselines(tmp_path, "bots", "plan", "aggressive") == 0
    output = capsys.readouterr()
    assert str(card) in output.err and "`aggressive`" in output.out and "`plan`" not in output.out
