"""The turn network of the searching player's candidates in `nash`, with the player's memory under fog."""

from __future__ import annotations

import numpy as np
import pytest

from warlight_env.agents import Agent, make_agent
from warlight_env.agents.players.nash.agent import NashAgent
from warlight_env.agents.records.turn_record import SHAPES, make_turn_network, reads_memory
from warlight_env.agents.turn_net.agent import TurnNetAgent
from warlight_env.agents.turn_net.turn_network_file import TurnNetworkError
from warlight_env.beliefs import BeliefAgent
from warlight_env.engine.rules import Rules
from warlight_env.errors import InputError
from warlight_env.game import Game


def memory_network(seed=4):
    """A network with random weights, which reads all features."""
    draw = np.random.default_rng(seed)
    return make_turn_network({name: draw.normal(size=shape).astype(np.float32) for name, shape in SHAPES.items()})


def search_of(**options):
    """A search that must keep the turn of its network."""
    return NashAgent(
        1, sims=30, candidates=6, rounds=1, local_search=0.0, final_move="best", policy_anchor=1.0, **options
    )  # fmt: skip


def played(game, network, search):
    """Play six rounds; return the answers of a policy, or of a network, and of a search."""
    policy = network if isinstance(network, Agent) else TurnNetAgent(network, seed=1)
    other, answers = TurnNetAgent(memory_network(), seed=2, temperature=1.0), []
    while not game.done and len(answers) < 6:
        view = game.view(0)
        answers.append((policy.act(view), search.act(view)))
        game.play_round([answers[-1][0], other.act(game.view(1))])
    return answers


def fog_game():
    return Game("small", Rules.of("thesis", fog=True), seed=5, picks="random")


@pytest.mark.parametrize("options", [
    {"net": "learned", "own_net": memory_network()},
    {"net": "none", "own_net": memory_network()},
    {"net": memory_network()},
], ids=["another network plays later rounds", "plans play later rounds", "one network"])  # fmt: skip
def test_under_fog_the_network_of_the_candidates_reads_the_memory(options):
    network = memory_network()
    assert reads_memory(network)
    for expected, answer in played(fog_game(), network, search_of(**options)):
        assert answer == expected


def test_the_candidates_of_a_network_without_memory_differ():
    answers = played(fog_game(), memory_network(), search_of(net="learned"))
    assert any(answer != expected for expected, answer in answers)


def test_a_belief_does_not_change_what_a_network_remembers():
    network = memory_network()
    for agent in (TurnNetAgent(network, seed=1), search_of(own_net=network)):
        for expected, answer in played(fog_game(), network, BeliefAgent(agent)):
            assert answer == expected


def test_a_search_plays_on_the_position_of_the_belief():
    plain, search = search_of(own_net=memory_network()), search_of(own_net=memory_network())
    played(fog_game(), memory_network(), plain)
    played(fog_game(), memory_network(), BeliefAgent(search))
    found, other = (
        [candidate.total for candidate in agent.last_search().record.candidates] for agent in (search, plain)
    )
    assert found != other


def test_own_net_is_checked():
    with pytest.raises(TurnNetworkError, match="there is no turn network 'nothing'"):
        NashAgent(own_net="nothing")
    with pytest.raises(TurnNetworkError, match=r"own_net = 3\b"):
        NashAgent(own_net=3)


@pytest.mark.parametrize("map, rules, network", [
    ("world", "challenge1", "fog"), ("world", "thesis", "world"), ("large", "challenge2", "any_fog"),
    ("large", "thesis", "any"),
])  # fmt: skip
def test_by_default_networks_with_a_memory_propose_turns_and_picks_under_fog(map, rules, network):
    game, policy = Game(map, rules, seed=3), make_agent(f"policy:{network}", 1)
    search = search_of()
    picks = [search.pick(game.view(0)), policy.pick(game.view(0))]
    assert (picks[0] == picks[1]) == (network in ("fog", "any_fog")), "the other networks have no head for picks"
    other = make_agent("plan:picks=best", 2)
    while game.phase == "pick":
        game.pick({seat: (other if seat else policy).pick(game.view(seat)) for seat in game.pickers()})
    for expected, answer in played(game, policy, search):
        assert answer == expected


def test_picks_of_a_network_without_a_head_are_refused_at_the_start():
    with pytest.raises(InputError, match=r"picks = 'network': no network of own_net has a head for picks"):
        search_of(picks="network", own_net="world")


def test_picks_by_a_network_are_refused_in_a_game_for_which_no_network_has_a_head():
    search, view = search_of(picks="network"), Game("world", Rules.of("challenge1", fog=False), seed=3).view(0)
    with pytest.raises(InputError, match="the network of own_net for this game has no head for picks"):
        search.pick(view)
