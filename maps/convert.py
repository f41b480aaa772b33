"""Functions that write maps in other file formats, and list the parts of a map that a format cannot store."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from typing import Final
from xml.sax.saxutils import quoteattr

from warlight_env.maps.challenge_setup import OFFERED, PICKS, WASTELANDS
from warlight_env.maps.errors import MapError
from warlight_env.maps.files import read_bytes
from warlight_env.maps.formats import ENGINE, LINES, NATIVE, XML, MapFormat
from warlight_env.maps.model import Map
from warlight_env.maps.native import dumps
from warlight_env.maps.parts import DEFAULT_ARMY, StartingSetup

#: The number of spaces of indentation in JSON and XML.
_INDENT: Final = 2


def to_xml(map_: Map) -> str:
    """Return the map in the XML format of the thesis's program; only the first region of a border lists the border."""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', "<Map>", "  <SuperRegions>"]
    for super_region, members in zip(map_.super_regions, map_.members, strict=True):
        lines.append(f'    <SuperRegion Name={quoteattr(super_region.name)} Bonus="{super_region.bonus}">')
        for r in members:
            region = map_.regions[r]
            army = "" if region.army == DEFAULT_ARMY else f' Army="{region.army}"'
            lines.append(f"      <Region Name={quoteattr(region.name)}{army}>")
            lines.append("        <Neighbours>")
            neighbor_names = (map_.regions[q].name for q in map_.neighbors[r] if q > r)
            lines += [f"          <Region Name={quoteattr(name)}/>" for name in neighbor_names]
            lines += ["        </Neighbours>", "      </Region>"]
        lines.append("    </SuperRegion>")
    return "\n".join([*lines, "  </SuperRegions>", "</Map>", ""])


def to_setup_lines(map_: Map) -> str:
    """Return the map as ``setup_map`` and ``settings`` lines of the challenge; ids count from 1."""
    supers = " ".join(f"{i} {s.bonus}" for i, s in enumerate(map_.super_regions, 1))
    regions = " ".join(f"{i} {s + 1}" for i, s in enumerate(map_.super_region_of, 1))
    rows = ((r, [q + 1 for q in adjacent if q > r]) for r, adjacent in enumerate(map_.neighbors))
    neighbors = " ".join(f"{r + 1} {','.join(map(str, ids))}" for r, ids in rows if ids)
    lines = [f"setup_map super_regions {supers}", f"setup_map regions {regions}", f"setup_map neighbors {neighbors}"]
    for key, value in _settings(map_).items():
        words = " ".join(map(str, value)) if isinstance(value, list) else str(value)
        lines.append(f"{'setup_map' if key == WASTELANDS else 'settings'} {key} {words}".rstrip())
    return "\n".join([*lines, ""])


def to_challenge_json(map_: Map) -> str:
    """Return the map in the JSON of the second challenge's engine; ids count from 1."""
    regions = [
        {"id": r + 1, "superRegion": s + 1, "neighbors": [q + 1 for q in map_.neighbors[r]]}
        for r, s in enumerate(map_.super_region_of)
    ]
    data = {
        "SuperRegions": [{"id": i, "bonus": s.bonus} for i, s in enumerate(map_.super_regions, 1)],
        "Regions": regions,
    }
    settings = _settings(map_)
    return json.dumps({**data, "Settings": settings} if settings else data, indent=_INDENT) + "\n"


def _settings(map_: Map) -> dict[str, list[int] | int]:
    """Return the entries of the starting setup with the names of the challenge's protocol."""
    setup = map_.setup
    if setup is None:
        return {}
    entries: dict[str, list[int] | int] = {}
    for key, regions in ((WASTELANDS, setup.wastelands), (OFFERED, setup.offered)):
        if regions is not None:
            entries[key] = [r + 1 for r in regions]
    return entries if setup.picks is None else {**entries, PICKS: setup.picks}


_WRITERS: Final[dict[MapFormat, Callable[[Map], str]]] = {
    NATIVE: dumps,
    ENGINE: to_challenge_json,
    LINES: to_setup_lines,
    XML: to_xml,
}
#: The formats in which maps can be written.
WRITTEN: Final = tuple(_WRITERS)


def written_as(map_: Map, format_: MapFormat) -> tuple[str, tuple[str, ...]]:
    """Return the text of a map in a format, and the parts of the map that the format cannot store.

    Raises:
        MapError: maps cannot be written in the format `format_`.
    """
    if format_ not in _WRITERS:
        raise MapError(f"cannot write a map in the format {format_.title}: this format needs grid cells")
    text = _WRITERS[format_](map_)
    reread = read_bytes(text.encode(), f"{map_.name}{format_.suffix}").map
    return text, lost_parts(map_, reread)


def lost_parts(before: Map, after: Map) -> tuple[str, ...]:
    """Return the names of the parts that a map lost when it was written in another format.

    Names that move to other regions are reported as lost names, not as another order of the regions.

    Args:
        before: the original map.
        after: the map that was written to a file in the other format and read again.
    """
    names = [region.name for region in after.regions]
    kept_names = sorted(names) == sorted(region.name for region in before.regions)
    place = [names.index(region.name) if kept_names else r for r, region in enumerate(before.regions)]
    if not _same_graph(before, after, place):  # other regions have these names now, so the regions kept their order
        kept_names, place = False, list(range(len(place)))
    regions = [after.regions[r] for r in place]
    groups = _group_pairs(before, after, place)
    differs = {
        "title, description or source": (before.title, before.description, before.source)
        != (after.title, after.description, after.source),
        "names of regions": not kept_names,
        "the order of the regions": place != list(range(len(place))),
        "codes of regions": [r.code for r in before.regions] != [r.code for r in regions],
        "names of super regions": any(before.super_regions[g].name != after.super_regions[h].name for g, h in groups),
        "armies at the start": [r.army for r in before.regions] != [r.army for r in regions],
        "the drawing": before.drawable and not after.drawable,
    }
    lost = [part for part, is_lost in differs.items() if is_lost]
    for entry in dataclasses.fields(StartingSetup):
        value, value_after = (getattr(m.setup, entry.name, None) for m in (before, after))
        if isinstance(value, tuple):
            value = tuple(sorted(place[r] for r in value))
        if value is not None and value != value_after:
            lost.append(f"setup: {entry.name}")
    return tuple(lost)


def _same_graph(before: Map, after: Map, place: list[int]) -> bool:
    """Whether region r of a map has the same borders and the same super region as region place[r] of the other map."""
    groups = _group_pairs(before, after, place)
    return len(groups) == len(before.super_regions) == len(after.super_regions) and all(
        {place[q] for q in neighbors} == set(after.neighbors[r])
        for r, neighbors in zip(place, before.neighbors, strict=True)
    )


def _group_pairs(before: Map, after: Map, place: list[int]) -> set[tuple[int, int]]:
    """Return the super regions of region r in a map and of region place[r] in the other map, for each r."""
    return {(g, after.super_region_of[r]) for g, r in zip(before.super_region_of, place, strict=True)}
