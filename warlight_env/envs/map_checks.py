"""Checks of the maps of environments with several maps: their sizes and the number of players."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from warlight_env.arguments import short_repr
from warlight_env.engine.board import make_board
from warlight_env.engine.rules import Rules, RulesError
from warlight_env.engine.setup import check_players
from warlight_env.envs.map_sets import MapLimits, MapSet, edges_of
from warlight_env.errors import InputError
from warlight_env.maps import Map, load


def check_maps(maps: MapSet, map_limits: MapLimits, rules: Any, players: int) -> None:
    """Raise InputError if a map is larger than the limits, or too small for the number of players.

    For generated maps, the function only checks the maximum size.

    rules: the argument `rules` of `EnvCore`.
    """
    regions, edges = maps.map_limits
    if regions > map_limits.regions or edges > map_limits.edges:
        raise InputError(
            f"maps of {regions} regions and {edges} directed edges: the limits are {map_limits.regions} and "
            f"{map_limits.edges}; make the environment with map_limits=({regions}, {edges})"
        )
    checked_rules = Rules.of(rules)
    for map_ in maps.named:
        try:
            check_players(make_board(map_), checked_rules, players)
        except RulesError as error:
            raise RulesError(f"map {map_.name!r}: {error}") from None


def checked_option(named: Any, map_limits: MapLimits) -> Map:
    """Return the map of the option ``map`` of a reset.

    Raises:
        InputError: the value is not one map, or the map is larger than the limits.
        MapError: the map is unknown or invalid.
    """
    if not isinstance(named, str | Path | Map):
        raise InputError(f"option 'map' = {short_repr(named)}: must be one map: a `Map`, a map's name or a path")
    map_ = named if isinstance(named, Map) else load(named)
    if not map_limits.allows(map_):
        raise InputError(
            f"option 'map': the map has {len(map_.regions)} regions and {edges_of(map_)} directed "
            f"edges; the limits are {map_limits.regions} and {map_limits.edges}"
        )
    return map_
