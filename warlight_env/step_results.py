"""The results of a step of a game: events, dropped orders, and the errors for invalid steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from warlight_env.arguments import short_repr
from warlight_env.engine.orders import REASONS, Orders
from warlight_env.engine.visibility import is_order_visible, seen_in_round
from warlight_env.errors import InputError


class GameError(InputError):
    """An error for a step that the game's phase or arguments do not allow; nothing has been played."""


@dataclass(frozen=True)
class IllegalOrder:
    """An order that the rules forbid: the player, the kind of list, the index in it, and the reason."""

    player: int
    kind: Literal["deploy", "attack", "pick"]
    index: int
    order: tuple[int, ...]
    reason: str

    def __str__(self) -> str:
        return f"player {self.player}, {self.kind} {self.index + 1} {short_repr(self.order)}: {self.reason}"


class IllegalOrdersError(GameError):
    """An error of strict steps for illegal orders; `illegal` lists all of them. Nothing has been played."""

    def __init__(self, illegal: Sequence[IllegalOrder]) -> None:
        super().__init__(tuple(illegal))
        self.illegal = tuple(illegal)

    def __str__(self) -> str:
        more = f" (and {len(self.illegal) - 5} more)" if len(self.illegal) > 5 else ""
        return "; ".join(str(order) for order in self.illegal[:5]) + more


@dataclass(frozen=True)
class Event:
    """An attack or transfer that was executed."""

    player: int
    source: int
    target: int
    armies: int
    kind: Literal["attack", "transfer"]
    attackers_lost: int
    defenders_lost: int
    captured: bool


@dataclass(frozen=True)
class Deploy:
    """Armies that were deployed."""

    player: int
    region: int
    armies: int


@dataclass(frozen=True)
class RoundResult:
    """The result of a round: deploys, attacks and transfers in order, and the orders that were dropped."""

    round: int
    deploys: list[Deploy] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    dropped: list[IllegalOrder] = field(default_factory=list)
    #: Under fog: for each player the regions that it saw in the round, see `seen_in_round`. None: all regions.
    visible: tuple[frozenset[int], ...] | None = None

    def seen_by(self, player: int) -> RoundResult:
        """Return what the player knows of the result: its own orders, and orders that touch a region that it saw."""
        if self.visible is None:
            return replace(self, dropped=[d for d in self.dropped if d.player == player])
        seen = self.visible[player]
        return RoundResult(
            self.round,
            [d for d in self.deploys if is_order_visible(seen, player, d.player, d.region)],
            [e for e in self.events if is_order_visible(seen, player, e.player, e.source, e.target)],
            [d for d in self.dropped if d.player == player],
            self.visible[player : player + 1] * len(self.visible),
        )


def seen_by_all(
    neighbors: Sequence[Sequence[int]], players: int, before: Sequence[int], after: Sequence[int], events: list[Event]
) -> tuple[frozenset[int], ...]:
    """Return for each player the regions that it saw in a round under fog; before, after: owners at start and end."""
    captured: list[list[int]] = [[] for _ in range(players)]
    for event in events:
        if event.captured:
            captured[event.player].append(event.target)
    return tuple(seen_in_round(neighbors, p, before, after, captured[p]) for p in range(players))


def round_result(
    neighbors: Sequence[Sequence[int]],
    fog: bool,
    number: int,
    deploy: npt.NDArray[np.int32],
    events: npt.NDArray[np.int32],
    before: npt.NDArray[np.int8],
    after: npt.NDArray[np.int8],
    dropped: list[IllegalOrder],
) -> RoundResult:
    """Return a round's result from the kernels' arrays: deploy int32[P, N], events int32[M, 7], owners int8[N]."""
    deploys = [Deploy(int(p), int(r), int(deploy[p, r])) for p, r in zip(*np.nonzero(deploy), strict=True)]
    told = decode_events(events, before.copy())
    seen = seen_by_all(neighbors, len(deploy), before.tolist(), after.tolist(), told) if fog else None
    return RoundResult(number, deploys, told, dropped, seen)


def dropped_orders(player: int, orders: Orders, reasons: npt.NDArray[np.int8]) -> list[IllegalOrder]:
    """Return the orders that `engine.orders.check_turn` dropped, with its reasons."""
    deploys, attacks = orders.arrays()
    told = []
    for i in np.flatnonzero(reasons).tolist():
        is_deploy = i < len(deploys)
        index = i if is_deploy else i - len(deploys)
        row = deploys[index] if is_deploy else attacks[index]
        kind: Literal["deploy", "attack"] = "deploy" if is_deploy else "attack"
        told.append(IllegalOrder(player, kind, index, tuple(row.tolist()), REASONS[reasons[i]]))
    return told


def places_with_forfeits(placements: Sequence[int], out: Sequence[int | None]) -> list[int]:
    """Return each player's place, 1 is the best, in a game with failed players. A failure counts as an elimination.

    placements: the places in the position. out: for each player the round of its failure or elimination; None: the
    player still plays.
    """
    scores = [
        (last is None, last or 0, -place if last is None else 0) for place, last in zip(placements, out, strict=True)
    ]
    return [1 + sum(other > mine for other in scores) for mine in scores]


def winner_with_forfeits(places: Sequence[int], ended: bool) -> int | None:
    """Return the winner of such a game: the only player in place 1 if the game has `ended`; None: no winner."""
    return places.index(1) if ended and places.count(1) == 1 else None


def end_with_forfeits(
    placements: Sequence[int], winner: int | None, done: bool, out: Sequence[int | None]
) -> tuple[list[int], int | None, bool]:
    """Return places, the winner, and whether the game is over, in a game with failed players.

    placements, winner, done: the values of the position. out: see `places_with_forfeits`.
    """
    left = out.count(None)
    places = places_with_forfeits(placements, out)
    return places, winner_with_forfeits(places, left <= 1 or winner is not None), done or left <= 1


def decode_events(rows: npt.NDArray[np.int32], owner: npt.NDArray[np.int8]) -> list[Event]:
    """Return the events with their kind. `owner`: the owners before the round; updated after each event."""
    events = []
    for player, source, target, armies, lost, killed, captured in rows.tolist():
        kind: Literal["attack", "transfer"] = "transfer" if owner[target] == player else "attack"
        events.append(Event(player, source, target, armies, kind, lost, killed, bool(captured)))
        if captured:
            owner[target] = player
    return events
