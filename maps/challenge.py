"""Readers for maps of the Warlight AI Challenges: their ``setup_map`` lines and their JSON formats."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, Final, NamedTuple

from warlight_env.maps.build import RawRegion, RawSetup, build, heading_for
from warlight_env.maps.challenge_fields import cell, identifier, identifiers, integer, items, pair
from warlight_env.maps.challenge_setup import SetupRegion, region_name, setup_of_lines, setup_of_settings
from warlight_env.maps.errors import MapError, raise_reasons
from warlight_env.maps.formats import is_cells
from warlight_env.maps.model import Map
from warlight_env.maps.parts import MAX_BORDERS, MAX_REGIONS, Point, Shape, SuperRegion
from warlight_env.maps.text import parse_json
from warlight_env.maps.types import checked
from warlight_env.maps.unused import unused_lines

Cell = tuple[int, int]
Border = tuple[int, int]

#: The longer side of a drawing has at least this many units. The side of a cell has an integer number of units.
_SHEET: Final = 1600
_TALLEST: Final = 10  #: a drawing is at most this many times as high as wide

#: The largest number of cells of all regions together.
MAX_CELLS: Final = 20_000

#: An entry of a map file: its place in the file, an id, and a value or a second id.
_Row = tuple[str, int, int]

_PARTS = ("super_regions", "regions", "neighbors")


class Drawing(NamedTuple):
    """The parts of a map's drawing that are computed from grid cells; keys are ids of regions."""

    shapes: dict[int, Shape]
    view_box: tuple[float, float, float, float]
    links: dict[Border, tuple[Point, Point]]  #: lines for borders between regions that do not touch


