"""The turn network that proposes the candidates of `nash`, with the player's memory under fog."""

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
    """Return a network with random weights that reads all features."""
    draw = np.random.default_rng(seed)
    return make_turn_network({name: draw.normal(size=shape).astype(np.float32) for name, shape in SHAPES.items()})


def make_search(**options):
    """Return a search that always keeps its network's turn."""
    return NashAgent(
        1, sims=30, candidates=6, rounds=1, local_search=0.0, final_move="best", policy_anchor=1.0, **options
    )  # fmt: skip


def play_rounds(game, network, search, rounds=6):
    """Play some rounds; return the answers of a policy, or of a network, and of a search."""
    policy = network if isinstance(network, Agent) else TurnNetAgent(network, seed=1)
    other_, answers = TurnNetAgent(memory_network(), seed=2, temperature=1.0), []
    while not game.done and len(answers) < rounds:
        view = game.view(0)
        answers.append((policy.act(view), search.act(view)))
        game.play_round([answers[-1][0], other_.act(game.view(1))])
    return answers


def fog_game():
    return Game("small", Rules.of("thesis", fog=True), seed=5, picks="random")


@pytest.mark.parametrize("options", [
    {"net": "learned", "own_net": memory_network()},
    {"net": "none", "own_net": memory_network()},
    {"net": memory_network()},
], ids=["another network plays later rounds", "plans play later rounds", "one network"])  # fmt: skip
def test_under_fog_the_network_of_the_candidates_reads_memory(options):
    network = memory_network()
    assert reads_memory(network)
    for expected, answer in play_rounds(fog_game(), network, make_search(**options)):
        assert answer == expected


def test_the_candidates_of_a_network_without_memory_differ():
    answers = play_rounds(fog_game(), memory_network(), make_search(net="learned"))
    assert any(answer != expected for expected, answer in answers)


def test_a_belief_does_not_change_a_network_s_memory():
    network = memory_network()
    for agent in (TurnNetAgent(network, seed=1), make_search(own_net=network)):
        for expected, answer in play_rounds(fog_game(), network, BeliefAgent(agent)):
            assert answer == expected


def test_a_search_uses_the_position_of_the_belief():
    plain, search = make_search(own_net=memory_network()), make_search(own_net=memory_network())
    play_rounds(fog_game(), memory_network(), plain)
    play_rounds(fog_game(), memory_network(), BeliefAgent(search))
    totals, other_ = (
        [candidate.total for candidate in agent.last_search().record.candidates] for agent in (search, plain)
    )
    assert totals != other_


def test_invalid_values_of_own_net_raise_an_error():
    with pytest.raises(TurnNetworkError, match="there is no turn network 'nothing'"):
        NashAgent(own_net="nothing")
    with pytest.raises(TurnNetworkError, match=r"own_net = 3\b"):
        NashAgent(own_net=3)


@pytest.mark.parametrize("map, rules, network", [
    ("world", "challenge1", "fog"), ("world", "thesis", "world"), ("large", "challenge2", "any_fog"),
    ("large", "thesis", "any"),
])  # fmt: skip
def test_networks_with_memory_propose_turns_and_picks_under_fog_by_default(map, rules, network):
    game, policy = Game(map, rules, seed=3), make_agent(f"policy:{network}", 1)
    search = make_search()
    picks = [search.pick(game.view(0)), policy.pick(game.view(0))]
    assert (picks[0] == picks[1]) == (network in ("fog", "any_fog")), "the other networks have no head for picks"
    other_ = make_agent("plan:picks=best", 2)
    while game.phase == "pick":
        game.pick({seat: (other_ if seat else policy).pick(game.view(seat)) for seat in game.pickers()})
    for expected, answer in play_rounds(game, policy, search, rounds=3):
        assert answer == expected


def test_picks_by_networks_without_a_pick_head_raise_an_error():
    with pytest.raises(InputError, match=r"picks = 'network': no network of own_net has a head for picks"):
        make_search(picks="network", own_net="world")


def test_picks_raise_an_error_if_the_game_s_network_has_no_pick_head():
    search, view = make_search(picks="network"), Game("world", Rules.of("challenge1", fog=False), seed=3).view(0)
    with pytest.raises(InputError, match="the network of own_net for this game has no head for picks"):
        search.pick(view)
