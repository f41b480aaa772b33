"""Building a turn order by order, and orders as text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers import RING, position
from warlight_env import Game, GameError, IllegalOrdersError, Orders, Rules, TurnDraft, maps
from warlight_env.notation import NotationError, format_orders, parse_orders


def game() -> Game:
    return position(Game(RING, Rules.of("thesis", picks=1)), [0, 0, 0, 1, 1, 1], [5] * 6)


def test_a_turn_is_entered_undone_redone_and_committed():
    draft = TurnDraft(game(), 0)
    draft.deploy("R0", 3)
    draft.deploy(2, 4)
    assert draft.armies_left == 0
    draft.attack("r2", "r3", 8)
    assert draft.phase == "attack"
    draft.undo()
    assert (draft.phase, draft.orders) == ("deploy", Orders([(0, 3), (2, 4)], []))
    draft.undo()
    assert draft.armies_left == 4
    draft.redo()
    draft.redo()
    assert draft.commit() == Orders([(0, 3), (2, 4)], [(2, 3, 8)])
    with pytest.raises(GameError, match="committed"):
        draft.undo()


def test_going_back_to_deploy_clears_the_attacks_and_can_be_undone():
    draft = TurnDraft(game(), 0)
    draft.attack(2, 3, 1)
    draft.back_to_deploy()
    assert draft.orders.attacks == []
    draft.undo()
    assert draft.orders.attacks == [(2, 3, 1)]


def test_illegal_steps_are_refused_and_leave_the_draft():
    draft = TurnDraft(game(), 0)
    draft.deploy(0, 7)
    for step in (lambda: draft.deploy(0, 1), lambda: draft.attack(3, 2, 1), lambda: draft.attack(0, 2, 1)):
        with pytest.raises(IllegalOrdersError):
            step()
    with pytest.raises(maps.MapError, match="R99"):
        draft.attack("R99", 1, 1)
    assert draft.orders == Orders([(0, 7)], [])
    with pytest.raises(GameError, match="nothing to redo"):
        draft.redo()


def test_no_draft_for_the_eliminated_or_before_the_start():
    with pytest.raises(GameError, match="phase"):
        TurnDraft(Game("small"), 0)
    out = position(Game(RING, Rules.of("thesis", picks=1), players=3), [0, 0, 0, 1, 1, 1], [5] * 6)
    out.play_round([None] * 3)
    with pytest.raises(GameError, match="no regions"):
        TurnDraft(out, 2)


@given(st.data())
def test_text_of_orders_reads_back(data):
    world = maps.load("world")
    region, armies = st.integers(0, 41), st.integers(1, 500)
    orders = Orders(
        data.draw(st.lists(st.tuples(region, armies), max_size=5)),
        data.draw(st.lists(st.tuples(region, region, armies), max_size=5)),
    )
    assert parse_orders(world, format_orders(world, orders)) == orders


@pytest.mark.parametrize(("text", "message"), [
    ("d na 4; x", r"order 2 \('x'\): must begin"), ("d na", "d REGION ARMIES"), ("a na eg", "a FROM TO ARMIES"),
    ("d na -1", "number of armies"), ("d na 0", "number of armies"), ("d na 4.5", "number of armies"),
    ("d atlantis 4", "atlantis"), ("a na eg 99999999999999999999", "number of armies"),
])  # fmt: skip
def test_text_that_is_no_orders(text, message):
    with pytest.raises(NotationError, match=message):
        parse_orders(maps.load("world"), text)


@pytest.mark.parametrize(
    "orders", [Orders([(0, -3)]), Orders([(0, 10**9)]), Orders([(99, 1)]), Orders([], [(0, -1, 1)])]
)
def test_orders_that_have_no_text(orders):
    with pytest.raises(NotationError, match="order 1"):
        format_orders(maps.load("world"), orders)
