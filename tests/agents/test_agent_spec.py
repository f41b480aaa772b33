"""A specification as a value: what is parsed is rendered again, with the digests of files or without."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warlight_env.agents import AgentError, make_agent
from warlight_env.agents.agent_spec import AgentSpec
from warlight_env.agents.former_names import present_specs, with_present_names
from warlight_env.agents.registry import pinned, unpinned
from warlight_env.agents.weights import THESIS


@given(st.text(alphabet="ab:[],=# .\t", max_size=30))
def test_what_is_parsed_is_rendered_again(text):
    spec = AgentSpec.parse(text)
    assert str(spec) == text.strip()
    assert AgentSpec.parse(str(spec)) == spec
    assert ":" not in spec.name and "[" not in spec.name


def test_parts_are_without_white_space():
    assert AgentSpec.parse(" mcts: sims=5 ,, c=1 ").parts == ["sims=5", "c=1"]
    assert AgentSpec.parse("cmd[policy=skip]:python b.py, c").name == "cmd"


@pytest.mark.parametrize(
    "form",
    [
        "mcts:weights={file}", "mcts:sims=5,weights={file}", "mcts: sims=5 , weights={file} ,c=1",
        "belief:mcts:weights={file},sims=5", "belief:belief:one_ply:weights={file}",
    ],
)  # fmt: skip
def test_digests_stand_behind_files_and_are_removed_again(form, tmp_path):
    file = tmp_path / "mine.json"
    THESIS.save(file)
    spec = form.format(file=file)
    digest = THESIS.digest()
    assert pinned(spec) == form.format(file=f"{file}#{digest}")
    assert unpinned(pinned(spec)) == spec


def test_a_command_keeps_what_looks_like_a_digest():
    spec = "cmd:python bot.py weights=mine.json#0123456789abcdef"
    assert pinned(spec) == unpinned(spec) == spec


@pytest.mark.parametrize(
    "former, present",
    [
        ("mcts:replies=blind", "mcts:selection=blind"),
        (
            "mcts_thesis:sims=5, selection=root ,replies=seen",
            "mcts_thesis:sims=5, exploration_visits=root ,selection=seen",
        ),
        ("belief:pmcts:selection=parent", "belief:pmcts:exploration_visits=parent"),
    ],
)
def test_a_parameter_s_former_name_is_refused_and_read_where_it_was_recorded(former, present):
    with pytest.raises(AgentError, match=r"'(replies|selection)=\w+' is now written '\w+=\w+'"):
        make_agent(former, 1)
    make_agent(present, 1)
    assert with_present_names(former) == with_present_names(present) == present
    assert present_specs({former: [former, 3, None]}) == {present: [present, 3, None]}


def test_keys_of_contests_get_the_present_names():
    key = "small / thesis / {0} : random : {0}"
    former, present = key.format("mcts:sims=2,replies=blind"), key.format("mcts:sims=2,selection=blind")
    assert with_present_names(former) == present


@pytest.mark.parametrize("text", ["", " a ", "elsewhere:replies=blind", "nash:selection=root", "mcts", ":" * 50_000])
def test_other_texts_keep_their_names(text):
    assert with_present_names(text) == text


def test_an_agent_that_is_not_installed_keeps_its_own_parameters():
    spec = "elsewhere:weights=mine.json#0123456789abcdef,tag=a#0123456789abcdef"
    assert unpinned(spec) == "elsewhere:weights=mine.json,tag=a#0123456789abcdef"
