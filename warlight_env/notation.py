"""Functions that write and read orders as text.

For example, ``d na 4; a na eg 9`` means: deploy 4 armies on region NA, and attack from NA to EG with 9 armies.
"""

from __future__ import annotations

import itertools
from typing import Any

from warlight_env.arguments import short_repr
from warlight_env.engine.orders import Orders
from warlight_env.errors import InputError
from warlight_env.maps import Map, MapError

MAX_DIGITS = 9  # an army count in the text has at most 9 digits


class NotationError(InputError):
    """The text or the orders are not valid. The message names the order and the reason."""


def _check_map(map_: Any) -> None:
    if not isinstance(map_, Map):
        raise NotationError(f"map_ = {short_repr(map_)}: must be a `Map`")


def format_orders(map_: Map, orders: Orders) -> str:
    """Return orders as one line of text, which `parse_orders` can read.

    Raises:
        NotationError: a region or a number of armies is not valid; the message names the order.
    """
    _check_map(map_)
    if not isinstance(orders, Orders):
        raise NotationError(f"orders = {short_repr(orders)}: must be `Orders`")
    parts = []
    for number, (*regions, armies) in enumerate(itertools.chain(*orders.to_dict().values()), 1):
        if not all(0 <= r < map_.n_regions for r in regions) or not 0 < armies < 10**MAX_DIGITS:
            raise NotationError(f"order {number} {(*regions, armies)}: the region or the number of armies is not valid")
        words = ["a" if len(regions) == 2 else "d", *(map_.regions[r].code.lower() for r in regions), str(armies)]
        parts.append(" ".join(words))
    return "; ".join(parts)


def parse_orders(map_: Map, text: str) -> Orders:
    """Read orders from a text. Semicolons separate orders, and regions are given as codes, for example ``na``.

    The letter ``t`` (transfer) has the same meaning as ``a`` (attack).

    Raises:
        NotationError: the text is not valid. The message gives the number of the order, from 1, and the reason.
    """
    _check_map(map_)
    if not isinstance(text, str):
        raise NotationError(f"text = {short_repr(text)}: must be a string")
    deploys: list[tuple[int, int]] = []
    attacks: list[tuple[int, int, int]] = []
    for number, part in enumerate(text.split(";"), 1):
        words = part.split()
        if not words:
            continue

        def fail(reason: str, number: int = number, part: str = part) -> NotationError:
            return NotationError(f"order {number} ({part.strip()!r}): {reason}")

        kind = words[0].lower()
        width = {"d": 3, "a": 4, "t": 4}.get(kind)
        if width is None:
            raise fail("must begin with d (deploy), a (attack) or t (transfer)")
        if len(words) != width:
            form = "d REGION ARMIES" if kind == "d" else f"{kind} FROM TO ARMIES"
            raise fail(f"must have the form {form}")
        try:
            regions = [map_.region_index(word) for word in words[1:-1]]
        except MapError as error:
            raise fail(str(error)) from None
        if not words[-1].isdecimal() or len(words[-1]) > MAX_DIGITS or int(words[-1]) < 1:
            raise fail(f"{words[-1]!r} is not a number of armies")
        armies = int(words[-1])
        if kind == "d":
            deploys.append((regions[0], armies))
        else:
            attacks.append((regions[0], regions[1], armies))
    return Orders(deploys, attacks)
