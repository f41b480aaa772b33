"""Agents, registries and their parts reject arguments of wrong types and do not change after the error."""

from __future__ import annotations

import numpy as np
import pytest

from warlight_env import Game
from warlight_env.agents import AgentError, BotProfile, agent_names, make_agent
from warlight_env.agents.agent_info import TextForm
from warlight_env.agents.players.flat import FlatAgent
from warlight_env.agents.players.mcts import MctsAgent
from warlight_env.agents.players.nash.agent import NashAgent
from warlight_env.agents.players.random import RandomAgent
from warlight_env.agents.plug_ins.functions import Functions, PlugInError
from warlight_env.agents.records.turn_record import TurnNetworkError
from warlight_env.agents.records.value_record import ValueNetworkError, load_value
from warlight_env.agents.registry import parse, pinned, register, unpinned
from warlight_env.agents.turn_net.turn_network_file import load_turn_network
from warlight_env.errors import InputError
from warlight_env.step_results import GameError

HUGE = 10**5000


@pytest.mark.parametrize("kind", [NashAgent, MctsAgent, FlatAgent, RandomAgent])
@pytest.mark.parametrize("seed", [None, "1", 1.5, b"x", True, []])
def test_seeds_that_are_not_integers_raise_an_error(kind, seed):
    with pytest.raises(InputError, match=r"seed = .*: must be an integer"):
        kind(seed)


def test_agents_accept_numpy_integers_as_seeds():
    assert NashAgent(np.int32(7)).rng.tolist() == NashAgent(7).rng.tolist()
    assert MctsAgent(np.int64(7)).seed == 7 and type(MctsAgent(np.int64(7)).seed) is int


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: NashAgent(local_search=HUGE), InputError),
        (lambda: NashAgent(candidates=HUGE), InputError),
        (lambda: NashAgent(net=np.array([1, 2])), TurnNetworkError),
        (lambda: NashAgent(value=np.array([1, 2])), ValueNetworkError),
        (lambda: Functions(capacity=HUGE), PlugInError),
        (lambda: Functions(leaf=HUGE), PlugInError),
        (lambda: load_value(3), ValueNetworkError),
        (lambda: load_turn_network(b"x"), TurnNetworkError),
    ],
)
def test_huge_numbers_and_wrong_types_raise_an_error(make, error):
    with pytest.raises(error, match=r"must be|not a function"):
        make()


def test_loading_a_loaded_network_returns_the_same_object():
    value, turns = load_value("learned"), load_turn_network("learned")
    assert load_value(value) is value and load_turn_network(turns) is turns


@pytest.mark.parametrize("use", [parse, pinned, lambda spec: make_agent(spec, 0)])
def test_nesting_more_than_eight_agents_raises_an_error(use):
    with pytest.raises(AgentError, match="at most 8 agents may be nested"):
        use("belief:" * 500 + "random")
    assert make_agent("belief:" * 8 + "random", 0).name == "belief:" * 8 + "random"
    assert unpinned("belief:" * 5000 + "random") == "belief:" * 5000 + "random"


@pytest.mark.parametrize(
    "changes",
    [
        {"name": 2.5}, {"name": []}, {"name": HUGE}, {"name": ""}, {"name": "a:b"}, {"name": "a[b"}, {"name": " a"},
        {"name": "a\n"}, {"load": 3}, {"summary": None}, {"settings": 3}, {"text": "a:B"}, {"players": 1},
        {"players": HUGE}, {"text": TextForm("")},
        {"text": TextForm("a:B", wraps=1)}, {"text": TextForm("a:B", digest_of="x")},
        {"profile": "Ada"}, {"presets": ["secs=1"]},
        {"presets": {"secs=1": "Ada"}}, {"presets": {1: BotProfile("Ada")}},
    ],
)  # fmt: skip
def test_invalid_agents_are_not_registered(changes):
    before = agent_names()
    with pytest.raises(AgentError):
        register(**{"name": "another", "load": lambda: RandomAgent, "summary": "x", **changes})
    assert agent_names() == before


def test_an_unreadable_mapping_raises_an_error_and_keeps_the_game():
    class Failing(dict[int, object]):
        def __iter__(self):
            raise KeyError("x")

    game = Game("small", "thesis", seed=3, picks="random")
    with pytest.raises(GameError, match="orders: the entries cannot be read: KeyError"):
        game.play_round(Failing())  # type: ignore[arg-type]
    assert game.round == 0
    game = Game("small", "thesis", seed=3, picks="play")
    with pytest.raises(GameError, match="preferences: the entries cannot be read: KeyError"):
        game.pick(Failing())  # type: ignore[arg-type]
