"""The opponent's orders that a player can see, with the visibility rules of the competitions' engines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from warlight_env.engine.state import NEUTRAL
from warlight_env.engine.view import View
from warlight_env.engine.visibility import sees
from warlight_env.step_results import RoundResult


def known_wastelands(view: View) -> list[int]:
    """Return the wastelands that the player knows: the wastelands of the map's setup, or else the visible wastelands.

    A visible wasteland is a neutral region with a wasteland's number of armies, if the map's starting number for this
    region is different.
    """
    start, setup = view.map.starting_armies, view.map.setup
    if setup is not None and setup.wastelands is not None:
        return list(setup.wastelands)
    if not view.params.wastelands:
        return []
    return [
        r
        for r, (by, army) in enumerate(zip(view.owner.tolist(), view.army.tolist(), strict=True))
        if by == NEUTRAL and army == view.params.wasteland_army and army != start[r]
    ]


@dataclass(frozen=True)
class OpponentOrders:
    """The opponent's orders of the last round that the player saw, in the order of their execution.

    Regions are indices.
    """

    deploys: tuple[tuple[int, int], ...] = ()
    moves: tuple[tuple[int, int, int], ...] = ()


NO_OPPONENT_ORDERS: Final = OpponentOrders()


class OrderObserver:
    """Collects the opponent's orders that a player can see, with the visibility rules of the competitions' engines.

    A placement is visible if its region is in sight. An attack or transfer is visible in two cases: one of its ends is
    in sight afterwards, or its target was in sight beforehand. The observer must receive all views in their order,
    because it stores the player's regions of the last view.
    """

    def __init__(self) -> None:
        self._own: set[int] = set()

    def observe(self, view: View) -> OpponentOrders:
        """Return the orders that the player saw since the last view. Call it once for the view of each round."""
        own, self._own = self._own, {r for r, by in enumerate(view.owner.tolist()) if by == view.player}
        result: RoundResult | None = view.last_round
        if result is None or result.round != view.round or view.round == 0:
            return NO_OPPONENT_ORDERS
        return observed_orders(result, own, view.map.neighbors, view.player, view.rules.fog)


def observed_orders(
    result: RoundResult, own: set[int], neighbors: Sequence[Sequence[int]], player: int, fog: bool
) -> OpponentOrders:
    """Return the other players' orders of a round that a player saw.

    `own`: the player's regions before the round.
    """

    def in_sight(region: int) -> bool:
        return not fog or sees(neighbors, own, region)

    own = set(own)
    placements = tuple((d.region, d.armies) for d in result.deploys if d.player != player and in_sight(d.region))
    moves = []
    for event in result.events:
        before = in_sight(event.target)
        if event.captured:
            (own.add if event.player == player else own.discard)(event.target)
        after = in_sight(event.source) or in_sight(event.target)
        if event.player != player and (before or after):
            moves.append((event.source, event.target, event.armies))
    return OpponentOrders(placements, tuple(moves))
