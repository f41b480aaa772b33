"""The map of a game: regions, super regions and borders, with an optional drawing."""

from __future__ import annotations

import hashlib
import json
import math
import operator
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from warlight_env.errors import did_you_mean
from warlight_env.maps.errors import MapError

Point = tuple[float, float]

FORMAT = "warlight-map"  # of maps as plain data
VERSION = 1

MAX_REGIONS = 1000  # more than ten times the largest map in use; keeps index types and tables small
MAX_BORDERS = 50_000  # those of a map drawn without links are less than three times its regions
MAX_BONUS = 1000  # armies a round
MAX_ARMY = 10_000  # on one region at the start
MAX_NAME = 60  # characters, of a region or super region
MAX_DRAWING = 100_000  # units, of a drawing's width and height
DEFAULT_ARMY = 2  # the rules' starting army

NAME_PATTERN = r"[a-z0-9][a-z0-9._-]{0,63}"  # of a map
CODE_PATTERN = r"[A-Z0-9]{1,6}"
_XY = r"-?[0-9]+(?:\.[0-9]+)? -?[0-9]+(?:\.[0-9]+)?"
PATH_PATTERN = rf"(?:M{_XY}(?:L{_XY}){{2,}}Z)+"
_MAP_NAME, _CODE, _PATH = re.compile(NAME_PATTERN), re.compile(CODE_PATTERN), re.compile(PATH_PATTERN)


@dataclass(frozen=True)
class SuperRegion:
    """A set of regions whose sole owner gets ``bonus`` armies more each round."""

    name: str
    bonus: int


@dataclass(frozen=True)
class Shape:
    """A region's outline in map units (x to the right, y down)."""

    path: str  # SVG path of closed rings: absolute M, L and Z only; fill rule evenodd
    label: Point  # centre of the largest circle inside
    radius: float  # of that circle

    @cached_property
    def rings(self) -> tuple[tuple[Point, ...], ...]:
        """The path's rings as points, the closing point not repeated."""
        return tuple(
            tuple((float(x), float(y)) for x, y in (pair.split(" ") for pair in ring[1:].split("L")))
            for ring in self.path.split("Z")[:-1]
        )


@dataclass(frozen=True)
class Region:
    """The smallest unit: has one owner and at least one army."""

    name: str
    code: str  # short and unique: "NA"
    super_region: int  # index
    army: int = DEFAULT_ARMY  # at the start
    shape: Shape | None = None


@dataclass(frozen=True)
class SeaLink:
    """A border across water, drawn as a line."""

    a: int  # region indices, a < b
    b: int
    line: tuple[Point, Point] | None = None  # on the coasts of a and b; None: round the edge


