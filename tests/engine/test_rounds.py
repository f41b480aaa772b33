"""Rounds on small boards with fixed dice, one test for each rule; and properties that hold in every round."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers import PRESETS, RING, make_map, position, script
from warlight_env.engine.rules import Rules
from warlight_env.game import Game, IllegalOrdersError, Orders

OWNERS = [0, 0, 0, 1, 1, 1]


def ring(owner=OWNERS, army=(5,) * 6, rules="thesis", players=2) -> Game:
    return position(Game(RING, Rules.of(rules, picks=1), players=players), list(owner), list(army))


def play(game: Game, mine: Orders, theirs: Orders | None = None, dice: list[int] | None = None, **kwargs):
    return game.play_round([mine, theirs], script=None if dice is None else script(dice), **kwargs)


def test_income_is_five_and_the_bonuses_of_whole_super_regions():
    game = ring()  # super regions: 0-1 bonus 2, 2-3 bonus 3, 4-5 bonus 1
    assert (game.income(0), game.income(1)) == (7, 6)


def test_deploys_on_one_region_merge_and_the_rest_is_lost():
    game = ring()
    play(game, Orders([(0, 2), (0, 1), (1, 1)]))
    assert game.army.tolist() == [8, 6, 5, 5, 5, 5]


def test_deployed_armies_may_attack_in_the_same_round():
    game = ring(army=[1, 1, 1, 1, 1, 1])
    result = play(game, Orders([(2, 5)], [(2, 3, 5)]), dice=[5, 0])
    assert result.events[0].armies == 5
    assert (game.owner[3], game.army[3], game.army[2]) == (0, 5, 1)


def test_one_army_always_stays():
    game = ring()
    result = play(game, Orders([], [(2, 3, 100)]), dice=[0, 0])
    assert result.events[0].armies == 4


def test_attack_from_a_region_with_one_army_is_skipped():
    game = ring(army=[1] * 6)
    assert play(game, Orders([], [(2, 3, 1)])).events == []


def test_same_source_and_target_merge_into_the_first():
    game = ring(army=[9] * 6)
    result = play(game, Orders([], [(2, 3, 2), (1, 0, 1), (2, 3, 3)]), dice=[0, 0])
    assert [(e.source, e.target, e.armies) for e in result.events] == [(2, 3, 5), (1, 0, 1)]


def test_moving_to_an_own_region_is_a_transfer_without_losses():
    game = ring()
    result = play(game, Orders([], [(0, 1, 3)]))
    assert result.events[0].kind == "transfer"
    assert game.army.tolist()[:2] == [2, 8]


def test_survivors_of_both_sides_stay_where_they_were():
    game = ring()
    play(game, Orders([], [(2, 3, 4)]), dice=[2, 1])
    assert (game.army[2], game.army[3], game.owner[3]) == (4, 3, 1)


def test_all_dead_leaves_the_defender_one_army():
    game = ring(army=[5, 5, 4, 3, 5, 5])
    result = play(game, Orders([], [(2, 3, 3)]), dice=[3, 3])
    assert (game.army[2], game.army[3], game.owner[3]) == (1, 1, 1)
    assert not result.events[0].captured
    assert (result.events[0].attackers_lost, result.events[0].defenders_lost) == (3, 2)


def test_conquerors_move_in():
    game = ring(army=[5, 5, 5, 2, 5, 5])
    play(game, Orders([], [(2, 3, 4)]), dice=[2, 1])
    assert (game.owner[3], game.army[3], game.army[2]) == (0, 3, 1)


def test_losses_are_clipped_to_the_armies_there():
    game = ring(army=[9, 9, 9, 1, 5, 5])
    result = play(game, Orders([], [(2, 3, 8)]), dice=[8, 1])
    assert (result.events[0].defenders_lost, result.events[0].attackers_lost) == (1, 1)


def test_attack_from_a_lost_region_is_skipped():
    game = ring(army=[5, 5, 2, 9, 5, 5])
    # player 1 goes first (decision 1 leaves the order 0, 1; decision 0 swaps it) and takes region 2
    result = play(game, Orders([], [(2, 3, 1)]), Orders([], [(3, 2, 8)]), dice=[0, 2, 0])
    assert [e.player for e in result.events] == [1]
    assert game.owner[2] == 1


@pytest.mark.parametrize(("first", "expected"), [(1, [0, 1, 0, 1]), (0, [1, 0, 1, 0])])
def test_ith_attacks_of_all_players_have_random_order(first, expected):
    game = ring(army=[9] * 6)
    mine = Orders([], [(0, 1, 1), (1, 0, 1)])
    theirs = Orders([], [(4, 5, 1), (5, 4, 1)])
    assert [e.player for e in play(game, mine, theirs, dice=[first]).events] == expected


def test_transfer_becomes_an_attack_when_the_target_was_lost():
    game = ring(army=[9, 9, 2, 9, 5, 5])
    result = play(game, Orders([], [(1, 2, 3)]), Orders([], [(3, 2, 8)]), dice=[0, 2, 0, 1, 1])
    assert [(e.player, e.kind) for e in result.events] == [(1, "attack"), (0, "attack")]


def test_moved_armies_may_move_on_in_the_thesis_only():
    for rules, moved in (("thesis", 5), ("challenge1", 1), ("challenge2", 1)):
        game = ring(army=[4, 2, 5, 5, 5, 5], rules=rules)
        result = play(game, Orders([], [(0, 1, 3), (1, 2, 9)]))
        assert result.events[1].armies == (4 if rules == "thesis" else moved), rules


def test_reconquered_region_may_attack_only_in_challenge1():
    """Challenge 1 keeps the loser's count of movable armies, challenge 2 resets it to one."""
    for rules, moves_on in (("challenge1", True), ("challenge2", False)):
        game = ring(owner=[0, 0, 0, 0, 1, 1], army=[5, 5, 9, 3, 2, 5], rules=rules)
        # player 1 takes region 3; player 0 takes it back and then attacks from it
        result = play(
            game,
            Orders([], [(2, 3, 8), (3, 0, 9)]),
            Orders([(4, 6)], [(4, 3, 7)]),
            dice=[0, 7, 0, 8, 0],
        )
        sources = [(e.player, e.source) for e in result.events]
        assert ((0, 3) in sources) is moves_on, rules


