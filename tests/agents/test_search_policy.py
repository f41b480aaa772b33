"""Search policies: all searching agents report the probabilities of their candidate turns in the same form."""

from __future__ import annotations

import numpy as np
import pytest

from helpers import RING
from warlight_env import Game, Orders
from warlight_env.agents import Agent, make_agent
from warlight_env.agents.agent_adapter import as_agent
from warlight_env.agents.records.search_record import Candidate, SearchRecord

ONE_BEST = ("one_ply", "plan:value=weights,picks=best", "minimax2:sims=2000", "maxn:sims=2000")
BY_VISITS = ("mcts:sims=150", "mcts:sims=150,local_search=0.0", "flat_mc:sims=150", "belief:mcts:sims=50")
MIXED = ("nash:sims=2000,value=weights",)


def game_after_three_rounds(max_orders: int = 0) -> Game:
    """Return a game on the ring after three rounds."""
    game = Game(RING, {"name": "thesis", "max_orders": max_orders, "picks": 1}, 2, seed=3, picks="random")
    for _ in range(3):
        game.play_round([make_agent("aggressive", p).act(game.view(p)) for p in range(2)])
    return game


@pytest.mark.parametrize("name", [*ONE_BEST, *BY_VISITS, *MIXED])
def test_candidates_are_legal_and_their_probabilities_sum_to_1(name):
    game, agent = game_after_three_rounds(max_orders=2), make_agent(name, 1)
    assert agent.search_policy() is None, "it has not answered yet"
    answer = agent.act(game.view(0))
    policy = agent.search_policy()
    count = len(policy.turns)
    assert policy.turns[0] == answer and count == len(policy.picks) > 1
    assert policy.probabilities.shape == policy.values.shape == (count,)
    assert policy.probabilities.sum() == pytest.approx(1) and policy.probabilities.min() >= 0
    assert all(game.check(0, turn) == [] for turn in policy.turns)
    known_values = policy.values[~np.isnan(policy.values)]
    assert len(known_values) and known_values.min() >= 0 and known_values.max() <= 1 + 1e-9
    if name in ONE_BEST:
        assert policy.probabilities[0] == 1 and policy.values[0] == np.nanmax(policy.values)
    if name in MIXED:
        assert (policy.probabilities > 0.01).sum() > 1


def test_the_refined_turn_gets_the_visits_of_the_most_visited_turn():
    turns = [Orders([(i, 1)], []) for i in range(3)]
    record = SearchRecord((4,), (5,), (False,), (1,), (1,), 0.1, tuple(
        Candidate(turn, visits, 0.5 * visits, refined=refined)
        for turn, visits, refined in ((turns[0], 99, True), (turns[1], 3, False), (turns[2], 1, False))
    ))  # fmt: skip
    assert record.policy().probabilities.tolist() == [0.75, 0, 0.25]


def test_the_policy_of_a_pick_search_contains_picks():
    game, agent = Game(RING, {"name": "thesis", "picks": 1}, 2, seed=3), make_agent("mcts:sims=60,picks=search", 1)
    preferences = agent.pick(game.view(0))
    policy = agent.search_policy()
    assert list(policy.picks[0]) == preferences and policy.turns[0] == Orders()


def test_only_searching_and_third_party_agents_have_a_search_policy():
    game, agent = game_after_three_rounds(), make_agent("aggressive", 1)
    agent.act(game.view(0))
    assert agent.search_policy() is None

    class Foreign:
        name = "foreign"

        def pick(self, view):
            return list(view.offers)

        def act(self, view):
            return Orders()

        def search_policy(self):
            return "mine"

    adapted = as_agent(Foreign())
    assert isinstance(adapted, Agent) and adapted.search_policy() == "mine"
