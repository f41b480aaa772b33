"""Convert the header and the events of a game to lines of a log in JSON.

``docs/reference/game-log.md`` describes the format.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

import orjson

from warlight_env.engine.orders import Orders
from warlight_env.engine.rules import Rules
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
    Round,
    Start,
)
from warlight_env.record.move_rows import move_rows
from warlight_env.record.variation_codec import tree_data
from warlight_env.saved_position import saved_map
from warlight_env.step_results import Event, IllegalOrder
from warlight_env.version import __version__

FORMAT: Final = "warlight-log"
VERSION: Final = 1
PROGRAM: Final = f"warlight-env {__version__}"

_strict = json.JSONEncoder(separators=(",", ":"), allow_nan=False)
_readable = json.JSONEncoder(ensure_ascii=False, allow_nan=False)


def encode_line(data: Any) -> bytes:
    """Convert data that this package has made to one line of JSON."""
    try:
        return orjson.dumps(data)
    except TypeError:  # an integer of more than 64 bits, or an unpaired surrogate
        return encode_foreign(data)


def encode_foreign(data: Any) -> bytes:
    """Convert data of unknown origin, for example from an agent, to one line of JSON.

    Raises:
        TypeError, ValueError: JSON cannot represent the data, for example an object of a class, NaN or infinity.
    """
    text = _strict.encode(data)
    if "\\ud" in text:  # the text may contain an unpaired surrogate: replace it by U+FFFD
        plain = _readable.encode(data).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        text = _strict.encode(json.loads(plain))
    return text.encode("ascii")


Data = dict[str, Any]


class _Same:
    """A cache key that compares objects by identity, because the comparison of two maps would take too long."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __hash__(self) -> int:
        return id(self.value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.value is other.value


@functools.lru_cache(maxsize=8)
def _shared_header(map_: _Same, rules: _Same, program: str) -> bytes:
    """Return the JSON text of the fields that are equal in the headers of all games of a match.

    The text has no closing brace, so that the other fields can follow.
    """
    return encode_line(header_fields(FORMAT, VERSION, program, map_.value, rules.value))[:-1]


def header_fields(format_: str, version: int, program: str, map_: Map, rules: Rules) -> Data:
    """Return the fields with which every file begins: its format, the program, the map and the rules."""
    return {
        "format": format_,
        "version": version,
        "program": program,
        "map": saved_map(map_),
        "map_digest": map_.digest(),
        "rules": rules.to_dict(),
    }


def header_line(header: Header) -> bytes:
    """Return the first line of a log, which contains the header."""
    data: Data = {
        "seed": header.seed,
        "picks": header.picks,
        "round_limit": header.round_limit,
        "players": [vars(player) for player in header.players],
    }
    if header.match is not None:
        data["match"] = header.match
    if header.continues is not None:
        data["continues"] = vars(header.continues)
    return b"%b,%b" % (_shared_header(_Same(header.map), _Same(header.rules), header.program), encode_line(data)[1:])


def start_data(start: Start) -> Data:
    """Return the event "start" of a log, which contains the first position."""
    data: Data = {"event": "start", "owner": start.owner, "army": start.army}
    if start.offers is not None:
        data["offers"] = start.offers
    if start.picks is not None:
        data["picks"] = start.picks
    return {**data, "hash": start.hash}


def _dropped_data(illegal: Sequence[IllegalOrder]) -> Data:
    return {"dropped": [(d.player, d.kind, d.index, d.order, d.reason) for d in illegal]} if illegal else {}


def picks_data(
    preferences: Sequence[Sequence[int] | None], dropped: Sequence[IllegalOrder], changed: Sequence[Change], hash: str
) -> Data:
    """Return an event "picks" of a log.

    preferences: for each player its list of preferred regions, or None if the player did not have to pick.
    """
    return {"event": "picks", "wishes": preferences, **_dropped_data(dropped), "changed": changed, "hash": hash}


def _integer_orders(orders: Sequence[Data | None]) -> list[Data | None]:
    """Convert the values in the orders of all players to lists of Python integers."""
    return [None if turn is None else Orders(**turn).to_dict() for turn in orders]


def round_data(
    number: int,
    orders: Sequence[Orders | None],
    events: Iterable[Event],
    dropped: Sequence[IllegalOrder],
    changed: Sequence[Change],
    hash: str,
) -> Data:
    """Return an event "round" of a log.

    The orders in the event are as submitted, with values of any type that the game accepts.
    """
    data: Data = {
        "event": "round",
        "round": number,
        "orders": [None if turn is None else {"deploys": turn.deploys, "attacks": turn.attacks} for turn in orders],
        "moves": move_rows(events),
    }
    if dropped:
        data.update(_dropped_data(dropped))
    data["changed"], data["hash"] = changed, hash
    return data


def encode_event(event: Data) -> bytes:
    """Return an event of a log as a line of JSON.

    Orders of a round usually contain only lists of Python integers. If the orders contain NumPy integers, booleans or
    empty rows, the function converts the orders, and also changes the orders in `event`.
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
        event["orders"] = _integer_orders(event["orders"])
    return encode_line(event)


def insight_data(insight: DecisionInfo, number: int) -> Data:
    """Return an event "insight" of a log. `number` is the round of the decision; 0: the picks."""
    return {"event": "insight", "player": insight.player, "round": number, "data": insight.data}


def failure_data(failure: LoggedFailure) -> Data:
    """Return an event "failure" of a log."""
    return {"event": "failure", **vars(failure)}


def draw_data(draw: LoggedDraw) -> Data:
    """Return an event "draw" of a log."""
    return {"event": "draw", **vars(draw)}


def end_data(end: End) -> Data:
    """Return the event "end" of a log."""
    return {"event": "end", **vars(end)}


def log_events(log: LoggedGame) -> Iterator[Data]:
    """Yield the events of a log in the order of its lines. The orders have the form that `round_data` returns."""
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
    if log.variations:
        yield {"event": "variations", **tree_data(log.variations)}


def plain_events(log: LoggedGame) -> Iterator[Data]:
    """Yield the events of a log in the order of its lines, as data for JSON."""
    for event in log_events(log):
        if event["event"] == "round":
            event["orders"] = _integer_orders(event["orders"])
        yield event


def log_lines(log: LoggedGame) -> Iterator[bytes]:
    """Yield all lines of a log, without line ends."""
    yield header_line(log.header)
    yield from map(encode_event, log_events(log))