def test_skipped_attack_uses_its_place_in_the_thesis_and_not_in_the_challenges():
    for rules, expected in (("thesis", [1, 0]), ("challenge1", [0, 1])):
        game = ring(army=[1, 9, 9, 9, 9, 9], rules=rules)
        mine, theirs = Orders([], [(0, 1, 1), (1, 2, 1)]), Orders([], [(4, 5, 1)])
        assert [e.player for e in play(game, mine, theirs, dice=[1]).events] == expected, rules


def test_repeated_attack_is_illegal_in_the_challenges():
    game = ring(rules="challenge1")
    with pytest.raises(IllegalOrdersError, match="already"):
        play(game, Orders([], [(2, 3, 1), (2, 3, 1)]))


def test_challenges_accept_51_orders():
    game = ring(rules="challenge1")
    deploys = [(0, 0)] * 50 + [(0, 1), (0, 1)]
    result = play(game, Orders(deploys), on_illegal="skip")
    assert game.army[0] == 6
    assert "more orders" in result.dropped[-1].reason


def test_last_player_with_regions_wins():
    game = ring(owner=[0, 0, 0, 0, 0, 1], army=[9, 9, 9, 9, 9, 1])
    play(game, Orders([], [(4, 5, 8)]), dice=[1, 0])
    assert (game.done, game.winner, game.placements) == (True, 0, (1, 2))
    assert game.income(1) == 0


def test_round_limit_is_a_draw_or_decided_by_regions_then_armies():
    for tie_break, army, winner, places in (
        ("draw", [5] * 6, None, (1, 1)),
        ("regions", [5] * 6, None, (1, 1)),
        ("regions", [5, 5, 5, 5, 5, 6], 1, (2, 1)),
    ):
        game = ring(army=army, rules=Rules.of("thesis", max_rounds=1, tie_break=tie_break))
        play(game, Orders())
        assert (game.done, game.winner, game.placements) == (True, winner, places)


def test_round_limits_of_the_presets():
    assert [Rules.of(name).round_limit(42) for name in PRESETS] == [0, 0, 100, 105]
    assert Rules.of("challenge2").round_limit(10) == 60


