"""Parameters of agents: specifications, checks and documentation use the same declaration."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import pytest

from warlight_env.agents import describe
from warlight_env.agents.parameters import Param, Range, check_values, documented, parameters_of
from warlight_env.agents.players.flat import FlatSettings
from warlight_env.agents.players.maxn import MaxnAgent
from warlight_env.agents.players.mcts import THESIS_SETTINGS, MctsAgent, MctsSettings
from warlight_env.agents.players.minimax2 import Minimax2Agent
from warlight_env.agents.players.one_ply import OnePlyAgent
from warlight_env.agents.players.random import RandomAgent
from warlight_env.agents.registry import parse
from warlight_env.agents.weights import DEFAULT, THESIS
from warlight_env.errors import InputError

ROOT = next(folder for folder in Path(__file__).resolve().parents if (folder / "pyproject.toml").exists())
INFOS = {info.name: info for info in describe()}
#: Agents with parameters that need no file.
WITH_PARAMETERS = [name for name, info in INFOS.items() if info.parameters and "file" not in info.parameters]


@documented
@dataclass
class Declared:
    """Some."""

    weights: Annotated[object, Param("of the evaluation", shared=True)] = "default"
    count: Annotated[int, Param("how many", 1, 9, more="At most nine.")] = 3
    part: Annotated[
        float | None, Param("how much", 0.1, 0.9, python_range=Range(0, 1, below_high=True), spec_name="p")
    ] = None
    way: Annotated[str, Param("which way", choices=("up", "down"))] = "up"
    hidden: int = 5


def test_specifications_have_the_declared_parameters():
    parameters = parameters_of(Declared, count=4)
    assert list(parameters) == ["count", "p", "way", "weights"], (
        "what is shared comes last, what is not declared not at all"
    )
    count, part = parameters["count"], parameters["p"]
    assert (count.kind, count.default, count.low, count.high, count.help) == (int, 4, 1, 9, "how many")
    assert (part.kind, part.default, part.low, part.high) == (float, None, 0.1, 0.9)
    assert (parameters["way"].kind, parameters["way"].choices) == (str, ("up", "down"))


def test_docstrings_list_the_declared_parameters():
    assert "    count: how many. At most nine.\n" in Declared.__doc__
    assert "    way: which way. One of up, down.\n" in Declared.__doc__ and "hidden" not in Declared.__doc__


@pytest.mark.parametrize(("values", "message"), [
    ({"count": 0}, "count = 0: must be an integer in 1 .. 9"), ({"count": True}, "count = True"),
    ({"count": 2.0}, "count = 2.0"), ({"count": None}, "count = None"),
    ({"part": 1}, "part = 1: must be a number of at least 0 and below 1"),
    ({"part": float("nan")}, "part = nan"), ({"part": "x"}, "part = 'x'"),
    ({"way": "left"}, "way = 'left': must be one of up, down"),
])  # fmt: skip
def test_values_outside_their_declaration_raise_an_error(values, message):
    check_values(Declared, vars(Declared()))
    check_values(Declared, {**vars(Declared()), "part": np.float32(0.0), "hidden": "anything"})
    with pytest.raises(InputError, match=re.escape(message)):
        check_values(Declared, {**vars(Declared()), **values})


@pytest.mark.parametrize(("bounds", "says"), [
    (Range(0, above_low=True), "must be above 0"), (Range(0), "must be at least 0"),
    (Range(0, 1), "must lie in 0 .. 1"),
    (Range(), "must be a number"), (Range(0, 1, below_high=True), "must be a number of at least 0 and below 1"),
])  # fmt: skip
def test_ranges_are_described_in_words(bounds, says):
    assert str(bounds) == says


@pytest.mark.parametrize("name", WITH_PARAMETERS)
def test_agents_accept_all_their_defaults_and_bounds(name):
    info = INFOS[name]
    make = info.load()
    make(seed=1, **{key: parameter.default for key, parameter in info.parameters.items()})
    for key, parameter in info.parameters.items():
        ends = [end for end in (parameter.low, parameter.high) if end is not None]
        for value in [*map(parameter.kind, ends), *parameter.choices]:
            if (key, value) not in {("alpha", 0.0), ("beta", 1.0)}:  # beta is at most alpha
                make(seed=1, **{key: value})


@pytest.mark.parametrize("name", WITH_PARAMETERS)
def test_declared_defaults_equal_the_agent_s_defaults(name):
    made = INFOS[name].load()(seed=1)
    defaults = {key: parameter.default for key, parameter in INFOS[name].parameters.items()}
    again = INFOS[name].load()(seed=1, **defaults)
    if isinstance(made, MctsAgent):
        assert made.settings == again.settings
    else:
        assert {key: value for key, value in vars(made).items() if key in defaults} == {
            key: value for key, value in vars(again).items() if key in defaults
        }


def test_search_variants_have_their_own_defaults():
    assert (THESIS_SETTINGS.weights, MctsSettings().weights) == (THESIS, DEFAULT)
    assert INFOS["flat_mc"].parameters["rounds"].default == FlatSettings().rounds != MctsSettings().rounds
    assert parse("pmcts")[0].load()(seed=1).settings.threads == 2


@pytest.mark.parametrize(("make", "values", "message"), [
    (OnePlyAgent, {"samples": 0}, "samples = 0: must be an integer in 1 .. 10000"),
    (RandomAgent, {"chunks": 0}, "chunks = 0: must be an integer from 1 up"),
    (Minimax2Agent, {"sims": 0}, "sims = 0: must be an integer from 1 up"),
    (Minimax2Agent, {"secs": 0.0}, "secs = 0.0: must be above 0"),
    (MaxnAgent, {"depth": 25}, "depth = 25: must be an integer in 1 .. 24"),
    (MaxnAgent, {"join_weight": float("nan")}, "join_weight = nan: must be a number"),
    (MctsSettings, {"exploration": -1.0}, "exploration = -1.0: must be at least 0"),
    (MctsSettings, {"seconds": 0.0}, "seconds = 0.0: must be above 0"),
    (MctsSettings, {"simulations": 0}, "simulations = 0: must be an integer from 1 up"),
    (MctsSettings, {"threads": 20_000}, "threads = 20000: must be an integer in 1 .. 10000"),
    (MctsSettings, {"local_search": 1.0}, "local_search = 1.0: must be a number of at least 0 and below 1"),
    (MctsSettings, {"alpha": 2.0}, "alpha = 2.0: must lie in 0 .. 1"),
    (MctsSettings, {"alpha": 0.3}, "beta = 0.5: must lie in 0 .. alpha, 0.3"),
    (MctsSettings, {"final_move": "median"}, "final_move = 'median': must be one of robust, max, secure, max_robust"),
    (FlatSettings, {"final_move": "robust"}, "final_move = 'robust': must be one of median, mean, mode"),
    (MctsSettings, {"outcome": "best"}, "outcome = 'best': must be one of rule, realistic, pessimistic"),
])  # fmt: skip
def test_agents_reject_values_outside_their_declaration(make, values, message):
    with pytest.raises(InputError, match=re.escape(message)):
        make(**values)


def listed_bots() -> dict[str, str]:
    """Return the parameters of each bot from the table in bots.md."""
    parts = (ROOT / "docs" / "reference" / "bots.md").read_text(encoding="utf-8").split("\n\n")
    table = next(part for part in parts if part.startswith("|"))
    return dict(re.findall(r"^\| `(\w+)[^`]*`.*? \| (.*?) ?\| .* \|$", table, re.MULTILINE))


def test_the_bot_list_documents_all_bots_parameters_and_defaults():
    rows = listed_bots()
    assert rows.keys() == INFOS.keys()
    for name, cell in rows.items():
        parameters, listed = INFOS[name].parameters, re.findall(r"`(\w+)(=?)([^`]*)`", cell)
        keys, links_to_more = {key for key, _, _ in listed}, "](" in cell
        assert keys == parameters.keys() or (links_to_more and keys <= parameters.keys()), f"bots.md: {name}"
        for key, equals, value in listed:
            if default := parameters[key].default:
                assert equals and str(default) == value, f"bots.md: {name}: {key}={value}"


def test_the_documentation_lists_all_parameters_of_the_players():
    page = "docs/reference/search-options.md"
    text = (ROOT / page).read_text(encoding="utf-8")
    sections = {part.split("\n", 1)[0]: part for part in text.split("\n## ")}
    rows = re.findall(r"^\| `(\w+)` \|.*\| (.*) \|$", sections["Players"], re.MULTILINE)
    listed = {name: cell for name, cell in rows if name in INFOS}
    assert listed.keys() == {"flat_mc", "minimax2", "maxn", "plan", "nash"}
    for name, cell in listed.items():
        named = set(re.findall(r"`(\w+)`", cell))
        shared = set(INFOS["mcts"].parameters) - {"rounds", "final_move"} if name == "flat_mc" else {"weights"}
        assert named - {"mcts"} == INFOS[name].parameters.keys() - shared, f"{page}: parameters of {name}"


def test_the_documentation_lists_all_options_of_the_tree_search():
    page, parameters = "docs/reference/search-options.md", INFOS["mcts"].parameters
    text = (ROOT / page).read_text(encoding="utf-8")
    table = text[text.index("| option | default | meaning |") :].split("\n\n")[0]
    rows = {key: row for key, *row in re.findall(r"^\| `(\w+)` \| (.*?) ?\| (.*) \|$", table, re.MULTILINE)}
    assert rows.keys() == parameters.keys()
    for key, (default, meaning) in rows.items():
        assert default == ("" if parameters[key].default is None else str(parameters[key].default)), f"{page}: {key}"
        choices = set(re.findall(r"`(\w+)`", meaning)) - (parameters.keys() - set(parameters[key].choices))
        if parameters[key].choices:
            assert choices == set(parameters[key].choices), f"{page}: {key}"
