"""Checks whether the drawing of a map matches the map's graph. A map with a wrong drawing can still be played."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from warlight_env.maps.checks import MapProblem
from warlight_env.maps.parts import MapParts

#: The allowed area of the overlap of two regions, divided by the area of the smaller region. Outlines are rounded to
#: tenths of a unit, so small overlaps are unavoidable.
OVERLAP: Final = 0.02
#: The largest distance at which two outlines count as touching, and the shortest common side of two regions, in map
#: units. A shorter common side counts as a corner.
GAP: Final = 0.3
SIDE: Final = 2.0


def remarks(m: MapParts) -> Iterator[MapProblem]:
    """Yield the inconsistencies in the drawing of a valid map. A map without a drawing has no inconsistencies.

    Inconsistencies are outlines that cross themselves, labels outside their regions, and overlapping regions. A common
    side without a border is also an inconsistency, and so is a border without a common side or a sea link.
    """
    import shapely  # type: ignore[import-untyped,unused-ignore]

    if m.view_box is None:
        return
    shapes = []
    for i, r in enumerate(m.regions):
        assert r.shape is not None  # in a valid map with a drawing, each region has a shape
        name = r.name
        rings = [shapely.Polygon(ring) for ring in r.shape.rings]
        if not all(ring.is_valid for ring in rings):
            text = f"region {name!r}: shape: the outline crosses itself"
            yield MapProblem("outline-crosses", text, "region", (i,), "shape")
        shape = shapely.Polygon()
        for ring in rings:
            shape = shape.symmetric_difference(ring.buffer(0))
        shapes.append(shape)
        if not shape.buffer(GAP).contains(shapely.Point(r.shape.label)):
            text = f"region {name!r}: shape: the label lies outside of the region"
            yield MapProblem("label-outside", text, "region", (i,), "shape")
    yield from _between(m, shapes)


def _between(m: MapParts, shapes: Sequence[Any]) -> Iterator[MapProblem]:
    """Yield the inconsistencies between two regions, for all pairs of regions."""
    import shapely

    borders, linked = set(m.borders), {(link.a, link.b) for link in m.sea_links}
    enlarged = [shape.buffer(GAP) for shape in shapes]
    first, second = shapely.STRtree(enlarged).query(enlarged, predicate="intersects")
    close_pairs = sorted({(int(a), int(b)) for a, b in zip(first, second, strict=True) if a < b})
    touching = set()
    for a, b in close_pairs:
        names = f"regions {m.regions[a].name!r} and {m.regions[b].name!r}"
        common = shapes[a].intersection(shapes[b]).area
        if common > OVERLAP * min(shapes[a].area, shapes[b].area):
            yield MapProblem("overlap", f"{names} overlap", "border", (a, b))
        # The outlines of both regions are enlarged by GAP, so at a common side they overlap in a strip of width 2 *
        # GAP.
        if enlarged[a].intersection(enlarged[b]).area > 2 * GAP * SIDE:
            touching.add((a, b))
            if (a, b) not in borders:
                text = f"{names} touch along a side, but have no border"
                yield MapProblem("side-without-border", text, "border", (a, b))
    for a, b in sorted(borders - linked - touching):
        names = f"regions {m.regions[a].name!r} and {m.regions[b].name!r}"
        text = f"{names} have a border, but no common side and no sea link"
        yield MapProblem("border-without-side", text, "border", (a, b))