@dataclass(frozen=True)
class Map:
    """A connected graph of regions, each in one super region.

    Regions and super regions are 0-based indices. Construction checks everything, so that a ``Map`` is always
    one that a game can be played on: :class:`MapError` says what is wrong.
    """

    name: str  # short, as in ``load(name)``
    title: str
    description: str
    source: str
    super_regions: tuple[SuperRegion, ...]
    regions: tuple[Region, ...]
    borders: tuple[tuple[int, int], ...]  # (a, b) with a < b, sorted
    view_box: tuple[float, float, float, float] | None = None  # x, y, width, height of the drawing
    sea_links: tuple[SeaLink, ...] = ()

    def __post_init__(self) -> None:
        for reason in _problems(self):
            raise MapError(reason)

    @property
    def n_regions(self) -> int:
        return len(self.regions)

    @property
    def n_super_regions(self) -> int:
        return len(self.super_regions)

    @cached_property
    def neighbors(self) -> tuple[tuple[int, ...], ...]:
        """For each region the regions that it borders, ascending."""
        return _neighbors(len(self.regions), self.borders)

    @cached_property
    def bonuses(self) -> tuple[int, ...]:
        """For each super region its bonus."""
        return tuple(s.bonus for s in self.super_regions)

    @cached_property
    def super_region_of(self) -> tuple[int, ...]:
        """For each region the index of its super region."""
        return tuple(r.super_region for r in self.regions)

    @cached_property
    def members(self) -> tuple[tuple[int, ...], ...]:
        """For each super region its regions, ascending."""
        of = self.super_region_of
        return tuple(tuple(r for r, s in enumerate(of) if s == k) for k in range(self.n_super_regions))

    @cached_property
    def starting_armies(self) -> tuple[int, ...]:
        """For each region the army that it starts with."""
        return tuple(r.army for r in self.regions)

    @property
    def drawable(self) -> bool:
        """Whether the map has a view box and each region a shape."""
        return self.view_box is not None

    @cached_property
    def _index(self) -> dict[str, int]:
        return {key.casefold(): i for i, r in enumerate(self.regions) for key in (r.name, r.code)}

    def region_index(self, key: str | int) -> int:
        """The index of a region given by name, by code (both in any case) or by the index itself."""
        if isinstance(key, str):
            found = self._index.get(" ".join(key.split()).casefold())
            if found is None:
                known = [k for r in self.regions for k in (r.name, r.code)]
                raise MapError(f"map {self.name!r} has no region {key!r}{did_you_mean(key, known)}")
            return found
        index = -1 if isinstance(key, bool) or not hasattr(key, "__index__") else operator.index(key)
        if not 0 <= index < self.n_regions:
            raise MapError(f"map {self.name!r} has no region {key!r}: indices are 0 to {self.n_regions - 1}")
        return index

    def digest(self) -> str:
        """SHA-256 (hex) of what the rules see: borders, super regions, bonuses, armies; not the drawing."""
        seen = [self.bonuses, self.super_region_of, self.starting_armies, self.borders]
        return hashlib.sha256(json.dumps(seen, separators=(",", ":")).encode()).hexdigest()

    def to_dict(self) -> dict[str, Any]:
        """The map as plain data in the project's own format; ``from_dict`` reads it back."""
        names = [r.name for r in self.regions]
        d: dict[str, Any] = {
            "format": FORMAT,
            "version": VERSION,
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "source": self.source,
            "super_regions": [{"name": s.name, "bonus": s.bonus} for s in self.super_regions],
            "regions": [],
            "borders": [[names[a], names[b]] for a, b in self.borders],
        }
        for r in self.regions:
            region: dict[str, Any] = {
                "name": r.name,
                "code": r.code,
                "super_region": self.super_regions[r.super_region].name,
            }
            if r.army != DEFAULT_ARMY:
                region["army"] = r.army
            if r.shape is not None:
                label = [_number(x) for x in r.shape.label]
                region["shape"] = {"label": label, "radius": _number(r.shape.radius), "path": r.shape.path}
            d["regions"].append(region)
        if self.view_box is not None:
            d["drawing"] = {
                "view_box": [_number(x) for x in self.view_box],
                "sea_links": [
                    {
                        "regions": [names[s.a], names[s.b]],
                        "line": None if s.line is None else [[_number(x) for x in p] for p in s.line],
                    }
                    for s in self.sea_links
                ],
            }
        return d


def _number(x: float) -> int | float:
    return int(x) if float(x).is_integer() and abs(x) < 1e15 else x


def _neighbors(n: int, borders: tuple[tuple[int, int], ...]) -> tuple[tuple[int, ...], ...]:
    lists: list[list[int]] = [[] for _ in range(n)]
    for a, b in borders:
        lists[a].append(b)
        lists[b].append(a)
    return tuple(tuple(sorted(x)) for x in lists)


def _problems(m: Map) -> Iterator[str]:
    """What is wrong with a map, the most basic first; later checks rely on earlier ones."""
    if not _MAP_NAME.fullmatch(m.name):
        yield f"name {m.name!r}: must be lower-case letters, digits, '.', '_' or '-', at most 64"
    for field in ("title", "description", "source"):
        if not getattr(m, field).isprintable():
            yield f"{field}: has characters that cannot be printed"
    if not m.regions:
        yield "the map is empty: no regions"
    if len(m.regions) > MAX_REGIONS:
        yield f"{len(m.regions)} regions: at most {MAX_REGIONS} are supported"
    if len(m.borders) > MAX_BORDERS:
        yield f"{len(m.borders)} borders: at most {MAX_BORDERS} are supported"
    yield from _super_region_problems(m)
    yield from _region_problems(m)
    yield from _border_problems(m)
    yield from _drawing_problems(m)


def _name_problem(name: str) -> str | None:
    if not name.strip():
        return "the name is empty"
    if len(name) > MAX_NAME or not name.isprintable() or name != " ".join(name.split()):
        return f"the name must be at most {MAX_NAME} printable characters, with single spaces between words"
    return None


