"""Commands that are refused: their errors name the file or the reason, and new files of the run are removed."""

from __future__ import annotations

import errno
import importlib.util
import os
import re
import sys
from pathlib import Path

import pytest

from log_helpers import play_logged
from warlight_env.cli import main

#: The file of a tournament whose second map is too large for an agent.
TOURNAMENT = 'agents = ["random", "policy:small"]\ngames = 2\nmaps = ["small", "world"]\n'

#: Commands, and the beginning of the reason in the error.
REFUSED = {
    "match": ("match random policy:small -n 2 --out new/run", "policy 'small' is for small maps"),
    "match with logs": (
        "match random policy:small -n 2 --out new/run --log new/run/logs",
        "policy 'small' is for small maps",
    ),
    "match that stops": ("match cmd:false random -n 2 --on-crash stop --out new", "agent 'cmd:false' failed"),
    "match of three with a bot of the protocol": (
        "match cmd:false aggressive random --map small --out new",
        "agent 'cmd:false': the protocol is for games of two players, not 3",
    ),
    "tournament": ("tournament tournament.toml --log --out new", "policy 'small' is for small maps"),
    "tournament in runs": ("tournament tournament.toml", "policy 'small' is for small maps"),
    "bench": ("bench policy:small --map world --out new", "policy:small cannot play on map 'world'"),
    "experiment": (
        "experiment run thesis-3.2 --agent policy:small --quick --out new",
        "agent 'policy:small': an experiment",
    ),
    "train td": ("train td td.toml --quick --backend ray --out new", "the backend ray needs Ray"),
    "train ppo": ("train ppo turns.toml --quick --device cuda --out new", "device"),
}


@pytest.mark.parametrize("command", REFUSED)
def test_a_refused_command_leaves_no_files(command, tmp_path, monkeypatch, capsys):
    words, reason = REFUSED[command]
    if command == "train ppo" and importlib.util.find_spec("numba_cuda"):
        pytest.skip("the package numba-cuda is installed")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "ray", None)
    Path("tournament.toml").write_text(TOURNAMENT, encoding="utf-8")
    Path("turns.toml").write_text('action = "turns"\n', encoding="utf-8")
    Path("td.toml").write_text("", encoding="utf-8")
    before = sorted(tmp_path.rglob("*"))
    assert main([*words.split(), "-q"]) in (1, 2)
    assert capsys.readouterr().err.startswith(f"error: {reason}")
    assert sorted(tmp_path.rglob("*")) == before


def test_a_refused_command_keeps_the_files_of_an_earlier_run(tmp_path, capsys):
    command = ["match", "random", "aggressive", "-n", "2", "--map", "small", "-q", "--out", str(tmp_path)]
    assert main(command) == 0
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    assert main([*command, "--seed", "2"]) == 2
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize(
    "words",
    ["match random random --out", "log verify", "map convert map.json", "train td --quick --out", "bot new class"],
)
def test_an_empty_word_is_not_a_path(words, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main([*words.split(), ""]) == 2
    assert capsys.readouterr().err.splitlines()[0].endswith("'': must be the name of a file or folder")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("folder", ["none", "file"])
@pytest.mark.parametrize(
    "words",
    [
        "replay game.wl.jsonl --html o.html --gif {}/o.gif",
        "analyse game.wl.jsonl --html {}/o.html",
        "map generate --regions 12 -o o.json --svg {}/o.svg",
        "picture --rounds 1 -o {}/o.svg",
    ],
)
def test_a_missing_folder_of_an_output_is_an_error_before_any_work(words, folder, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("file").write_text("", encoding="utf-8")
    play_logged(Path("game.wl.jsonl"), map="small", rules="thesis", seed=5)
    before = sorted(tmp_path.iterdir())
    assert main(words.format(folder).split()) == 1
    reason = "No such file or directory" if folder == "none" else "Not a directory"
    output, error = capsys.readouterr()
    assert not output and re.fullmatch(rf"error: cannot write {folder}/o.\w+: {reason}\n", error)
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("words", ["replay {}", "log verify {}", "log list {}", "experiment report {}", "analyse {}"])
def test_too_long_names_are_an_error_in_words(words, capsys):
    assert main(words.format("n" * 300 + ".wl.jsonl").split()) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: nnn") and "Errno" not in error


def test_a_read_only_folder_of_an_output_is_an_error(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert main(["map", "generate", "--regions", "12", "-o", str(tmp_path / "o.json")]) == 1
    assert capsys.readouterr().err == f"error: cannot write {tmp_path / 'o.json'}: {os.strerror(errno.EACCES)}\n"
    assert not list(tmp_path.iterdir())
