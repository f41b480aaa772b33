"""Drawings of maps in which a region consists of grid cells: outlines along the cells, labels, and sea links."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from warlight_env.maps.parts import Point, Shape

Cell = tuple[int, int]
Border = tuple[int, int]

#: The longer side of a drawing has at least this many units. The side of a cell has an integer number of units.
_SHEET: Final = 1600
_TALLEST: Final = 10  #: a drawing is at most this many times as high as wide


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

    columns = max(grid[0], 1 + max(x for listed in cells.values() for x, _ in listed))
    rows = max(grid[1], 1 + max(y for listed in cells.values() for _, y in listed))
    unit = max(1, _SHEET // max(columns, rows))
    outlines: dict[int, Any] = {
        region: shapely.simplify(
            shapely.union_all([shapely.box(unit * x, unit * y, unit * (x + 1), unit * (y + 1)) for x, y in listed]), 0
        )
        for region, listed in cells.items()
    }
    wide = max(columns, -(-rows // _TALLEST))
    links = {}
    for a, b in borders:
        (x, y), (u, v) = shapely.get_coordinates(shapely.shortest_line(outlines[a], outlines[b])).tolist()
        if (x, y) != (u, v):
            links[a, b] = (x, y), (u, v)
    shapes = {region: _shape(outline, labels.get(region), unit) for region, outline in outlines.items()}
    return Drawing(shapes, (0.0, 0.0, float(unit * wide), float(unit * rows)), links)


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
