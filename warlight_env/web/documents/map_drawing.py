"""A map as plain data for the page: names, graph and outlines."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Any

from warlight_env.maps import Map
from warlight_env.render.layout import Point, Ring, layout_of
from warlight_env.render.theme import OUTLINES


@functools.lru_cache(maxsize=32)
def drawing(map_: Map) -> dict[str, Any]:
    """Return the drawing of a map as plain data for JSON. Calls with the same map return the same object.

    ``box``: x, y, width, height. ``regions``: name, code, super region, outline as an SVG path (fill rule evenodd),
    label, radius of a circle around the label inside the region, neighbours. ``supers``: name, bonus, outline, colour,
    regions. ``links``: lines across water; ``lines``: borders drawn as lines (maps without outlines); ``around``:
    borders that go around the left and right edges.
    """
    layout = layout_of(map_)
    return {
        "name": map_.name,
        "title": map_.title or map_.name,
        "source": map_.source,
        "digest": map_.digest(),
        "box": [_short(v) for v in layout.box],
        "regions": [
            {
                "name": region.name,
                "code": region.code,
                "super": region.super_region,
                "path": region.shape.path if region.shape else _path(layout.regions[r]),
                "label": _point(layout.labels[r]),
                "radius": _short(layout.radii[r]),
                "near": list(map_.neighbors[r]),
            }
            for r, region in enumerate(map_.regions)
        ],
        "supers": [
            {
                "name": super_region.name,
                "bonus": super_region.bonus,
                "path": _path(layout.super_regions[s]),
                "colour": OUTLINES[layout.colours[s]],
                "regions": list(map_.members[s]),
            }
            for s, super_region in enumerate(map_.super_regions)
        ],
        "links": [[_point(p) for p in line] for line in layout.sea_links],
        "lines": [[_point(p) for p in line] for line in layout.borders],
        "around": sorted(list(pair) for pair in layout.wrapped_borders),
    }


def _short(value: float) -> float:
    rounded = round(float(value), 1)
    return int(rounded) if rounded == int(rounded) else rounded


def _point(point: Point) -> list[float]:
    return [_short(point[0]), _short(point[1])]


def _path(rings: Iterable[Ring]) -> str:
    return "".join("M" + "L".join(f"{_short(x)} {_short(y)}" for x, y in ring) + "Z" for ring in rings)
