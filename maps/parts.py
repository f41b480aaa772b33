"""The parts of a map, unchecked: regions, super regions, borders, drawing; and the bounds of all of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

Point = tuple[float, float]

FORMAT = "warlight-map"  # of maps as plain data
VERSION = 1

MAX_REGIONS = 1000  # more than ten times the largest map in use; keeps index types and tables small
MAX_BORDERS = 50_000  # those of a map drawn without links are less than three times its regions
MAX_BONUS = 1000  # armies a round
MAX_ARMY = 10_000  # on one region at the start
MAX_PICKS = MAX_REGIONS  # of one player
MAX_NAME = 60  # characters, of a region or super region
MAX_DRAWING = 100_000  # units, of a drawing's width and height
DEFAULT_ARMY = 2  # the rules' starting army

NAME_PATTERN = r"[a-z0-9][a-z0-9._-]{0,63}"  # of a map
CODE_PATTERN = r"[A-Z0-9]{1,6}"
_XY = r"-?[0-9]+(?:\.[0-9]+)? -?[0-9]+(?:\.[0-9]+)?"
PATH_PATTERN = rf"(?:M{_XY}(?:L{_XY}){{2,}}Z)+"


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
class StartingSetup:
    """The fixed start of the games on a map. The rules decide, and draw, all entries that are None.

    wastelands: regions, ascending; empty: there are none. wasteland_army: armies on each wasteland.
    offered: regions that players may pick, ascending; each of them to all players, or under "own_offer" to one.
    picks: regions that each player gets.
    """

    wastelands: tuple[int, ...] | None = None
    wasteland_army: int | None = None
    offered: tuple[int, ...] | None = None
    picks: int | None = None


@dataclass(frozen=True)
class MapParts:
    """What a map is made of, before anything of it was checked: as it is while somebody draws it."""

    name: str  # short, as in ``load(name)``
    title: str
    description: str
    source: str
    super_regions: tuple[SuperRegion, ...]
    regions: tuple[Region, ...]
    borders: tuple[tuple[int, int], ...]  # (a, b) with a < b, sorted
    view_box: tuple[float, float, float, float] | None = None  # x, y, width, height of the drawing
    sea_links: tuple[SeaLink, ...] = ()
    setup: StartingSetup | None = None
