"""Read the settings of a tournament from a TOML file. The messages of errors contain the line and the key."""

from __future__ import annotations

import itertools
import os
from pathlib import Path
from typing import Any, Final, get_args

from warlight_env import maps
from warlight_env.agents import AgentError
from warlight_env.agents.registry import parse
from warlight_env.arena.games.clocks import Clock, ClockError
from warlight_env.arena.games.seated_agent import OnCrash
from warlight_env.arena.tournaments.toml_file import TomlFile
from warlight_env.arena.tournaments.tournament import FORMATS, Entrant, Tournament, TournamentError
from warlight_env.arguments import path_of
from warlight_env.engine.board import make_board
from warlight_env.engine.rules import MAX_PLAYERS, Rules, RulesError
from warlight_env.engine.setup import check_players
from warlight_env.errors import InputError

KEYS: Final = (
    "name", "format", "challengers", "players", "games", "seed", "maps", "rules", "paired", "picks", "max_rounds",
    "clock", "on_crash", "on_late", "anchor", "anchor_elo", "agents",
)  # fmt: skip


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
    return _read(TomlFile(path_of(path, "path", TournamentError), TournamentError))


def _read(file: TomlFile) -> Tournament:
    file.check_keys(file.values, KEYS)
    if "agents" not in file.values:
        raise file.problem("agents", 'is missing: give a list of agents, such as ["random", "aggressive"]')
    format_ = file.one_of("format", FORMATS, "round-robin")
    players = file.integer("players", 2, 2, MAX_PLAYERS)
    maps_, rules = _maps(file), _rules(file)
    for map_, rule in itertools.product(maps_, rules):
        try:
            check_players(make_board(map_), rule, players)
        except RulesError as error:
            raise file.problem("players", str(error)) from None
    entrants = _entrants(file)
    anchor = file.get("anchor", str, "") or None
    challengers = _strings(file, "challengers")
    names = [entrant.name for entrant in entrants]
    for key, named in (("anchor", [] if anchor is None else [anchor]), ("challengers", challengers)):
        for name in named:
            if name not in names:
                raise file.problem(key, f"no agent is named {name!r}; there are {', '.join(names)}")
    try:
        return Tournament(
            name=file.get("name", str, file.path.stem),
            entrants=tuple(entrants),
            format=format_,  # type: ignore[arg-type]
            challengers=tuple(challengers),
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
            anchor=anchor,
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
        where = f"agents[{i}]"
        clock = isolate = None
        if isinstance(value, str):
            name = spec = value
        else:
            table = file.typed(value, dict, where)
            file.check_keys(table, ("name", "spec", "clock", "isolate"), f"{where}.")
            if "spec" not in table:
                raise file.problem(where, 'spec is missing: give the agent, such as "mcts:sims=100"')
            spec = file.typed(table["spec"], str, f"{where}.spec")
            name = file.typed(table.get("name", spec), str, f"{where}.name")
            clock = _clock(file, table, f"{where}.clock")
            if "isolate" in table:
                isolate = file.typed(table["isolate"], bool, f"{where}.isolate")
        if not name.strip():
            raise file.problem(where, "the name of an agent must not be empty")
        try:
            parse(spec)
        except AgentError as error:
            raise file.problem(where if isinstance(value, str) else f"{where}.spec", str(error)) from None
        entrants.append(Entrant(name.strip(), spec.strip(), clock, isolate))
    return entrants


def _maps(file: TomlFile) -> list[maps.Map]:
    found: list[maps.Map] = []
    for i, name in enumerate(_strings(file, "maps") if "maps" in file.values else ["world"]):
        beside = file.path.parent / name
        try:
            found.append(maps.load(name if name in maps.names() or not os.path.isfile(beside) else beside))
        except InputError as error:
            raise file.problem(f"maps[{i}]", str(error)) from None
    return _distinct(file, "maps", found)


def _rules(file: TomlFile) -> list[Rules]:
    found: list[Rules] = []
    for i, value in enumerate(file.get("rules", list, ["thesis"])):
        where = f"rules[{i}]"
        try:
            if isinstance(value, str):
                found.append(Rules.of(value))
                continue
            table = dict(file.typed(value, dict, where))
            preset = file.typed(table.pop("preset", "thesis"), str, f"{where}.preset")
            label = ",".join(f"{key}={str(changed).lower()}" for key, changed in table.items())
            found.append(Rules.of(preset, **{"name": f"{preset}:{label}", **table}))
        except RulesError as error:
            raise file.problem(where, str(error)) from None
    return _distinct(file, "rules", found)


def _distinct(file: TomlFile, key: str, found: list[Any]) -> list[Any]:
    if not found:
        raise file.problem(key, "must have at least one entry")
    names = [one.name for one in found]
    if len(set(names)) < len(names):
        raise file.problem(key, f"{next(name for name in names if names.count(name) > 1)!r} is given twice")
    return found


def _clock(file: TomlFile, table: dict[str, Any], where: str) -> Clock | None:
    if "clock" not in table:
        return None
    try:
        return Clock.parse(file.typed(table["clock"], str, where))
    except ClockError as error:
        raise file.problem(where, str(error)) from None
