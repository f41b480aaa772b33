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


class Minimal:
    """An agent with only the required methods."""

    name = "plain"

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    def pick(self, view):
        return list(view.offers)

    def act(self, view, budget=None):
        return Orders()


@dataclass
class Fault:
    text: str
    lost: bool

    def __str__(self) -> str:
        return self.text

    def to_dict(self):
        return {"text": self.text}


class Full(Minimal):
    """An agent with all optional methods."""

    name = "rich"
    counts_simulations = False

    def __init__(self, seed: int = 0) -> None:
        super().__init__(seed)
        self.faults: list[Fault] = []
        self.simulations = 0
        self.closed = 0

    def act(self, view, budget=None):
        self.simulations = view.round + 7
        self.faults.append(Fault(f"round {view.round + 1}", lost=view.round == 0))
        return Orders()

    def check(self, map, rules, players):
        if players != 2:
            raise InputError("two, please")

    def close(self):
        self.closed += 1

    def insight(self):
        return {"plan": self.simulations}


def test_missing_methods_have_the_defaults_of_the_base_class():
    agent = as_agent(Minimal(3))
    assert isinstance(agent, Agent) and as_agent(agent) is agent and agent.name == "plain"
    assert (agent.simulations, agent.faults, agent.insight(), agent.last_search()) == (None, None, None, None)
    assert agent.counts_simulations
    agent.check(SMALL, Rules(), 6)
    agent.close()
    agent.name = "other"
    assert agent._agent.name == "other" and agent.seed == 3, "its attributes are its own"
    assert pickle.loads(pickle.dumps(agent)).seed == 3


def test_existing_methods_of_third_party_agents_are_used():
    agent = as_agent(Full())
    recorder = MemoryRecorder(insight=True)
    record = play_game([agent, Minimal()], "small", max_rounds=3, observer=recorder)
    assert agent.closed == 1 and not agent.counts_simulations
    assert record.use[0].simulations == 7 + 8 + 9 and record.use[1].simulations is None
    ((seat, total, lost, first, *_),) = record.faults
    assert (seat, total, lost, first) == (0, 3, 1, ("round 1", "round 2", "round 3"))
    assert [insight.data for step in recorder.log.rounds for insight in step.insights] == [
        {"plan": 7 + n, "faults": [{"text": f"round {n + 1}"}]} for n in range(3)
    ]
    with pytest.raises(InputError, match="two, please"):
        agent.check(SMALL, Rules(), 3)


def test_a_match_accepts_plain_agents_and_calls_their_checks():
    assert Match([Minimal, Full], map="small", games=2, max_rounds=2, jobs=1).run().games == 2
    with pytest.raises(InputError, match="two, please"):
        Match([Minimal, Minimal, Full], map="small", games=3, max_rounds=2, jobs=1).run()
    with pytest.raises(InputError, match="has no effect on a bot"):
        Match([Minimal, Full], map="small", games=2, clocks="5sims", jobs=1).run()


def test_a_belief_agent_forwards_to_its_wrapped_agent():
    agent = BeliefAgent(Full())
    assert isinstance(agent, Agent) and not agent.counts_simulations
    play_game([agent, Minimal()], "small", max_rounds=2)
    assert agent.agent.closed == 1 and agent.simulations == 8 and len(agent.faults) == 2
    assert decision_info(agent, 2) == {"plan": 8}


#: Agents that need no file.
ALONE = [name for name in agent_names() if parse(name)[0].text is None and "file" not in parse(name)[0].parameters]


@pytest.mark.parametrize("name", ALONE)
def test_built_in_agents_inherit_from_the_base_class(name):
    assert isinstance(make_agent(name, 1), Agent)


def test_a_subclass_of_agent_only_needs_pick_and_act():
    class Own(Agent):
        def pick(self, view):
            return list(view.offers)

        def act(self, view, budget=None):
            return Orders()

    assert play_game([Own(), Own()], "small", max_rounds=1).rounds == 1
    with pytest.raises(TypeError, match="abstract"):
        Agent()


@pytest.mark.parametrize(("thing", "is_one"), [(Minimal(), True), (Full, True), (dict, False), (lambda o, m: 0, False)])
def test_agents_are_distinguished_from_policies(thing, is_one):
    assert is_agent(thing) is is_one


def test_the_error_for_a_class_without_a_seed_names_the_signature(monkeypatch):
    from warlight_env.agents import registry

    class Seedless:
        name = "seedless"

        def pick(self, view):
            return list(view.offers)

        def act(self, view, budget=None):
            return Orders()

    monkeypatch.setattr(registry, "_AGENTS", dict(registry._registered_agents()))
    registry.register("seedless", lambda: Seedless, "takes nothing")
    says = r"Seedless cannot make an agent: it must be callable as \S*Seedless\(seed\), .*__init__\(self, seed\)"
    with pytest.raises(InputError, match=f"agent 'seedless' .*cannot be made: .*{says}"):
        make_agent("seedless", 1)
    with pytest.raises(InputError, match=says):
        Match([Seedless, "random"], games=1, map="small").run()


def test_exceptions_of_a_factory_reach_the_caller():
    def broken(seed):
        raise TypeError("of its own")

    with pytest.raises(TypeError, match="of its own"):
        Match([broken, "random"], games=1, map="small").run()
