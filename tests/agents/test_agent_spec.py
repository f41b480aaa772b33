"""Specifications of agents: rendering and parsing are inverse, with and without digests of files."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warlight_env.agents.agent_spec import AgentSpec
from warlight_env.agents.registry import pinned, unpinned
from warlight_env.agents.weights import THESIS


@given(st.text(alphabet="ab:[],=# .\t", max_size=30))
def test_rendering_inverts_parsing(text):
    spec = AgentSpec.parse(text)
    assert str(spec) == text.strip()
    assert AgentSpec.parse(str(spec)) == spec
    assert ":" not in spec.name and "[" not in spec.name


def test_parsing_strips_white_space_from_parts():
    assert AgentSpec.parse(" mcts: sims=5 ,, c=1 ").parts == ["sims=5", "c=1"]
    assert AgentSpec.parse("cmd[policy=skip]:python b.py, c").name == "cmd"


@pytest.mark.parametrize(
    "form",
    [
        "mcts:weights={file}", "mcts:sims=5,weights={file}", "mcts: sims=5 , weights={file} ,c=1",
        "belief:mcts:weights={file},sims=5", "belief:belief:one_ply:weights={file}",
    ],
)  # fmt: skip
def test_pinning_appends_digests_to_files_and_unpinning_removes_them(form, tmp_path):
    file = tmp_path / "mine.json"
    THESIS.save(file)
    spec = form.format(file=file)
    digest = THESIS.digest()
    assert pinned(spec) == form.format(file=f"{file}#{digest}")
    assert unpinned(pinned(spec)) == spec


def test_a_command_keeps_text_in_the_form_of_a_digest():
    spec = "cmd:python bot.py weights=mine.json#0123456789abcdef"
    assert pinned(spec) == unpinned(spec) == spec


def test_unpinning_keeps_parameters_of_an_agent_that_is_not_installed():
    spec = "elsewhere:weights=mine.json#0123456789abcdef,tag=a#0123456789abcdef"
    assert unpinned(spec) == "elsewhere:weights=mine.json,tag=a#0123456789abcdef"
