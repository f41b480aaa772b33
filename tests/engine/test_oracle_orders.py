"""The oracle alone: one small board for each rule from the start of a round to the order of attacks."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from oracle import (
    CHALLENGE1,
    CHALLENGE2,
    NEUTRAL,
    THESIS,
    THESIS_DRAFT,
    Decisions,
    income,
    resolve_round,
    visible,
)
from oracle_helpers import LINE, PASS, Counting, play

# --- Presets ----------------------------------------------------------------------------------------------------------


def test_the_thesis_is_the_default():
    assert THESIS == THESIS_DRAFT
    assert (THESIS.attack_kill, THESIS.defense_kill, THESIS.luck) == (Fraction("0.6"), Fraction("0.7"), 1)
    assert (THESIS.max_orders, THESIS.max_rounds, THESIS.rounds_per_region) == (0, 0, 0)


def test_the_challenges_differ_in_luck_moved_armies_and_length():
    assert CHALLENGE1.max_orders == CHALLENGE2.max_orders == 51
    assert CHALLENGE1.luck == 1 and 1 - CHALLENGE2.luck == Fraction("0.84")
    assert (CHALLENGE1.max_rounds, CHALLENGE2.max_rounds, CHALLENGE2.rounds_per_region) == (100, 60, 2.5)


# --- Decisions --------------------------------------------------------------------------------------------------------


def test_decisions_repeat_the_script_modulo_n():
    decisions = Decisions([5, 1])
    assert [decisions.below(n) for n in (3, 2, 6, 1)] == [2, 1, 5, 0]


# --- Income and fog ---------------------------------------------------------------------------------------------------


def test_income_is_five_and_the_bonuses_of_whole_super_regions():
    of, bonuses = [0, 0, 1, 1, 2], [3, 4, 7]
    assert income(of, bonuses, THESIS, [0, 0, 0, 1, NEUTRAL], 0) == 5 + 3
    assert income(of, bonuses, THESIS, [0, 0, 0, 1, NEUTRAL], 1) == 5
    assert income(of, bonuses, THESIS, [1, 0, 0, 0, 0], 0) == 5 + 4 + 7
    assert income(of, bonuses, replace(THESIS, base_income=2), [0, 0, 1, 1, 1], 0) == 2 + 3


def test_fog_shows_own_regions_and_their_neighbours():
    assert visible(LINE, [NEUTRAL, NEUTRAL, NEUTRAL, 0, 1], 0) == [False, False, True, True, True]
    assert visible(LINE, [0, NEUTRAL, 1, NEUTRAL, NEUTRAL], 1) == [False, True, True, True, False]
    assert visible(LINE, [0, 0, 0, 0, 0], 1) == [False] * 5


# --- Deploying --------------------------------------------------------------------------------------------------------


def test_deploys_on_one_region_add_up():
    _, army, outcome = play([0, 0, 1, 1, 1], [2] * 5, ([(0, 2), (1, 1), (0, 2)], []), PASS)
    assert army == [6, 3, 2, 2, 2]
    assert outcome.dropped == []


def test_armies_not_deployed_are_lost():
    owner, army, outcome = play([0, 0, 1, 1, 1], [2] * 5, PASS, PASS)
    owner, army, outcome = play(owner, army, ([(0, 6)], []), ([(2, 5)], []), number=2)
    assert army == [2, 2, 7, 2, 2]
    assert outcome.dropped == [(0, "deploy", 0, "income")]


def test_deploy_over_the_income_is_dropped_and_a_smaller_one_still_fits():
    _, army, outcome = play([0, 0, 1, 1, 1], [2] * 5, ([(0, 3), (0, 3), (1, 2), (1, 1)], []), PASS)
    assert army == [5, 4, 2, 2, 2]
    assert outcome.dropped == [(0, "deploy", 1, "income"), (0, "deploy", 3, "income")]


def test_bonuses_can_be_deployed():
    _, army, outcome = resolve_round(
        LINE, [0, 0, 1, 1, 1], [2, 9], THESIS, [0, 0, 0, 1, 1], [2] * 5, 1, [([(0, 7)], []), ([(3, 6)], [])], 2,
        Decisions([0]), [0, 0],
    )  # fmt: skip
    assert army == [9, 2, 2, 2, 2]
    assert outcome.dropped == [(1, "deploy", 0, "income")]


def test_deployed_armies_may_attack_in_the_same_round():
    _, army, _ = play([0, 0, 1, 1, 1], [1, 2, 2, 2, 2], ([(0, 5)], [(0, 1, 5)]), PASS)
    assert army == [1, 7, 2, 2, 2]


def test_all_deploys_come_before_all_attacks():
    # Three attackers kill three defenders: more than the first two, but fewer than the seven after the deploy.
    owner, army, _ = play([0, 1, 1, 1, 1], [4, 2, 2, 2, 2], ([], [(0, 1, 3)]), ([(1, 5)], []), dice=[3, 0])
    assert (owner, army) == ([0, 1, 1, 1, 1], [4, 4, 2, 2, 2])


# --- Bad orders -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "deploy, reason",
    [
        ((5, 1), "region"),
        ((-1, 1), "region"),
        ((1, 1), "owner"),
        ((2, 1), "owner"),
        ((0, 0), "armies"),
        ((0, -3), "armies"),
        ((0, 6), "income"),
        ((9, 0), "region"),
        ((1, 0), "owner"),
    ],
)
def test_invalid_deploys_are_dropped_with_the_first_reason(deploy, reason):
    _, army, outcome = play([0, 1, NEUTRAL, 1, 1], [2] * 5, ([(0, 1), deploy], []), PASS)
    assert outcome.dropped == [(0, "deploy", 1, reason)]
    assert army == [3, 2, 2, 2, 2]


@pytest.mark.parametrize(
    "attack, reason",
    [
        ((5, 0, 1), "region"),
        ((0, 5, 1), "region"),
        ((0, -1, 1), "region"),
        ((1, 0, 1), "owner"),
        ((2, 1, 1), "owner"),
        ((0, 2, 1), "adjacent"),
        ((0, 0, 1), "adjacent"),
        ((0, 1, 0), "armies"),
        ((1, 3, 0), "owner"),
        ((0, 3, 0), "adjacent"),
    ],
)
def test_invalid_attacks_are_dropped_with_the_first_reason(attack, reason):
    _, army, outcome = play([0, 1, NEUTRAL, 1, 1], [5] * 5, ([], [attack]), PASS)
    assert outcome.dropped == [(0, "attack", 0, reason)]
    assert outcome.events == [] and army == [5] * 5


def test_orders_beyond_the_limit_are_dropped_from_each_list():
    rules = replace(THESIS, max_orders=1)
    _, army, outcome = play([0, 0, 0, 1, 1], [3] * 5, ([(9, 1), (0, 1)], [(0, 1, 1), (9, 9, 9)]), PASS, rules=rules)
    assert outcome.dropped == [(0, "deploy", 0, "region"), (0, "deploy", 1, "limit"), (0, "attack", 1, "limit")]
    assert army == [2, 4, 3, 3, 3]


def test_challenge1_accepts_51_orders():
    _, army, outcome = play([0, 0, 0, 1, 1], [3] * 5, ([(0, 0)] * 50 + [(0, 1), (0, 1)], []), PASS, rules=CHALLENGE1)
    assert army[0] == 4
    assert outcome.dropped[-1] == (0, "deploy", 51, "limit")


def test_attack_needs_a_source_that_the_player_owns_at_the_start():
    owner, _, outcome = play(
        [0, NEUTRAL, NEUTRAL, 1, 1], [9, 1, 1, 1, 1], ([], [(0, 1, 8), (1, 2, 3)]), PASS, dice=[1, 0]
    )
    assert owner[:3] == [0, 0, NEUTRAL]
    assert outcome.dropped == [(0, "attack", 1, "owner")]


def test_all_orders_of_an_eliminated_player_are_dropped():
    _, army, outcome = play(
        [0, 0, 0, 1, 1], [3] * 5, PASS, PASS, ([(0, 1)], [(0, 1, 1)]), number=4, eliminated_at=[0, 0, 2]
    )
    assert outcome.dropped == [(2, "deploy", 0, "owner"), (2, "attack", 0, "owner")]
    assert army == [3] * 5
    assert outcome.eliminated_at == [0, 0, 2]


def test_the_same_attack_twice_is_merged_into_the_first():
    attacks = [(0, 1, 1), (2, 1, 1), (0, 1, 3)]
    _, army, outcome = play([0, 0, 0, 1, 1], [9] * 5, ([], attacks), PASS)
    assert outcome.events == [(0, 0, 1, 4, 0, 0, False), (0, 2, 1, 1, 0, 0, False)]
    assert army == [5, 14, 8, 9, 9]


def test_in_the_challenges_the_same_attack_twice_is_illegal():
    attacks = [(0, 1, 0), (0, 1, 1), (1, 0, 1), (0, 1, 3)]
    _, _, outcome = play([0, 0, 0, 1, 1], [9] * 5, ([], attacks), PASS, rules=CHALLENGE1)
    assert [event[:4] for event in outcome.events] == [(0, 0, 1, 1), (0, 1, 0, 1)]
    assert outcome.dropped == [(0, "attack", 0, "armies"), (0, "attack", 3, "repeated")]


# --- Order of the attacks ---------------------------------------------------------------------------------------------

PAIR = [[1], [0], [3], [2]]  # two transfers that never touch: 0 - 1 and 2 - 3
TRIPLE = [[1], [0], [3], [2], [5], [4]]


def test_all_first_attacks_come_before_all_second_attacks():
    orders = ([], [(0, 1, 1), (1, 0, 1)]), ([], [(2, 3, 1), (3, 2, 1)])
    # Decision 1 keeps the order of a pair, and 0 swaps it: player 0 first, then player 1 first.
    _, _, outcome = play([0, 0, 1, 1], [5] * 4, *orders, dice=[1, 0], neighbors=PAIR)
    assert [event[:3] for event in outcome.events] == [(0, 0, 1), (1, 2, 3), (1, 3, 2), (0, 1, 0)]


@pytest.mark.parametrize(
    "dice, order",
    [
        ([2, 1], [0, 1, 2]),
        ([2, 0], [1, 0, 2]),
        ([1, 1], [0, 2, 1]),
        ([1, 0], [2, 0, 1]),
        ([0, 1], [2, 1, 0]),
        ([0, 0], [1, 2, 0]),
    ],
)
def test_the_order_within_a_pass_is_a_shuffle_from_the_end(dice, order):
    orders = [([], [(2 * player, 2 * player + 1, 1)]) for player in range(3)]
    dice = Counting(dice)
    _, _, outcome = play([0, 0, 1, 1, 2, 2], [5] * 6, *orders, dice=dice, neighbors=TRIPLE)
    assert [event[0] for event in outcome.events] == order
    assert dice.asked == [3, 2]


def test_attacks_of_one_player_need_no_decision():
    dice = Counting([0])
    play([0, 0, 1, 1], [5] * 4, ([], [(0, 1, 1), (1, 0, 1)]), PASS, dice=dice, neighbors=PAIR)
    assert dice.asked == []


def test_in_the_thesis_a_skipped_attack_uses_its_place():
    neighbors = [[1, 4], [0], [3], [2], [0]]
    orders = ([], [(0, 1, 9), (0, 4, 9), (1, 0, 1)]), ([], [(2, 3, 1), (3, 2, 1)])
    _, _, outcome = play([0, 0, 1, 1, 0], [5] * 5, *orders, dice=[1], neighbors=neighbors)
    assert [event[:3] for event in outcome.events] == [(0, 0, 1), (1, 2, 3), (1, 3, 2), (0, 1, 0)]


def test_in_the_challenges_the_next_attack_takes_the_place_of_a_skipped_one():
    neighbors = [[1, 4], [0], [3], [2], [0]]
    orders = ([], [(0, 1, 9), (0, 4, 9), (1, 0, 1)]), ([], [(2, 3, 1), (3, 2, 1)])
    _, _, outcome = play([0, 0, 1, 1, 0], [5] * 5, *orders, rules=CHALLENGE1, dice=[1], neighbors=neighbors)
    assert [event[:3] for event in outcome.events] == [(0, 0, 1), (1, 2, 3), (0, 1, 0), (1, 3, 2)]


def test_attack_dropped_at_submission_uses_no_place():
    orders = ([], [(0, 3, 1), (0, 1, 1)]), ([], [(2, 3, 1), (3, 2, 1)])
    _, _, outcome = play([0, 0, 1, 1], [5] * 4, *orders, dice=[1], neighbors=PAIR)
    assert [event[:3] for event in outcome.events] == [(0, 0, 1), (1, 2, 3), (1, 3, 2)]
