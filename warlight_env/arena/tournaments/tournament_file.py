"""Read the settings of a tournament from a TOML file. The messages of errors contain the line and the key."""

from __future__ import annotations

import itertools
import math
import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final, TypeVar, get_args

from warlight_env import bounded_io, maps
from warlight_env.agents import AgentError
from warlight_env.agents.registry import parse
from warlight_env.arena.games.clocks import Clock, ClockError
from warlight_env.arena.games.seated_agent import OnCrash
from warlight_env.arena.tournaments.tournament import Entrant, Format, Tournament, TournamentError
from warlight_env.arguments import kind_in_words, path_of
from warlight_env.engine.board import make_board
from warlight_env.engine.rules import MAX_PLAYERS, Rules, RulesError
from warlight_env.engine.setup import check_players
from warlight_env.errors import InputError, did_you_mean

T = TypeVar("T")

KEYS: Final = (
    "name", "format", "challengers", "players", "games", "seed", "maps", "rules", "paired", "picks", "max_rounds",
    "clock", "on_crash", "on_late", "anchor", "anchor_elo", "agents",
)  # fmt: skip


class TomlFile:
    """The content of a TOML file. The methods return single values and check their types.

    Args:
        path: the path of the file.

    Raises:
        TournamentError: the file cannot be read, or is not a TOML file. The methods also raise this error.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.text = bounded_io.read_text(path, bounded_io.SETTINGS_BYTES, TournamentError, "settings file")
        self.values = bounded_io.parse_toml(self.text, str(path), TournamentError)

    def problem(self, key: str, reason: str) -> TournamentError:
        """Return an exception with a message about a key.

        Args:
            key: the key, such as ``games`` or ``agents[2].name``.
            reason: the text after the file, the line and the key.
        """
        line = self.line(key)
        place = f"{self.path}, line {line}" if line else str(self.path)
        return TournamentError(f"{place}: {key}: {reason}")

    def line(self, key: str) -> int | None:
        """Return the number, from 1, of the line that sets a key; None if there is no line for this key."""
        first, _, subkey = key.partition(".")
        match = re.fullmatch(r"([^\[\]]+)(?:\[(\d{1,9})\])?", first)
        if match is None:
            return None
        name, number = match.groups()
        lines = self.text.splitlines()
        headers = [i for i, line in enumerate(lines) if re.match(rf"\s*\[\[?\s*{re.escape(name)}\s*\]\]?", line)]
        start = headers[int(number or 0)] if int(number or 0) < len(headers) else None
        if start is None:
            return _find(lines, name, 0)
        return (_find(lines, subkey, start + 1) if subkey else None) or start + 1

    def check_keys(self, table: dict[str, Any], allowed: Iterable[str], prefix: str = "") -> None:
        """Raise an error if the table contains a key that is not in `allowed`.

        prefix: the text before the key in the message, such as ``agents[2].``.
        """
        allowed = list(allowed)
        for key in table:
            if key not in allowed:
                hint = did_you_mean(key, allowed)
                raise self.problem(f"{prefix}{key}", f"no such key{hint}; there are {', '.join(allowed)}")

    def typed(self, value: Any, kind: type[T], key: str) -> T:
        """Return a value; raise an error unless it has the type `kind`.

        For `float`, integers are accepted and converted. For `int`, true and false are not accepted.
        """
        has_type = isinstance(value, (int, float) if kind is float else kind)
        if not has_type or (isinstance(value, bool) and kind is not bool):
            raise self.problem(key, f"must be {kind_in_words(kind)}, not {value!r:.60}")
        if kind is float and not math.isfinite(value):
            raise self.problem(key, f"must be a finite number, not {value!r}")
        return float(value) if kind is float else value  # type: ignore[return-value]

    def get(self, key: str, kind: type[T], default: T) -> T:
        """Return the value of a key outside of all tables; return `default` if the file does not contain the key."""
        return self.typed(self.values[key], kind, key) if key in self.values else default

    def integer(self, key: str, default: int, low: int, high: int = 10**9) -> int:
        """Return the value of a key, which must be an integer from `low` to `high`."""
        value = self.get(key, int, default)
        if not low <= value <= high:
            raise self.problem(key, f"must lie in {low} .. {high}, not {value}")
        return value

    def one_of(self, key: str, choices: Iterable[str], default: str) -> str:
        """Return the value of a key, which must be one of the strings in `choices`."""
        choices = list(choices)
        value = self.get(key, str, default)
        if value not in choices:
            names = ", ".join(choices)
            raise self.problem(key, f"unknown value {value!r}{did_you_mean(value, choices)}; there are {names}")
        return value


def _find(lines: list[str], key: str, start: int) -> int | None:
    """Return the number, from 1, of the line that sets a key; None if no line before the next table sets it.

    start: the index, from 0, of the line at which the search begins.
    """
    for i in range(start, len(lines)):
        if re.match(rf"""\s*["']?{re.escape(key)}["']?\s*[=.]""", lines[i]):
            return i + 1
        if start and re.match(r"\s*\[", lines[i]):
            return None
    return None


def load_tournament(path: str | Path) -> Tournament:
    """Read a tournament from a TOML file. The keys of the file are the arguments of `Tournament`, with these changes:

    agents: a list that replaces `entrants`. Each entry is a specification, or a table with the key "spec" and,
    optionally, "name", "clock" and "isolate".
    maps: a list of names of bundled maps, or of files. A relative path of a file is searched first in the folder of the
    TOML file.
    rules: a list of names of presets, or of tables such as ``{preset = "thesis", fog = true}``.
    clock: a text such as ``"457sims"``, ``"1s"`` or ``"10s+0.5s"``.

    Raises:
        TournamentError: the file cannot be read, or a key is invalid; the error message contains the file, the line and
            the key.
    """
    return _read(TomlFile(path_of(path, "path", TournamentError)))


def _read(file: TomlFile) -> Tournament:
    file.check_keys(file.values, KEYS)
    if "agents" not in file.values:
        raise file.problem("agents", 'is missing: give a list of agents, such as ["random", "aggressive"]')
    format_ = file.one_of("format", get_args(Format), "round-robin")
    players = file.integer("players", 2, 2, MAX_PLAYERS)
    maps_, rules = _maps(file), _rules(file)
    for map_, rule in itertools.product(maps_, rules):
        try:
            check_players(make_board(map_), rule, players)
        except RulesError as error:
            raise file.problem("players", str(error)) from None
    entrants = _entrants(file)
    try:
        return Tournament(
            name=file.get("name", str, file.path.stem),
            entrants=tuple(entrants),
            format=format_,  # type: ignore[arg-type]
            challengers=tuple(_strings(file, "challengers")),
            players=players,
            games=file.integer("games", 100, 1),
            seed=file.integer("seed", 1, -(2**63), 2**63),
            maps=tuple(maps_),
            rules=tuple(rules),
            paired=file.get("paired", bool, True),
            picks=file.one_of("picks", ("random", "agents"), "random"),  # type: ignore[arg-type]
            max_rounds=file.integer("max_rounds", 1, 1) if "max_rounds" in file.values else None,
            clock=_clock(file, file.values, "clock"),
            on_crash=file.one_of("on_crash", get_args(OnCrash), "forfeit"),  # type: ignore[arg-type]
            on_late=file.one_of("on_late", ("report", "forfeit"), "report"),  # type: ignore[arg-type]
            anchor=file.get("anchor", str, "") or None,
            anchor_elo=file.get("anchor_elo", float, 0.0),
        )
    except TournamentError as error:
        key, _, reason = str(error).partition(": ")
        raise file.problem(key, reason) if key in KEYS else error from None


def _strings(file: TomlFile, key: str) -> list[str]:
    values = file.get(key, list, [])
    return [file.typed(value, str, f"{key}[{i}]") for i, value in enumerate(values)]


def _entrants(file: TomlFile) -> list[Entrant]:
    entrants = []
    for i, value in enumerate(file.get("agents", list, [])):
        key = f"agents[{i}]"
        clock = isolate = None
        if isinstance(value, str):
            name = spec = value
        else:
            table = file.typed(value, dict, key)
            file.check_keys(table, ("name", "spec", "clock", "isolate"), f"{key}.")
            if "spec" not in table:
                raise file.problem(key, 'spec is missing: give the agent, such as "mcts:sims=100"')
            spec = file.typed(table["spec"], str, f"{key}.spec")
            name = file.typed(table.get("name", spec), str, f"{key}.name")
            clock = _clock(file, table, f"{key}.clock")
            if "isolate" in table:
                isolate = file.typed(table["isolate"], bool, f"{key}.isolate")
        if not name.strip():
            raise file.problem(key, "the name of an agent must not be empty")
        try:
            parse(spec)
        except AgentError as error:
            raise file.problem(key if isinstance(value, str) else f"{key}.spec", str(error)) from None
        entrants.append(Entrant(name.strip(), spec.strip(), clock, isolate))
    return entrants


def _maps(file: TomlFile) -> list[maps.Map]:
    loaded: list[maps.Map] = []
    for i, name in enumerate(_strings(file, "maps") if "maps" in file.values else ["world"]):
        path = file.path.parent / name
        try:
            loaded.append(maps.load(name if name in maps.names() or not os.path.isfile(path) else path))
        except InputError as error:
            raise file.problem(f"maps[{i}]", str(error)) from None
    return _distinct(file, "maps", loaded)


def _rules(file: TomlFile) -> list[Rules]:
    rules: list[Rules] = []
    for i, value in enumerate(file.get("rules", list, ["thesis"])):
        entry_key = f"rules[{i}]"
        try:
            if isinstance(value, str):
                rules.append(Rules.of(value))
                continue
            table = dict(file.typed(value, dict, entry_key))
            preset = file.typed(table.pop("preset", "thesis"), str, f"{entry_key}.preset")
            label = ",".join(f"{key}={str(changed).lower()}" for key, changed in table.items())
            rules.append(Rules.of(preset, **{"name": f"{preset}:{label}", **table}))
        except RulesError as error:
            raise file.problem(entry_key, str(error)) from None
    return _distinct(file, "rules", rules)


def _distinct(file: TomlFile, key: str, items: list[Any]) -> list[Any]:
    if not items:
        raise file.problem(key, "must have at least one entry")
    names = [item.name for item in items]
    if len(set(names)) < len(names):
        raise file.problem(key, f"{next(name for name in names if names.count(name) > 1)!r} is given twice")
    return items


def _clock(file: TomlFile, table: dict[str, Any], key: str) -> Clock | None:
    if "clock" not in table:
        return None
    try:
        return Clock.parse(file.typed(table["clock"], str, key))
    except ClockError as error:
        raise file.problem(key, str(error)) from None
