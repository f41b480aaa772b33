"""Orders as text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warlight_env import Orders, maps
from warlight_env.notation import NotationError, format_orders, parse_orders


@given(st.data())
def test_parse_orders_is_the_inverse_of_format_orders(data):
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
def test_invalid_text_raises_an_error(text, message):
    with pytest.raises(NotationError, match=message):
        parse_orders(maps.load("world"), text)


@pytest.mark.parametrize(
    "orders", [Orders([(0, -3)]), Orders([(0, 10**9)]), Orders([(99, 1)]), Orders([], [(0, -1, 1)])]
)
def test_invalid_orders_cannot_be_formatted(orders):
    with pytest.raises(NotationError, match="order 1"):
        format_orders(maps.load("world"), orders)
