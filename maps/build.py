"""The common last step of all map readers: it makes a checked map from parts that refer to each other by name."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from warlight_env.errors import clipped
from warlight_env.maps.errors import MapError, Suggestions, raise_reasons
from warlight_env.maps.model import Map
from warlight_env.maps.parts import (
    DEFAULT_ARMY,
    MAX_BORDERS,
    MAX_NAME,
    MAX_REGIONS,
    Point,
    Region,
    SeaLink,
    Shape,
    StartingSetup,
    SuperRegion,
)


@dataclass(frozen=True)
class RawRegion:
    """A region as in a map file: it has the name of its super region, and its code (short name) may be missing."""

    name: str
    super_region: str
    code: str | None = None
    army: int = DEFAULT_ARMY
    shape: Shape | None = None


@dataclass(frozen=True)
class RawSetup:
    """A starting setup as in a map file: the names of regions are given, in any order; see `StartingSetup`."""

    wastelands: Sequence[str] | None = None
    wasteland_army: int | None = None
    offered: Sequence[str] | None = None
    picks: int | None = None


@dataclass(frozen=True)
class Heading:
    """The name, title, description and source of a map."""

    name: str
    title: str = ""
    description: str = ""
    source: str = ""


def heading_for(place: str, format_: str) -> Heading:
    """Return the heading of a map in a format without map names: the map gets the name of the file `place`."""
    stem = re.sub(r"\.[A-Za-z]+$", "", re.split(r"[/\\]", place)[-1])
    slug = re.sub(r"[^a-z0-9._-]+", "-", stem.casefold()).strip("-._")[:64]
    return Heading(slug or "map", title=stem if stem.isprintable() else slug, source=format_)


def build(
    place: str,
    heading: Heading,
    super_regions: Sequence[SuperRegion],
    regions: Sequence[RawRegion],
    borders: Sequence[tuple[str, str]],
    *,
    view_box: tuple[float, float, float, float] | None = None,
    sea_links: Sequence[tuple[str, str, tuple[Point, Point] | None]] = (),
    setup: RawSetup | None = None,
) -> Map:
    """Return the map that consists of the given parts. Each error message begins with ``place``.

    The border between two regions may occur several times in `borders`, in one or both directions.
    """
    try:
        return _build(heading, super_regions, regions, borders, view_box, sea_links, setup)
    except MapError as e:
        raise MapError(f"{place}: {e}", e.reasons) from None


def _build(
    heading: Heading,
    super_regions: Sequence[SuperRegion],
    regions: Sequence[RawRegion],
    borders: Sequence[tuple[str, str]],
    view_box: tuple[float, float, float, float] | None,
    sea_links: Sequence[tuple[str, str, tuple[Point, Point] | None]],
    setup: RawSetup | None,
) -> Map:
    for kind, parts in (("regions", regions), ("super regions", super_regions)):
        if len(parts) > MAX_REGIONS:
            raise MapError(f"{len(parts)} {kind}: at most {MAX_REGIONS} are supported")
        for part in parts:  # this check must come before codes (short names) are made from the names
            if len(part.name) > MAX_NAME:
                raise MapError(
                    f"{kind[:-1]} {clipped(part.name, MAX_NAME)!r}: the name must be at most {MAX_NAME} characters"
                )
    raise_reasons(_name_problems(super_regions, regions, borders, sea_links, setup))
    supers = {s.name: k for k, s in enumerate(super_regions)}
    index = {r.name: i for i, r in enumerate(regions)}
    pairs: set[tuple[int, int]] = set()
    for a, b in borders:
        pairs.add(_pair(index, a, b))
        if len(pairs) > MAX_BORDERS:
            raise MapError(f"more than {MAX_BORDERS} borders: at most {MAX_BORDERS} are supported")
    links = []
    for a, b, line in sea_links:
        x, y = _pair(index, a, b)
        if (x, y) not in pairs:
            raise MapError(f"sea link {a!r} - {b!r}: the map has no border between these regions")
        flip = line is not None and x != index[a]
        links.append(SeaLink(x, y, (line[1], line[0]) if flip and line else line))
    if all(r.code is None for r in regions):
        codes = make_codes([r.name for r in regions])
    else:
        codes = [r.code or "" for r in regions]
    return Map(
        name=heading.name,
        title=heading.title,
        description=heading.description,
        source=heading.source,
        super_regions=tuple(super_regions),
        regions=tuple(
            Region(r.name, code, supers[r.super_region], r.army, r.shape)
            for r, code in zip(regions, codes, strict=True)
        ),
        borders=tuple(sorted(pairs)),
        view_box=view_box,
        sea_links=tuple(links),
        setup=None if setup is None else _setup(index, setup),
    )


def _name_problems(
    super_regions: Sequence[SuperRegion],
    regions: Sequence[RawRegion],
    borders: Sequence[tuple[str, str]],
    sea_links: Sequence[tuple[str, str, tuple[Point, Point] | None]],
    setup: RawSetup | None,
) -> Iterator[str]:
    """Yield all repeated and unknown names in the parts of a map, and borders and sea links from a region to itself."""
    supers = set[str]()
    for s in super_regions:
        if s.name in supers:
            yield f"super region {s.name!r}: repeated name"
        supers.add(s.name)
    similar_supers = Suggestions(s.name for s in super_regions)
    homes: dict[str, str] = {}
    for r in regions:
        if r.super_region not in supers:
            hint = similar_supers.hint(r.super_region)
            yield f"region {r.name!r}: unknown super region {r.super_region!r}{hint}"
        if r.name not in homes:
            homes[r.name] = r.super_region
        elif homes[r.name] == r.super_region:
            yield f"region {r.name!r}: repeated name"
        else:
            yield f"region {r.name!r}: in two super regions, {homes[r.name]!r} and {r.super_region!r}"
    similar_regions = Suggestions(homes)
    for kind, pairs in (("border", borders), ("sea link", [(a, b) for a, b, _ in sea_links])):
        for a, b in pairs:
            for name, neighbor in ((a, b), (b, a)):
                if name not in homes:
                    yield f"region {neighbor!r}: {kind} to unknown region {name!r}{similar_regions.hint(name)}"
            if a == b:
                yield f"region {a!r}: must not have a {kind} to itself"
    if setup is not None:
        for entry, names in (("wastelands", setup.wastelands), ("offered", setup.offered)):
            for name in names or ():
                if name not in homes:
                    yield f"setup: {entry}: unknown region {name!r}{similar_regions.hint(name)}"


def _setup(index: dict[str, int], setup: RawSetup) -> StartingSetup:
    def indices(names: Sequence[str] | None) -> tuple[int, ...] | None:
        return None if names is None else tuple(sorted({index[name] for name in names}))

    return StartingSetup(indices(setup.wastelands), setup.wasteland_army, indices(setup.offered), setup.picks)


def _pair(index: dict[str, int], a: str, b: str) -> tuple[int, int]:
    return (index[a], index[b]) if index[a] < index[b] else (index[b], index[a])


def make_codes(names: Sequence[str]) -> list[str]:
    """Return a unique code for each name: two or three capitals, or a letter and a number if no such code is free.

    No code equals a name, so a code or a name always identifies one region.
    """
    reserved = {n.casefold() for n in names}
    codes = []
    for name in names:
        code = next(c for c in _candidates(name) if c.casefold() not in reserved)
        reserved.add(code.casefold())
        codes.append(code)
    return codes


def _candidates(name: str) -> Iterator[str]:
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().upper()
    words = re.findall(r"[A-Z]+", plain)
    letters = "".join(words)
    if len(words) > 1:
        initials = "".join(w[0] for w in words)
        yield initials[:2]
        yield from (words[0][0] + c for c in words[1])
    for first in letters[:1]:
        yield from (first + c for c in letters[1:])
        yield from (first + b + c for i, b in enumerate(letters[1:], 1) for c in letters[i + 1 :])
    first = letters[:1] or "R"
    number = 1
    while True:
        yield f"{first}{number}"
        number += 1
