"""Functions that return the opponent's orders that a player sees under fog of war.

The visibility rules are those of the game engines of the two Warlight AI Challenges.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from warlight_env.engine.state import NEUTRAL
from warlight_env.engine.view import View
from warlight_env.engine.visibility import sees
from warlight_env.step_results import RoundResult


def known_wastelands(view: View) -> list[int]:
    """Return the wastelands (neutral regions with more armies) that the player knows.

    If the map has a fixed setup, the result is the wastelands of this setup. If the map has no fixed setup, the result
    is every visible neutral region that has the army of a wasteland, unless this is also the region's starting army on
    the map.
    """
    start, setup = view.map.starting_armies, view.map.setup
    if setup is not None and setup.wastelands is not None:
        return list(setup.wastelands)
    if not view.params.wastelands:
        return []
    return [
        r
        for r, (owner, army) in enumerate(zip(view.owner.tolist(), view.army.tolist(), strict=True))
        if owner == NEUTRAL and army == view.params.wasteland_army and army != start[r]
    ]


@dataclass(frozen=True)
class OpponentOrders:
    """The opponent's orders of the last round that a player saw, in the order of their execution.

    A region is an index from 0.
    """

    deploys: tuple[tuple[int, int], ...] = ()  #: for each deploy: the region and the number of armies
    moves: tuple[tuple[int, int, int], ...] = ()  #: for each attack or transfer: source, target and number of armies


NO_OPPONENT_ORDERS: Final = OpponentOrders()


class OrderObserver:
    """Finds the opponent's orders that a player sees, in the views of a game.

    The visibility rules are those of the game engines of the two Warlight AI Challenges. A deploy is visible if its
    region is visible. An attack or transfer is visible in two cases: its target was visible before the move, or its
    source or target is visible after the move. The observer must receive the view of each round in order, because it
    stores the player's regions of the last view.
    """

    def __init__(self) -> None:
        self._own_regions: set[int] = set()

    def observe(self, view: View) -> OpponentOrders:
        """Return the opponent's orders that the player saw in the last round. Call this method once in each round."""
        own_regions, self._own_regions = (
            self._own_regions,
            {r for r, owner in enumerate(view.owner.tolist()) if owner == view.player},
        )
        result: RoundResult | None = view.last_round
        if result is None or result.round != view.round or view.round == 0:
            return NO_OPPONENT_ORDERS
        return observed_orders(result, own_regions, view.map.neighbors, view.player, view.rules.fog)


def observed_orders(
    result: RoundResult, own_regions: set[int], neighbors: Sequence[Sequence[int]], player: int, fog: bool
) -> OpponentOrders:
    """Return the other players' orders in a round, as far as the player `player` saw these orders.

    Args:
        result: the events of the round.
        own_regions: the player's regions before the round.
        neighbors: the neighbours of each region.
        player: the player.
        fog: whether there is fog of war; without fog, the player sees all orders.
    """

    def in_sight(region: int) -> bool:
        return not fog or sees(neighbors, own_regions, region)

    own_regions = set(own_regions)
    placements = tuple((d.region, d.armies) for d in result.deploys if d.player != player and in_sight(d.region))
    moves = []
    for event in result.events:
        before = in_sight(event.target)
        if event.captured:
            (own_regions.add if event.player == player else own_regions.discard)(event.target)
        after = in_sight(event.source) or in_sight(event.target)
        if event.player != player and (before or after):
            moves.append((event.source, event.target, event.armies))
    return OpponentOrders(placements, tuple(moves))
