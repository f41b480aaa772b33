"""Convert a game to plain data: the header and each event in a form for JSON (see ``docs/reference/game-log.md``)."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

import orjson

from warlight_env import maps
from warlight_env.engine.orders import Orders
from warlight_env.maps import Map
from warlight_env.record.model import (
    Change,
    DecisionInfo,
    End,
    Header,
    LoggedDraw,
    LoggedFailure,
    LoggedGame,
    Picks,
    Player,
    Round,
    Start,
)
from warlight_env.step_results import Event, IllegalOrder
from warlight_env.version import __version__

FORMAT: Final = "warlight-log"
VERSION: Final = 1
PROGRAM: Final = f"warlight-env {__version__}"

_strict = json.JSONEncoder(separators=(",", ":"), allow_nan=False)
_readable = json.JSONEncoder(ensure_ascii=False, allow_nan=False)


def encode_line(data: Any) -> bytes:
    """Return the package's own plain data as one line of JSON."""
    try:
        return orjson.dumps(data)
    except TypeError:  # integers of more than 64 bits, unpaired surrogates
        return encode_foreign(data)


def encode_foreign(data: Any) -> bytes:
    """Return data from other authors, such as agents, as one line of JSON.

    Raises:
        TypeError, ValueError: the data is not plain, or contains NaN or infinity.
    """
    text = _strict.encode(data)
    if "\\ud" in text:  # perhaps an unpaired surrogate: it becomes a replacement character
        plain = _readable.encode(data).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        text = _strict.encode(json.loads(plain))
    return text.encode("ascii")


Data = dict[str, Any]


class _Same:
    """A cache key that compares by identity, because maps are too large for a comparison in every game of a match."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __hash__(self) -> int:
        return id(self.value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.value is other.value


@functools.lru_cache(maxsize=8)
def _shared(map_: _Same, rules: _Same, program: str) -> bytes:
    """Return the part that is equal in the headers of all games of a match, without the closing brace."""
    board: Map = map_.value
    bundled = board.name in maps.names() and maps.load(board.name) == board
    shared = {
        "format": FORMAT,
        "version": VERSION,
        "program": program,
        "map": board.name if bundled else board.to_dict(),
        "map_digest": board.digest(),
        "rules": rules.value.to_dict(),
    }
    return encode_line(shared)[:-1]


def header_line(header: Header) -> bytes:
    """Return the header as the first line."""
    data: Data = {
        "seed": header.seed,
        "picks": header.picks,
        "round_limit": header.round_limit,
        "players": [player_data(player) for player in header.players],
    }
    if header.match is not None:
        data["match"] = header.match
    if header.continues is not None:
        data["continues"] = {"rounds": header.continues.rounds, "players": header.continues.players}
    return b"%b,%b" % (_shared(_Same(header.map), _Same(header.rules), header.program), encode_line(data)[1:])


def player_data(player: Player) -> Data:
    """Return a player of the header."""
    return {"name": player.name, "spec": player.spec, "parameters": player.parameters, "seed": player.seed}


def start_data(start: Start) -> Data:
    """Return the position before the first event."""
    data: Data = {"event": "start", "owner": start.owner, "army": start.army}
    if start.offers is not None:
        data["offers"] = start.offers
    if start.picks is not None:
        data["picks"] = start.picks
    return {**data, "hash": start.hash}


def move_rows(events: Iterable[Event]) -> list[tuple[Any, ...]]:
    """Return attacks and transfers as rows."""
    return [
        (e.player, e.source, e.target, e.armies, e.attackers_lost, e.defenders_lost, 1 if e.captured else 0)
        if e.kind == "attack"
        else (e.player, e.source, e.target, e.armies)
        for e in events
    ]


def _dropped(illegal: Sequence[IllegalOrder]) -> Data:
    return {"dropped": [(d.player, d.kind, d.index, d.order, d.reason) for d in illegal]} if illegal else {}


def picks_data(
    preferences: Sequence[Sequence[int] | None], dropped: Sequence[IllegalOrder], changed: Sequence[Change], hash: str
) -> Data:
    """Return the event of picks. `preferences`: by player the preferred regions, or None if it is not its turn."""
    return {"event": "picks", "wishes": preferences, **_dropped(dropped), "changed": changed, "hash": hash}


def _orders_data(orders: Orders | None) -> Data | None:
    """Return a player's orders in their submitted form."""
    return None if orders is None else {"deploys": orders.deploys, "attacks": orders.attacks}


