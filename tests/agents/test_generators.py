"""Generators of candidate turns on small boards, with one board for each sentence of their description."""

from __future__ import annotations

from types import SimpleNamespace

import generator_helpers as generators
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers import PRESETS, RING, as_position, board_of, make_map, position, shares_of
from warlight_env import Game, Orders, Rules, maps
from warlight_env.agents.context import bare_context
from warlight_env.agents.evaluation.expectation import favourable, max_attackers, to_conquer, to_hold
from warlight_env.agents.evaluation.static_evaluation import (
    explain,
    position_share,
    region_values,
    write_static_values,
)
from warlight_env.agents.generators.turns import random_turn
from warlight_env.agents.records.generator_work import make_generator_work
from warlight_env.agents.weights import BOUNDS, START, THESIS, Weights, WeightsError, make_evaluation
from warlight_env.engine.board import make_board
from warlight_env.engine.rng import make_rng

LINE = make_map([0, 0, 0, 1, 1, 1], [(i, i + 1) for i in range(5)], [2, 3], "line")
STAR = make_map([0, 0, 1, 1], [(0, 1), (0, 2), (0, 3)], [1, 3], "star")


def view(map_, owner, army, player=0):
    return position(Game(map_, Rules.of("thesis", picks=1, offers_per_super_region=0)), owner, army).view(player)


# Expectations


def test_to_conquer_and_to_hold_match_expected_losses():
    for n in range(1, 60):
        attackers = to_conquer(n, 0.6)
        assert 0.6 * attackers >= n - 1e-9 > 0.6 * (attackers - 1)
        held = to_hold(n, 0.6)
        assert held > 0.6 * n - 1e-9 and held - 1 <= 0.6 * n + 1e-9
    assert (to_conquer(3, 0.6), to_hold(5, 0.6)) == (5, 4), "5 attackers kill exactly 3: they take 3 and not 4"


def test_an_attack_is_favourable_if_it_kills_more_than_it_loses():
    assert favourable(3, 2, 0.6, 0.7)  # 1.4 against 1.8
    assert not favourable(2, 2, 0.6, 0.7)  # 1.4 against 1.2
    assert not favourable(7, 6, 0.6, 0.7)  # 4.2 against 4.2
    assert favourable(1, 100, 0.6, 0.7) is False, "its own loss is clipped to the armies there"
    assert favourable(100, 1, 0.6, 0.7)


def test_max_attackers_is_the_strongest_neighbour_plus_its_income():
    board = make_board(STAR)
    position_ = as_position([0, 1, 1, -1], [3, 4, 9, 50])
    assert max_attackers(board, position_, 1, 5, 0) == 9 - 1 + 5
    assert max_attackers(board, position_, 0, 5, 1) == 3 - 1 + 5
    assert max_attackers(board, position_, 1, 5, 3) == 0, "nothing of player 1 is beside region 3"


# Evaluation


@given(st.data())
@settings(max_examples=30)
def test_region_values_are_equal_to_the_explained_values(data):
    map_ = data.draw(st.sampled_from([maps.load("world"), RING, STAR]))
    n = map_.n_regions
    owner = np.array(data.draw(st.lists(st.integers(-1, 2), min_size=n, max_size=n)), dtype=np.int8)
    (board, params), weights = board_of(map_), Weights(army=7.0, own_regions=3.0)
    context, values = bare_context(board, params, 3, weights), np.zeros(n)
    army = np.arange(1, n + 1)
    position_ = as_position(owner, army)
    for player in range(3):
        region_values(context, position_, player, values)
        explained = explain(SimpleNamespace(map=map_, owner=owner), player, weights)
        assert values == pytest.approx([term.value for term in explained])
        mine = owner == player
        expected = values[mine].sum() + 7.0 * army[mine].sum()
        assert shares_of(write_static_values, context, position_)[player] == pytest.approx(max(0.0, expected))


def test_region_values_match_hand_computed_values():
    """The super regions of the line differ only in their bonus, so their constant parts are 1 and 1 + 3."""
    seen = view(LINE, [0, 0, -1, 1, 1, 1], [1] * 6)
    terms = explain(seen, 0)
    values = [t.value for t in terms]
    assert values[2] == 1 + 2 * 20, "neutral, two own regions beside it"
    assert values[0] == (1 + 2 * 20) * 2, "not neutral: doubled"
    whole = 30 * 3**2
    assert values[3] == (4 + 0 + whole + 3 * 20) * 2, "an enemy's whole super region, and three of its regions"
    assert terms[3].complete_super_region == whole and terms[3].owner_regions == 60 and terms[3].factor == 2
    found = np.zeros(6)
    region_values(bare_context(seen.board, seen.params, 2, THESIS), seen.position, 0, found)
    assert values == found.tolist()


