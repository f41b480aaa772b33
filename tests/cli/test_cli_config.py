"""The user's configuration file and the shell completion of commands."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from warlight_env.cli import main

MATCH = ["match", "random", "random", "--json"]


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "config.toml"
    monkeypatch.setenv("WARLIGHT_CONFIG", str(path))
    return path


def test_options_in_the_file_are_defaults_for_the_command_line(config: Path, capsys: pytest.CaptureFixture[str]):
    config.write_text('[match]\ngames = 4\nmap = "small"\nquiet = true\n[map.generate]\nregions = 12\n')
    assert main(MATCH) == 0
    captured = capsys.readouterr()
    result = json.loads(captured.out)
    assert (result["games"], result["map"], captured.err) == (4, "small", "")
    assert main([*MATCH, "-n", "2"]) == 0
    assert json.loads(capsys.readouterr().out)["games"] == 2, "the command line comes first"
    assert main(["map", "generate"]) == 0
    assert len(json.loads(capsys.readouterr().out)["regions"]) == 12
    assert main(["doctor", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["config_file"] == str(config)


@pytest.mark.parametrize(
    "content, message",
    [
        ("[mach]\ngames = 4", "no command 'mach' (did you mean 'match'?)"),
        ("[map.genrate]\nregions = 4", "no command 'map.genrate' (did you mean 'generate'?)"),
        ("games = 4", "no command 'games'"),
        ("match = 4", "match must be a table: [match]"),
        ("[match]\ngmes = 4", "[match] has no option 'gmes' (did you mean 'games'?)"),
        ("[map.generate]\nregion = 4", "[map.generate] has no option 'region' (did you mean 'regions'?)"),
        ("[match]\ngames = 1.5", "[match] games = 1.5: must be an integer"),
        ("[match]\ngames = []", "[match] games = []: must be an integer"),
        ("[match]\ngames = true", "[match] games = true: must be an integer"),
        ("[match.games]\nx = 1", '[match] games = {"x": 1}: must be an integer'),
        ("[match]\nrounds = 0", "[match] rounds = 0: must be at least 1"),
        ("[match]\nclock = ['1s', 2]", '[match] clock = ["1s", 2]: must be a string'),
        ("[match]\nquiet = 'x'", '[match] quiet = "x": must be true or false'),
        ("[match]\nbackend = 'foo'", '[match] backend = "foo": must be one of local, ray'),
        ("[match]\nout = 2026-11-30", '[match] out = "2026-11-30": must be a string'),
        ("[bot.check]\nchallenge = 3", "[bot.check] challenge = 3: must be one of 1, 2"),
        ("[watch]\ndelay = '1'", '[watch] delay = "1": must be a number'),
        ("[log.list]\nlast = 0", "[log.list] last = 0: must be at least 1"),
        ("[replay]\nno-orders = true", "[replay] has no option 'no-orders'; use orders = false"),
        ("match]", "line 1"),
        (b"\xff\xfe\xff", "not UTF-8"),
        (None, "cannot be read"),
    ],
)
def test_the_error_for_an_invalid_file_names_the_file(
    content: str | bytes | None, message: str, config: Path, capsys: pytest.CaptureFixture[str]
):
    if content is not None:
        config.write_bytes(content if isinstance(content, bytes) else content.encode())
    assert main(MATCH) == 2
    captured = capsys.readouterr()
    assert captured.out == "" and message in captured.err and str(config) in captured.err


def test_the_default_file_is_optional(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.delenv("WARLIGHT_CONFIG")
    monkeypatch.setattr("warlight_env.cli.config_file.user_config_path", lambda name: tmp_path / name)
    assert main(["map", "list"]) == 0
    (tmp_path / "warlight").mkdir()
    (tmp_path / "warlight" / "config.toml").write_text("[map.list]\njson = true")
    capsys.readouterr()
    assert main(["map", "list"]) == 0
    assert json.loads(capsys.readouterr().out)


def test_every_kind_of_value_reaches_its_option(
    config: Path, whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    config.write_text(
        "[match]\ngames = 2\nclock = ['none', '9sims']\nmap = 'small'\n"
        "[replay]\norders = false\ndelay = 1\n"
        "[bot.check]\nchallenge = 1\n"
    )
    assert main(["match", "random", "mcts", "--json", "-q"]) == 0
    assert json.loads(capsys.readouterr().out)["agents"][1]["time"]["simulations"] == 9
    pictures = [tmp_path / name for name in ("file", "line", "both")]
    for folder, more in zip(pictures, ([], ["--no-orders"], ["--orders"]), strict=True):
        assert main(["replay", str(whole), "--svg", str(folder), "--round", "1", "-q", *more]) == 0
    texts = [b"".join(file.read_bytes() for file in sorted(folder.iterdir())) for folder in pictures]
    assert texts[0] == texts[1] and len(texts[2]) > len(texts[0])


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_gets_a_script_with_all_commands(shell: str, capsys: pytest.CaptureFixture[str]):
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert all(word in script for word in ("tournament", "generate", "games", "completion"))
    if shutil.which(shell) is not None:
        assert subprocess.run([shell, "-n"], input=script, text=True, check=False).returncode == 0


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash here")
def test_bash_completes_commands_and_options(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["completion", "bash"]) == 0
    script = tmp_path / "script"
    script.write_text(capsys.readouterr().out)

    def completions(*words: str) -> list[str]:
        line = " ".join(f"'{word}'" for word in words)
        command = (
            f"source {script}; COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _warlight; echo ${{COMPREPLY[@]}}"
        )
        return subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True).stdout.split()

    assert "tournament" in completions("warlight", "to")
    assert completions("warlight", "map", "gen") == ["generate"]
    assert "--games" in completions("warlight", "match", "--ga")


def test_importing_the_package_reads_no_configuration():
    code = "from warlight_env.cli.config_file import config_path; print(config_path())"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "None\n"
