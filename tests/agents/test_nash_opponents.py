"""Opponent models of equilibrium search: they weight an opponent's turns according to its earlier turns."""

from __future__ import annotations

import copy
import multiprocessing
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest

from warlight_env.agents import make_agent
from warlight_env.agents.players.nash.opponent_types import OPPONENT_TYPES
from warlight_env.agents.players.nash.recognized_bots import SIMPLE, RecognizedBots
from warlight_env.engine.orders import Orders
from warlight_env.engine.state import UNKNOWN
from warlight_env.errors import InputError
from warlight_env.game import Game

ROUNDS = 10


def played(others, opponent, rules="thesis", players=2, net="any"):
    """The search after some rounds against agents of a specification, and its turns."""
    game = Game("world", rules, players, seed=4, picks="random")
    search = make_agent(f"nash:300,opponent_model={others},net={net}", 1)
    agents = [search, *(make_agent(opponent, 1 + p) for p in range(1, players))]
    turns = []
    while not game.done and game.round < ROUNDS:
        orders = {p: agent.act(game.view(p)) for p, agent in enumerate(agents) if game.alive(p)}
        turns.append(repr(orders.get(0)))
        game.play_round(orders)
    return search, turns


def test_it_is_found_out_who_plays():
    players = {"plans": "plan", "network": "policy:any", "generators": "smart_random"}
    weights = {kind: played("observed", bot)[0]._opponents.weights[1] for kind, bot in players.items()}
    for k, kind in enumerate(OPPONENT_TYPES):
        assert max(weights, key=lambda name: weights[name][k]) == kind  # no other has it as likely
        assert min(weights[kind]) >= 0.05 - 1e-9  # nobody plays by one kind alone
        assert sum(weights[kind]) == pytest.approx(1)
    assert weights["network"][list(OPPONENT_TYPES).index("network")] > 0.5
    assert weights["generators"][list(OPPONENT_TYPES).index("generators")] > 0.5


def test_each_opponent_has_weights_of_its_own_and_fog_hides_some_orders():
    search, turns = played("observed", "plan", "challenge2", 3)
    weights = search._opponents.weights
    assert weights.shape == (3, len(OPPONENT_TYPES)) and np.allclose(weights.sum(1), 1)
    assert np.allclose(weights[0], 1 / len(OPPONENT_TYPES))  # nothing is learned of oneself
    assert played("observed", "plan", "challenge2", 3)[1] == turns


def test_a_new_game_is_learned_from_anew():
    search = make_agent("nash:60,opponent_model=observed", 1)

    def weights_after(rounds, rules, players):
        game = Game("small", rules, players, seed=4, picks="random")
        agents = [search, *(make_agent("smart_random", 1 + p) for p in range(1, players))]
        for _ in range(rounds):
            game.play_round({p: agent.act(game.view(p)) for p, agent in enumerate(agents) if game.alive(p)})
        return search._opponents.weights

    even = np.full((2, len(OPPONENT_TYPES)), 1 / len(OPPONENT_TYPES))
    assert not np.allclose(weights_after(3, "thesis", 2), even)
    assert np.allclose(weights_after(1, "thesis", 2), even)
    assert np.allclose(weights_after(1, "challenge1", 2), even)
    assert weights_after(2, "thesis", 3).shape == (3, len(OPPONENT_TYPES))


def test_under_fog_turns_are_held_against_the_position_that_is_searched():
    search, _ = played("observed", "plan", "challenge2")
    assert not (search._opponents._before[1].owner == UNKNOWN).any()


def test_one_kind_alone_and_no_network():
    assert played("plans", "aggressive")[0]._opponents.weights.shape == (2, 1)
    assert played("observed", "aggressive", net="none")[0]._opponents.weights.shape == (2, 2)
    assert played("same", "aggressive")[0]._opponents is None
    with pytest.raises(InputError, match="opponent_model = 'network': there is no turn network"):
        make_agent("nash:300,opponent_model=network,net=none", 1)


@pytest.mark.parametrize("bot", SIMPLE)
def test_a_simple_bot_is_recognised_within_a_few_rounds(bot):
    chances = played("recognized", bot)[0]._simple.chances
    assert chances[1, list(SIMPLE).index(bot)] > 0.7
    assert (chances[0] == chances[0, 0]).all()  # nothing is learned of oneself


def test_who_is_none_of_the_simple_bots_is_played_as_if_there_were_none():
    known, turns = played("recognized", "random")
    assert (known._simple.chances[1] < 0.1).all()
    assert turns == played("same", "random")[1]


def test_each_opponent_is_recognised_for_itself():
    game = Game("world", "thesis", 3, seed=9, picks="random")
    agents = [make_agent(spec, seed) for seed, spec in enumerate(("nash:60", "aggressive", "one_big_army"))]
    for _ in range(5):
        game.play_round({p: agent.act(game.view(p)) for p, agent in enumerate(agents) if game.alive(p)})
    chances = dict(zip(SIMPLE, agents[0]._simple.chances.T, strict=True))
    assert chances["aggressive"][1] > 0.7 > 0.1 > chances["one_big_army"][1]
    assert chances["one_big_army"][2] > 0.7 > 0.1 > chances["aggressive"][2]


def test_under_fog_nobody_is_recognised():
    assert played("recognized", "one_big_army", "challenge2")[0]._simple is None
    assert played("same", "one_big_army")[0]._simple is None


def test_an_agent_that_is_asked_for_another_seat_begins_anew():
    game = Game("world", "thesis", seed=4, picks="random")
    agent, other = make_agent("nash:60", 1), make_agent("one_big_army", 2)
    for seat in (0, 1, 1, 0):
        orders = {seat: agent.act(game.view(seat)), 1 - seat: other.act(game.view(1 - seat))}
        assert (agent._simple.chances[seat] == agent._simple.chances[seat, 0]).all()
        game.play_round(orders)


def test_after_a_search_that_was_broken_off_it_goes_on(monkeypatch):
    game = Game("world", "thesis", seed=4, picks="random")
    agent, other = make_agent("nash:60", 1), make_agent("one_big_army", 2)
    for stopped in (False, True, False, False, False):
        view = game.view(0)
        if stopped:
            with monkeypatch.context() as patch:
                patch.setattr(RecognizedBots, "write", interrupted)
                with pytest.raises(KeyboardInterrupt):
                    agent.act(view)
        orders = Orders() if stopped else agent.act(view)
        game.play_round({0: orders, 1: other.act(game.view(1))})
    assert agent._simple.chances[1, 0] > 0.3


def interrupted(*args):
    raise KeyboardInterrupt


@pytest.mark.usefixtures("forked_workers")
def test_what_a_copy_knows_it_knows_in_another_process():
    """Agents hold addresses of functions, which are of one process: they and the position travel together."""
    game = Game("world", "thesis", seed=4, picks="random")
    agents = [make_agent(spec, 1) for spec in ("nash:60", "nash:60,opponent_model=observed", "plan", "one_ply")]
    other = make_agent("one_big_army", 2)
    for _ in range(4):
        first, *_ = [agent.act(game.view(0)) for agent in agents]
        game.play_round({0: first, 1: other.act(game.view(1))})
    view = game.view(0)
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        there = [pool.submit(agent.act, view).result(timeout=300) for agent in agents]
    copies = copy.deepcopy(agents)
    assert there == [agent.act(view) for agent in agents] == [agent.act(view) for agent in copies]
