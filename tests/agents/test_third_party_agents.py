"""Agents that do not inherit from `Agent`: missing methods have defaults, and existing ones are used everywhere."""

from __future__ import annotations

import pickle
from dataclasses import dataclass

import pytest

from warlight_env.agents import Agent, agent_names, make_agent
from warlight_env.agents.agent_adapter import as_agent, is_agent
from warlight_env.agents.registry import parse
from warlight_env.arena import Match, play_game
from warlight_env.beliefs import BeliefAgent
from warlight_env.engine.orders import Orders
from warlight_env.engine.rules import Rules
from warlight_env.errors import InputError
from warlight_env.maps import load
from warlight_env.record import MemoryRecorder, decision_info

SMALL = load("small")


class Plain:
    """The least that is asked for."""

    name = "plain"

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    def pick(self, view):
        return list(view.offers)

    def act(self, view, budget=None):
        return Orders()


@dataclass
class Mishap:
    text: str
    lost: bool

    def __str__(self) -> str:
        return self.text

    def to_dict(self):
        return {"text": self.text}


class Rich(Plain):
    """Everything that may be offered."""

    name = "rich"
    counts_simulations = False

    def __init__(self, seed: int = 0) -> None:
        super().__init__(seed)
        self.faults: list[Mishap] = []
        self.simulations = 0
        self.closed = 0

    def act(self, view, budget=None):
        self.simulations = view.round + 7
        self.faults.append(Mishap(f"round {view.round + 1}", lost=view.round == 0))
        return Orders()

    def check(self, map, rules, players):
        if players != 2:
            raise InputError("two, please")

    def close(self):
        self.closed += 1

    def insight(self):
        return {"plan": self.simulations}


def test_what_a_plain_agent_lacks_has_the_defaults_of_the_base_class():
    agent = as_agent(Plain(3))
    assert isinstance(agent, Agent) and as_agent(agent) is agent and agent.name == "plain"
    assert (agent.simulations, agent.faults, agent.insight(), agent.last_search()) == (None, None, None, None)
    assert agent.counts_simulations
    agent.check(SMALL, Rules(), 6)
    agent.close()
    agent.name = "other"
    assert agent._thing.name == "other" and agent.seed == 3, "its attributes are its own"
    assert pickle.loads(pickle.dumps(agent)).seed == 3


def test_what_an_agent_of_others_has_is_asked():
    agent = as_agent(Rich())
    recorder = MemoryRecorder(insight=True)
    record = play_game([agent, Plain()], "small", max_rounds=3, observer=recorder)
    assert agent.closed == 1 and not agent.counts_simulations
    assert record.use[0].simulations == 7 + 8 + 9 and record.use[1].simulations is None
    ((seat, total, lost, first, *_),) = record.faults
    assert (seat, total, lost, first) == (0, 3, 1, ("round 1", "round 2", "round 3"))
    assert [insight.data for step in recorder.log.rounds for insight in step.insights] == [
        {"plan": 7 + n, "faults": [{"text": f"round {n + 1}"}]} for n in range(3)
    ]
    with pytest.raises(InputError, match="two, please"):
        agent.check(SMALL, Rules(), 3)


def test_a_match_takes_plain_agents_and_asks_those_that_can_refuse():
    assert Match([Plain, Rich], map="small", games=2, max_rounds=2, jobs=1).run().games == 2
    with pytest.raises(InputError, match="two, please"):
        Match([Plain, Plain, Rich], map="small", games=3, max_rounds=2, jobs=1).run()
    with pytest.raises(InputError, match="has no effect on a bot"):
        Match([Plain, Rich], map="small", games=2, clocks="5sims", jobs=1).run()


def test_an_agent_that_believes_offers_what_the_agent_in_it_offers():
    agent = BeliefAgent(Rich())
    assert isinstance(agent, Agent) and not agent.counts_simulations
    play_game([agent, Plain()], "small", max_rounds=2)
    assert agent.agent.closed == 1 and agent.simulations == 8 and len(agent.faults) == 2
    assert decision_info(agent, 2) == {"plan": 8}


#: Those that can be made without a file.
ALONE = [name for name in agent_names() if parse(name)[0].text is None and "file" not in parse(name)[0].parameters]


@pytest.mark.parametrize("name", ALONE)
def test_our_agents_are_of_the_base_class(name):
    assert isinstance(make_agent(name, 1), Agent)


def test_an_agent_of_ones_own_class_needs_pick_and_act_alone():
    class Own(Agent):
        def pick(self, view):
            return list(view.offers)

        def act(self, view, budget=None):
            return Orders()

    assert play_game([Own(), Own()], "small", max_rounds=1).rounds == 1
    with pytest.raises(TypeError, match="abstract"):
        Agent()


@pytest.mark.parametrize(("thing", "is_one"), [(Plain(), True), (Rich, True), (dict, False), (lambda o, m: 0, False)])
def test_agents_are_told_from_policies(thing, is_one):
    assert is_agent(thing) is is_one


def test_a_class_that_takes_no_seed_is_told_what_one_must_take(monkeypatch):
    from warlight_env.agents import registry

    class Seedless:
        name = "seedless"

        def pick(self, view):
            return list(view.offers)

        def act(self, view, budget=None):
            return Orders()

    monkeypatch.setattr(registry, "_AGENTS", dict(registry._AGENTS))
    registry.register("seedless", lambda: Seedless, "takes nothing")
    says = r"Seedless cannot make an agent: it must be callable as \S*Seedless\(seed\), .*__init__\(self, seed\)"
    with pytest.raises(InputError, match=f"agent 'seedless' .*cannot be made: .*{says}"):
        make_agent("seedless", 1)
    with pytest.raises(InputError, match=says):
        Match([Seedless, "random"], games=1, map="small").run()


def test_what_a_factory_raises_itself_comes_through():
    def broken(seed):
        raise TypeError("of its own")

    with pytest.raises(TypeError, match="of its own"):
        Match([broken, "random"], games=1, map="small").run()
