"""Invalid arguments of games, orders and battle odds: an `InputError` names them, and the state does not change."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from helpers import RING
from warlight_env import Game, Orders, Rules, battle_odds
from warlight_env.arguments import short_repr
from warlight_env.errors import InputError
from warlight_env.game import OrdersTypeError
from warlight_env.notation import format_orders, parse_orders


class Failing:
    """An object whose conversions fail."""

    def __array__(self, *arguments: Any, **names: Any) -> Any:
        raise ZeroDivisionError

    def __iter__(self) -> Any:
        raise ZeroDivisionError

    def __len__(self) -> int:
        raise ZeroDivisionError

    def __repr__(self) -> str:
        raise ZeroDivisionError


def game_in_play() -> Game:
    return Game(RING, Rules.of("thesis", picks=1), picks="random")


@pytest.mark.parametrize(("arguments", "message"), [
    ({"picks": np.array(["play", "random"])}, "picks"), ({"picks": np.zeros(2)}, "picks"), ({"picks": []}, "picks"),
    ({"seed": 1j}, "seed"), ({"seed": Failing()}, "seed"), ({"seed": np.zeros(2)}, "seed"),
    ({"players": np.zeros(2)}, "players"), ({"players": Failing()}, "players"), ({"players": 10**5000}, "players"),
    ({"map": 3}, "map"), ({"map": None}, "map"), ({"rules": 3}, "rules"), ({"rules": np.zeros(2)}, "rules"),
    ({"rules": {"base_income": 10**5000}}, "base_income"), ({"rules": {"fog": np.zeros(2)}}, "fog"),
    ({"rules": {"picking": np.zeros(2)}}, "picking"),
])  # fmt: skip
def test_game_rejects_invalid_arguments(arguments, message):
    with pytest.raises(InputError, match=message):
        Game(**arguments)


@pytest.mark.parametrize("bad", [
    None, 3, "d 0 1", 1.5, np.zeros((1, 2)), [None], [(0, None)], [(0, 1.0)], [("0", 1)], [[(0, 1)]], [(0,)], {0: 1},
    {0, 1}, np.zeros((1, 2, 1), int), (row for row in [(0, 1)]), Failing(), [(0, Failing())], b"\0\1", [{}, {}],
], ids=lambda value: type(value).__name__)  # fmt: skip
def test_orders_of_other_types_raise_input_errors_in_every_method(bad):
    game = game_in_play()
    before = game.hash()
    for orders in (Orders(bad), Orders([], bad)):
        for call in (
            lambda turn=orders: game.play_round([turn, None]),
            lambda turn=orders: game.play_round({1: turn}, on_illegal="skip"),
            lambda turn=orders: game.check(0, turn),
            lambda turn=orders: format_orders(RING, turn),
            lambda turn=orders: turn.arrays(),
            lambda turn=orders: turn.to_dict(),
        ):
            with pytest.raises(InputError) as caught:
                call()
            assert isinstance(caught.value, OrdersTypeError)
    with pytest.raises(InputError):
        game.play_round([3, bad])
    assert game.hash() == before
    game.play_round({})


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "uint32", "uint64", "int8", "int64"])
def test_orders_accept_arrays_of_any_integer_type(dtype):
    game = game_in_play()
    region = int(np.flatnonzero(game.owner == 0)[0])
    orders = Orders(np.array([[region, 2]], dtype), np.array([[1, 2, 3]], dtype))
    assert game.check(0, Orders(orders.deploys)) == []
    data = json.loads(json.dumps(orders.to_dict()))
    assert data == {"deploys": [[region, 2]], "attacks": [[1, 2, 3]]}
    assert Orders.from_dict(data) == Orders([(region, 2)], [(1, 2, 3)])


def test_orders_type_error_is_a_type_error():
    assert issubclass(OrdersTypeError, TypeError)


@pytest.mark.parametrize(("preferences", "on_illegal"), [
    ({0: Failing()}, "raise"), ({0: {1, 2}}, "raise"), ({0: [None]}, "skip"), (3, "skip"), ({None: [1]}, "skip"),
    ({}, np.array(["skip", "raise"])), ({}, None),
], ids=lambda value: type(value).__name__)  # fmt: skip
def test_pick_rejects_arguments_of_other_types(preferences, on_illegal):
    game = Game(RING, Rules.of("thesis", picks=1))
    before = game.hash()
    with pytest.raises(InputError):
        game.pick(preferences, on_illegal)
    assert game.hash() == before


@pytest.mark.parametrize(
    "player",
    [-1, 2, None, "0", 0.0, True, np.array([0, 1]), 10**5000, Failing()],
    ids=lambda value: type(value).__name__,
)
def test_game_methods_reject_unknown_players(player):
    game = game_in_play()
    for ask in (game.view, game.alive, game.income, game.offers, lambda p: game.check(p, Orders())):
        with pytest.raises(InputError, match="this game has players 0 to 1"):
            ask(player)


@pytest.mark.parametrize("armies", [
    None, "5", 1.0, float("nan"), float("inf"), True, -1, 0, 2001, 10**5000, np.array([1, 2]), Failing(), [5],
], ids=lambda value: type(value).__name__)  # fmt: skip
def test_battle_odds_reject_invalid_numbers_of_armies(armies):
    with pytest.raises(InputError, match="attackers"):
        battle_odds(armies, 3)
    with pytest.raises(InputError, match="defenders"):
        battle_odds(3, armies)


def test_saved_games_and_order_texts_of_other_types_raise_an_error():
    saved = game_in_play().to_dict()
    for damage in ({"hash": np.zeros(2)}, {"format": np.zeros(2)}, {"hash": None}):
        with pytest.raises(InputError, match="saved game"):
            Game.from_dict({**saved, **damage})
    for call in (
        lambda: parse_orders(RING, 3), lambda: parse_orders(3, ""), lambda: format_orders(3, Orders()),
        lambda: format_orders(RING, 3), lambda: Rules().round_limit("x"),
    ):  # fmt: skip
        with pytest.raises(InputError, match="must be"):
            call()


def test_error_message_may_contain_huge_numbers():
    game = Game(RING, Rules.of("thesis", picks=1))
    with pytest.raises(InputError, match="not offered"):
        game.pick({0: [10**5000], 1: [10**5000]})


def test_short_repr_names_the_type_of_objects_without_a_repr():
    assert short_repr(10**5000) == "an object of type int"
    assert short_repr(Failing()) == "an object of type Failing"
    assert len(short_repr("x" * 1000)) <= 80
