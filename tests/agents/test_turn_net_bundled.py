"""The bundled turn networks: their strength, their names, and searches that use them."""

from __future__ import annotations

import pickle
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers import position
from warlight_env import Orders
from warlight_env.agents import make_agent
from warlight_env.agents.generators.turns import generate_turns
from warlight_env.agents.records.factored_turns import limit_attacks
from warlight_env.agents.records.generator_work import MAX_TURNS
from warlight_env.agents.turn_net.turn_network_file import (
    BUNDLED,
    read_turn_network,
)
from warlight_env.game import Game
from warlight_env.maps import load


def test_the_bundled_network_wins_on_several_maps_and_player_counts():
    for map_, players, seed in (("small", 2, 1), ("world", 4, 2), ("world", 6, 3)):
        game = Game(map_, "thesis", players, seed=seed, picks="random")
        agents = [make_agent("policy:any", seed), *(make_agent("smart_random", seed + p) for p in range(1, players))]
        while not game.done and game.round < 80:
            game.play_round([agent.act(game.view(p)) for p, agent in enumerate(agents)])
        assert game.winner == 0


@pytest.mark.parametrize("rest", [[120, 122, 124, 126], list(range(100, 128))])
def test_a_network_ends_the_game_in_spite_of_the_order_limit(rest):
    """On the map with 128 regions, `challenge1` allows 51 deploys and 51 attacks."""
    start, armies = Game("large", "challenge1", seed=1, picks="random"), 120 // len(rest)
    game = position(start, [int(r in rest) for r in range(128)], [armies if r in rest else 3 for r in range(128)])
    agent = make_agent("policy:any_fog", 1)
    while not game.done and game.round < 60:
        game.play_round([agent.act(game.view(0)), Orders()])
    assert game.winner == 0 and game.round < 60


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(1, 50)), max_size=30),
    st.lists(st.integers(-1, 1), min_size=10, max_size=10),
    st.integers(0, 12),
)
def test_the_order_limit_drops_transfers_first_and_late_ones_first(orders, owner, most):
    rows = np.array([*orders, (9, 9, 9)], np.int32)
    count = limit_attacks(np.array(owner, np.int8), 0, most, rows, len(orders))
    ranked = sorted(range(len(orders)), key=lambda i: (owner[orders[i][1]] == 0, i))
    assert [tuple(row) for row in rows[:count].tolist()] == [orders[i] for i in sorted(ranked[: most or None])]


@pytest.mark.parametrize("name", BUNDLED)
def test_bundled_networks_describe_their_training(name):
    metadata = read_turn_network(BUNDLED[name].read_bytes(), name).metadata
    assert {"trained", "steps", "machine", "minutes", "maps", "players", "rules", "results", "limits"} <= set(metadata)
    assert re.search(r"\d %", metadata["results"]["aggressive"])


@pytest.mark.parametrize("name", ["nash", "mcts"])
@pytest.mark.parametrize("map, players, net", [("world", 2, "world"), ("world", 3, "any"), ("large", 2, "any")])
def test_the_default_network_depends_on_the_map_and_the_players(name, map, players, net):
    copied = pickle.loads(pickle.dumps(load(map)))
    view = Game(copied, players=players, seed=5, picks="random").view(0)

    def turns_of(net):
        agent = make_agent(f"{name}:sims=60,net={net}", 3)
        agent.act(view)
        return {repr(turn) for turn in agent.search_policy().turns}

    assert turns_of("learned") == turns_of(net)
    assert turns_of("world") != turns_of("any")  # the networks differ in this position


@pytest.mark.parametrize("name", ["mcts", "flat_mc"])
def test_searches_with_a_network_include_its_turns(name):
    game = Game("world", seed=4, picks="random")
    view = game.view(0)
    agent = make_agent(f"{name}:sims=40,net=learned,value=learned,rounds=1", 3)
    turn = agent.act(view)
    turns = agent.search_policy().turns
    assert len(turns) > 9  # more than the generators write
    likeliest = make_agent("policy:any", 3).act(view)
    assert repr(likeliest) in {repr(each) for each in turns}
    again = make_agent(f"{name}:sims=40,net=learned,value=learned,rounds=1", 3)
    assert repr(again.act(view)) == repr(turn)
    game.play_round({0: turn, 1: again.act(game.view(1))})


def test_user_defined_functions_take_precedence_over_a_network():
    agent = make_agent("mcts:sims=20,local_search=0,net=learned", 1)
    plain = type(agent)(1, sims=20, local_search=0.0, net="learned", generator=generate_turns, capacity=MAX_TURNS)
    view = Game("world", seed=4, picks="random").view(0)
    agent.act(view), plain.act(view)
    assert len(plain.search_policy().turns) <= 9 < len(agent.search_policy().turns)
