"""What the README shows runs as it stands there."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from warlight_env import battle_odds
from warlight_env.agents import registry
from warlight_env.cli import main
from warlight_env.cli.app import app

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    """The texts between fences of a language."""
    found = re.findall(r"^```(\w*)\n(.*?)^```$", README, flags=re.MULTILINE | re.DOTALL)
    return [text for name, text in found if name == language]


def test_programs(monkeypatch):
    """One after the other, as in a notebook."""
    monkeypatch.setattr(registry, "_AGENTS", dict(registry._AGENTS))
    names: dict[str, object] = {}
    assert blocks("python")
    for program in blocks("python"):
        exec(compile(program, "README.md", "exec"), names)
        if "parallel_env" in program:
            assert names["env"].agents == []
    assert names["terminated"] or names["truncated"]


def test_the_quoted_odds():
    quoted = re.search(r"battle_odds\((\d+), (\d+)\)\.capture\)  # ([\d.]+)…", README)
    attackers, defenders, capture = quoted.groups()
    assert f"{battle_odds(int(attackers), int(defenders)).capture:.9f}".startswith(capture)


@pytest.mark.parametrize(
    "line", [line for block in blocks("") for line in block.splitlines() if line.startswith("warlight ")]
)
def test_command_lines_parse(line):
    command = re.split(r" {2,}", line)[0]
    for variant in command.split(" | "):  # maps list | show small | …
        words = shlex.split(variant)
        words = words[1:] if words[0] == "warlight" else ["maps", *words]
        _, _, ignored = app.parse_args(words, exit_on_error=False, print_error=False)
        assert not ignored, ignored


def test_the_picture_is_the_one_of_the_command(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    command = re.search(r"^warlight (picture .*? -o position\.svg)", README, flags=re.MULTILINE).group(1)
    assert main(shlex.split(command)) == 0
    shown = Path(__file__).parents[2] / "docs" / "position.svg"
    assert Path("position.svg").read_text(encoding="utf-8") == shown.read_text(encoding="utf-8")
