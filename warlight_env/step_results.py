"""The result of a round: deploys, attacks, transfers and dropped orders; the errors for invalid picks and orders."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from warlight_env.arguments import short_repr
from warlight_env.engine.orders import REASONS, Orders
from warlight_env.engine.visibility import is_order_visible, seen_in_round
from warlight_env.errors import InputError
from warlight_env.maps import Map


class GameError(InputError):
    """The call is not possible in the game's phase, or an argument is not valid. The game has not changed."""


@dataclass(frozen=True)
class IllegalOrder:
    """An order that the rules forbid, and the reason.

    `kind` is the type of the order. `index` is its position in the player's list of deploys, attacks or picks.
    """

    player: int
    kind: Literal["deploy", "attack", "pick"]
    index: int
    order: tuple[int, ...]
    reason: str

    def __str__(self) -> str:
        return f"player {self.player}, {self.kind} {self.index + 1} {short_repr(self.order)}: {self.reason}"

    def describe(self, map_: Map) -> str:
        """Return the order with names, and the reason: "deploy 9 on Siam: not the player's region"."""

        def name(region: int) -> str:
            return map_.regions[region].name if 0 <= region < map_.n_regions else f"region {region}"

        match self.kind, self.order:
            case "deploy", (region, armies):
                text = f"{armies} on {name(region)}"
            case "attack", (source, target, armies):
                text = f"{name(source)} → {name(target)} with {armies}"
            case _:
                text = ", ".join(map(name, self.order))
        return f"{self.kind} {text}: {self.reason}"


class IllegalOrdersError(GameError):
    """An order or pick is illegal, and the call has `on_illegal="raise"`. The game has not changed.

    `illegal` lists all illegal orders.
    """

    def __init__(self, illegal: Sequence[IllegalOrder]) -> None:
        super().__init__(tuple(illegal))
        self.illegal = tuple(illegal)

    def __str__(self) -> str:
        suffix = f" (and {len(self.illegal) - 5} more)" if len(self.illegal) > 5 else ""
        return "; ".join(str(order) for order in self.illegal[:5]) + suffix


def without_illegal(player: int, orders: Orders, illegal: Sequence[IllegalOrder]) -> Orders:
    """Return a player's turn without its illegal orders.

    illegal: the illegal orders of all players in the round, for example `RoundResult.dropped`.
    """
    left_out = {(order.kind, order.index) for order in illegal if order.player == player}
    plain = orders.normalized()
    return Orders(
        [order for i, order in enumerate(plain.deploys) if ("deploy", i) not in left_out],
        [order for i, order in enumerate(plain.attacks) if ("attack", i) not in left_out],
    )


@dataclass(frozen=True)
class Event:
    """An executed attack or transfer, with its losses in armies."""

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
    """The number of armies that a player deployed on a region."""

    player: int
    region: int
    armies: int


@dataclass(frozen=True)
class RoundResult:
    """The result of a round: deploys, attacks and transfers in the order of execution, and dropped (illegal) orders."""

    round: int
    deploys: list[Deploy] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    dropped: list[IllegalOrder] = field(default_factory=list)
    #: Under fog of war: for each player the regions that it saw in the round (see `seen_in_round`). None: all regions.
    visible: tuple[frozenset[int], ...] | None = None

    def seen_by(self, player: int) -> RoundResult:
        """Return the part of the result that the player knows.

        The player knows its own orders, and other players' orders in regions that it saw. Of the dropped orders, the
        player knows only its own.
        """
        if self.visible is None:
            return replace(self, dropped=[d for d in self.dropped if d.player == player])
        visible_regions = self.visible[player]
        return RoundResult(
            self.round,
            [d for d in self.deploys if is_order_visible(visible_regions, player, d.player, d.region)],
            [e for e in self.events if is_order_visible(visible_regions, player, e.player, e.source, e.target)],
            [d for d in self.dropped if d.player == player],
            self.visible[player : player + 1] * len(self.visible),
        )


