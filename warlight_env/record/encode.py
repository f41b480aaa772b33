"""From a game to plain data: the header and each event as JSON takes them (see ``docs/log.md``)."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, Final

from warlight_env import __version__, maps
from warlight_env.engine.orders import Orders
from warlight_env.engine.rules import Rules
from warlight_env.maps import Map
from warlight_env.outcome import Event, IllegalOrder
from warlight_env.record.model import Change, End, Failure, GameLog, Header, Insight, Picks, Player, Round, Start

FORMAT: Final = "warlight-log"
VERSION: Final = 1
PROGRAM: Final = f"warlight-env {__version__}"

#: Plain data as one line; refuses NaN, which is not JSON.
encode_line: Callable[[Any], str] = json.JSONEncoder(
    separators=(",", ":"), check_circular=False, allow_nan=False
).encode

Data = dict[str, Any]


class _Same:
    """A key that compares by identity: a map is too large to compare for every game of a match."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __hash__(self) -> int:
        return id(self.value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.value is other.value


@functools.lru_cache(maxsize=8)
def _map_data(key: _Same) -> tuple[str | Data, str]:
    """A map's name if it is a bundled one, else all of it; and its digest."""
    map_: Map = key.value
    bundled = map_.name in maps.names() and maps.load(map_.name) == map_
    return map_.name if bundled else map_.to_dict(), map_.digest()


@functools.lru_cache(maxsize=8)
def _rules_data(key: _Same) -> Data:
    rules: Rules = key.value
    return rules.to_dict()


def header_data(header: Header) -> Data:
    """The first line."""
    map_, digest = _map_data(_Same(header.map))
    data: Data = {
        "format": FORMAT,
        "version": VERSION,
        "program": header.program,
        "map": map_,
        "map_digest": digest,
        "rules": _rules_data(_Same(header.rules)),
        "seed": header.seed,
        "picks": header.picks,
        "round_limit": header.round_limit,
        "players": [player_data(player) for player in header.players],
    }
    if header.match is not None:
        data["match"] = header.match
    if header.continues is not None:
        data["continues"] = {"rounds": header.continues.rounds, "players": list(header.continues.players)}
    return data


def player_data(player: Player) -> Data:
    """A player of the header."""
    return {"name": player.name, "spec": player.spec, "parameters": player.parameters, "seed": player.seed}


def start_data(start: Start) -> Data:
    """The position before the first event."""
    data: Data = {"event": "start", "owner": start.owner, "army": start.army}
    if start.offers is not None:
        data["offers"] = start.offers
    return {**data, "hash": start.hash}


def move_rows(events: Iterable[Event]) -> list[tuple[Any, ...]]:
    """Attacks and transfers as rows."""
    return [
        (e.player, e.source, e.target, e.armies, e.attackers_lost, e.defenders_lost, e.captured)
        if e.kind == "attack"
        else (e.player, e.source, e.target, e.armies)
        for e in events
    ]


def _dropped(illegal: Sequence[IllegalOrder]) -> Data:
    return {"dropped": [(d.player, d.kind, d.index, d.order, d.reason) for d in illegal]} if illegal else {}


def picks_data(
    wishes: Sequence[Sequence[int] | None], dropped: Sequence[IllegalOrder], changed: Sequence[Change], hash: str
) -> Data:
    """Picks of those who were to pick."""
    return {"event": "picks", "wishes": wishes, **_dropped(dropped), "changed": changed, "hash": hash}


def orders_data(orders: Orders | None) -> Data | None:
    """A player's orders as they were handed in."""
    if orders is None:
        return None
    deploys, attacks = orders.deploys, orders.attacks
    if not (_plain(deploys, 2) and _plain(attacks, 3)):  # NumPy's integers, arrays, booleans, integers past 64 bits
        deploys, attacks = (rows.tolist() for rows in orders.arrays())
    return {"deploys": deploys, "attacks": attacks}


def _plain(rows: Any, width: int) -> bool:
    """Whether rows are tuples of Python's own small integers; quick, as it is asked for every turn."""
    if type(rows) is not list:
        return False
    try:
        values = list(chain.from_iterable(rows))
    except TypeError:
        return False
    return set(map(type, values)) <= {int} and set(map(len, rows)) <= {width} and max(values, default=0) < 2**63


def round_data(
    number: int,
    orders: Sequence[Data | None],
    events: Sequence[Event],
    dropped: Sequence[IllegalOrder],
    changed: Sequence[Change],
    hash: str,
) -> Data:
    """A round; `orders` by player, as `orders_data` makes them."""
    return {
        "event": "round",
        "round": number,
        "orders": orders,
        "moves": move_rows(events),
        **_dropped(dropped),
        "changed": changed,
        "hash": hash,
    }


def insight_data(insight: Insight, number: int) -> Data:
    """What an agent thought before the round of that number; 0: before it picked."""
    return {"event": "insight", "player": insight.player, "round": number, "data": insight.data}


def failure_data(failure: Failure) -> Data:
    """An agent's failure."""
    return {"event": "failure", "player": failure.player, "round": failure.round, "reason": failure.reason}


def end_data(end: End) -> Data:
    """The end."""
    return {
        "event": "end",
        "winner": end.winner,
        "rounds": end.rounds,
        "placements": end.placements,
        "cut_off": end.cut_off,
    }


def log_data(log: GameLog) -> Iterator[Data]:
    """All lines of a log."""
    yield header_data(log.header)
    if log.start is not None:
        yield start_data(log.start)
    for step in log.steps:
        number = step.round if isinstance(step, Round) else 0
        for insight in step.insights:
            yield insight_data(insight, number)
        if isinstance(step, Picks):
            yield picks_data(step.wishes, step.dropped, step.changed, step.hash)
        else:
            orders = [orders_data(o) for o in step.orders]
            yield round_data(step.round, orders, step.events, step.dropped, step.changed, step.hash)
    if log.failure is not None:
        yield failure_data(log.failure)
    if log.end is not None:
        yield end_data(log.end)
