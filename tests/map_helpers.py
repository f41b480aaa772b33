"""Small maps as `MapParts`, which tests can change."""

from __future__ import annotations

import dataclasses

from warlight_env.maps import Region, Shape, SuperRegion
from warlight_env.maps.parts import MapParts


def square(x: float, y: float = 0.0) -> Shape:
    """Return the outline of a square with sides of ten map units."""
    path = f"M{x:g} {y:g}L{x + 10:g} {y:g}L{x + 10:g} {y + 10:g}L{x:g} {y + 10:g}Z"
    return Shape(path, (x + 5, y + 5), 5.0)


def row(**changes: object) -> MapParts:
    """Return a map of four squares in a row, in two super regions."""
    supers = (SuperRegion("West", 1), SuperRegion("East", 2))
    names = ("Ash", "Birch", "Cedar", "Dogwood")
    regions = tuple(Region(name, name[:2].upper(), k // 2, shape=square(10 * k)) for k, name in enumerate(names))
    parts = MapParts("row", "", "", "", supers, regions, ((0, 1), (1, 2), (2, 3)), (0.0, 0.0, 40.0, 10.0))
    return dataclasses.replace(parts, **changes)  # type: ignore[arg-type]