def test_shares_are_positive_and_add_up_to_1():
    context, position_ = bare_context(*board_of(LINE), 2, THESIS), as_position([0, 0, -1, 1, 1, -1], [3] * 6)
    shares = shares_of(position_share, context, position_)
    assert sum(shares) == pytest.approx(1) and min(shares) > 0
    position_.owner[3:5] = 0
    assert shares_of(position_share, context, position_) == [1, 0]
    position_.owner[:] = -1
    assert shares_of(position_share, context, position_) == [0.5, 0.5]


# Weights


def test_weights_survive_saving_and_conversion_to_arrays(tmp_path):
    changed = Weights(army=3.5, own_regions=-2.0)
    changed.save(tmp_path / "w.json")
    assert Weights.load(tmp_path / "w.json") == changed
    assert Weights.from_array(changed.to_array()) == changed
    assert Weights.load("thesis") == THESIS
    assert set(BOUNDS) == set(Weights._fields)
    assert all(low <= value <= high for value, (low, high) in zip(THESIS, BOUNDS.values(), strict=False))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"arny": 3}', "no weight 'arny'"), ('{"army": "x"}', "army = 'x'"), ('{"army": 1e9}', "army"),
        ('{"army": NaN}', "NaN is not a number"), ("[]", "object"), ("{", "w.json"),
    ],
)  # fmt: skip
def test_invalid_weight_files_raise_an_error(text, message, tmp_path):
    path = tmp_path / "w.json"
    path.write_text(text)
    with pytest.raises(WeightsError, match=message):
        Weights.load(path)


# Picks


def test_pick_sets_are_all_pairs_in_order_of_value():
    game = Game("world", seed=4)
    seen = game.view(0)
    sets = generators.picks(seen)
    assert {frozenset(s) for s in sets} == {frozenset((a, b)) for a in seen.offers for b in seen.offers if a != b}
    assert len(sets) == len(seen.offers) * (len(seen.offers) - 1) // 2
    board, evaluation = seen.board, make_evaluation(seen.board, THESIS)
    half = board.distance.max() / 2

    def worth(s):
        first, second = (3 * evaluation.supers[START, board.super_region[r]] for r in s)
        return first + second + 50 * min(board.distance[s[0], s[1]], half)

    assert [worth(s) for s in sets] == sorted((worth(s) for s in sets), reverse=True)


# Deploys


def test_aggressive_deploys_beside_the_best_enemy_region():
    """Region 3 is the enemy's region with the higher bonus. Of its neighbours, region 0 has the most armies."""
    seen = view(RING, [0, -1, 0, 1, 0, 1], [9, 2, 5, 3, 4, 3])
    assert generators.deploys(seen, "aggressive") == [(0, 5)], "region 0 borders 3 and has the most armies"
    assert generators.deploys(view(LINE, [0, -1, 1, 1, 1, 1], [5] * 6), "aggressive") is None, "no enemy in sight"


def test_expansive_deploys_beside_the_best_neutral_region():
    seen = view(LINE, [1, 1, -1, 0, -1, -1], [5] * 6)
    assert generators.deploys(seen, "expansive") == [(3, 5)]
    assert generators.deploys(view(LINE, [1, 1, 1, 0, 0, 0], [5] * 6), "expansive") is None


def test_defensive_deploys_enough_armies_to_hold_threatened_regions():
    # Player 1 has 4 armies on region 3 and an income of 5. It can send 8, which kill 4 in expectation, so 5 hold.
    seen = view(LINE, [0, 0, 0, 1, -1, -1], [1, 1, 2, 4, 2, 2])
    assert seen.income == 7
    assert generators.deploys(seen, "defensive") == [(2, 3 + 4)], "3 hold it, the rest goes where the enemy is"
    safe = view(LINE, [0, 0, 0, 1, -1, -1], [1, 1, 9, 4, 2, 2])
    assert generators.deploys(safe, "defensive") is None, "nothing is threatened"


