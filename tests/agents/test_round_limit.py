"""Searches at the round limit of the rules: their values match the outcome that `Game` reports."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from generator_helpers import turns as generated

from helpers import RING, make_map, position
from warlight_env import Game, Orders, Rules
from warlight_env.agents import make_agent
from warlight_env.agents.context import bare_context
from warlight_env.agents.evaluation.game_outcome import DRAWN, ONGOING, winner_of, write_end_shares
from warlight_env.agents.players.flat import FlatSearch, FlatSettings
from warlight_env.agents.players.flat.arms import results_of
from warlight_env.agents.players.mcts import MctsSettings, TreeSearch
from warlight_env.agents.weights import DEFAULT

LIMIT = 7
#: A map on which the players' fronts do not meet: without luck, every pair of turns has one outcome.
APART = make_map([0, 0, 0, 1, 1, 1], [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)], [2, 2], "line6")
LONG = make_map([0] * 5 + [1] * 5, [(i, i + 1) for i in range(9)], [2, 2], "line10")
#: Armies and owners of two positions in which each player has one region. In the first position, the winner depends on
#: both players, in the second only on player 0.
ENDS, OWNERS = ([8, 8, 11, 7, 4, 2], [4, 5, 8, 8, 12, 13]), [0, -1, -1, -1, -1, 1]


def before_the_end(map_, owner, army, tie_break="regions", left=1, players=2) -> Game:
    """Return a game with the given number of remaining rounds."""
    rules = Rules.of("thesis", picks=1, offers_per_super_region=0, luck=0.0, max_rounds=LIMIT, tie_break=tie_break)
    return position(Game(map_, rules, players), owner, army, LIMIT - left)


def outcome(game: Game, mine: Orders, theirs: Orders) -> float:
    """Return the outcome for player 0 after the last round."""
    copy = game.clone()
    copy.play_round([mine, theirs])
    assert copy.done
    return {0: 1.0, 1: 0.0}.get(copy.winner, 0.5)


@pytest.mark.parametrize("tie_break", ["regions", "draw"])
def test_simulations_have_the_value_of_the_outcome_at_the_limit(tie_break):
    game = before_the_end(APART, OWNERS, ENDS[0], tie_break)
    replies = generated(game.view(1))
    expected = [{outcome(game, turn, reply) for reply in replies} for turn in generated(game.view(0))]
    assert sorted(map(sorted, expected)) == ([[0.0, 0.5], [0.0, 1.0]] if tie_break == "regions" else [[0.5], [0.5]])
    search = FlatSearch(game.view(0), FlatSettings(samples=1, rounds=3), 1)
    search.run(80)
    found = [set(np.round(values, 6).tolist()) for values in results_of(search.stores[0].arms).values()]
    assert sorted(map(sorted, found)) == sorted(map(sorted, expected))


@pytest.mark.parametrize("tie_break", ["regions", "draw"])
@pytest.mark.parametrize(
    "more", [{}, {"playout": "one_ply", "lookahead_samples": 1}, {"utility": "placements", "alpha": 1.0}]
)
def test_tree_search_values_match_the_outcome_at_the_limit(tie_break, more):
    game = before_the_end(APART, OWNERS, ENDS[1], tie_break)
    reply = generated(game.view(1))[0]
    expected = {str(turn): outcome(game, turn, reply) for turn in generated(game.view(0))}
    assert set(expected.values()) == ({0.0, 1.0} if tie_break == "regions" else {0.5})
    search = TreeSearch(game.view(0), MctsSettings(**({"local_search": 0.0} | more)), 1)
    search.run(60)
    found = {str(candidate.orders): candidate.value for candidate in search.candidates()}
    if "utility" in more and tie_break == "draw":  # a draw gives both players the first place
        assert set(found.values()) == {1.0}
        return
    assert found == pytest.approx(expected, abs=1e-6)
    assert expected[str(search.best())] == max(expected.values())


@pytest.mark.parametrize("spec", ["one_ply:samples=3", "minimax2:samples=3"])
@pytest.mark.parametrize("tie_break", ["regions", "draw"])
def test_one_round_searches_choose_the_best_outcome_at_the_limit(spec, tie_break):
    game = before_the_end(APART, OWNERS, ENDS[1], tie_break)
    reply = generated(game.view(1))[0]
    expected = {str(turn): outcome(game, turn, reply) for turn in generated(game.view(0))}
    agent = make_agent(spec, 1)
    assert expected[str(agent.act(game.view(0)))] == max(expected.values())
    if spec.startswith("minimax2"):
        searched = agent.last_search()
        found = {str(candidate.orders): candidate.value for candidate in searched.record.candidates}
        assert found == pytest.approx(expected), "plays are worth the end, whatever the evaluation says"


def test_positions_before_the_limit_are_not_outcomes():
    game = before_the_end(APART, OWNERS, ENDS[1], left=20)
    search = TreeSearch(game.view(0), MctsSettings(local_search=0.0, rounds=2), 1)
    search.run(60)
    assert all(0.05 < candidate.value < 0.95 for candidate in search.candidates())


def test_local_search_finds_the_decisive_region():
    """All generated turns lose at the limit."""
    owner, army = [-1, 0, -1, -1, 0, -1, -1, 1, 1, 1], [6, 3, 7, 4, 6, 150, 150, 1, 1, 1]
    game = before_the_end(LONG, owner, army)
    replies = generated(game.view(1))
    assert {outcome(game, *pair) for pair in itertools.product(generated(game.view(0)), replies)} == {0.0}
    search = TreeSearch(game.view(0), MctsSettings(), 1)
    search.run(60)
    assert [candidate.value for candidate in search.candidates()] == [0.0] * len(generated(game.view(0)))
    search.improve_by_local_search(300)
    assert search.refined is not None and search.refined.value == 1.0
    assert {outcome(game, search.best(), reply) for reply in replies} == {1.0}


def test_local_search_keeps_the_turn_if_the_limit_is_a_draw():
    owner, army = [-1, 0, -1, -1, 0, -1, -1, 1, 1, 1], [6, 3, 7, 4, 6, 150, 150, 1, 1, 1]
    search = TreeSearch(before_the_end(LONG, owner, army, "draw").view(0), MctsSettings(), 1)
    search.run(60)
    search.improve_by_local_search(300)
    assert search.trials == 300 and search.refined is None


@pytest.mark.parametrize("tie_break", ["regions", "draw"])
def test_the_kernel_s_winner_equals_the_game_s_winner(tie_break):
    random, winners = np.random.default_rng(1), set()
    for _ in range(150):
        owner = random.integers(-1, random.integers(1, 4), 6).tolist()
        alive = {p for p in owner if p >= 0}
        if len(alive) < 2:
            continue
        left = int(random.integers(1, 3))
        game = before_the_end(RING, owner, random.integers(1, 3, 6).tolist(), tie_break, left, players=3)
        game.play_round([None] * 3)
        view = game.view(0)
        context, position = bare_context(view.board, view.params, 3, DEFAULT), view.position
        winner = winner_of(context, position)
        assert (winner != ONGOING) == game.done == (left == 1)
        if game.done:
            assert winner == (DRAWN if game.winner is None else game.winner)
            shares = np.full(3, np.nan)
            write_end_shares(context, position, winner, shares)
            expected = {game.winner: 1.0} if game.winner is not None else dict.fromkeys(alive, 1 / len(alive))
            assert shares.tolist() == [expected.get(p, 0.0) for p in range(3)]
        winners.add(winner)
    assert winners == ({ONGOING, DRAWN, 0, 1, 2} if tie_break == "regions" else {ONGOING, DRAWN})
