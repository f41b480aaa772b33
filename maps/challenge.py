"""Reading maps of the Warlight AI Challenges: their ``setup_map`` lines and their JSON form."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from warlight_env.maps.build import RawRegion, build, heading_for
from warlight_env.maps.errors import MapError
from warlight_env.maps.model import MAX_BORDERS, MAX_REGIONS, Map, SuperRegion
from warlight_env.maps.text import parse_json

_ID = re.compile(r"[1-9][0-9]{0,8}", re.ASCII)
_WHOLE = re.compile(r"-?[0-9]{1,9}", re.ASCII)
_PARTS = ("super_regions", "regions", "neighbors")


def from_setup_lines(text: str, place: str = "setup_map lines") -> Map:
    """The map of the three lines ``setup_map super_regions|regions|neighbors …``; other lines are ignored.

    Ids may be any positive integers. Indices follow them in ascending order, so ids from 1 lose 1.
    """
    found: dict[str, tuple[int, list[str]]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        if words[:1] == ["setup_map"] and len(words) > 1 and words[1] in _PARTS:
            if words[1] in found:
                raise MapError(f"{place}: line {number}: setup_map {words[1]} for the second time")
            if len(words) % 2:
                raise MapError(f"{place}: line {number}: setup_map {words[1]}: expected pairs of words")
            found[words[1]] = (number, words[2:])
    for part, most in zip(_PARTS, (MAX_REGIONS, MAX_REGIONS, 2 * MAX_BORDERS), strict=True):
        if part not in found:
            raise MapError(f"{place}: no line 'setup_map {part} …'")
        at, words = found[part]
        size = len(words) // 2 + sum(word.count(",") for word in words)
        if size > most:
            raise MapError(f"{place}: line {at}: {size} {part.replace('_', ' ')}: at most {most} are supported")

    def pairs(part: str) -> list[tuple[str, int, str]]:
        line, words = found[part]
        where = f"{place}: line {line}: {part}"
        return [(where, _id(where, a), b) for a, b in zip(words[::2], words[1::2], strict=True)]

    supers = [(where, s, _whole(where, b)) for where, s, b in pairs("super_regions")]
    regions = [(where, r, _id(where, s)) for where, r, s in pairs("regions")]
    borders = [
        (where, a, _id(f"{where}: region {a}", b))
        for where, a, listed in pairs("neighbors")
        for b in listed.split(",")
        if b
    ]
    return _from_ids(place, supers, regions, borders)


def from_challenge_json(text: str, place: str = "challenge JSON") -> Map:
    """The map of the form that the second challenge's engine kept its maps in.

    ``SuperRegions`` is a list of ``{"id": 1, "bonus": 5}``, ``Regions`` one of ``{"id": 1, "superRegion": 1,
    "neighbors": [2, 4]}``, each border from one side or both. Indices follow the ids in ascending order.
    """
    return from_challenge_data(parse_json(text, place), place)


def from_challenge_data(data: Any, place: str) -> Map:
    """The map of the parsed JSON of ``from_challenge_json``."""
    if not isinstance(data, dict):
        raise MapError(f"{place}: a map must be a JSON object, not {type(data).__name__}")
    supers = []
    regions = []
    borders = []
    for where, item in _items(data, "SuperRegions", place):
        supers.append((where, _id_field(where, item, "id"), _field(where, item, "bonus")))
    for where, item in _items(data, "Regions", place):
        region = _id_field(where, item, "id")
        regions.append((where, region, _id_field(where, item, "superRegion")))
        neighbors = item.get("neighbors", [])
        if not isinstance(neighbors, list):
            raise MapError(f"{where}: neighbors: expected a list")
        if len(neighbors) > MAX_REGIONS:
            raise MapError(f"{where}: {len(neighbors)} neighbors: at most {MAX_REGIONS} are supported")
        borders += [(where, region, _id_field(where, {"neighbor": n}, "neighbor")) for n in neighbors]
    return _from_ids(place, supers, regions, borders)


def _from_ids(
    place: str,
    supers: Sequence[tuple[str, int, int]],
    regions: Sequence[tuple[str, int, int]],
    borders: Sequence[tuple[str, int, int]],
) -> Map:
    """Names from the ids, indices in the ids' order; each item is (where, id, value)."""
    known = {s for _, s, _ in supers}
    seen: dict[int, int] = {}
    for where, r, s in regions:
        if s not in known:
            raise MapError(f"{where}: region {r}: unknown super region {s}")
        if r in seen:
            both = f"in two super regions, {seen[r]} and {s}" if seen[r] != s else "given twice"
            raise MapError(f"{where}: region {r}: {both}")
        seen[r] = s
    for where, a, b in borders:
        if a not in seen:
            raise MapError(f"{where}: neighbors of unknown region {a}")
        if b not in seen:
            raise MapError(f"{where}: region {a}: border to unknown region {b}")
        if a == b:
            raise MapError(f"{where}: region {a}: border to itself")
    short = all(r <= 99_999 for r in seen)
    return build(
        place,
        heading_for(place, "Warlight AI Challenge"),
        [SuperRegion(f"Super region {s}", bonus) for _, s, bonus in sorted(supers, key=lambda x: x[1])],
        [
            RawRegion(f"Region {r}", f"Super region {seen[r]}", f"R{r if short else i}")
            for i, r in enumerate(sorted(seen), 1)
        ],
        [(f"Region {a}", f"Region {b}") for _, a, b in borders],
        repeats=True,
    )


def _id(where: str, text: str) -> int:
    if not _ID.fullmatch(text):
        raise MapError(f"{where}: {text[:40]!r} is not an id (a whole number from 1)")
    return int(text)


def _whole(where: str, text: str) -> int:
    if not _WHOLE.fullmatch(text):
        raise MapError(f"{where}: {text[:40]!r} is not a whole number")
    return int(text)


def _items(data: dict[str, Any], key: str, place: str) -> list[tuple[str, dict[str, Any]]]:
    items = data.get(key)
    if not isinstance(items, list):
        raise MapError(f"{place}: {key}: expected a list")
    if len(items) > MAX_REGIONS:
        raise MapError(f"{place}: {len(items)} {key}: at most {MAX_REGIONS} are supported")
    for i, item in enumerate(items):
        if not isinstance(item, dict):
            raise MapError(f"{place}: {key}[{i}]: expected an object")
    return [(f"{place}: {key}[{i}] (id {item.get('id')!s:.20})", item) for i, item in enumerate(items)]


def _field(where: str, item: dict[str, Any], key: str) -> int:
    value = item.get(key)
    if type(value) is not int:
        raise MapError(f"{where}: {key}: {str(value)[:40]!r} is not a whole number")
    return value


def _id_field(where: str, item: dict[str, Any], key: str) -> int:
    value = _field(where, item, key)
    if not 1 <= value < 10**9:
        raise MapError(f"{where}: {key}: {value} is not an id (a whole number from 1)")
    return value
