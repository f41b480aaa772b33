"""Picks from simulated games: all offered regions are ranked, equal seeds give equal ranks, wastelands are avoided."""

from __future__ import annotations

import numpy as np
import pytest

from warlight_env.agents import make_agent
from warlight_env.agents.planning.simulated_picks import simulated_picks
from warlight_env.agents.records.value_record import load_value
from warlight_env.agents.turn_net.turn_network_file import load_turn_network
from warlight_env.agents.turn_net.turns import sampled_turn
from warlight_env.agents.weights import PLANNING
from warlight_env.engine.rng import make_rng
from warlight_env.engine.rules import PRESETS
from warlight_env.game import Game

GAMES = 600


def policy_arguments(net: str) -> dict:
    return {} if net == "none" else {"policy": sampled_turn, "net": load_turn_network(net)}


@pytest.mark.parametrize("rules", PRESETS)
@pytest.mark.parametrize(("players", "net", "games"), [(2, "none", GAMES), (3, "none", GAMES), (2, "learned", 100)])
def test_all_offers_are_ranked_and_equal_seeds_give_equal_ranks(rules, players, net, games):
    game = Game("world", rules, players, seed=4)
    while game.phase == "pick":
        picks = {}
        for p in game.pickers():
            view = game.view(p)
            picks[p] = simulated_picks(view, PLANNING, None, make_rng(p), games, **policy_arguments(net))
            assert sorted(picks[p]) == sorted(view.offers)
            assert picks[p] == simulated_picks(view, PLANNING, None, make_rng(p), games, **policy_arguments(net))
        game.pick(picks)
    assert game.phase == "play"


@pytest.mark.parametrize(("net", "games"), [("none", 2000), ("learned", 200)])
def test_super_regions_with_wastelands_are_not_picked_first(net, games):
    """A super region with a wasteland costs more than it returns."""
    first = 0
    for seed in range(6):
        game = Game("world", "challenge2", seed=seed)
        view = game.view(game.pickers()[0])
        waste = {int(view.board.super_region[r]) for r in np.flatnonzero(view.army > 4)}
        ranked = simulated_picks(view, PLANNING, load_value("learned"), make_rng(seed), games, **policy_arguments(net))
        assert waste
        first += int(view.board.super_region[ranked[0]]) in waste
    assert first <= 1  # half of the map's super regions have a wasteland


def test_agents_pick_by_simulated_games_or_by_weights():
    ranked = []
    for text in (
        "plan:weights=planning",
        "plan:picks=best",
        "nash:sims=50,net=none",
        "nash:sims=50,picks=best",
        "nash:sims=50,picks=simulated",
    ):
        game = Game("world", "challenge1", seed=3)
        ranked.append(make_agent(text, 1).pick(game.view(0)))
        assert sorted(ranked[-1]) == sorted(game.view(0).offers)
    assert ranked[0] == ranked[2] and ranked[1] == ranked[3] and ranked[0] != ranked[1]