def _super_region_problems(m: Map) -> Iterator[str]:
    sizes = [0] * len(m.super_regions)
    for r in m.regions:
        if not 0 <= r.super_region < len(sizes):
            yield f"region {r.name!r}: unknown super region {r.super_region}"
        sizes[r.super_region] += 1
    names: set[str] = set()
    for s, size in zip(m.super_regions, sizes, strict=True):
        place = f"super region {s.name!r}"
        if reason := _name_problem(s.name):
            yield f"{place}: {reason}"
        if s.name.casefold() in names:
            yield f"{place}: repeated name"
        names.add(s.name.casefold())
        if type(s.bonus) is not int or not 0 <= s.bonus <= MAX_BONUS:
            yield f"{place}: bonus {s.bonus}: must be a whole number from 0 to {MAX_BONUS}"
        if not size:
            yield f"{place}: has no regions"


def _region_problems(m: Map) -> Iterator[str]:
    keys: dict[str, int] = {}
    for i, r in enumerate(m.regions):
        place = f"region {r.name!r}"
        if reason := _name_problem(r.name):
            yield f"{place}: {reason}"
        if not _CODE.fullmatch(r.code):
            yield f"{place}: code {r.code!r}: must be 1 to 6 capital letters or digits"
        if type(r.army) is not int or not 1 <= r.army <= MAX_ARMY:
            yield f"{place}: army {r.army}: must be a whole number from 1 to {MAX_ARMY}"
        if keys.setdefault(r.name.casefold(), i) != i:
            yield f"{place}: repeated name"
    for i, r in enumerate(m.regions):
        other = keys.setdefault(r.code.casefold(), i)
        if other != i:
            yield f"region {r.name!r}: code {r.code!r} is taken by region {m.regions[other].name!r}"


def _border_problems(m: Map) -> Iterator[str]:
    n = len(m.regions)
    for a, b in m.borders:
        if not (0 <= a < n and 0 <= b < n):
            yield f"border ({a}, {b}): unknown region"
        if a == b:
            yield f"region {m.regions[a].name!r}: border to itself"
    if any(a >= b for a, b in m.borders) or any(x >= y for x, y in zip(m.borders, m.borders[1:], strict=False)):
        yield "borders: must be (a, b) with a < b, sorted and without repetition"
    neighbors = _neighbors(n, m.borders)
    seen = {0}
    todo = [0]
    while todo:
        for b in neighbors[todo.pop()]:
            if b not in seen:
                seen.add(b)
                todo.append(b)
    if len(seen) < n:
        missing = [repr(r.name) for i, r in enumerate(m.regions) if i not in seen]
        more = f" and {len(missing) - 8} more" if len(missing) > 8 else ""
        yield f"not connected: {', '.join(missing[:8])}{more} cannot be reached from {m.regions[0].name!r}"


def _drawing_problems(m: Map) -> Iterator[str]:
    without = [r.name for r in m.regions if r.shape is None]
    if m.view_box is None:
        if len(without) < len(m.regions) or m.sea_links:
            yield "drawing: shapes or sea links, but no view box"
        return
    if without:
        yield f"drawing: a view box, but region {without[0]!r} has no shape"
    x, y, width, height = m.view_box
    if not all(map(math.isfinite, m.view_box)) or not (1 <= width <= MAX_DRAWING and 1 <= height <= MAX_DRAWING):
        yield f"drawing: view box {m.view_box}: width and height must lie in 1 .. {MAX_DRAWING}"
    if height > 10 * width:
        yield f"drawing: view box {m.view_box}: at most ten times as high as wide"
    for r in m.regions:
        if r.shape is not None:
            if not _PATH.fullmatch(r.shape.path):
                yield f"region {r.name!r}: shape: the path must be closed rings of absolute M, L and Z"
            right, down = r.shape.label[0] - x, r.shape.label[1] - y
            if not (0 <= right <= width and 0 <= down <= height and 0 < r.shape.radius <= width + height):
                yield f"region {r.name!r}: shape: the label must lie in the view box, the radius be above 0"
    borders = set(m.borders)
    for link in m.sea_links:
        pair = (link.a, link.b)
        if pair not in borders:
            yield f"drawing: sea link {pair}: there is no such border, or it is given twice"
        borders.discard(pair)
        if link.line is not None and not all(map(math.isfinite, (*link.line[0], *link.line[1]))):
            yield f"drawing: sea link {pair}: its line must be finite"