def _in_form(orders: Data | None) -> Data | None:
    """Return the same orders as lists of Python integers."""
    if orders is None:
        return None
    deploys, attacks = (rows.tolist() for rows in Orders(**orders).arrays())
    return {"deploys": deploys, "attacks": attacks}


def round_data(
    number: int,
    orders: Sequence[Orders | None],
    events: Iterable[Event],
    dropped: Sequence[IllegalOrder],
    changed: Sequence[Change],
    hash: str,
) -> Data:
    """Return the event of a round. Its orders keep their submitted form, in any type that the game accepts."""
    data: Data = {
        "event": "round",
        "round": number,
        "orders": [_orders_data(one) for one in orders],
        "moves": move_rows(events),
    }
    if dropped:
        data.update(_dropped(dropped))
    data["changed"], data["hash"] = changed, hash
    return data


def encode_event(event: Data) -> bytes:
    """Return an event as a line.

    A round's orders usually have the form of the line already. The function converts them, also in the event itself,
    only if the line contains NumPy integers, booleans or empty rows.
    """
    if event["event"] == "insight":
        return encode_foreign(event)
    if event["event"] == "round":
        try:
            line = orjson.dumps(event)
            if not (b"true" in line or b"false" in line or b"[[]" in line):
                return line
        except TypeError:
            pass
        event["orders"] = [_in_form(one) for one in event["orders"]]
    return encode_line(event)


def insight_data(insight: DecisionInfo, number: int) -> Data:
    """Return the event of an insight before the round of this number; 0: before the picks."""
    return {"event": "insight", "player": insight.player, "round": number, "data": insight.data}


def failure_data(failure: LoggedFailure) -> Data:
    """Return the event of an agent's failure."""
    return {"event": "failure", "player": failure.player, "round": failure.round, "reason": failure.reason}


def draw_data(draw: LoggedDraw) -> Data:
    """Return the event of an agreed draw."""
    return {"event": "draw", "round": draw.round, "players": draw.players}


def end_data(end: End) -> Data:
    """Return the event of the end."""
    return {
        "event": "end",
        "winner": end.winner,
        "rounds": end.rounds,
        "placements": end.placements,
        "cut_off": end.cut_off,
    }


def log_events(log: LoggedGame) -> Iterator[Data]:
    """Yield the events of a log, in its order, with orders as in `round_data`."""
    if log.start is not None:
        yield start_data(log.start)
    failures = list(log.failures)
    for i, step in enumerate(log.steps):
        number = step.round if isinstance(step, Round) else 0
        for insight in step.insights:
            yield insight_data(insight, number)
        if isinstance(step, Picks):
            yield picks_data(step.preferences, step.dropped, step.changed, step.hash)
        else:
            yield round_data(step.round, step.orders, step.events, step.dropped, step.changed, step.hash)
        more_picks = i + 1 < len(log.steps) and isinstance(log.steps[i + 1], Picks)
        while failures and failures[0].round == number and not more_picks:
            yield failure_data(failures.pop(0))
    last = failures[-1].round if log.status == "failed" else len(log.rounds)
    for insight in log.insights:
        yield insight_data(insight, last)
    for failure in failures:
        yield failure_data(failure)
    if log.draw is not None:
        yield draw_data(log.draw)
    if log.end is not None:
        yield end_data(log.end)


def plain_events(log: LoggedGame) -> Iterator[Data]:
    """Yield the events of a log, in its order, as plain data."""
    for event in log_events(log):
        if event["event"] == "round":
            event["orders"] = [_in_form(one) for one in event["orders"]]
        yield event


def log_lines(log: LoggedGame) -> Iterator[bytes]:
    """Yield all lines of a log."""
    yield header_line(log.header)
    yield from map(encode_event, log_events(log))
