"""A game's log through a player's eyes: what it may not see is cut out before anything leaves the server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from warlight_env.engine.rules import Rules
from warlight_env.engine.state import UNKNOWN
from warlight_env.maps import Map

Event = dict[str, Any]


class Eyes:
    """Takes the events of a game's log in order (see ``docs/log.md``) and gives each as one viewer may know it.

    Every event has ``deploys`` added to a round: ``[player, region, armies]`` without those that were dropped.
    Of a player's view, other than an onlooker's:

    * hidden regions have owner -2 and army 0, from the start on, and ``changed`` says what the *view* changed by;
    * deploys and moves are those of ``RoundResult.seen_by``; orders, wishes, offers and dropped orders are its own;
    * others' insight, and the hashes and seeds that would give the dice away, are left out.

    Args:
        map_, rules: of the game.
        seat: the player; None for an onlooker who sees everything.
        players: of the game.
    """

    def __init__(self, map_: Map, rules: Rules, players: int, seat: int | None) -> None:
        self.map, self.rules, self.players, self.seat = map_, rules, players, seat
        self._owner: list[int] = []
        self._army: list[int] = []
        self._shown: list[tuple[int, int]] = []
        self._picks = 0  # steps of picking to come; meanwhile everything is seen

    def see(self, event: Mapping[str, Any]) -> Event | None:
        """The event as the viewer may know it; None where it may not know of it at all."""
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
        self._shown = self._view()
        if self.seat is None:
            return dict(event)
        out: Event = {"event": "start", "owner": [o for o, _ in self._shown], "army": [a for _, a in self._shown]}
        if "offers" in event:
            out["offers"] = [offer if p == self.seat else [] for p, offer in enumerate(event["offers"])]
        return out

    def _picks_from(self, start: Mapping[str, Any]) -> int:
        """How often somebody will pick: once all together, or one by one until no further lap has enough regions."""
        if "offers" not in start:
            return 0
        if self.rules.picking != "alternating":
            return 1
        taken = {region for region, owner in enumerate(start["owner"]) if owner >= 0}
        regions = len(taken.union(*start["offers"]))
        return min(self.rules.picks, regions // self.players) * self.players - len(taken)

    def _step(self, event: Mapping[str, Any]) -> Event:
        before = self._sight()
        for region, owner, army in event["changed"]:
            self._owner[region], self._army[region] = owner, army
        self._picks = self._picks - 1 if event["event"] == "picks" else 0
        shown, self._shown = self._shown, self._view()
        out = dict(event)
        if event["event"] == "round":
            out["deploys"] = deploys_of(event)
        if self.seat is None:
            return out
        out.pop("hash", None)
        changed = [(r, new) for r, (old, new) in enumerate(zip(shown, self._shown, strict=True)) if old != new]
        out["changed"] = [[r, owner, army] for r, (owner, army) in changed]
        for name in ("orders", "wishes"):
            if name in event:
                out[name] = [given if p == self.seat else None for p, given in enumerate(event[name])]
        if "dropped" in event:
            out["dropped"] = [row for row in event["dropped"] if row[0] == self.seat]
        if event["event"] == "round":
            seen = before | self._sight()
            out["deploys"] = [row for row in out["deploys"] if row[0] == self.seat or row[1] in seen]
            out["moves"] = [m for m in event["moves"] if m[0] == self.seat or m[1] in seen or m[2] in seen]
        return out

    def _sight(self) -> set[int]:
        """The regions that the viewer sees."""
        everything = set(range(len(self._owner)))
        if self.seat is None or not self.rules.fog or self._picks:
            return everything
        own = {r for r, o in enumerate(self._owner) if o == self.seat}
        return own.union(*(self.map.neighbors[r] for r in own))

    def _view(self) -> list[tuple[int, int]]:
        sight = self._sight()
        both = enumerate(zip(self._owner, self._army, strict=True))
        return [(owner, army) if r in sight else (UNKNOWN, 0) for r, (owner, army) in both]


def deploys_of(event: Mapping[str, Any]) -> list[list[int]]:
    """The deploys of a round as ``[player, region, armies]``, without those that were dropped, merged by region."""
    illegal = {(row[0], row[2]) for row in event.get("dropped", ()) if row[1] == "deploy"}
    total: dict[tuple[int, int], int] = {}
    for player, orders in enumerate(event["orders"]):
        for index, (region, armies) in enumerate(orders["deploys"] if orders else ()):
            if (player, index) not in illegal:
                total[player, region] = total.get((player, region), 0) + armies
    return [[player, region, armies] for (player, region), armies in total.items()]
