"""Convert the JSON data of a log, line by line, to the classes of `model`, and check all values.

The module reads all versions of the format up to the current one.
"""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import Any, Final

from warlight_env import maps
from warlight_env.engine.army_cap import ARMY_CAP
from warlight_env.engine.orders import Orders, OrdersTypeError
from warlight_env.engine.rules import MAX_PLAYERS, Rules, RulesError
from warlight_env.maps import Map, MapError
from warlight_env.record.checks import JsonFields, brief, integer, row
from warlight_env.record.encode import FORMAT, VERSION
from warlight_env.record.errors import LogError
from warlight_env.record.model import (
    Change,
    Continuation,
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
from warlight_env.record.move_rows import move_columns, move_of
from warlight_env.record.variation_codec import decode_tree
from warlight_env.step_results import IllegalOrder

_NUMBER: Final = (-(2**63), 2**63 - 1)
_KINDS: Final = ("deploy", "attack", "pick")


def decode_header(data: Any, place: str) -> Header:
    """Convert the JSON data of the first line of a log to a `Header`."""
    fields = JsonFields.of_format(data, place, FORMAT, "the log of a game")
    fields.check_version(VERSION, "log")
    picks: Any = fields.text("picks")
    if picks not in ("random", "agents"):
        raise fields.fail("picks", '"random" or "agents"')
    players = fields.each("players", None, _player)
    if not 2 <= len(players) <= MAX_PLAYERS:
        raise LogError(f"{place}: 'players' must be 2 to {MAX_PLAYERS}, not {len(players)}")
    rules = decode_rules(fields)
    return Header(
        map=decode_map(fields),
        rules=rules,
        players=players,
        seed=fields.integer("seed"),
        picks=picks,
        round_limit=fields.integer("round_limit", 1),
        program=fields.text("program"),
        match=fields.object("match") if "match" in fields.data else None,
        continues=_continuation(fields) if "continues" in fields.data else None,
    )


def decode_rules(fields: JsonFields) -> Rules:
    """Return the rules of the header of a log or of a study."""
    try:
        return Rules.of(fields.object("rules"))
    except RulesError as error:
        raise LogError(f"{fields.location}: {error}") from None


def decode_map(fields: JsonFields) -> Map:
    """Return the map of the header of a log or of a study; raise LogError if its digest is another one."""
    map_data = fields.get("map")
    if isinstance(map_data, str):
        bundled = _bundled().get(map_data)
        if bundled is None:
            raise LogError(f"{fields.location}: there is no bundled map {map_data!r}")
        map_, digest = bundled
    else:
        try:
            map_ = maps.from_dict(map_data, f"{fields.location}: map")
        except MapError as error:
            raise LogError(str(error)) from None
        digest = map_.digest()
    if digest != fields.text("map_digest"):
        raise LogError(f"{fields.location}: map {map_.name!r} differs from the map of the file: their digests differ")
    return map_


@functools.cache
def _bundled() -> dict[str, tuple[Map, str]]:
    """Return a dict from the name of each bundled map to the map and its digest.

    A log contains either the name of a bundled map or a whole map, so no other file is read.
    """
    bundled = {name: maps.load(name) for name in maps.names()}
    return {name: (map_, map_.digest()) for name, map_ in bundled.items()}


def _player(data: Any, place: str) -> Player:
    fields = JsonFields(data, place)
    spec = None if fields.get("spec") is None else fields.text("spec")
    return Player(fields.text("name"), spec, fields.object("parameters"), fields.optional_integer("seed"))


def _continuation(header: JsonFields) -> Continuation:
    fields = JsonFields(header.object("continues"), f"{header.location}: continues")
    names = tuple(str(name) for name in fields.array("players"))
    return Continuation(fields.integer("rounds", 0), names)


def decode_failure(fields: JsonFields, players: int) -> LoggedFailure:
    """Convert the JSON data of an event "failure" to a `LoggedFailure`."""
    return LoggedFailure(fields.integer("player", 0, players - 1), fields.integer("round", 0), fields.text("reason"))


def decode_end(fields: JsonFields, players: int, rounds: int) -> End:
    """Convert the JSON data of an event "end" to an `End`; `rounds` is the number of rounds before the event."""
    if fields.integer("rounds", 0) != rounds:
        number = fields.data["rounds"]
        raise LogError(f"{fields.location}: the game ends after {number} rounds, but the log has {rounds} rounds")
    return End(
        winner=fields.optional_integer("winner", 0, players - 1),
        rounds=rounds,
        placements=fields.integers("placements", players, 1, players),
        cut_off=fields.boolean("cut_off"),
    )


class Decoder:
    """Converts the lines of a log to a game, one line after the other.

    In a log, the insights (see `decision_info`) about a round or picks come before the event "round" or "picks".
    Insights after the last event "round" or "picks" of the log belong to no round.

    Attributes:
        log: the header, start, draw and end that have been read so far; `finish` returns the whole game.

    Args:
        header: the header from the first line of the log.
    """

    def __init__(self, header: Header) -> None:
        self.log = LoggedGame(header)
        self._n, self._players = header.map.n_regions, len(header.players)
        self._move_columns = move_columns(self._n, self._players)
        self._steps: list[Picks | Round] = []
        self._insights: list[DecisionInfo] = []
        self._failures: list[LoggedFailure] = []
        self._rounds = 0

    def add_line(self, data: Any, place: str) -> None:
        """Add a line. Raise `LogError` if the line is not valid, or is not allowed after the earlier lines."""
        fields = JsonFields(data, place)
        kind = fields.text("event")
        read = {
            "start": self._start, "picks": self._picks, "round": self._round, "insight": self._insight,
            "failure": self._failure, "draw": self._draw, "end": self._end, "variations": self._variations,
        }.get(kind)  # fmt: skip
        if read is None:
            return  # ignore an event that a newer program has added to this version of the format
        if self.log.end is not None and kind != "variations":
            raise LogError(f"{place}: event {kind!r} after the game's end")
        if (self.log.start is None) != (kind == "start"):
            raise LogError(f"{place}: event {kind!r}: the first event must be 'start', and 'start' must not come again")
        read(fields)

    def finish(self) -> LoggedGame:
        """Return the game that consists of all lines so far."""
        log = replace(self.log, steps=tuple(self._steps), failures=tuple(self._failures))
        # If the log is incomplete, insights after its last round belong to a missing round. Such insights are left out.
        return log if log.status == "incomplete" else replace(log, insights=tuple(self._insights))

    def _start(self, fields: JsonFields) -> None:
        offers = None
        if "offers" in fields.data:
            offers = fields.each("offers", self._players, self._regions)
        owner = fields.integers("owner", self._n, -1, self._players - 1)
        army = fields.integers("army", self._n, 1, ARMY_CAP)
        picks = fields.integer("picks", 1, self._n) if "picks" in fields.data else None
        self.log = replace(self.log, start=Start(owner, army, offers, fields.text("hash"), picks))

    def _picks(self, fields: JsonFields) -> None:
        if self._rounds:
            raise LogError(f"{fields.location}: picks after the first round")
        preferences = fields.each("wishes", self._players, _preferences)
        self._steps.append(
            Picks(preferences, self._dropped(fields), self._changed(fields), fields.text("hash"), self._take_insights())
        )

    def _round(self, fields: JsonFields) -> None:
        number = fields.integer("round", 1)
        if number != self._rounds + 1:
            raise LogError(f"{fields.location}: must be round {self._rounds + 1}, not round {number}")
        orders = fields.each("orders", self._players, _orders)
        moves = tuple(move_of(row) for row in fields.rows("moves", *self._move_columns))
        dropped, changed = self._dropped(fields), self._changed(fields)
        self._steps.append(Round(number, orders, moves, dropped, changed, fields.text("hash"), self._take_insights()))
        self._rounds = number

    def _take_insights(self) -> tuple[DecisionInfo, ...]:
        insights, self._insights = tuple(self._insights), []
        return insights

    def _insight(self, fields: JsonFields) -> None:
        self._insights.append(DecisionInfo(fields.integer("player", 0, self._players - 1), fields.object("data")))

    def _failure(self, fields: JsonFields) -> None:
        self._failures.append(decode_failure(fields, self._players))

    def _draw(self, fields: JsonFields) -> None:
        if fields.integer("round", 0) != self._rounds:
            number, place = fields.data["round"], fields.location
            raise LogError(f"{place}: a draw after {number} rounds, but the log has {self._rounds} rounds")
        players = fields.integers("players", None, 0, self._players - 1)
        self.log = replace(self.log, draw=LoggedDraw(self._rounds, players))

    def _end(self, fields: JsonFields) -> None:
        self.log = replace(self.log, end=decode_end(fields, self._players, self._rounds))

    def _variations(self, fields: JsonFields) -> None:
        """Store the tree of variations, which replaces an earlier tree of the log."""
        tree = decode_tree(fields.data, fields.location, self._n, self._players)
        self.log = replace(self.log, variations=tree)

    def _regions(self, data: Any, place: str) -> tuple[int, ...]:
        return tuple(integer(region, place, 0, self._n - 1) for region in row(data, place, *range(self._n + 1)))

    def _changed(self, fields: JsonFields) -> tuple[Change, ...]:
        columns = ((0, self._n - 1), (-1, self._players - 1), (1, ARMY_CAP))
        return fields.rows("changed", columns)  # type: ignore[return-value]

    def _dropped(self, fields: JsonFields) -> tuple[IllegalOrder, ...]:
        def read(data: Any, place: str) -> IllegalOrder:
            player, kind, index, order, reason = row(data, place, 5)
            if kind not in _KINDS or not isinstance(order, list) or not isinstance(reason, str):
                raise LogError(f"{place}: must be [player, kind, index, order, reason], not {brief(data)}")
            numbers = tuple(integer(v, place) for v in order)
            player = integer(player, place, 0, self._players - 1)
            return IllegalOrder(player, kind, integer(index, place, 0), numbers, reason)

        return fields.each("dropped", None, read) if "dropped" in fields.data else ()


def _preferences(data: Any, place: str) -> tuple[int, ...] | None:
    if data is None:
        return None
    if not isinstance(data, list):
        raise LogError(f"{place}: must be a list of regions or null, not {brief(data)}")
    return tuple(integer(region, place, *_NUMBER) for region in data)  # a player may have submitted any integer


def _orders(data: Any, place: str) -> Orders | None:
    if data is None:
        return None
    fields = JsonFields(data, place)
    plain_orders = fields.plain_rows("deploys", 2), fields.plain_rows("attacks", 3)
    if plain_orders[0] is not None and plain_orders[1] is not None:
        return Orders(*plain_orders)  # type: ignore[arg-type]
    try:
        return Orders(fields.array("deploys"), fields.array("attacks")).normalized()
    except OrdersTypeError as error:
        raise LogError(f"{place}: {error}") from None
