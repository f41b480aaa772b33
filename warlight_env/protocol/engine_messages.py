"""Functions that make a game engine's messages to a bot from a player's view of a game."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from warlight_env.beliefs.order_observer import OpponentOrders, known_wastelands
from warlight_env.engine.orders import Orders
from warlight_env.engine.rules import Rules
from warlight_env.engine.state import NEUTRAL
from warlight_env.engine.view import View
from warlight_env.maps import Map
from warlight_env.protocol import messages as m
from warlight_env.protocol.clock import BotClock

#: The names of the players on seats 0 and 1 in the protocol.
NAMES: Final = ("player1", "player2")


def region_ids(regions: Iterable[int]) -> tuple[int, ...]:
    """Return the protocol's ids of regions, from 1.

    On the bundled world map, the ids are those of the AI Challenges.
    """
    return tuple(int(region) + 1 for region in regions)


def region_order(map_: Map, regions: Iterable[int]) -> tuple[int, ...]:
    """Sort regions by super region, and then by number, as the AI Challenges list the offered regions."""
    return tuple(sorted(regions, key=lambda region: (map_.super_region_of[region], region)))


def offered_at_start(view: View) -> tuple[int, ...]:
    """Return all regions that players could pick at the start of the game, including regions that are already picked.

    The result is the same for both players.
    """
    picked_regions = [] if view.starts is None else [r for start in view.starts for r in start]
    if view.phase == "pick":
        picked_regions = np.flatnonzero(view.owner >= 0).tolist()
    # If the start regions were drawn at random, a view contains no other offered regions.
    return region_order(view.map, {*view.offers, *picked_regions})


def setup_messages(map_: Map) -> list[m.Message]:
    """Return the three messages that describe a map: super regions, regions and neighbours.

    Each border appears only once, in the list of the region with the lower id.
    """
    borders: dict[int, list[int]] = {}
    for a, b in map_.borders:
        borders.setdefault(a + 1, []).append(b + 1)
    return [
        m.SuperRegions(tuple((s, bonus) for s, bonus in enumerate(map_.bonuses, 1))),
        m.Regions(tuple((r, s + 1) for r, s in enumerate(map_.super_region_of, 1))),
        m.Neighbors(tuple((a, tuple(neighbors)) for a, neighbors in sorted(borders.items()))),
    ]


def opening_messages(view: View, challenge: m.Challenge, clock: BotClock) -> list[m.Message]:
    """Return all messages that a game engine sends before its first question. view: the player's first view."""
    names: list[m.Message] = [m.YourBot(NAMES[view.player]), m.OpponentBot(NAMES[1 - view.player])]
    if challenge == 1:
        return names + setup_messages(view.map)
    rounds = view.rules.round_limit(view.map.n_regions)
    wastelands = known_wastelands(view)
    offered = offered_at_start(view)
    increment = int(1000 * (clock.increment or 0))
    limits: list[m.Message] = [
        m.Timebank(clock.milliseconds), m.TimePerMove(increment), m.MaxRounds(rounds or UNLIMITED),
    ]  # fmt: skip
    return [
        *limits,
        *names,
        *setup_messages(view.map),
        m.Wastelands(region_ids(wastelands)),
        m.StartingRegions(region_ids(offered)),
        m.StartingPickAmount(view.picks_left or len(offered) // 2),
    ]


def pick_question(view: View, challenge: m.Challenge, milliseconds: int) -> m.PickRegions | m.PickRegion:
    """Return the question for the player's picks: for all picks in challenge 1, for the next one in challenge 2."""
    offers = region_ids(region_order(view.map, view.offers))
    return m.PickRegions(milliseconds, offers) if challenge == 1 else m.PickRegion(milliseconds, offers)


#: The value of ``settings max_rounds`` if the rules have no limit of rounds.
UNLIMITED: Final = 10_000


def round_messages(view: View, opponent_orders: OpponentOrders) -> list[m.Message]:
    """Return the messages before the questions of a round.

    opponent_orders: the opponent's orders that the player saw.
    """
    owner, army = view.owner.tolist(), view.army.tolist()
    owners = {NEUTRAL: m.NEUTRAL_NAME, **dict(enumerate(NAMES))}
    enemy = NAMES[1 - view.player]
    orders: list[m.PlaceOrder | m.MoveOrder] = [
        m.PlaceOrder(enemy, r + 1, armies) for r, armies in opponent_orders.deploys
    ]
    orders += [m.MoveOrder(enemy, a + 1, b + 1, armies) for a, b, armies in opponent_orders.moves]
    return [
        m.StartingArmies(view.income),
        m.UpdateMap(
            tuple((r + 1, owners[owner[r]], army[r]) for r in _listing_order(view, owner) if owner[r] in owners)
        ),
        m.OpponentMoves(tuple(orders)),
    ]


def _listing_order(view: View, owner: Sequence[int]) -> Iterable[int]:
    """Return all regions in the order of the AI Challenges: own regions, their neighbours, then all other regions."""
    own_regions = [r for r, holder in enumerate(owner) if holder == view.player]
    neighbors = [q for r in own_regions for q in view.map.neighbors[r]]
    return dict.fromkeys([*own_regions, *neighbors, *range(len(owner))])


def orders_of(placements: m.PlaceOrders, moves: m.MoveOrders) -> Orders:
    """Combine a round's two answers (deploys, attacks) into one `Orders`.

    The game later checks whether the orders are legal.
    """
    return Orders(
        [(o.region - 1, o.armies) for o in placements.orders],
        [(o.source - 1, o.target - 1, o.armies) for o in moves.orders],
    )


def reduce_placements(placements: m.PlaceOrders, view: View) -> tuple[m.PlaceOrders, m.PlaceOrder | None]:
    """Reduce the first placement that exceeds the armies left, as the engines of both challenges do.

    Return the placements, and the original of the reduced placement; None: no placement was reduced. A placement on a
    region of another player uses no armies. If no armies are left, later placements remain as they are, and the game
    drops them.
    """
    armies_left = view.income
    orders = list(placements.orders)
    for i, order in enumerate(orders):
        is_own = 1 <= order.region <= view.map.n_regions and view.owner[order.region - 1] == view.player
        if is_own and order.armies > 0:
            if 0 < armies_left < order.armies:
                orders[i] = replace(order, armies=armies_left)
                return m.PlaceOrders(tuple(orders)), order
            armies_left -= order.armies
    return placements, None


def challenge_of(rules: Rules) -> m.Challenge:
    """Return the version of the protocol for the given rules: 2 if players pick regions one by one, and 1 otherwise."""
    return 2 if rules.picking == "alternating" else 1
