"""The layout of a map's drawing in map units: outlines of regions, positions of labels, and lines for borders."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Final

from shapely import Geometry, MultiPolygon, Polygon, union_all

from warlight_env.maps import Map
from warlight_env.render.graph import stress_layout
from warlight_env.render.theme import OUTLINES

Point = tuple[float, float]
Ring = tuple[Point, ...]

SPACING = 100.0  # distance of neighbouring regions on a map without a drawing, in map units
NODE = 30.0  # radius of the circle that shows a region on a map without a drawing, in map units

#: The number of corners of the polygon that replaces a circle.
_CORNERS: Final = 40


@dataclass(frozen=True)
class Layout:
    """The parts of a map's drawing that do not change during a game."""

    box: tuple[float, float, float, float]  # bounding box of the drawing: x, y, width, height
    regions: tuple[tuple[Ring, ...], ...]  # [N]: outline of each region, as rings filled by the even-odd rule
    labels: tuple[Point, ...]  # [N]: position of each region's number of armies
    radii: tuple[float, ...]  # [N]: radius of the largest circle around the label that is inside the region
    super_regions: tuple[tuple[Ring, ...], ...]  # [S]: outline of each super region
    colours: tuple[int, ...]  # [S]: index in `theme.OUTLINES`; neighbours differ if there are enough colours
    borders: tuple[tuple[Point, Point], ...]  # borders to draw as lines: all borders of a map without a drawing
    sea_links: tuple[tuple[Point, Point], ...]  # lines between regions that are neighbours across the sea
    wrapped_borders: frozenset[tuple[int, int]]  # borders (a, b), a < b, across the left and right edges of the map


@functools.lru_cache(maxsize=16)
def layout_of(map_: Map) -> Layout:
    """Return the layout of a map: its drawing, or a graph layout if it has no drawing."""
    return _drawn(map_) if map_.drawable else _from_graph(map_)


def _drawn(map_: Map) -> Layout:
    shapes = [region.shape for region in map_.regions]
    assert map_.view_box is not None and all(shapes)  # `drawable` guarantees this
    regions = tuple(shape.rings for shape in shapes if shape)
    labels = tuple(shape.label for shape in shapes if shape)
    x, _, width, _ = map_.view_box
    links: list[tuple[Point, Point]] = []
    wrapped_borders = set()
    for link in map_.sea_links:
        if link.line is not None:
            links.append(link.line)
            continue
        wrapped_borders.add((link.a, link.b))
        for region in (link.a, link.b):
            label = labels[region]
            rim = x if label[0] < x + width / 2 else x + width
            links.append((label, (rim, label[1])))
    return Layout(
        box=map_.view_box,
        regions=regions,
        labels=labels,
        radii=tuple(shape.radius for shape in shapes if shape),
        super_regions=tuple(_outline([regions[r] for r in members]) for members in map_.members),
        colours=_colours(map_),
        borders=(),
        sea_links=tuple(links),
        wrapped_borders=frozenset(wrapped_borders),
    )


def _from_graph(map_: Map) -> Layout:
    points = stress_layout(map_) * SPACING
    pad = 2 * NODE
    (left, top), (right, bottom) = points.min(0), points.max(0)
    labels = tuple((float(x), float(y)) for x, y in points)
    regions = tuple((_circle(label, NODE),) for label in labels)
    return Layout(
        box=(left - pad, top - pad, right - left + 2 * pad, bottom - top + 2 * pad),
        regions=regions,
        labels=labels,
        radii=(NODE,) * map_.n_regions,
        super_regions=tuple(tuple(regions[r][0] for r in members) for members in map_.members),
        colours=_colours(map_),
        borders=tuple((labels[a], labels[b]) for a, b in map_.borders),
        sea_links=(),
        wrapped_borders=frozenset(),
    )


def _colours(map_: Map) -> tuple[int, ...]:
    """Return the index of a colour for each super region.

    Super region s gets the first of the colours s, s + 1, … (modulo the number of colours) that no neighbour has. If
    the neighbours have all colours, super region s gets colour s.
    """
    super_region_of, count = map_.super_region_of, len(OUTLINES)
    colours: list[int] = []
    for s in range(map_.n_super_regions):
        neighbors = {
            super_region_of[b] if super_region_of[a] == s else super_region_of[a]
            for a, b in map_.borders
            if s in (super_region_of[a], super_region_of[b])
        }
        neighbor_colours = {colours[neighbor] for neighbor in neighbors if neighbor < s}
        candidates = [(s + k) % count for k in range(count)]
        colours.append(next((colour for colour in candidates if colour not in neighbor_colours), candidates[0]))
    return tuple(colours)


def _circle(centre: Point, radius: float) -> Ring:
    angles = [2 * math.pi * k / _CORNERS for k in range(_CORNERS)]
    return tuple((centre[0] + radius * math.cos(a), centre[1] + radius * math.sin(a)) for a in angles)


def _outline(regions: list[tuple[Ring, ...]]) -> tuple[Ring, ...]:
    """Return the rings that bound the union of regions; the area inside is defined by the even-odd rule."""
    union: Geometry = union_all([_even_odd(rings) for rings in regions])
    parts = union.geoms if isinstance(union, MultiPolygon) else [union]
    return tuple(
        tuple((float(x), float(y)) for x, y in ring.coords[:-1])
        for part in parts
        if isinstance(part, Polygon)
        for ring in (part.exterior, *part.interiors)
    )


def _even_odd(rings: tuple[Ring, ...]) -> Geometry:
    shape: Geometry = Polygon()
    for ring in rings:
        shape = shape.symmetric_difference(Polygon(ring).buffer(0))
    return shape
