"""The oracle alone: one small board for each rule on attacks, battles and the end of a game."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from oracle import (
    CHALLENGE1,
    CHALLENGE2,
    NEUTRAL,
    THESIS,
    Decisions,
    exact_capture,
    nearest,
    resolve_round,
)
from oracle_helpers import LINE, PASS, Counting, play

# --- One attack -------------------------------------------------------------------------------------------------------


def test_an_attack_from_a_region_lost_meanwhile_is_skipped():
    # Player 0 goes first and takes region 1 from player 1, so the attack of player 1 has no source.
    owner, army, outcome = play(
        [0, 1, NEUTRAL, NEUTRAL, 1], [9, 3, 2, 2, 2], ([], [(0, 1, 8)]), ([], [(1, 2, 2)]), dice=[1, 3, 0]
    )
    assert owner == [0, 0, NEUTRAL, NEUTRAL, 1] and army == [1, 8, 2, 2, 2]
    assert len(outcome.events) == 1 and outcome.dropped == []


def test_an_attack_on_a_region_taken_meanwhile_fights_its_new_owner():
    # Player 0 takes region 1; player 1 then fights the armies that moved in.
    owner, army, outcome = play(
        [0, NEUTRAL, 1, 1, 1], [4, 1, 6, 2, 2], ([], [(0, 1, 3)]), ([], [(2, 1, 5)]), dice=[1, 1, 0, 3, 2]
    )
    assert outcome.events == [(0, 0, 1, 3, 0, 1, True), (1, 2, 1, 5, 2, 3, True)]
    assert owner[1] == 1 and army == [1, 3, 1, 2, 2]


def test_one_army_always_stays():
    _, army, outcome = play([0, 0, 1, 1, 1], [4, 2, 2, 2, 2], ([], [(0, 1, 1000)]), PASS)
    assert army[:2] == [1, 5]
    assert outcome.events == [(0, 0, 1, 3, 0, 0, False)]


@pytest.mark.parametrize("rules", [THESIS, CHALLENGE1, CHALLENGE2])
def test_an_attack_without_armies_is_skipped_and_uses_no_decision(rules):
    dice = Counting([0])
    _, army, outcome = play([0, 1, 1, 1, 1], [1, 2, 2, 2, 2], ([], [(0, 1, 3)]), PASS, rules=rules, dice=dice)
    assert outcome.events == [] and army == [1, 2, 2, 2, 2]
    assert dice.asked == [] and outcome.dropped == []


def test_a_transfer_loses_no_armies_and_uses_no_decision():
    dice = Counting([0])
    _, army, outcome = play([0, 0, 1, 1, 1], [5, 2, 2, 2, 2], ([], [(0, 1, 3)]), PASS, dice=dice)
    assert army[:2] == [2, 5]
    assert outcome.events == [(0, 0, 1, 3, 0, 0, False)] and dice.asked == []


def test_an_attack_on_a_region_taken_by_the_same_player_is_a_transfer():
    owner, army, outcome = play([0, NEUTRAL, 0, 1, 1], [4, 1, 4, 2, 2], ([], [(0, 1, 3), (2, 1, 2)]), PASS, dice=[1, 0])
    assert outcome.events[1] == (0, 2, 1, 2, 0, 0, False)
    assert owner[1] == 0 and army == [1, 5, 2, 2, 2]


def attack(real, defenders, *dice, rules=THESIS):
    """(owner, armies of source and target, event) of a battle; the source has one army more than attacks."""
    owner, army, outcome = play(
        [0, NEUTRAL, NEUTRAL, NEUTRAL, 1],
        [real + 1, defenders, 1, 1, 1],
        ([], [(0, 1, real)]),
        PASS,
        rules=rules,
        dice=dice,
    )
    return owner[1], army[:2], outcome.events[0][4:]


def test_attackers_roll_0_to_their_number_and_then_the_defenders():
    dice = Counting([0])
    play([0, 1, 1, 1, 1], [4, 6, 2, 2, 2], ([], [(0, 1, 3)]), PASS, dice=dice)
    assert dice.asked == [3 + 1, 6 + 1]


def test_survivors_return_and_surviving_defenders_stay():
    assert attack(5, 4, 3, 2) == (NEUTRAL, [6 - 2, 4 - 3], (2, 3, False))


def test_all_attackers_dead_and_defenders_left():
    assert attack(2, 5, 1, 4) == (NEUTRAL, [1, 4], (2, 1, False))


def test_all_defenders_dead_and_attackers_left_changes_the_owner():
    assert attack(5, 3, 3, 2) == (0, [1, 3], (2, 3, True))


def test_losses_are_clipped_to_the_armies_there():
    assert attack(5, 2, 5, 1) == (0, [1, 4], (1, 2, True))
    assert attack(1, 5, 0, 5) == (NEUTRAL, [1, 5], (1, 0, False))


def test_all_dead_on_both_sides_leaves_the_defender_one_army():
    assert attack(3, 3, 3, 3) == (NEUTRAL, [1, 1], (3, 2, False))
    assert attack(1, 1, 1, 1) == (NEUTRAL, [1, 1], (1, 0, False))


# --- Luck and rounding ------------------------------------------------------------------------------------------------


def test_halves_are_rounded_up():
    assert [nearest(Fraction(n, 4)) for n in (0, 1, 2, 3, 4, 6)] == [0, 0, 1, 1, 1, 2]


def test_challenge2_rounds_expectation_and_luck():
    # Attackers: 0.84 * 3.6 + 0.16 * 6 = 3.984; defenders: 0.84 * 3.5 + 0.16 * 0 = 2.94.
    assert attack(6, 5, 6, 0, rules=CHALLENGE2) == (NEUTRAL, [4, 1], (3, 4, False))
    # Attackers: 0.84 * 3.6 + 0.16 * 2 = 3.344; defenders: 0.84 * 3.5 + 0.16 * 5 = 3.74.
    assert attack(6, 5, 2, 5, rules=CHALLENGE2) == (NEUTRAL, [3, 2], (4, 3, False))


def test_a_half_in_a_battle_is_rounded_up():
    # Without luck 5 defenders kill 3.5.
    assert attack(6, 5, 0, 0, rules=replace(THESIS, luck=Fraction(0)))[2] == (4, 4, False)


def test_stochastic_rounding_goes_down_or_up_by_a_decision():
    rules = replace(THESIS, luck=Fraction(0), rounding="stochastic")  # 6 * 0.6 = 3.6; 5 * 0.7 = 3.5
    assert attack(6, 5, 0, 0, 0, 0, rules=rules)[2] == (3, 3, False)
    assert attack(6, 5, 0, 1, 0, 0, rules=rules)[2] == (3, 4, False)
    assert attack(6, 5, 0, 0, 0, 1, rules=rules)[2] == (4, 3, False)


def test_stochastic_rounding_leaves_whole_numbers_but_uses_its_decision():
    rules = replace(THESIS, luck=Fraction(0), rounding="stochastic")  # 5 * 0.6 = 3; 10 * 0.7 = 7
    assert attack(5, 10, 0, 1, 0, 1, rules=rules)[2] == (5, 3, False)
    dice = Counting([1])
    rules = replace(THESIS, rounding="stochastic")
    _, _, outcome = play([0, 1, 1, 1, 1], [4, 6, 2, 2, 2], ([], [(0, 1, 3)]), PASS, rules=rules, dice=dice)
    assert dice.asked == [4, 2, 7, 2]
    assert outcome.events[0][4:6] == (1, 1)


CAPTURE = [
    (1, 1, ".1800", "0"),
    (2, 1, ".8400", "1"),
    (2, 2, ".1836", "0"),
    (3, 2, ".6480", "1"),
    (4, 2, ".8208", "1"),
    (5, 3, ".6826", "1"),
    (6, 4, ".5443", ".8208"),
    (9, 6, ".4826", ".2318"),
    (10, 6, ".6331", ".9877"),
    (15, 10, ".4032", ".0271"),
]


@pytest.mark.parametrize("a, d, thesis, challenge2", CAPTURE)
def test_capture_probabilities(a, d, thesis, challenge2):
    assert exact_capture(CHALLENGE1, a, d) == exact_capture(THESIS, a, d)
    for rules, expected in ((THESIS, thesis), (CHALLENGE2, challenge2)):
        exact = exact_capture(rules, a, d)
        if len(expected) == 1:
            assert exact == int(expected)
        else:
            assert Fraction(nearest(exact * 10_000), 10_000) == Fraction(expected)


def test_capture_by_hand():
    # One on one: the attacker hits and is not hit. Two on one: one of two hits, and one defender cannot kill both.
    assert exact_capture(THESIS, 1, 1) == Fraction("0.6") * Fraction("0.3")
    assert exact_capture(THESIS, 2, 1) == 1 - Fraction("0.4") ** 2


def test_capture_is_exact_for_rounding_to_the_nearest_only():
    with pytest.raises(ValueError, match="nearest"):
        exact_capture(replace(THESIS, rounding="stochastic"), 2, 1)


# --- No second move ---------------------------------------------------------------------------------------------------


def test_in_the_thesis_moved_armies_may_move_on():
    _, army, _ = play([0, 0, 0, 0, 1], [5, 1, 1, 1, 1], ([], [(0, 1, 4), (1, 2, 4), (2, 3, 4)]), PASS)
    assert army == [1, 1, 1, 5, 1]


@pytest.mark.parametrize("rules", [CHALLENGE1, CHALLENGE2])
def test_in_the_challenges_moved_armies_stay(rules):
    _, army, outcome = play(
        [0, 0, 0, 0, 1], [5, 3, 1, 1, 1], ([], [(0, 1, 4), (1, 2, 6), (2, 3, 9)]), PASS, rules=rules
    )
    assert [event[:4] for event in outcome.events] == [(0, 0, 1, 4), (0, 1, 2, 2)]  # region 2 had one army: old = 1
    assert army == [1, 5, 3, 1, 1]


@pytest.mark.parametrize("rules", [CHALLENGE1, CHALLENGE2])
def test_deployed_armies_may_move(rules):
    _, army, _ = play([0, 0, 1, 1, 1], [1, 1, 1, 1, 1], ([(0, 5)], [(0, 1, 9)]), PASS, rules=rules)
    assert army[:2] == [1, 6]


@pytest.mark.parametrize("rules", [CHALLENGE1, CHALLENGE2])
def test_each_move_reduces_the_movable_armies(rules):
    # Region 1: 6 armies; 3 leave (old 3), 4 arrive (army 7 > old), then at most 3 - 1 go.
    orders = ([], [(1, 2, 3), (0, 1, 4), (1, 0, 9)])
    _, army, outcome = play([0, 0, 0, 1, 1], [5, 6, 1, 1, 1], orders, PASS, rules=rules)
    assert [event[3] for event in outcome.events] == [3, 4, 2]
    assert army[:3] == [3, 5, 4]


@pytest.mark.parametrize("rules", [CHALLENGE1, CHALLENGE2])
def test_all_armies_but_one_may_leave_a_region_that_has_not_grown(rules):
    _, _, outcome = play([0, 0, 0, 1, 1], [1, 6, 1, 1, 1], ([], [(1, 2, 2), (1, 0, 9)]), PASS, rules=rules)
    assert [event[3] for event in outcome.events] == [2, 3]


def test_returning_survivors_may_not_move_again():
    # 4 of 6 attack and come back unharmed: old is 2, so one more may go; in the thesis all five.
    owner, army = [NEUTRAL, 0, NEUTRAL, NEUTRAL, 1], [9, 6, 9, 1, 1]
    orders = ([], [(1, 0, 4), (1, 2, 9)]), PASS
    _, _, challenge = play(owner, army, *orders, rules=CHALLENGE1)
    _, _, thesis = play(owner, army, *orders, rules=THESIS)
    assert [event[3] for event in challenge.events] == [4, 1]
    assert [event[3] for event in thesis.events] == [4, 5]


def second_move_after(rules, dice, attackers, others):
    """Player 1 attacks region 1 of player 0 from region 2; then region 1 sends all movable armies to region 0.

    Player 0's first order is a transfer elsewhere, so that the attack comes before the move.
    """
    neighbors = [[1], [0, 2], [1], [4], [3]]
    orders = ([], [(3, 4, 1), (1, 0, 99)]), ([], [(2, 1, attackers)])
    return play([0, 0, 1, 0, 0], [1, others, attackers + 1, 5, 1], *orders, rules=rules, dice=dice, neighbors=neighbors)


@pytest.mark.parametrize("rules", [CHALLENGE1, CHALLENGE2])
def test_a_defended_region_has_not_grown_and_sends_all_but_one(rules):
    _, _, outcome = second_move_after(replace(rules, luck=Fraction(1)), [1, 3, 0], 4, 8)
    assert outcome.events[1] == (1, 2, 1, 4, 0, 3, False)
    assert outcome.events[2][:4] == (0, 1, 0, 4)


@pytest.mark.parametrize("rules, sent", [(CHALLENGE1, 6), (CHALLENGE2, 4)])
def test_in_challenge2_losses_in_defence_reduce_the_movable_armies(rules, sent):
    # Region 1: 8, defended with 3 lost (5), 4 arrive (9). Challenge 1: 9 > old = 8 lets 7 go, here 6 are asked for;
    # challenge 2: old = 5 lets 4 go.
    neighbors = [[1], [0, 2, 3], [1], [1, 4], [3]]
    orders = ([], [(4, 3, 1), (3, 1, 4), (1, 0, 6)]), ([], [(2, 1, 4)])
    rules = replace(rules, luck=Fraction(1))
    _, _, outcome = play(
        [0, 0, 1, 0, 0], [1, 8, 5, 5, 2], *orders, rules=rules, dice=[1, 3, 0], neighbors=neighbors
    )  # fmt: skip
    assert outcome.events[1] == (1, 2, 1, 4, 0, 3, False)
    assert outcome.events[-1][:4] == (0, 1, 0, sent)


@pytest.mark.parametrize("rules, sent", [(CHALLENGE1, [3]), (CHALLENGE2, [])])
def test_in_challenge2_a_reconquered_region_has_no_movable_armies(rules, sent):
    # Player 1 takes region 1 from player 0. Player 0 takes it back and then moves on from it: old is still 4 in
    # challenge 1, where the region now has 5 armies, and 1 in challenge 2.
    neighbors = [[1], [0, 2, 3], [1], [1, 4], [3]]
    orders = ([], [(4, 3, 1), (3, 1, 9), (1, 0, 99)]), ([], [(2, 1, 4)])
    rules = replace(rules, luck=Fraction(1))
    dice = [1, 4, 2, 2, 0]  # order, the attack of player 1 (kills 4, loses 2), that of player 0 (kills 2, loses 0)
    owner, _, outcome = play([0, 0, 1, 0, 0], [1, 4, 6, 6, 2], *orders, rules=rules, dice=dice, neighbors=neighbors)
    assert outcome.events[1:3] == [(1, 2, 1, 4, 2, 4, True), (0, 3, 1, 5, 0, 2, True)]
    assert [event[3] for event in outcome.events[3:]] == sent
    assert owner[1] == 0


# --- The end ----------------------------------------------------------------------------------------------------------


def test_player_without_regions_is_eliminated_and_the_last_player_wins():
    owner, _, outcome = play(
        [0, 1, NEUTRAL, NEUTRAL, NEUTRAL], [9, 1, 1, 1, 1], ([], [(0, 1, 8)]), PASS, dice=[1, 0], number=7
    )
    assert owner[:2] == [0, 0]
    assert (outcome.over, outcome.winner, outcome.alive) == (True, 0, [True, False])
    assert outcome.eliminated_at == [0, 7] and outcome.placements == [1, 2]


def test_the_rest_of_the_attacks_is_carried_out_after_the_last_elimination():
    _, army, outcome = play([0, 1, 0, 0, 0], [9, 1, 9, 1, 1], ([], [(0, 1, 8), (2, 3, 2)]), PASS, dice=[1, 0])
    assert outcome.winner == 0 and army[3] == 3


def test_game_continues_with_two_of_three_players():
    _, _, outcome = play(
        [0, 1, NEUTRAL, NEUTRAL, 2], [9, 1, 1, 1, 1], ([], [(0, 1, 8)]), PASS, PASS, dice=[1, 0], number=3
    )
    assert (outcome.over, outcome.winner, outcome.eliminated_at) == (False, None, [0, 3, 0])
    assert outcome.placements == [1, 3, 1]


def test_in_the_thesis_a_game_has_no_last_round():
    assert not play([0, 0, 0, 1, 1], [2] * 5, PASS, PASS, number=10_000)[2].over


@pytest.mark.parametrize(
    "rules, n, last",
    [(CHALLENGE1, 5, 100), (CHALLENGE2, 5, 60), (CHALLENGE2, 24, 60), (CHALLENGE2, 25, 62), (CHALLENGE2, 42, 105)],
)
def test_the_challenges_end_in_a_draw(rules, n, last):
    board = [0, 0, 1] + [NEUTRAL] * (n - 3), [2] * n
    _, _, before = play(*board, PASS, PASS, rules=rules, number=last - 1)
    _, _, at = play(*board, PASS, PASS, rules=rules, number=last)
    assert (before.over, at.over) == (False, True)
    assert at.winner is None and at.placements == [1, 1]


def test_a_win_in_the_last_round_is_a_win():
    rules = replace(THESIS, max_rounds=1)
    _, _, outcome = play([0, 1, 0, 0, 0], [9, 1, 1, 1, 1], ([], [(0, 1, 8)]), PASS, dice=[1, 0], rules=rules)
    assert (outcome.over, outcome.winner, outcome.placements) == (True, 0, [1, 2])


REGIONS = replace(THESIS, max_rounds=10, tie_break="regions")


@pytest.mark.parametrize(
    "owner, army, winner, places",
    [
        ([0, 0, 0, 1, 1], [1, 1, 1, 9, 9], 0, [1, 2]),  # regions first
        ([0, 0, NEUTRAL, 1, 1], [2, 2, 9, 3, 2], 1, [2, 1]),  # then armies
        ([0, 0, NEUTRAL, 1, 1], [2, 3, 9, 3, 2], None, [1, 1]),  # equal in both
    ],
)
def test_placements_by_regions_then_armies(owner, army, winner, places):
    _, _, outcome = play(owner, army, PASS, PASS, rules=REGIONS, number=10)
    assert (outcome.over, outcome.winner, outcome.placements) == (True, winner, places)
    _, _, outcome = play(owner, army, PASS, PASS, rules=REGIONS, number=9)
    assert (outcome.over, outcome.winner, outcome.placements) == (False, None, places)


def test_tied_players_share_a_place_and_the_next_place_is_skipped():
    _, _, outcome = play([0, 1, 2, 2, NEUTRAL], [3, 3, 1, 1, 9], PASS, PASS, PASS, rules=REGIONS, number=10)
    assert outcome.placements == [2, 2, 1]
    _, _, outcome = play([0, 1, 2, NEUTRAL, NEUTRAL], [3, 3, 1, 1, 9], PASS, PASS, PASS, rules=REGIONS, number=10)
    assert (outcome.placements, outcome.winner) == ([1, 1, 3], None)


def test_eliminated_players_rank_last_and_later_elimination_is_better():
    orders = [PASS] * 5
    _, _, outcome = play([0, 0, 1, NEUTRAL, NEUTRAL], [2] * 5, *orders, number=9, eliminated_at=[0, 0, 4, 7, 4])
    assert outcome.placements == [1, 1, 4, 3, 4]


def test_the_inputs_are_not_changed():
    owner, army, out = [0, 1, NEUTRAL, NEUTRAL, NEUTRAL], [9, 1, 1, 1, 1], [0, 0]
    orders = [([(0, 5)], [(0, 1, 4), (0, 1, 4)]), ([], [])]
    resolve_round(LINE, [0] * 5, [0], THESIS, owner, army, 1, orders, 2, Decisions([1, 0]), out)
    assert (owner, army, out) == ([0, 1, NEUTRAL, NEUTRAL, NEUTRAL], [9, 1, 1, 1, 1], [0, 0])
    assert orders == [([(0, 5)], [(0, 1, 4), (0, 1, 4)]), ([], [])]
