"""The parts of a map before any check: regions, super regions, borders and the drawing, and limits of their sizes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

Point = tuple[float, float]

FORMAT = "warlight-map"  # name of this project's own map format
VERSION = 1

MAX_REGIONS = 1000  # more than ten times the largest known map; the limit keeps index types and tables small
MAX_BORDERS = 50_000  # a map without sea links has fewer borders than three times its number of regions
MAX_BONUS = 1000  # armies per round
MAX_ARMY = 10_000  # armies on one region at the start
MAX_PICKS = MAX_REGIONS  # picks of one player
MAX_NAME = 60  # maximum number of characters of the name of a region or super region
MAX_DRAWING = 100_000  # largest width and height of a drawing, in units
DEFAULT_ARMY = 2  # the army of a region at the start according to the rules

NAME_PATTERN = r"[a-z0-9][a-z0-9._-]{0,63}"  # the name of a map
CODE_PATTERN = r"[A-Z0-9]{1,6}"
_XY = r"-?[0-9]+(?:\.[0-9]+)? -?[0-9]+(?:\.[0-9]+)?"
PATH_PATTERN = rf"(?:M{_XY}(?:L{_XY}){{2,}}Z)+"


@dataclass(frozen=True)
class SuperRegion:
    """A set of regions. A player that owns all regions of a super region gets ``bonus`` more armies in each round."""

    name: str
    bonus: int


@dataclass(frozen=True)
class Shape:
    """The outline of a region in map units (x to the right, y down)."""

    path: str  # SVG path of closed rings: absolute M, L and Z only; fill rule evenodd
    label: Point  # position of the label, usually the centre of the largest circle inside the region
    radius: float  # radius of the largest circle around the label that is inside the region

    @cached_property
    def rings(self) -> tuple[tuple[Point, ...], ...]:
        """The closed rings of the path, as points; the last point of a ring is not a repetition of the first."""
        return tuple(
            tuple((float(x), float(y)) for x, y in (pair.split(" ") for pair in ring[1:].split("L")))
            for ring in self.path.split("Z")[:-1]
        )


@dataclass(frozen=True)
class Region:
    """A region, the smallest unit of a map.

    In a game, the owner of a region is a player or neutral, and a region has at least one army.
    """

    name: str
    code: str  # a short, unique code such as "NA"
    super_region: int  # index of the super region
    army: int = DEFAULT_ARMY  # armies at the start
    shape: Shape | None = None


@dataclass(frozen=True)
class SeaLink:
    """A border across water, which the drawing shows as a line."""

    a: int  # region indices, a < b
    b: int
    line: tuple[Point, Point] | None = None  # from coast to coast; None: two lines, to the left and right edges


@dataclass(frozen=True)
class StartingSetup:
    """The parts of the start position that a map prescribes.

    If an attribute is None, the rules determine this part of the start position, possibly at random.

    Attributes:
        wastelands: indices of regions, in ascending order; empty: the map has no wastelands.
        wasteland_army: number of armies on each wasteland.
        offered: indices of regions that players may pick, in ascending order. With the rule "own_offer", each of these
            regions is offered to one player, otherwise to all players.
        picks: number of start regions of each player.
    """

    wastelands: tuple[int, ...] | None = None
    wasteland_army: int | None = None
    offered: tuple[int, ...] | None = None
    picks: int | None = None


@dataclass(frozen=True)
class MapParts:
    """The parts of a map before any check, for example while a user edits the map."""

    name: str  # the short name with which ``load`` finds the map
    title: str
    description: str
    source: str
    super_regions: tuple[SuperRegion, ...]
    regions: tuple[Region, ...]
    borders: tuple[tuple[int, int], ...]  # (a, b) with a < b, sorted
    view_box: tuple[float, float, float, float] | None = None  # x, y, width, height of the drawing
    sea_links: tuple[SeaLink, ...] = ()
    setup: StartingSetup | None = None
