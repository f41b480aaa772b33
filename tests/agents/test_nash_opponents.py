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


def play_rounds(others, opponent, rules="thesis", players=2, net="any", rounds=ROUNDS):
    """Play rounds against agents of a specification; return the search and its turns."""
    game = Game("world", rules, players, seed=4, picks="random")
    search = make_agent(f"nash:300,opponent_model={others},net={net}", 1)
    agents = [search, *(make_agent(opponent, 1 + p) for p in range(1, players))]
    turns = []
    while not game.done and game.round < rounds:
        orders = {p: agent.act(game.view(p)) for p, agent in enumerate(agents) if game.alive(p)}
        turns.append(repr(orders.get(0)))
        game.play_round(orders)
    return search, turns


def test_observed_turns_identify_the_opponent_s_type():
    players = {"plans": "plan", "network": "policy:any", "generators": "smart_random"}
    weights = {kind: play_rounds("observed", bot)[0]._opponents.weights[1] for kind, bot in players.items()}
    for k, kind in enumerate(OPPONENT_TYPES):
        assert max(weights, key=lambda name: weights[name][k]) == kind  # the weight is highest for this opponent
        assert min(weights[kind]) >= 0.05 - 1e-9  # every type keeps a minimal weight
        assert sum(weights[kind]) == pytest.approx(1)
    assert weights["network"][list(OPPONENT_TYPES).index("network")] > 0.5
    assert weights["generators"][list(OPPONENT_TYPES).index("generators")] > 0.5


def test_each_opponent_has_separate_weights_under_fog():
    search, turns = play_rounds("observed", "plan", "challenge2", 3, rounds=4)
    weights = search._opponents.weights
    assert weights.shape == (3, len(OPPONENT_TYPES)) and np.allclose(weights.sum(1), 1)
    assert np.allclose(weights[0], 1 / len(OPPONENT_TYPES))  # the searching player's row does not change
    assert not np.allclose(weights[1], weights[2])
    assert play_rounds("observed", "plan", "challenge2", 3, rounds=4)[1] == turns


def test_a_new_game_resets_the_weights():
    search = make_agent("nash:60,opponent_model=observed", 1)

    def weights_after(rounds, rules, players):
        game = Game("small", rules, players, seed=4, picks="random")
        agents = [search, *(make_agent("smart_random", 1 + p) for p in range(1, players))]
        for _ in range(rounds):
            game.play_round({p: agent.act(game.view(p)) for p, agent in enumerate(agents) if game.alive(p)})
        return search._opponents.weights

    uniform = np.full((2, len(OPPONENT_TYPES)), 1 / len(OPPONENT_TYPES))
    assert not np.allclose(weights_after(3, "thesis", 2), uniform)
    assert np.allclose(weights_after(1, "thesis", 2), uniform)
    assert np.allclose(weights_after(1, "challenge1", 2), uniform)
    assert weights_after(2, "thesis", 3).shape == (3, len(OPPONENT_TYPES))


def test_under_fog_the_model_uses_the_searched_position():
    search, _ = play_rounds("observed", "plan", "challenge2", rounds=3)
    assert not (search._opponents._before[1].owner == UNKNOWN).any()


def test_models_of_one_type_and_without_a_network_have_fewer_weights():
    assert play_rounds("plans", "aggressive", rounds=2)[0]._opponents.weights.shape == (2, 1)
    assert play_rounds("observed", "aggressive", net="none", rounds=2)[0]._opponents.weights.shape == (2, 2)
    assert play_rounds("same", "aggressive", rounds=2)[0]._opponents is None
    with pytest.raises(InputError, match="opponent_model = 'network': there is no turn network"):
        make_agent("nash:300,opponent_model=network,net=none", 1)


@pytest.mark.parametrize("bot", SIMPLE)
def test_a_simple_bot_is_recognized_within_ten_rounds(bot):
    chances = play_rounds("recognized", bot)[0]._simple.chances
    assert chances[1, list(SIMPLE).index(bot)] > 0.7
    assert (chances[0] == chances[0, 0]).all()  # the searching player's row does not change


def test_an_unrecognized_opponent_does_not_change_the_turns():
    search, turns = play_rounds("recognized", "random")
    assert (search._simple.chances[1] < 0.1).all()
    assert turns == play_rounds("same", "random")[1]


def test_each_opponent_is_recognized_separately():
    game = Game("world", "thesis", 3, seed=9, picks="random")
    agents = [make_agent(spec, seed) for seed, spec in enumerate(("nash:60", "aggressive", "one_big_army"))]
    for _ in range(5):
        game.play_round({p: agent.act(game.view(p)) for p, agent in enumerate(agents) if game.alive(p)})
    chances = dict(zip(SIMPLE, agents[0]._simple.chances.T, strict=True))
    assert chances["aggressive"][1] > 0.7 > 0.1 > chances["one_big_army"][1]
    assert chances["one_big_army"][2] > 0.7 > 0.1 > chances["aggressive"][2]


def test_no_bot_is_recognized_under_fog():
    assert play_rounds("recognized", "one_big_army", "challenge2", rounds=3)[0]._simple is None
    assert play_rounds("same", "one_big_army", rounds=3)[0]._simple is None


def test_another_seat_resets_the_recognition():
    game = Game("world", "thesis", seed=4, picks="random")
    agent, other = make_agent("nash:60", 1), make_agent("one_big_army", 2)
    for seat in (0, 1, 1, 0):
        orders = {seat: agent.act(game.view(seat)), 1 - seat: other.act(game.view(1 - seat))}
        assert (agent._simple.chances[seat] == agent._simple.chances[seat, 0]).all()
        game.play_round(orders)


def test_recognition_continues_after_an_interrupted_search(monkeypatch):
    game = Game("world", "thesis", seed=4, picks="random")
    agent, other = make_agent("nash:60", 1), make_agent("one_big_army", 2)
    for stopped in (False, True, False, False, False):
        view = game.view(0)
        if stopped:
            with monkeypatch.context() as patch:
                patch.setattr(RecognizedBots, "write", interrupt)
                with pytest.raises(KeyboardInterrupt):
                    agent.act(view)
        orders = Orders() if stopped else agent.act(view)
        game.play_round({0: orders, 1: other.act(game.view(1))})
    assert agent._simple.chances[1, 0] > 0.3


def interrupt(*args):
    raise KeyboardInterrupt


@pytest.mark.usefixtures("forked_workers")
def test_agents_act_alike_in_other_processes_and_as_copies():
    """Agents contain function addresses that are only valid in one process, but a pickled agent works in another."""
    game = Game("world", "thesis", seed=4, picks="random")
    agents = [make_agent(spec, 1) for spec in ("nash:60", "nash:60,opponent_model=observed", "plan", "one_ply")]
    other = make_agent("one_big_army", 2)
    for _ in range(4):
        first, *_ = [agent.act(game.view(0)) for agent in agents]
        game.play_round({0: first, 1: other.act(game.view(1))})
    view = game.view(0)
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        remote = [pool.submit(agent.act, view).result(timeout=300) for agent in agents]
    copies = copy.deepcopy(agents)
    assert remote == [agent.act(view) for agent in agents] == [agent.act(view) for agent in copies]
