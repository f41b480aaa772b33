"""The start of a game: offers and picks of every preset, wastelands, random starts, and the player limits of maps."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats

from helpers import make_map
from warlight_env import maps
from warlight_env.engine.rules import Rules, RulesError
from warlight_env.engine.setup import picker
from warlight_env.game import Game, IllegalOrdersError

WORLD = maps.load("world")


def by_super_region(regions) -> Counter[int]:
    return Counter(WORLD.super_region_of[r] for r in regions)


@pytest.mark.parametrize(("preset", "each"), [("thesis", 1), ("thesis_draft", 2)])
@pytest.mark.parametrize("players", [2, 3])
def test_thesis_offers_every_player_regions_of_each_super_region(preset, each, players):
    for seed in range(20):
        game = Game(WORLD, preset, players=players, seed=seed)
        offers = [game.offers(p) for p in range(players)]
        assert len({r for offer in offers for r in offer}) == sum(map(len, offers))  # disjoint
        for s, size in enumerate(len(members) for members in WORLD.members):
            counts = [by_super_region(offer)[s] for offer in offers]
            assert sum(counts) == min(size, each * players)
            assert max(counts) <= each


def test_small_super_regions_are_offered_to_random_players():
    lucky = Counter()
    for seed in range(600):
        game = Game(WORLD, players=6, seed=seed)
        offers = [game.offers(p) for p in range(6)]
        assert all(len(offer) >= 5 for offer in offers)
        lucky.update(p for p, offer in enumerate(offers) if by_super_region(offer)[1])  # South America: 4 regions
    assert stats.chisquare([lucky[p] for p in range(6)]).pvalue > 1e-4


def test_thesis_picks_are_given_and_play_begins():
    game = Game(WORLD, seed=4)
    preferences = {p: list(game.offers(p)[1:3]) for p in range(2)}
    game.pick(preferences)
    assert game.phase == "play"
    for p in range(2):
        assert np.flatnonzero(game.owner == p).tolist() == preferences[p]
    assert (game.army == 2).all()
    assert (game.owner == -1).sum() == 38


def test_another_players_offer_cannot_be_picked():
    game = Game(WORLD, seed=4)
    with pytest.raises(IllegalOrdersError, match="not offered"):
        game.pick({0: game.offers(1)[:2], 1: game.offers(1)[:2]})
    dropped = game.pick({0: game.offers(1)[:2], 1: game.offers(1)[:2]}, on_illegal="skip")
    assert len(dropped) == 2
    assert (game.owner == 0).sum() == 2  # drawn from its own offer


def test_challenge1_offers_both_players_the_same_regions_and_draws_ties():
    wins = 0
    for seed in range(400):
        game = Game(WORLD, "challenge1", seed=seed)
        assert game.offers(0) == game.offers(1)
        assert by_super_region(game.offers(0)) == dict.fromkeys(range(6), 2)
        preference = list(game.offers(0)[:6])
        game.pick({0: preference, 1: preference})
        assert [(game.owner == p).sum() for p in range(2)] == [3, 3]
        assert set(np.flatnonzero(game.owner >= 0).tolist()) == set(preference)
        wins += game.owner[preference[0]] == 0
    assert stats.binomtest(wins, 400).pvalue > 1e-4


def test_challenge1_only_six_preferences_count():
    extras = set()
    for seed in range(40):
        game = Game(WORLD, "challenge1", players=3, seed=seed)
        offers = list(game.offers(0))
        assert game.pick(dict.fromkeys(range(3), offers), on_illegal="skip") == []
        taken = {offers.index(r) for r in np.flatnonzero(game.owner >= 0).tolist()}
        assert set(range(6)) <= taken
        extras |= taken - set(range(6))
    assert len(extras) == 6  # the other regions are drawn at random, not taken in order


def test_challenge2_has_abbaab_picks_and_wastelands():
    for seed in range(30):
        game = Game(WORLD, "challenge2", seed=seed)
        wastelands = np.flatnonzero(game.army == 6)
        assert 1 <= len(wastelands) <= 3
        assert not set(wastelands.tolist()) & set(game.offers(0))
        assert max(by_super_region(game.offers(0)).values()) == 1
        order = []
        while game.phase == "pick":
            (player,) = game.pickers()
            assert game.view(player).picks_left == 3 - order.count(player)
            order.append(player)
            game.pick({player: game.offers(player)[:1]})
        assert order == [0, 1, 1, 0, 0, 1]
        assert game.rules.fog


def test_fewer_picks_where_fewer_regions_are_offered():
    lone = make_map([0, 0, 1, 1, 2, 2], [(i, i + 1) for i in range(5)], [1, 1, 1])
    game = Game(lone, "challenge2", picks="random")
    assert [(game.owner == p).sum() for p in range(2)] == [1, 1]


def test_order_of_single_picks_reverses_each_time():
    assert [picker(turn, 3) for turn in range(9)] == [0, 1, 2, 2, 1, 0, 0, 1, 2]


def test_dealt_players_start_apart():
    rules = Rules.of("thesis", picking="dealt", picks=4, dealt_apart=True, offers_per_super_region=0)
    for seed in range(50):
        game = Game(WORLD, rules, seed=seed)
        assert game.phase == "play"
        assert [(game.owner == p).sum() for p in range(2)] == [4, 4]
        for a, b in WORLD.borders:
            assert {int(game.owner[a]), int(game.owner[b])} != {0, 1}


def test_impossible_deal_raises_an_error():
    line = make_map([0, 0, 0, 0], [(0, 1), (1, 2), (2, 3)], [1])
    rules = Rules.of("thesis", picking="dealt", picks=2, dealt_apart=True, offers_per_super_region=0)
    with pytest.raises(RulesError, match="2 players that are not neighbours"):
        Game(line, rules)


def test_random_picks_are_uniform_over_the_offer():
    chosen = Counter()
    for seed in range(900):
        game = Game(WORLD, seed=seed)
        offer = game.offers(0)
        game.pick({}, on_illegal="skip")
        chosen.update(offer.index(r) for r in np.flatnonzero(game.owner == 0).tolist())
    assert stats.chisquare([chosen[i] for i in range(6)]).pvalue > 1e-4


@example(sizes=[1, 1, 1, 1, 1, 2], players=4, preset="challenge2", seed=0)  # three wastelands leave three regions
@given(
    sizes=st.lists(st.integers(1, 6), min_size=1, max_size=6),
    players=st.integers(2, 6),
    preset=st.sampled_from(["thesis", "thesis_draft", "challenge1", "challenge2"]),
    seed=st.integers(0, 1000),
)
@settings(max_examples=150)
def test_map_raises_an_error_or_gives_all_players_regions(sizes, players, preset, seed):
    of = [s for s, size in enumerate(sizes) for _ in range(size)]
    if len(of) < 2:
        return
    line = make_map(of, [(i, i + 1) for i in range(len(of) - 1)], [1] * len(sizes))
    try:
        game = Game(line, preset, players=players, seed=seed)
    except RulesError as error:
        assert "can offer each player only" in str(error)
        return
    if preset != "challenge2":
        assert all(len(game.offers(p)) >= game.rules.picks for p in range(players))
    while game.phase == "pick":
        game.pick({}, on_illegal="skip")
    held = [int((game.owner == p).sum()) for p in range(players)]
    assert min(held) == max(held) >= 1
    assert preset == "challenge2" or held[0] == game.rules.picks
