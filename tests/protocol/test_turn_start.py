"""Turns of the project's bots if a game server omits settings: each ``update_map`` starts a turn."""

import subprocess
import sys

import pytest

from warlight_env.agents import make_agent
from warlight_env.beliefs.belief_agent import BeliefAgent
from warlight_env.protocol import messages as m
from warlight_env.protocol.bot_side import BotSide
from warlight_env.protocol.fallback_policy import FallbackPolicy
from warlight_env.protocol.grammar import parse_message
from warlight_env.protocol.turn_start import income

#: Super region 1 contains regions 1 to 3 and has a bonus of 2; super region 2 contains 4 and 5 and has a bonus of 5.
OPENING = """\
settings timebank 10000
settings time_per_move 500
settings max_rounds 50
settings your_bot player1
settings opponent_bot player2
setup_map super_regions 1 2 2 5
setup_map regions 1 1 2 1 3 1 4 2 5 2
setup_map neighbors 1 2,3,4 2 3 4 5
setup_map wastelands
settings starting_regions 2 4
settings starting_pick_amount 1
pick_starting_region 10000 2 4
"""
FIRST = "settings starting_armies 7\nupdate_map 1 player1 3 2 player1 4 3 player1 2 4 player2 5\n"
SECOND = "update_map 1 player2 3 2 player1 4 3 player1 2 4 player2 5\n"
THIRD = "update_map 1 player1 3 2 player1 4 3 player1 2 4 player2 5\n"
GO = "go place_armies 10000\ngo attack/transfer 10000\n"


def deploys(side, text):
    """Return the placements that a side answers, one dict for each turn."""
    turns = []
    for line in text.splitlines():
        message = parse_message(line)
        if not isinstance(message, m.Question):
            side.receive(message)
            continue
        if isinstance(side, FallbackPolicy):
            side.receive(message)
        answer = side.answer(message)
        if isinstance(answer, m.PlaceOrders):
            turns.append({order.region: order.armies for order in answer.orders})
    return turns


@pytest.mark.parametrize("agent", ["aggressive", "random", "plan"])
def test_the_income_is_computed_if_the_engine_omits_it(agent):
    reports: list[str] = []
    side = BotSide(lambda: make_agent(agent, 1), None, reports.append)
    turns = deploys(side, OPENING + FIRST + GO + SECOND + GO + THIRD + GO + "settings starting_armies 7\n" + THIRD + GO)
    assert [sum(turn.values()) for turn in turns] == [7, 5, 7, 7]
    assert 1 not in turns[1], "region 1 is the opponent's in the second turn"
    assert reports == [
        "round 2: no 'settings starting_armies': under the rules it is 5",
        "round 3: no 'settings starting_armies': under the rules it is 7",
    ]


def test_the_income_may_come_after_the_map():
    reports: list[str] = []
    side = BotSide(lambda: make_agent("aggressive", 1), None, reports.append)
    late = SECOND + "settings starting_armies 5\n"
    assert [sum(turn.values()) for turn in deploys(side, OPENING + FIRST + GO + late + GO)] == [7, 5]
    assert not reports


@pytest.mark.parametrize("side", [lambda report: BotSide(lambda: make_agent("random", 1), None, report),
                                  lambda report: FallbackPolicy()])  # fmt: skip
def test_an_income_without_a_map_starts_a_turn_on_the_last_map(side):
    reports: list[str] = []
    text = OPENING + FIRST + GO + "settings starting_armies 9\ngo place_armies 10000\ngo place_armies 10000\n"
    player = side(reports.append)
    assert [sum(turn.values()) for turn in deploys(player, text)] == [7, 9, 9]
    if isinstance(player, BotSide):
        assert reports == ["round 2: no 'update_map': the bot uses the map of round 1"]


def test_an_income_before_the_question_for_attacks_belongs_to_the_next_turn():
    reports: list[str] = []
    side = BotSide(lambda: make_agent("random", 1), None, reports.append)
    text = "go place_armies 10000\nsettings starting_armies 5\ngo attack/transfer 10000\n" + SECOND + GO
    assert [sum(turn.values()) for turn in deploys(side, OPENING + FIRST + text)] == [7, 5]
    assert not reports


@pytest.mark.parametrize("side", [lambda report: BotSide(lambda: make_agent("random", 1), None, report),
                                  lambda report: FallbackPolicy()])  # fmt: skip
def test_a_repeated_map_belongs_to_the_same_turn(side):
    reports: list[str] = []
    text = OPENING + FIRST + GO + SECOND + GO + "settings starting_armies 6\n" + THIRD + THIRD + GO + SECOND + GO
    turns = deploys(side(reports.append), text)
    assert [sum(turn.values()) for turn in turns] == [7, 5, 6, 5]
    assert not reports or [report.split(":")[0] for report in reports] == ["round 2", "round 4"]


def test_the_last_of_repeated_incomes_counts():
    reports: list[str] = []
    text = "settings starting_armies 4\nsettings starting_armies 6\n" + SECOND
    for more, armies in (("", 6), ("settings starting_armies 8\n" + SECOND, 8)):
        side = BotSide(lambda: make_agent("random", 1), None, reports.append)
        assert [sum(turn.values()) for turn in deploys(side, OPENING + FIRST + GO + text + more + GO)] == [7, armies]
    assert not reports


def test_moves_of_the_opponent_are_kept_after_a_repeated_map(monkeypatch):
    seen = []
    act_on = BeliefAgent.act_on

    def watched(self, view, observation, budget=None):
        seen.append(observation.seen_orders.moves)
        return act_on(self, view, observation, budget)

    monkeypatch.setattr(BeliefAgent, "act_on", watched)
    side = BotSide(lambda: make_agent("random", 1), None)
    moves = "opponent_moves player2 attack/transfer 4 1 3\n"
    deploys(side, OPENING + FIRST + GO + SECOND + moves + SECOND + GO + "settings starting_armies 9\n" + GO)
    assert [len(attacks) for attacks in seen] == [0, 1, 0]


def test_the_fallback_policy_starts_turns_in_the_same_way():
    turns = deploys(FallbackPolicy(), OPENING + FIRST + GO + SECOND + GO + THIRD + GO)
    assert [sum(turn.values()) for turn in turns] == [7, 5, 7]
    assert 1 not in turns[1]


def test_a_missing_name_is_reported():
    reports: list[str] = []
    side = BotSide(lambda: make_agent("aggressive", 1), None, reports.append)
    deploys(side, OPENING.replace("settings your_bot player1\n", "") + FIRST + GO)
    assert reports == ["the engine sent no 'settings your_bot': the bot uses the name player1"]


def test_income_is_the_base_plus_the_bonuses_of_complete_super_regions():
    members = {1: 1, 2: 1, 3: 2}
    assert income([], members, {1: 2, 2: 5}) == 5
    assert income([1], members, {1: 2, 2: 5}) == 5
    assert income([1, 2], members, {1: 2, 2: 5}) == 7
    assert income([1, 2, 3], members, {1: 2, 2: 5}) == 12


def test_bot_run_reports_on_standard_error():
    command = [sys.executable, "-m", "warlight_env", "bot", "run", "aggressive"]
    text = OPENING + FIRST + GO + SECOND + GO
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0
    answers = done.stdout.splitlines()
    assert len(answers) == 5
    assert "place_armies" in answers[3] and " 1 " not in answers[3].replace("player1 ", "")