def seen_by_all(
    neighbors: Sequence[Sequence[int]], players: int, before: Sequence[int], after: Sequence[int], events: list[Event]
) -> tuple[frozenset[int], ...]:
    """Return for each player the regions that the player saw in a round under fog of war.

    Args:
        before, after: the owners of all regions at the start and at the end of the round.
        events: the attacks and transfers of the round.
    """
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
    """Convert the arrays of a played round into a `RoundResult`.

    Args:
        deploy: int32[P, N], deployed armies.
        events: int32[M, 7], see `decode_events`.
        before, after: int8[N], the owners at the start and at the end of the round.
    """
    deploys = [Deploy(int(p), int(r), int(deploy[p, r])) for p, r in zip(*np.nonzero(deploy), strict=True)]
    round_events = decode_events(events, before.copy())
    visible = seen_by_all(neighbors, len(deploy), before.tolist(), after.tolist(), round_events) if fog else None
    return RoundResult(number, deploys, round_events, dropped, visible)


def dropped_orders(player: int, orders: Orders, reasons: npt.NDArray[np.int8]) -> list[IllegalOrder]:
    """Return the orders that `engine.orders.check_turn` dropped.

    reasons: for each order a reason code, an index of `REASONS`; 0 for a legal order.
    """
    deploys, attacks = orders.arrays()
    illegal = []
    for i in np.flatnonzero(reasons).tolist():
        is_deploy = i < len(deploys)
        index = i if is_deploy else i - len(deploys)
        row = deploys[index] if is_deploy else attacks[index]
        kind: Literal["deploy", "attack"] = "deploy" if is_deploy else "attack"
        illegal.append(IllegalOrder(player, kind, index, tuple(row.tolist()), REASONS[reasons[i]]))
    return illegal


def end_with_forfeits(
    placements: tuple[int, ...],
    winner: int | None,
    done: bool,
    eliminated: Sequence[int | None],
    forfeits: Collection[tuple[int, int]],
    *,
    drawn: bool = False,
) -> tuple[tuple[int, ...], int | None, bool]:
    """Return the places (1 is the best), the winner, and whether the game is over, for a game with failed players.

    A failure or a resignation counts as an elimination in the same round. There is no winner while the game continues,
    or if several players share place 1.

    Args:
        placements, winner, done: the places, the winner and whether the game is over, according to the position alone,
            without failures.
        eliminated: for each player the round of its elimination, or None.
        forfeits: the player and the round of each failure or resignation.
        drawn: whether the remaining players have agreed on a draw, which ends the game.
    """
    if not forfeits and not drawn:
        return placements, winner, done
    out = list(eliminated)
    for player, round_ in forfeits:
        last = out[player]
        out[player] = round_ if last is None else min(last, round_)
    scores = [
        (last is None, last or 0, -place if last is None and not drawn else 0)
        for place, last in zip(placements, out, strict=True)
    ]
    places = tuple(1 + sum(other_score > score for other_score in scores) for score in scores)
    if drawn:
        return places, None, True
    is_over = out.count(None) <= 1
    has_winner = (is_over or winner is not None) and places.count(1) == 1
    return places, places.index(1) if has_winner else None, done or is_over


def decode_events(rows: npt.NDArray[np.int32], owner: npt.NDArray[np.int8]) -> list[Event]:
    """Convert the event array of a round, int32[M, 7], into a list of `Event`.

    owner: int8[N], the owners at the start of the round. The function updates `owner` after each event, because an
    order of a player into its own region is a transfer.
    """
    events = []
    for player, source, target, armies, lost, killed, captured in rows.tolist():
        kind: Literal["attack", "transfer"] = "transfer" if owner[target] == player else "attack"
        events.append(Event(player, source, target, armies, kind, lost, killed, bool(captured)))
        if captured:
            owner[target] = player
    return events