def test_eliminated_players_are_placed_by_round():
    game = ring(owner=[0, 1, 2, 2, 2, 2], army=[1, 1, 9, 9, 9, 9], players=3)
    game.play_round([None, None, Orders([], [(2, 1, 8)])], script=script([1, 0]))
    assert game.placements == (1, 3, 1)
    game.play_round({2: Orders([], [(3, 0, 8)])}, script=script([1, 0]))
    assert (game.winner, game.placements) == (2, (2, 3, 1))


def test_armies_are_capped():
    game = ring(army=[2_000_000, 1_999_999, 5, 5, 5, 5], rules=Rules.of("thesis", base_income=1_000_000))
    play(game, Orders([(0, 9), (1, 500_000)], [(1, 0, 1_000_000)]))
    assert game.army.tolist()[:2] == [2_000_000, 1_000_000]


# Properties of every round

orders = st.builds(
    Orders,
    st.lists(st.tuples(st.integers(-2, 7), st.integers(-3, 9)), max_size=8),
    st.lists(st.tuples(st.integers(-2, 7), st.integers(-2, 7), st.integers(-3, 30)), max_size=12),
)


@given(
    preset=st.sampled_from(PRESETS),
    owner=st.lists(st.integers(-1, 2), min_size=6, max_size=6).filter(lambda o: len(set(o) - {-1}) > 1),
    army=st.lists(st.integers(1, 40), min_size=6, max_size=6),
    turns=st.tuples(orders, orders, orders),
    dice=st.lists(st.integers(0, 1000), min_size=1, max_size=30),
)
@settings(max_examples=100)
def test_conservation_and_bounds(preset, owner, army, turns, dice):
    game = ring(owner, army, preset, players=3)
    incomes = [game.income(p) for p in range(3)]
    before = game.army.sum()
    result = game.play_round(turns, on_illegal="skip", script=script(dice))
    dropped = {(d.player, d.kind, d.index) for d in result.dropped}
    deployed = [
        sum(a for i, (_, a) in enumerate(turns[p].deploys) if (p, "deploy", i) not in dropped) for p in range(3)
    ]
    assert all(0 <= d <= income for d, income in zip(deployed, incomes, strict=True))
    assert (game.army >= 1).all()
    assert ((game.owner >= -1) & (game.owner < 3)).all()
    lost = sum(e.attackers_lost + e.defenders_lost for e in result.events)
    assert game.army.sum() == before + sum(deployed) - lost
    for event in result.events:
        assert RING.neighbors[event.source].count(event.target) == 1
        assert event.armies >= 1
        assert owner.count(event.player) > 0  # players without regions have no events


def test_eliminated_players_orders_are_dropped():
    game = ring(owner=[0] * 3 + [1] * 3, players=3)
    result = game.play_round([Orders(), Orders(), Orders([(0, 1)], [(0, 1, 1)])], on_illegal="skip")
    assert [d.reason for d in result.dropped] == ["not the player's region"] * 2
    assert result.events == []
    assert np.array_equal(game.army, [5] * 6)


def test_fog_hides_orders_of_others_away_from_visible_regions():
    """Player 0 owns R0 of a line and sees R1; player 1 deploys and attacks near it and far away."""
    line = make_map([0, 0, 0, 1, 1, 1], [(r, r + 1) for r in range(5)], [1, 1])
    orders = {
        0: Orders([(0, 1)], [(5, 4, 1)]),
        1: Orders([(1, 2), (4, 3)], [(1, 2, 1), (4, 5, 1), (3, 4, 1)]),
    }
    for fog in (True, False):
        game = position(Game(line, Rules.of("thesis", picks=1, fog=fog)), [0, 1, -1, 1, 1, 1], [3, 3, 9, 3, 3, 3])
        result = game.play_round(orders, on_illegal="skip")
        assert [(d.player, d.region, d.armies) for d in result.deploys] == [(0, 0, 1), (1, 1, 2), (1, 4, 3)]
        seen = result.seen_by(0)
        deploys, events = [d.region for d in seen.deploys], [(e.source, e.target) for e in seen.events]
        if fog:
            assert (deploys, events) == ([0, 1], [(1, 2)])
        else:
            assert (deploys, events) == ([0, 1, 4], [(1, 2), (4, 5), (3, 4)])
        assert [d.player for d in seen.dropped] == [0] and result.seen_by(1).dropped == []
        assert len(result.seen_by(1).events) == 3
