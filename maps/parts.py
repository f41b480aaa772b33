"""The parts of a map before any check: regions, super regions, borders, drawing; and their limits."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

Point = tuple[float, float]

FORMAT = "warlight-map"  # name of the format of maps as plain data
VERSION = 1

MAX_REGIONS = 1000  # more than ten times the largest known map; this keeps index types and tables small
MAX_BORDERS = 50_000  # a map without links has fewer borders than three times its regions
MAX_BONUS = 1000  # armies per round
MAX_ARMY = 10_000  # on one region at the start
MAX_PICKS = MAX_REGIONS  # picks of one player
MAX_NAME = 60  # characters of the name of a region or super region
MAX_DRAWING = 100_000  # largest width and height of a drawing, in units
DEFAULT_ARMY = 2  # the army of a region at the start according to the rules

NAME_PATTERN = r"[a-z0-9][a-z0-9._-]{0,63}"  # the name of a map
CODE_PATTERN = r"[A-Z0-9]{1,6}"
_XY = r"-?[0-9]+(?:\.[0-9]+)? -?[0-9]+(?:\.[0-9]+)?"
PATH_PATTERN = rf"(?:M{_XY}(?:L{_XY}){{2,}}Z)+"


@dataclass(frozen=True)
class SuperRegion:
    """A set of regions; a player who owns all of them gets ``bonus`` more armies each round."""

    name: str
    bonus: int


@dataclass(frozen=True)
class Shape:
    """A region's outline in map units (x to the right, y down)."""

    path: str  # SVG path of closed rings: absolute M, L and Z only; fill rule evenodd
    label: Point  # usually the centre of the largest circle inside
    radius: float  # radius of the largest circle around the label that is inside the region

    @cached_property
    def rings(self) -> tuple[tuple[Point, ...], ...]:
        """The path's rings as points, without the repeated closing point."""
        return tuple(
            tuple((float(x), float(y)) for x, y in (pair.split(" ") for pair in ring[1:].split("L")))
            for ring in self.path.split("Z")[:-1]
        )


@dataclass(frozen=True)
class Region:
    """The smallest unit of a map: it has one owner, a player or neutral, and at least one army."""

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
    line: tuple[Point, Point] | None = None  # from coast to coast; None: two lines to the left and right edge


@dataclass(frozen=True)
class StartingSetup:
    """The fixed start of the games on a map. The rules determine entries that are None, possibly at random.

    Attributes:
        wastelands: regions, ascending; empty: there are none.
        wasteland_army: armies on each wasteland.
        offered: regions that players may pick, ascending; under "own_offer" each region is offered to one player,
            otherwise to all.
        picks: number of regions that each player gets.
    """

    wastelands: tuple[int, ...] | None = None
    wasteland_army: int | None = None
    offered: tuple[int, ...] | None = None
    picks: int | None = None


@dataclass(frozen=True)
class MapParts:
    """The parts of a map before any check, for example of a map in an editor."""

    name: str  # a short name, for ``load(name)``
    title: str
    description: str
    source: str
    super_regions: tuple[SuperRegion, ...]
    regions: tuple[Region, ...]
    borders: tuple[tuple[int, int], ...]  # (a, b) with a < b, sorted
    view_box: tuple[float, float, float, float] | None = None  # x, y, width, height of the drawing
    sea_links: tuple[SeaLink, ...] = ()
    setup: StartingSetup | None = None