def test_defensive_holds_complete_super_regions_first():
    """Region 3 threatens regions 2 and 4; only region 2 is in a complete super region of the player."""
    five = make_map([0, 0, 0, 1, 1], [(0, 1), (1, 2), (2, 3), (3, 4)], [1, 9])
    seen = view(five, [0, 0, 0, 1, 0], [1, 1, 1, 9, 1])
    deploys = dict(generators.deploys(seen, "defensive"))
    need = int(to_hold(9 - 1 + 5, 0.6)) - 1
    assert deploys == {2: min(need, seen.income)}


# Attacks


def test_offensive_attacks_the_best_targets_with_enough_armies():
    seen = view(STAR, [0, -1, 1, -1], [12, 2, 3, 2])
    # Region 2 is the best because an enemy owns it, and 5 armies conquer its 3. Region 1 is next, because it is in a
    # super region of the player, and 4 armies conquer its 2. Two armies remain for region 3.
    assert generators.attacks(seen, "offensive") == [(0, 2, 5), (0, 1, 4)], "2 against 2 is not favourable"
    assert generators.attacks(seen, "offensive", press=True) == [(0, 2, 5 + 2), (0, 1, 4)]
    assert generators.attacks(seen, "offensive", [(0, 1)]) == [(0, 2, 5), (0, 1, 4), (0, 3, 3)], "all that is free"


def test_defensive_attacks_include_the_enemy_s_income():
    seen = view(STAR, [0, -1, 1, -1], [30, 2, 3, 2])
    conquer = int(to_conquer(3 + 5, 0.6))
    assert generators.attacks(seen, "defensive") == [(0, 2, conquer)], "and spare neutrals beside an enemy"
    weak = view(STAR, [0, -1, 1, -1], [9, 2, 3, 2])
    assert generators.attacks(weak, "defensive") == []


def test_offensive_waiting_moves_and_expands_before_it_attacks():
    seen = view(LINE, [0, 0, -1, -1, 1, 1], [6, 5, 2, 2, 9, 9])
    assert generators.attacks(seen, "offensive_waiting") == [(0, 1, 5), (1, 2, 4)]
    assert generators.attacks(seen, "offensive") == [(1, 2, 4), (0, 1, 5)]


def test_defensive_does_not_expand_from_regions_beside_an_enemy():
    seen = view(STAR, [0, -1, 1, -1], [9, 2, 99, 2])
    assert generators.attacks(seen, "defensive") == []
    assert [a[:2] for a in generators.attacks(seen, "offensive_waiting")] == [(0, 1), (0, 3)]


# Turns


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("seed", range(4))
def test_generated_turns_are_legal_distinct_and_at_most_nine(preset, seed):
    game = Game("world", preset, seed=seed, picks="random")
    while not game.done and game.round < 12:
        chosen = []
        for player in range(2):
            seen = game.view(player)
            turns = generators.turns(seen, seed=seed)
            assert 1 <= len(turns) <= 9
            assert len({(tuple(t.deploys), tuple(t.attacks)) for t in turns}) == len(turns)
            for turn in turns:
                assert game.check(player, turn) == []
                assert sum(armies for _, armies in turn.deploys) == seen.income
            chosen.append(turns[0])
        game.play_round(chosen)


def test_the_seed_only_changes_the_order_of_turns():
    seen = view(RING, [0, -1, 0, 1, 0, 1], [9, 2, 5, 3, 4, 3])
    one, same, other = (generators.turns(seen, seed=s) for s in (1, 1, 2))
    assert one == same
    key = lambda turn: (tuple(turn.deploys), tuple(turn.attacks))  # noqa: E731
    assert sorted(map(key, one)) == sorted(map(key, other)) and len(one) > 3
    assert any(generators.turns(seen, seed=s) != one for s in range(2, 12))


def test_random_turns_cover_exactly_the_generated_turns():
    seen = view(RING, [0, -1, 0, 1, 0, 1], [9, 2, 5, 3, 4, 3])
    board, n = seen.board, seen.board.n_regions
    all_turns = [(dict(t.deploys), list(t.attacks)) for t in generators.turns(seen)]
    deploy, attacks = np.zeros(n, dtype=np.int32), np.zeros((board.n_edges, 3), dtype=np.int32)
    rng, work = make_rng(3), make_generator_work(n, board.n_edges, 2)
    context, seen_turns = bare_context(board, seen.params, 2, THESIS), []
    for _ in range(300):
        count = random_turn(context, seen.position, 0, rng, work, deploy, attacks)
        turn = Orders.from_arrays(deploy, attacks, count)
        key = (dict(turn.deploys), list(turn.attacks))
        assert key in all_turns
        if key not in seen_turns:
            seen_turns.append(key)
    assert len(seen_turns) == len(all_turns)
