"""Specifications of agents: rendering and parsing are inverse, with and without digests of files."""

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


FORMER = {
    "mcts:replies=blind": "mcts:selection=duct",
    "mcts:replies=other": "mcts:selection=other",
    "mcts_thesis:sims=5, selection=root ,replies=seen": "mcts_thesis:sims=5, exploration_visits=root ,selection=uct",
    "belief:pmcts:selection=parent,selection=prior": "belief:pmcts:exploration_visits=parent,selection=puct",
    "mcts_no_defense:top=3,leaves=4,final=max": "mcts_no_defense:breadth=3,leaf_batch=4,final_move=max",
    "mcts:refine=0,tries=2,drawn=3": "mcts:local_search=0,lookahead_samples=2,top_k=3",
    "flat_mc:answer=mean,values=placements,turns=ours": "flat_mc:final_move=mean,utility=placements,turns=extended",
    "nash:anchor=0,others=ways,responses=2": "nash:policy_anchor=0,opponent_model=generators,best_responses=2",
    "belief:nash:others=known,answer=likely": "belief:nash:opponent_model=recognized,final_move=most_likely",
    "nash:others=seen,answer=best,refine=0.1": "nash:opponent_model=observed,final_move=best,local_search=0.1",
    "nash:others=same,picks=played": "nash:opponent_model=same,picks=simulated",
    "plan:apart=2,picks=played": "plan:contact_distance=2,picks=simulated",
    "maxn:join=1,spare=1": "maxn:join_weight=1,spare_weight=1",
    "maxn:chains=1,territory=2": "maxn:follow_up_weight=1,territory_weight=2",
    "random:chunks=3,slack=1": "random:chunks=3,margin=1",
    "sb3:file=a.zip,play=drawn": "sb3:file=a.zip,play=sampled",
}


@pytest.mark.parametrize("former, present", FORMER.items())
def test_former_names_raise_an_error_and_recorded_ones_are_translated(former, present):
    with pytest.raises(AgentError, match=r"parameter '\w+' is now '\w+'$|'\w+=\w+' is now '\w+=\w+'$"):
        make_agent(former, 1)
    if "other" not in present and "sb3" not in present:
        make_agent(present, 1)
    assert with_present_names(former) == with_present_names(present) == present
    assert present_specs({former: [former, 3, None]}) == {present: [present, 3, None]}


@pytest.mark.parametrize(
    "spec, message",
    [
        ("mcts:final=max", "agent 'mcts:final=max': parameter 'final' is now 'final_move'"),
        ("mcts:selection=seen", "agent 'mcts:selection=seen': 'selection=seen' is now 'selection=uct'"),
        ("nash:answer=likely", "agent 'nash:answer=likely': 'answer=likely' is now 'final_move=most_likely'"),
        ("mcts:selection=root", "agent 'mcts:selection=root': 'selection=root' is now 'exploration_visits=root'"),
    ],
)
def test_the_error_for_a_former_name_names_the_present_one(spec, message):
    with pytest.raises(AgentError) as raised:
        make_agent(spec, 1)
    assert str(raised.value) == message


@pytest.mark.parametrize(
    "key", ["small / thesis / {0} : random : {0}", "policy-{0}", "flat_mc against {0}, 0.1 s", "{0} against aggressive"]
)
def test_former_names_in_contest_keys_are_translated(key):
    former, present = key.format("mcts:sims=2,replies=blind"), key.format("mcts:sims=2,selection=duct")
    assert with_present_names(former) == with_present_names(present) == present


@pytest.mark.parametrize(
    "text", ["", " a ", "elsewhere:replies=blind", "nash:selection=root", "mcts", ":" * 50_000, " " * 50_000]
)
def test_other_texts_do_not_change(text):
    assert with_present_names(text) == text


def test_unpinning_keeps_parameters_of_an_agent_that_is_not_installed():
    spec = "elsewhere:weights=mine.json#0123456789abcdef,tag=a#0123456789abcdef"
    assert unpinned(spec) == "elsewhere:weights=mine.json,tag=a#0123456789abcdef"