def draw(
    cells: Mapping[int, Sequence[Cell]], labels: Mapping[int, Point], grid: Cell, borders: Iterable[Border]
) -> Drawing:
    """Return the drawing of the regions. x increases to the right and y downwards, both from 0.

    Args:
        cells: the cells of each region, by the region's id. A region has at least one cell, and a cell belongs to only
            one region.
        labels: the cell of the label of a region, by the region's id. If a region has no label, or its label is outside
            the region, the label becomes the centre of the largest circle inside the region.
        grid: the numbers of columns and rows. The drawing is larger if cells are outside the grid.
        borders: the borders, as pairs of region ids.
    """
    import shapely  # type: ignore[import-untyped,unused-ignore]

    columns = max(grid[0], 1 + max(x for region_cells in cells.values() for x, _ in region_cells))
    rows = max(grid[1], 1 + max(y for region_cells in cells.values() for _, y in region_cells))
    unit = max(1, _SHEET // max(columns, rows))
    outlines: dict[int, Any] = {
        region: shapely.simplify(
            shapely.union_all(
                [shapely.box(unit * x, unit * y, unit * (x + 1), unit * (y + 1)) for x, y in region_cells]
            ),
            0,
        )
        for region, region_cells in cells.items()
    }
    width_cells = max(columns, -(-rows // _TALLEST))
    links = {}
    for a, b in borders:
        (x, y), (u, v) = shapely.get_coordinates(shapely.shortest_line(outlines[a], outlines[b])).tolist()
        if (x, y) != (u, v):
            links[a, b] = (x, y), (u, v)
    shapes = {region: _shape(outline, labels.get(region), unit) for region, outline in outlines.items()}
    return Drawing(shapes, (0.0, 0.0, float(unit * width_cells), float(unit * rows)), links)


def _shape(outline: Any, label: Point | None, unit: int) -> Shape:
    import shapely

    parts = sorted(shapely.get_parts(outline), key=lambda part: -part.area)
    rings = [ring for part in parts for ring in (part.exterior, *part.interiors)]
    path = "".join(
        "M" + "L".join(f"{x:g} {y:g}" for x, y in shapely.get_coordinates(ring).tolist()[:-1]) + "Z" for ring in rings
    )
    centre = None if label is None else shapely.Point(unit * label[0], unit * label[1])
    if centre is None or not shapely.contains(outline, centre):
        start, end = shapely.get_coordinates(shapely.maximum_inscribed_circle(parts[0], 0.05 * unit)).tolist()
        return Shape(path, _rounded(*start), _radius(shapely.distance(shapely.Point(start), shapely.Point(end))))
    return Shape(path, _rounded(centre.x, centre.y), _radius(shapely.distance(centre, outline.boundary)))


def _rounded(x: float, y: float) -> Point:
    return round(x, 1) + 0.0, round(y, 1) + 0.0


def _radius(distance: float) -> float:
    return max(0.1, round(float(distance), 1))


@checked
def from_setup_lines(text: str, place: str = "setup_map lines") -> Map:
    """Return the map in ``setup_map`` lines, with the starting setup in other lines of a game.

    The map comes from the lines ``setup_map super_regions|regions|neighbors …``. The setup comes from ``setup_map
    wastelands``, ``settings starting_regions`` (or ``pick_starting_regions`` of the first challenge) and ``settings
    starting_pick_amount``. All lines that contain neither the map nor the setup are ignored. Ids may be any positive
    integers. The indices of regions in the map are in ascending order of their ids. For consecutive ids from 1, an
    index is the id minus 1.
    """
    return read_setup_lines(text, place)[0]


def read_setup_lines(text: str, place: str) -> tuple[Map, tuple[str, ...]]:
    """Return the same map as `from_setup_lines`, and the kinds (first words) of the ignored lines."""
    sections: dict[str, tuple[int, list[str]]] = {}
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        words = line.split()
        if words[:1] == ["setup_map"] and len(words) > 1 and words[1] in _PARTS:
            if words[1] in sections:
                raise MapError(
                    f"{place}: line {number}: setup_map {words[1]} occurs twice; only one such line is allowed"
                )
            if len(words) % 2:
                raise MapError(
                    f"{place}: line {number}: setup_map {words[1]}: expected pairs of values, found an odd number"
                )
            sections[words[1]] = (number, words[2:])
    for part, limit in zip(_PARTS, (MAX_REGIONS, MAX_REGIONS, 2 * MAX_BORDERS), strict=True):
        if part not in sections:
            raise MapError(f"{place}: the line 'setup_map {part} …' is missing")
        line_number, words = sections[part]
        size = len(words) // 2 + sum(word.count(",") for word in words)
        if size > limit:
            raise MapError(
                f"{place}: line {line_number}: {size} {part.replace('_', ' ')}: at most {limit} are supported"
            )

    def pairs(part: str) -> list[tuple[str, int, str]]:
        line, words = sections[part]
        location = f"{place}: line {line}: {part}"
        return [(location, identifier(location, a), b) for a, b in zip(words[::2], words[1::2], strict=True)]

    supers = [(location, s, integer(location, b)) for location, s, b in pairs("super_regions")]
    regions = [(location, r, identifier(location, s)) for location, r, s in pairs("regions")]
    borders = [
        (location, a, identifier(f"{location}: region {a}", b))
        for location, a, neighbor_ids in pairs("neighbors")
        for b in neighbor_ids.split(",")
        if b
    ]
    setup, setup_regions, used_lines = setup_of_lines(lines, place)
    raise_reasons(_id_problems(supers, regions, borders, setup_regions, {r for _, r, _ in regions}))
    map_ = _from_ids(place, supers, regions, borders, setup)
    return map_, unused_lines(lines, used_lines | {number for number, _ in sections.values()})


@checked
def from_challenge_json(text: str, place: str = "challenge JSON") -> Map:
    """Return the map in a JSON text in one of the two formats of the second challenge; the content determines which.

    In the format of the game engine, ``SuperRegions`` is a list of ``{"id": 1, "bonus": 5}``, and ``Regions`` is a list
    of ``{"id": 1, "superRegion": 1, "neighbors": [2, 4]}``.

    In the format of the web site, each super region has a list ``regions`` of its regions. Regions have ``cells``, a
    list of ``{"x": 3, "y": 0}``, and ``text``, the cell of the label. ``Settings`` has ``gridSizeCells``, the numbers
    of columns and rows. The reader converts cells to outlines. A border between regions that do not touch becomes a sea
    link.

    In both formats, ``Settings`` may contain the starting setup, with the protocol's names: ``wastelands``,
    ``starting_regions`` and ``starting_pick_amount``.

    In both formats, the border between two regions may be listed by one or both regions, once or several times. Numbers
    may be strings, lists of ids may be strings with spaces or commas, and grid positions may be pairs. The indices of
    regions are in ascending order of their ids. Raises MapError with the place and the reason.
    """
    return from_challenge_data(parse_json(text, place), place)


def from_challenge_data(data: Any, place: str) -> Map:
    """Return the map in the parsed JSON of ``from_challenge_json``."""
    if not isinstance(data, dict):
        raise MapError(f"{place}: a map must be a JSON object, not {type(data).__name__}")
    supers: list[_Row] = []
    super_items = items(data, "SuperRegions", place)
    for location, item in super_items:
        supers.append((location, _id_field(location, item, "id"), integer(f"{location}: bonus", item.get("bonus"))))
    regions = [(location, _id_field(location, item, "id"), item) for location, item in items(data, "Regions", place)]
    borders = [
        (location, region, neighbor)
        for location, region, item in regions
        for neighbor in identifiers(f"{location}: neighbors", item.get("neighbors", []))
    ]
    setup, setup_regions = setup_of_settings(_settings(data, place), f"{place}: Settings")
    if not is_cells(data):
        homes = [(location, region, _id_field(location, item, "superRegion")) for location, region, item in regions]
        raise_reasons(_id_problems(supers, homes, borders, setup_regions, {r for _, r, _ in regions}))
        return _from_ids(place, supers, homes, borders, setup)
    homes = [
        (location, region, s)
        for (location, item), (_, s, _) in zip(super_items, supers, strict=True)
        for region in identifiers(f"{location}: regions", item.get("regions"))
    ]
    # An id that is only in "Regions" or only in "SuperRegions" gives one problem, not one for each border.
    known = {r for _, r, _ in (*regions, *homes)}
    raise_reasons(chain(_home_problems(regions, homes), _id_problems(supers, homes, borders, setup_regions, known)))
    return _from_ids(place, supers, homes, borders, setup, _drawing(data, place, regions, borders))


def _home_problems(regions: Sequence[tuple[str, int, Any]], homes: Sequence[_Row]) -> Iterator[str]:
    """Yield all repeated regions, and regions that are only in "SuperRegions" or only in "Regions"."""
    region_ids = set[int]()
    for location, region, _ in regions:
        if region in region_ids:
            yield f"{location}: region {region}: given twice"
        region_ids.add(region)
    for location, region, _ in homes:
        if region not in region_ids:
            yield f"{location}: regions: unknown region {region}"
    home_ids = {region for _, region, _ in homes}
    for location, region, _ in regions:
        if region not in home_ids:
            yield f"{location}: region {region}: belongs to no super region"


def _drawing(
    data: dict[str, Any], place: str, regions: Sequence[tuple[str, int, Any]], borders: Sequence[_Row]
) -> Drawing | None:
    """Return the drawing that is computed from the cells of the regions; None if no region has cells."""
    if not any(item.get("cells") for _, _, item in regions):
        return None
    cells: dict[int, list[Cell]] = {}
    labels: dict[int, Point] = {}
    owners: dict[Cell, int] = {}
    for location, region, item in regions:
        cell_entries, count = item.get("cells"), sum(map(len, cells.values()))
        if not isinstance(cell_entries, list) or not cell_entries:
            raise MapError(
                f"{location}: cells: must be a list with at least one cell, because other regions have cells"
            )
        if count + len(cell_entries) > MAX_CELLS:
            raise MapError(f"{location}: cells: a map may have at most {MAX_CELLS} cells")
        cells[region] = [cell(f"{location}: cells[{i}]", value) for i, value in enumerate(cell_entries)]
        for i, xy in enumerate(cells[region]):
            if owners.setdefault(xy, region) != region:
                raise MapError(
                    f"{location}: cells[{i}]: {xy} is also a cell of region {owners[xy]}; "
                    "a cell must have only one region"
                )
        if item.get("text") is not None:
            x, y = pair(f"{location}: text", item["text"])
            middle = 0.5 if x.is_integer() and y.is_integer() else 0.0
            labels[region] = x + middle, y + middle
    drawn_borders = sorted({(min(a, b), max(a, b)) for _, a, b in borders if a != b and a in cells and b in cells})
    return draw(cells, labels, _grid(data, place), drawn_borders)


def _settings(data: dict[str, Any], place: str) -> dict[str, Any]:
    settings = data.get("Settings", {})
    if not isinstance(settings, dict):
        raise MapError(f"{place}: Settings: expected an object")
    return settings


def _grid(data: dict[str, Any], place: str) -> Cell:
    """Return the numbers of columns and rows in the settings: two numbers, or one number for both; by default 1."""
    size, location = _settings(data, place).get("gridSizeCells", 1), f"{place}: Settings: gridSizeCells"
    if isinstance(size, dict):
        size = list(pair(location, size, ("width", "height") if "width" in size else ("x", "y")))
    elif type(size) is int or (isinstance(size, str) and size.strip().isdecimal()):
        size = [size, size]
    return cell(location, size)


def _from_ids(
    place: str,
    supers: Sequence[tuple[str, int, int]],
    regions: Sequence[tuple[str, int, int]],
    borders: Sequence[tuple[str, int, int]],
    setup: RawSetup | None,
    drawing: Drawing | None = None,
) -> Map:
    """Return a map from ids; the names and indices of regions are derived from the ids.

    supers, regions and borders contain tuples (place in the file, id, value) without the problems of `_id_problems`.
    """
    super_of = {r: s for _, r, s in regions}
    has_short_ids = all(r <= 99_999 for r in super_of)
    shapes = {} if drawing is None else drawing.shapes
    return build(
        place,
        heading_for(place, "Warlight AI Challenge"),
        [SuperRegion(f"Super region {s}", bonus) for _, s, bonus in sorted(supers, key=lambda x: x[1])],
        [
            RawRegion(
                region_name(r), f"Super region {super_of[r]}", f"R{r if has_short_ids else i}", shape=shapes.get(r)
            )
            for i, r in enumerate(sorted(super_of), 1)
        ],
        [(region_name(a), region_name(b)) for _, a, b in borders],
        view_box=None if drawing is None else drawing.view_box,
        sea_links=[]
        if drawing is None
        else [(region_name(a), region_name(b), line) for (a, b), line in drawing.links.items()],
        setup=setup,
    )


def _id_problems(
    supers: Sequence[_Row],
    homes: Sequence[_Row],
    borders: Sequence[_Row],
    setup_regions: Sequence[SetupRegion],
    known: Collection[int],
) -> Iterator[str]:
    """Yield all repeated and unknown ids, and borders from a region to itself.

    Args:
        supers, homes, borders: tuples (place in the file, id, value). The value in `homes` is a super region.
        setup_regions: the regions of the starting setup.
        known: the ids of regions that borders and the setup may contain.
    """
    super_ids = set[int]()
    for location, s, _ in supers:
        if s in super_ids:
            yield f"{location}: super region {s}: given twice"
        super_ids.add(s)
    super_of: dict[int, int] = {}
    for location, r, s in homes:
        if s not in super_ids:
            yield f"{location}: region {r}: unknown super region {s}"
        if r in super_of:
            problem = f"in two super regions, {super_of[r]} and {s}" if super_of[r] != s else "given twice"
            yield f"{location}: region {r}: {problem}"
        super_of.setdefault(r, s)
    for location, a, b in borders:
        if a not in known:
            yield f"{location}: neighbors of unknown region {a}"
        if a == b:
            yield f"{location}: region {a}: must not have a border to itself"
        elif b not in known:
            yield f"{location}: region {a}: border to unknown region {b}"
    for location, region in setup_regions:
        if region not in known:
            yield f"{location}: unknown region {region}"


def _id_field(location: str, item: dict[str, Any], key: str) -> int:
    return identifier(f"{location}: {key}", item.get(key))
