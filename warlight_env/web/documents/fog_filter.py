"""Filters a game's events for one viewer: removes all hidden information before it leaves the server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from warlight_env.engine.rules import Rules
from warlight_env.engine.state import UNKNOWN
from warlight_env.engine.visibility import is_order_visible, seen_in_round, visible
from warlight_env.maps import Map

Event = dict[str, Any]

#: The seat of a spectator, a person who watches a game of people. Without fog, a spectator sees all players' moves.
SPECTATOR: Final = -1


class FogFilter:
    """Receives the events of a game's log in their order, and returns the part of each event that a viewer may see.

    ``docs/reference/game-log.md`` describes the format of events. The event of each round gets an additional field
    ``deploys``: ``[player, region, armies]`` without dropped deploys. For players, in contrast to onlookers, these
    rules apply:

    * hidden regions have owner -2 and army 0 from the start, and ``changed`` contains the changes of the *view*;
    * deploys and moves are those of ``RoundResult.seen_by``; orders, preferred regions, offers and dropped orders are
      the player's own;
    * the insight (explanation) of other players' bots is left out, and also hashes and seeds, which reveal the dice.

    A spectator has no player: the spectator gets no orders, no preferred regions and no lists of offered regions. Under
    fog, after the picks, a spectator sees no region and no event on the map.

    Args:
        map_, rules: the map and the rules of the game.
        seat: the player, or SPECTATOR; None for an onlooker who sees everything.
        players: the number of players of the game.
    """

    def __init__(self, map_: Map, rules: Rules, players: int, seat: int | None) -> None:
        self.map, self.rules, self.players, self.seat = map_, rules, players, seat
        self._owner: list[int] = []
        self._army: list[int] = []
        self._viewed: list[tuple[int, int]] = []
        self._picks = 0  # remaining steps of picking; during picking everything is visible

    def filter(self, event: Mapping[str, Any]) -> Event | None:
        """Return the event as the viewer may see it; None for an event that stays hidden."""
        kind = event["event"]
        if kind == "start":
            return self._start(event)
        if kind in ("picks", "round"):
            return self._step(event)
        if kind == "insight" and self.seat is not None and event["player"] != self.seat:
            return None
        return dict(event)

    def _start(self, event: Mapping[str, Any]) -> Event:
        self._owner, self._army = list(event["owner"]), list(event["army"])
        self._picks = self._picks_from(event)
        self._viewed = self._view()
        if self.seat is None:
            return dict(event)
        filtered: Event = {
            "event": "start",
            "owner": [o for o, _ in self._viewed],
            "army": [a for _, a in self._viewed],
        }
        if "offers" in event:
            filtered["offers"] = [offer if p == self.seat else [] for p, offer in enumerate(event["offers"])]
        if "picks" in event:
            filtered["picks"] = event["picks"]
        return filtered

    def _picks_from(self, start: Mapping[str, Any]) -> int:
        """Return the number of picking steps: 1, or with alternating picks, the number of possible picks."""
        if "offers" not in start:
            return 0
        if self.rules.picking != "alternating":
            return 1
        picked_regions = {region for region, owner in enumerate(start["owner"]) if owner >= 0}
        regions = len(picked_regions.union(*start["offers"]))
        picks_each = start.get("picks", self.rules.picks)
        return min(picks_each, regions // self.players) * self.players - len(picked_regions)

    def _step(self, event: Mapping[str, Any]) -> Event:
        before, foggy = list(self._owner), self._foggy
        for region, owner, army in event["changed"]:
            self._owner[region], self._army[region] = owner, army
        self._picks = self._picks - 1 if event["event"] == "picks" else 0
        previous, self._viewed = self._viewed, self._view()
        filtered = dict(event)
        if event["event"] == "round":
            filtered["deploys"] = deploys_of(event)
        if self.seat is None:
            return filtered
        filtered.pop("hash", None)
        changed = [(r, new) for r, (old, new) in enumerate(zip(previous, self._viewed, strict=True)) if old != new]
        filtered["changed"] = [[r, owner, army] for r, (owner, army) in changed]
        for name in ("orders", "wishes"):
            if name in event:
                filtered[name] = [entry if p == self.seat else None for p, entry in enumerate(event[name])]
        if "dropped" in event:
            filtered["dropped"] = [row for row in event["dropped"] if row[0] == self.seat]
        if event["event"] == "round":
            seen_regions = self._seen_regions(before, event["moves"]) if foggy else range(len(before))
            filtered["deploys"] = [
                row for row in filtered["deploys"] if is_order_visible(seen_regions, self.seat, row[0], row[1])
            ]
            filtered["moves"] = [
                row for row in event["moves"] if is_order_visible(seen_regions, self.seat, row[0], row[1], row[2])
            ]
        return filtered

    @property
    def _foggy(self) -> bool:
        """Whether fog now hides a part of the position from the viewer."""
        return self.seat is not None and self.rules.fog and not self._picks

    def _seen_regions(self, before: list[int], moves: list[list[int]]) -> frozenset[int]:
        """Return the regions that the player saw in a round.

        The last number in the row of a move is 1 if the move captured a region.
        """
        assert self.seat is not None
        if self.seat == SPECTATOR:
            return frozenset()
        captured = [row[2] for row in moves if row[0] == self.seat and row[4:] and row[6]]
        return seen_in_round(self.map.neighbors, self.seat, before, self._owner, captured)

    def _view(self) -> list[tuple[int, int]]:
        position = list(zip(self._owner, self._army, strict=True))
        if self.seat is None or not self._foggy:
            return position
        seen_regions = () if self.seat == SPECTATOR else visible(self.map.neighbors, self._owner, self.seat)
        return [pair if r in seen_regions else (UNKNOWN, 0) for r, pair in enumerate(position)]


def deploys_of(event: Mapping[str, Any]) -> list[list[int]]:
    """Return the deploys of a round as ``[player, region, armies]``, merged by region, without dropped deploys."""
    illegal = {(row[0], row[2]) for row in event.get("dropped", ()) if row[1] == "deploy"}
    total: dict[tuple[int, int], int] = {}
    for player, orders in enumerate(event["orders"]):
        for index, (region, armies) in enumerate(orders["deploys"] if orders else ()):
            if (player, index) not in illegal:
                total[player, region] = total.get((player, region), 0) + armies
    return [[player, region, armies] for (player, region), armies in total.items()]
