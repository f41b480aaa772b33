"""Agents in modules and files: ``MODULE:NAME`` and ``FILE.py:NAME``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from warlight_env.agents import AgentError, make_agent
from warlight_env.agents.registry import parse, pinned, unpinned
from warlight_env.arena import Match
from warlight_env.cli import main

CODE = """
from warlight_env.engine.orders import Orders
from {other} import NUMBER

class Idle:
    name = "idle"
    def __init__(self, seed, depth="1"):
        self.seed, self.depth = seed, int(depth)
    def pick(self, view):
        return list(view.offers)
    def act(self, view, budget=None):
        return Orders()

class WithoutAct:
    def __init__(self, seed):
        pass
    def pick(self, view):
        return []

class NoBudget:
    def __init__(self, seed):
        pass
    def pick(self, view):
        return []
    def act(self, view):
        return Orders()

VALUE = 3
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a bot's file and a module that the bot imports; both names are unique."""
    other = f"other_{tmp_path.name}".replace("-", "_")
    (tmp_path / f"{other}.py").write_text("NUMBER = 1\n")
    (tmp_path / f"bot_{other}.py").write_text(CODE.format(other=other))
    monkeypatch.chdir(tmp_path)
    return f"bot_{other}"


def test_classes_in_files_and_modules_play(folder):
    for spec in (f"{folder}.py:Idle,depth=3", f"{folder}:Idle,depth=3"):
        agent = make_agent(spec, 5)
        assert agent.name == spec
        assert (agent.depth, agent.seed) == (3, 5)
        result = Match([spec, "random"], games=2, map="small", max_rounds=3).run()
        assert result.names[0] == spec and result.games == 2


def test_the_match_command_accepts_imported_agents(folder, capsys):
    assert (
        main(["match", f"{folder}.py:Idle", "random", "-n", "2", "--map", "small", "--rounds", "3", "-q", "--json"])
        == 0
    )
    assert json.loads(capsys.readouterr().out)["agents"][0]["name"] == f"{folder}.py:Idle"


@pytest.mark.parametrize(
    "spec, message",
    [
        ("{}.py:Missing", "Missing does not exist in"),
        ("{}:VALUE", "VALUE is not callable in"),
        ("{}:Idle,depth", "expected key=value, got 'depth'"),
        ("{0}.py:Idle:depth=1", r"parameters follow a comma, as in \w+\.py:Idle,depth=1"),
        ("belief:{}:Idle:", r"parameters follow a comma, as in \w+:Idle,KEY=VALUE"),
        ("{}:Idle,depth=1,depth=2", "depth is given twice"),
        ("{}:Idle,width=1", "cannot be made"),
        ("{}:Idle,depth=x", "cannot be made: ValueError"),
        ("no_such_package:Idle", "there is no agent 'no_such_package'"),
        ("nothing.py:Idle", "agent 'nothing.py:Idle': there is no file nothing.py"),
        ("{}:WithoutAct", r"WithoutAct has no method act\(view, budget\)"),
        ("{}:NoBudget", r"NoBudget.act must accept the arguments \(view, budget\): write def act\(self, view, budget="),
    ],
)
def test_invalid_classes_raise_an_error_with_the_reason(folder, spec, message):
    with pytest.raises(AgentError, match=message):
        make_agent(spec.format(folder), 1)


def test_parsing_a_specification_does_not_run_the_code(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "harmful.py").write_text("raise SystemExit\n")
    assert parse("harmful.py:Bot")[0].name == "harmful.py"
    assert parse("harmful:Bot")[0].summary == "Bot in the module harmful"


def test_registered_agents_take_precedence_over_modules():
    assert parse("random:chunks=3")[1] == {"chunks": 3}
    with pytest.raises(AgentError, match="expected key=value"):
        parse("random:chunks")


def command(name: str, spec: str, out: str) -> list[str]:
    if name == "tournament":
        text = f'agents = ["random", "{spec}"]\ngames = 2\nmaps = ["small"]\nmax_rounds = 3\n'
        Path("two.toml").write_text(text)
        return ["tournament", "two.toml", "-q", "--out", out]
    if name == "bench":
        return ["bench", spec, "--map", "small", "--games", "2", "--quiet", "--out", out]
    return ["match", spec, "random", "-n", "2", "--map", "small", "--rounds", "3", "-q", "--out", out]


@pytest.mark.parametrize("name", ["bench", "tournament", "match"])
def test_a_run_folder_rejects_a_changed_file_and_a_new_folder_accepts_it(name, folder, capsys):
    file = Path(f"{folder}.py")
    run = command(name, f"{file}:Idle", "run")
    assert main(run) == 0
    assert main(run) == 0, "the same file continues the run"
    file.write_text(file.read_text() + "# a change\n")
    capsys.readouterr()
    assert main(run) == 2
    message = capsys.readouterr().err
    assert f"error: run: {file} changed since the run in this folder (digest " in message
    assert f"to continue that run, restore the earlier content of {file}; otherwise" in message
    assert '"random"' not in message, "shows no other agent"
    assert "give another folder (--out)" in message
    if name != "bench":  # a bench takes long
        assert main(command(name, f"{file}:Idle", "second")) == 0


@pytest.mark.parametrize("form", ["{}.py:Idle,depth=3", "isolated:{}.py:Idle", "isolated[memory=1G]:{}.py:Idle"])
def test_a_pinned_file_raises_an_error_after_a_change(form, folder):
    spec, file = form.format(folder), Path(f"{folder}.py")
    pinned_spec = pinned(spec)
    assert pinned(pinned_spec) == pinned_spec != spec and unpinned(pinned_spec) == spec
    assert make_agent(pinned_spec, 1).name == spec
    file.write_text(file.read_text() + "# a change\n")
    assert pinned(spec) != pinned_spec
    with pytest.raises(AgentError, match="another bot than expected"):
        make_agent(pinned_spec.removeprefix("isolated:").removeprefix("isolated[memory=1G]:"), 1)


def test_a_new_agent_uses_the_present_content_of_its_file(folder):
    file = Path(f"{folder}.py")
    first = make_agent(f"{file}:Idle", 1)
    file.write_text(file.read_text().replace("int(depth)", "10 * int(depth)"))
    assert (first.depth, make_agent(f"{file}:Idle", 1).depth) == (1, 10)
