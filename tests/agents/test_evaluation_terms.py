"""Evaluation terms beyond those of the thesis, compared with plain Python; arena games of one-ply players."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers import RING, as_position, board_of, shares_of
from warlight_env import Game, maps
from warlight_env.agents import make_agent
from warlight_env.agents.context import bare_context
from warlight_env.agents.evaluation.static_evaluation import (
    explain,
    extended_share,
    position_share,
    region_values,
    write_extended_values,
    write_static_values,
)
from warlight_env.agents.evaluation.territory import largest_territory, threatened_bonus
from warlight_env.agents.players.duels import FEATURES, write_features
from warlight_env.agents.players.mcts import MctsSettings, TreeSearch
from warlight_env.agents.players.one_ply import OnePlyAgent
from warlight_env.agents.weights import THESIS, Weights, super_region_terms
from warlight_env.arena import Match
from warlight_env.errors import InputError
from warlight_env.train.weights.duel_batches import Duels


def components(map_, regions):
    """Return the connected components of a set of regions."""
    left, parts = set(regions), []
    while left:
        part, open_ = set(), {next(iter(left))}
        while open_:
            part |= open_
            open_ = {q for r in open_ for q in map_.neighbors[r] if q in left} - part
        left -= part
        parts.append(part)
    return parts


def threats(map_, owner, army, player):
    total = 0
    for s, bonus in enumerate(map_.bonuses):
        members = [r for r, of in enumerate(map_.super_region_of) if of == s]
        if all(owner[r] == player for r in members):
            beside = [(r, q) for r in members for q in map_.neighbors[r]]
            total += bonus * any(owner[q] not in (-1, player) and army[q] > army[r] for r, q in beside)
    return total


@given(st.data())
@settings(max_examples=25, deadline=None)
def test_terms_match_their_definition_in_plain_python(data):
    map_ = data.draw(st.sampled_from([maps.load("world"), maps.load("small"), RING]))
    n, (board, params) = map_.n_regions, board_of(map_)
    # Player 0 owns most regions, so that complete super regions and large territories occur.
    owner = np.array(data.draw(st.lists(st.sampled_from([0, 0, 0, 1, -1]), min_size=n, max_size=n)), dtype=np.int8)
    army = np.array(data.draw(st.lists(st.integers(1, 9), min_size=n, max_size=n)), dtype=np.int32)
    weights = Weights(neighbor_values=0.3, largest_territory=11.0, threatened_bonus=-70.0, sharpness=2.5)
    context, plain = (bare_context(board, params, 2, w) for w in (weights, THESIS))
    position, worths = as_position(owner, army), []
    for player in range(2):
        own = [r for r in range(n) if owner[r] == player]
        largest = max((len(part) for part in components(map_, own)), default=0)
        assert largest_territory(board, owner, player) == largest
        threatened = threats(map_, owner, army, player)
        assert threatened_bonus(board, position, player) == threatened
        alone = np.zeros(n)
        region_values(plain, position, player, alone)
        values = [alone[r] + 0.3 * np.mean([alone[q] for q in map_.neighbors[r]]) for r in range(n)]
        found = np.zeros(n)
        region_values(context, position, player, found)
        assert found == pytest.approx(values)
        worth = sum(values[r] + 10.0 * army[r] for r in own) + 11.0 * largest - 70.0 * threatened
        assert shares_of(write_extended_values, context, position)[player] == pytest.approx(max(0.0, worth))
        worths.append(max(0.0, worth))
    if min(worths) > 0:
        chance = 1 / (1 + math.exp(-2.5 * math.log(worths[0] / worths[1])))
        assert shares_of(extended_share, context, position) == pytest.approx([chance, 1 - chance])


@pytest.mark.parametrize("players", range(2, 7))
@pytest.mark.parametrize("weights", [THESIS, THESIS._replace(army=-5.0, own_regions=3.0)], ids=["thesis", "below 0"])
def test_a_share_is_a_player_s_fraction_of_the_total_worth(players, weights):
    (board, params), random = board_of(maps.load("world")), np.random.default_rng(players)
    context, floored = bare_context(board, params, players, weights), 0
    for most in (-1, 0, *range(players)):  # from an all-neutral board to a board with all players
        owner = random.integers(-1, most + 1, board.n_regions).astype(np.int8)
        army = random.integers(1, 60, board.n_regions).astype(np.int32)
        owner[board.super_region == 0] = most
        position = as_position(owner, army)
        worths = shares_of(write_static_values, context, position)
        floored += most > 0 and 0.0 in worths[: most + 1]
        expected = [worth / sum(worths) if sum(worths) > 0.0 else 1 / players for worth in worths]
        assert shares_of(position_share, context, position) == expected
    assert (floored > 0) == (weights is not THESIS)


def test_terms_with_weight_0_do_not_change_the_evaluation():
    view = played("world", 5).view(0)
    context, position = bare_context(view.board, view.params, 2, THESIS), view.position
    assert not context.evaluation.extended
    extended, static = (shares_of(write, context, position) for write in (write_extended_values, write_static_values))
    assert extended == static
    assert shares_of(extended_share, context, position) == shares_of(position_share, context, position)


def played(map_: str, rounds: int) -> Game:
    game = Game(map_, seed=3, picks="random")
    bots = [make_agent("aggressive", seat) for seat in range(2)]
    for _ in range(rounds):
        game.play_round([bot.act(game.view(seat)) for seat, bot in enumerate(bots)])
    return game


def test_explained_values_include_the_neighbours():
    view, weights = played("world", 5).view(0), Weights(neighbor_values=-0.4)
    values = np.zeros(view.board.n_regions)
    region_values(bare_context(view.board, view.params, 2, weights), view.position, 0, values)
    terms = explain(view, 0, weights)
    assert [term.value for term in terms] == pytest.approx(values)
    assert any(term.neighbors < 0 for term in terms)


def test_extra_terms_change_the_search():
    view = played("world", 6).view(0)

    def found(weights):
        search = TreeSearch(view, MctsSettings(weights=weights), 1)
        search.run(simulations=60)
        return [(c.visits, c.value) for c in search.candidates()]

    assert found(THESIS) == found("thesis")
    assert found(Weights(largest_territory=200.0)) != found(THESIS)
    assert found(Weights(sharpness=4.0)) != found(THESIS)


def test_static_value_is_a_weighted_sum_of_features():
    """The coefficients are those that `train.td.run` uses to map its weights."""
    view = played("world", 9).view(0)
    weights = Weights(army=4.0, own_regions=7.0, largest_territory=3.0, threatened_bonus=-9.0, whole_bonus_squared=5.0)
    context, terms = bare_context(view.board, view.params, 2, weights), super_region_terms(view.board)
    later = np.array([weights.bonus, weights.neighbors, weights.borders, weights.regions])
    worth = weights.not_neutral * np.array([1 - (later @ terms).min(), *later, 7.0, 5.0])
    coefficients = np.array([*worth, 4.0, 3.0, -9.0])
    for player, expected in enumerate(shares_of(write_extended_values, context, view.position)):
        features = np.zeros(len(FEATURES), dtype=np.float32)
        write_features(view.board, terms, view.position, player, features)
        assert coefficients @ features == pytest.approx(expected, rel=1e-5)


# One-ply players


@pytest.mark.parametrize(
    ("picks", "opponent"),
    [("random", Weights(army=2.0)), ("agents", Weights(pick_distance=0.0)), ("random", "aggressive")],
)
def test_compiled_duels_have_the_results_of_arena_games(picks, opponent):
    """Both use the same random numbers: the winners are equal, with one thread and with two."""
    mine = Weights(army=20.0, largest_territory=5.0)
    games, seed = 12, 77

    def make(weights):
        return lambda seed: OnePlyAgent(seed, weights, samples=2)

    against = opponent if isinstance(opponent, str) else make(opponent)
    result = Match([make(mine), against], games=games, seed=seed, map="small", picks=picks, paired=True).run()
    expected = [1.0 if record.winner == 0 else 0.0 if record.winner == 1 else 0.5 for record in result.records]
    for jobs in (1, 2):
        duels = Duels("small", picks=picks, samples=2, max_rounds=500, jobs=jobs)
        assert duels.scores([mine], [opponent], games // 2, seed)[0, 0].tolist() == expected
    assert 0 < sum(expected) < games


def test_one_ply_plays_without_faults_under_every_preset():
    for rules, players in (("thesis", 3), ("challenge1", 2), ("challenge2", 2)):
        match = Match(["one_ply:samples=1"] * (players - 1) + ["random"], games=2, rules=rules, seed=5, picks="agents")
        result = match.run()
        assert len(result.records) == 2
        assert all(record.dropped == (0,) * players for record in result.records)


def test_one_ply_beats_the_random_choice_among_the_same_turns():
    """The opponent chooses randomly among the same turns."""
    result = Match(["one_ply:samples=3", "smart_random"], games=40, seed=3, map="world", paired=True).run()
    assert sum(record.winner == 0 for record in result.records) >= 30


def test_zero_samples_raise_an_error():
    with pytest.raises(InputError, match="samples = 0"):
        OnePlyAgent(1, samples=0)
