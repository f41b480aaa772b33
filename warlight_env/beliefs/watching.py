"""What a player gets to know of the others in its views, round by round, as exactly as the competitions told it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from warlight_env.engine.sight import sees
from warlight_env.engine.state import NEUTRAL
from warlight_env.engine.view import View
from warlight_env.step_results import RoundResult


def wastelands(view: View) -> list[int]:
    """The wastelands that the player knows: those of the map's setup, or else those that it sees.

    It sees neutral regions with a wasteland's armies, not those of the map.
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
class Seen:
    """The opponent's orders of the last round that the player could see, as they were carried out, by index."""

    placements: tuple[tuple[int, int], ...] = ()
    moves: tuple[tuple[int, int, int], ...] = ()


NOTHING_SEEN: Final = Seen()


class Watcher:
    """Sees with a player's eyes what the opponent does, as exactly as the competitions' engines did.

    A placement is seen where its region is; an attack or transfer if either end is in sight after it, or its target
    was before it. Being asked for every view in turn, it knows which regions the player had.
    """

    def __init__(self) -> None:
        self._own: set[int] = set()

    def look(self, view: View) -> Seen:
        """What was seen since the view before; call it once for every round's view."""
        own, self._own = self._own, {r for r, by in enumerate(view.owner.tolist()) if by == view.player}
        result: RoundResult | None = view.last_round
        if result is None or result.round != view.round or view.round == 0:
            return NOTHING_SEEN
        return seen_orders(result, own, view.map.neighbors, view.player, view.rules.fog)


def seen_orders(result: RoundResult, own: set[int], neighbors: Sequence[Sequence[int]], player: int, fog: bool) -> Seen:
    """The others' orders of a round that a player saw who had the regions `own` before it."""

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
    return Seen(placements, tuple(moves))
