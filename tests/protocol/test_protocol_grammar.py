"""Protocol lines of the competitions are parsed and written again, and typical errors of bots are handled."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warlight_env.protocol import messages as m
from warlight_env.protocol.answers import parse_answer
from warlight_env.protocol.grammar import (
    ProtocolError,
    format_answer,
    format_message,
    parse_message,
)

#: Lines of the competitions' engines, and the messages that they encode.
LINES = [
    ("settings your_bot player1", m.YourBot("player1")),
    ("settings opponent_bot player2", m.OpponentBot("player2")),
    ("settings timebank 10000", m.Timebank(10000)),
    ("settings time_per_move 500", m.TimePerMove(500)),
    ("settings max_rounds 105", m.MaxRounds(105)),
    ("setup_map super_regions 1 5 2 2", m.SuperRegions(((1, 5), (2, 2)))),
    ("setup_map regions 1 1 2 1", m.Regions(((1, 1), (2, 1)))),
    ("setup_map neighbors 1 2,4,30 2 4,3,5", m.Neighbors(((1, (2, 4, 30)), (2, (4, 3, 5))))),
    ("setup_map wastelands 7 12", m.Wastelands((7, 12))),
    ("setup_map wastelands", m.Wastelands(())),
    ("settings starting_regions 3 9", m.StartingRegions((3, 9))),
    ("settings starting_pick_amount 3", m.StartingPickAmount(3)),
    ("pick_starting_regions 2000 3 9", m.PickRegions(2000, (3, 9))),
    ("pick_starting_region 10000 3 9", m.PickRegion(10000, (3, 9))),
    ("setup_map opponent_starting_regions 4 8", m.OpponentStartingRegions((4, 8))),
    ("settings starting_armies 7", m.StartingArmies(7)),
    ("update_map 1 player1 3 2 neutral 2", m.UpdateMap(((1, "player1", 3), (2, "neutral", 2)))),
    (
        "opponent_moves player2 place_armies 5 3 player2 attack/transfer 5 6 4",
        m.OpponentMoves((m.PlaceOrder("player2", 5, 3), m.MoveOrder("player2", 5, 6, 4))),
    ),
    ("opponent_moves", m.OpponentMoves(())),
    ("go place_armies 10000", m.Go("place_armies", 10000)),
    ("go attack/transfer 9500", m.Go("attack/transfer", 9500)),
]
PLACE, ATTACK = m.Go("place_armies", 2000), m.Go("attack/transfer", 2000)
PICKS, PICK = m.PickRegions(2000, (3, 9, 14)), m.PickRegion(10000, (3, 9, 14))


@pytest.mark.parametrize("line, message", LINES)
def test_lines_of_the_competitions_are_parsed_and_written_again(line, message):
    assert parse_message(line) == message
    assert format_message(message) == line


@pytest.mark.parametrize("line, message", LINES)
def test_white_space_and_case_of_commands_are_ignored(line, message):
    words = line.split(" ")
    upper_case = [w.upper() if i < 2 and not w[0].isdigit() and not w.startswith("player") else w
               for i, w in enumerate(words)]  # fmt: skip
    assert parse_message("  " + "\t ".join(upper_case) + " \r") == message


@pytest.mark.parametrize("line", ["", "hello", "settings", "settings colour red", "setup_map seas 1 2"])
def test_unknown_lines_are_parsed_as_other(line):
    assert parse_message(line) == m.Other(line)


@pytest.mark.parametrize(
    "line",
    [
        "settings timebank soon",
        "settings timebank",
        "setup_map super_regions 1",
        "setup_map neighbors 1 2,x",
        "update_map 1 player1",
        "update_map one player1 3",
        "opponent_moves player2 place_armies 5",
        "opponent_moves player2 retreat 5 6",
        "go fishing 2000",
        "go place_armies",
        "pick_starting_regions",
        "settings starting_armies 99999999999999999999",
        "settings starting_armies -1",
        "update_map 1 player1 2000001",
        "opponent_moves player2 attack/transfer 5 6 2147483648",
    ],
)
def test_the_error_quotes_an_invalid_line_and_the_expected_form(line):
    with pytest.raises(ProtocolError) as caught:
        parse_message(line)
    assert line in str(caught.value) and "expected" in str(caught.value)


numbers = st.integers(-(10**9), 10**9)
ids = st.lists(st.integers(1, 1000), max_size=8).map(tuple)
names = st.sampled_from(["player1", "player2"])
armies = st.integers(0, 2_000_000)
places = st.builds(m.PlaceOrder, names, numbers, armies)
moves = st.builds(m.MoveOrder, names, numbers, numbers, armies)


@given(
    st.one_of(
        st.builds(m.UpdateMap, st.lists(st.tuples(numbers, names, armies), max_size=8).map(tuple)),
        st.builds(m.OpponentMoves, st.lists(st.one_of(places, moves), max_size=8).map(tuple)),
        st.builds(m.Neighbors, st.lists(st.tuples(numbers, ids.filter(len)), max_size=5).map(tuple)),
        st.builds(m.PickRegion, numbers, ids),
        st.builds(m.Wastelands, ids),
    )
)
def test_any_message_is_unchanged_after_writing_and_parsing(message):
    assert parse_message(format_message(message)) == message


@given(st.lists(st.builds(m.PlaceOrder, st.just("player1"), numbers, numbers), max_size=50).map(tuple))
def test_any_answer_is_unchanged_after_writing_and_parsing(orders):
    read = parse_answer(PLACE, format_answer(m.PlaceOrders(orders)), "player1")
    assert read.answer == m.PlaceOrders(orders) and read.problems == ()


def read(question, line, name="player1"):
    got = parse_answer(question, line, name)
    return got.answer, [problem.reason for problem in got.problems]


def test_answers_in_the_form_of_the_competitions_are_parsed():
    place = m.PlaceOrders((m.PlaceOrder("player1", 3, 4), m.PlaceOrder("player1", 9, 1)))
    assert read(PLACE, "player1 place_armies 3 4, player1 place_armies 9 1") == (place, [])
    assert read(PLACE, "player1 place_armies 3 4,player1 place_armies 9 1,") == (place, []), "a trailing comma is fine"
    move = m.MoveOrders((m.MoveOrder("player1", 3, 4, 5),))
    assert read(ATTACK, "player1 attack/transfer 3 4 5") == (move, [])
    assert read(ATTACK, "No moves") == (m.MoveOrders(()), [])
    assert read(PICKS, "3 9 14") == (m.PicksAnswer((3, 9, 14)), [])
    assert read(PICK, "9") == (m.PicksAnswer((9,)), [])


@pytest.mark.parametrize(
    "question, line, kept, reason",
    [
        (PLACE, "player2 place_armies 3 4, player1 place_armies 9 1", 1, "name is player1"),
        (PLACE, "player1 attack/transfer 3 4 5, player1 place_armies 9 1", 1, "the question was for place_armies"),
        (PLACE, "player1 place_armies 3 four, player1 place_armies 9 1", 1, "not a whole number"),
        (PLACE, "player1 place_armies 3, player1 place_armies 9 1", 1, "words"),
        (PLACE, "what? player1, player1 place_armies 9 1", 1, "not an order"),
        (PLACE, "no moves", 0, "exactly"),
        (ATTACK, "", 0, "empty"),
        (ATTACK, "\x00\ufffd", 0, "not an order"),
        (PICK, "9 ", 1, "spaces around"),
        (PICK, "9 14", 1, "first counts"),
        (PICKS, "3 nine 14", 2, "are not ids"),
        (PICKS, "", 0, "empty"),
    ],
)
def test_an_invalid_part_of_an_answer_does_not_affect_other_parts(question, line, kept, reason):
    answer, reasons = read(question, line)
    assert len(answer.regions if isinstance(answer, m.PicksAnswer) else answer.orders) == kept
    assert len(reasons) == 1 and reason in reasons[0]


def test_orders_after_the_first_51_are_ignored():
    line = ", ".join(f"player1 place_armies {i} 1" for i in range(1, 10_001))
    answer, reasons = read(PLACE, line)
    assert [order.region for order in answer.orders] == list(range(1, 52))
    assert len(reasons) == 1 and "9949 orders after the first 51" in reasons[0]


def test_a_quoted_answer_is_short_and_printable():
    problem = parse_answer(PLACE, "\x1b[2J" * 5000, "player1").problems[0]
    assert len(problem.text) < 1500 and problem.text.isprintable()
