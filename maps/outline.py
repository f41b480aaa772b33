"""Outlines of regions that consist of tiles. Both regions at a border get exactly the same smoothed line."""

from __future__ import annotations

from typing import Final

import numpy as np

from warlight_env.maps.parts import Point, Shape
from warlight_env.maps.tiles import Floats, Tiles

WATER = -1
Ring = list[Point]

#: The error of the centre and radius of `widest_circle`, in units of the drawing.
_PRECISION: Final = 0.3


def shapes(tiles: Tiles, part: dict[int, int], count: int, rounds: int = 2) -> list[Shape]:
    """Return the shape of each part (region). part: the part of each land tile; all other tiles are water."""
    label = [part.get(i, WATER) for i in range(len(tiles.sites))]
    part_shapes = []
    for rings in _outlines(tiles, label, count):
        smooth = [r for r in (_smooth(tiles, label, ring, rounds) for ring in rings) if len(r) > 2]
        smooth.sort(key=lambda r: -abs(_area(r)))
        centre, radius = widest_circle(smooth)
        part_shapes.append(Shape("".join(map(_path, smooth)), centre, radius))
    return part_shapes


def contacts(tiles: Tiles, part: dict[int, int]) -> set[tuple[int, int]]:
    """Return the pairs of parts (regions) that have a common side of visible length."""
    return {
        (min(p, part[j]), max(p, part[j]))
        for i, p in part.items()
        for j in tiles.neighbors[i]
        if j in part and part[j] != p
    }


def _outlines(tiles: Tiles, label: list[int], count: int) -> list[list[list[int]]]:
    """Return the closed outlines of each part, as lists of triangles (tile corners), with the part on the left."""
    rings: list[list[list[int]]] = [[] for _ in range(count)]
    used_sides: set[tuple[int, int]] = set()
    for start in tiles.corner_of:
        own_part = label[start[0]]
        if own_part == WATER or label[start[1]] == own_part or start in used_sides:
            continue
        ring = []
        i, j = start
        while (i, j) not in used_sides:  # the side between tile i of the part and tile j outside the part
            used_sides.add((i, j))
            t = tiles.corner_of[i, j]
            ring.append(t)
            k = int(tiles.triangles[t].sum()) - i - j
            if label[k] == own_part:
                i = k
            else:
                j = k
        rings[own_part].append(ring)
    return rings


def _smooth(tiles: Tiles, label: list[int], ring: list[int], rounds: int) -> Ring:
    """Smooth a closed outline with Chaikin's algorithm, which cuts corners.

    A corner where three parts meet does not move. At a border, the outlines of both regions follow the same line,
    because the algorithm changes both outlines in the same way.
    """
    points = [(float(x), float(y)) for x, y in tiles.corners[ring].tolist()]
    pinned = [len({label[i] for i in tiles.triangles[t].tolist()}) > 2 for t in ring]
    points, pinned = _without_repeats(points, pinned)
    for _ in range(rounds):
        cut: Ring = []
        fixed: list[bool] = []
        for k, point in enumerate(points):
            if pinned[k]:
                cut.append(point)
                fixed.append(True)
                continue
            before, after = points[k - 1], points[(k + 1) % len(points)]
            cut += [_toward(point, before), _toward(point, after)]
            fixed += [False, False]
        points, pinned = cut, fixed
    rounded = [(round(x, 1) + 0.0, round(y, 1) + 0.0) for x, y in points]
    return [p for k, p in enumerate(rounded) if p != rounded[k - 1]]


def _without_repeats(points: Ring, pinned: list[bool]) -> tuple[Ring, list[bool]]:
    """Merge consecutive equal corners into one corner.

    If one of the merged corners is pinned, the new corner is pinned, too. A pinned corner is not smoothed.
    """
    starts = [k for k, p in enumerate(points) if p != points[k - 1]]
    ends = [*starts[1:], (starts[0] if starts else 0) + len(points)]
    runs = [range(a, b) for a, b in zip(starts, ends, strict=False)]
    return [points[a] for a in starts], [any(pinned[k % len(points)] for k in run) for run in runs]


def _toward(a: Point, b: Point) -> Point:
    return 0.75 * a[0] + 0.25 * b[0], 0.75 * a[1] + 0.25 * b[1]


def _path(ring: Ring) -> str:
    return "M" + "L".join(f"{x:g} {y:g}" for x, y in ring) + "Z"


def _area(ring: Ring) -> float:
    return 0.5 * sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(ring, ring[1:] + ring[:1], strict=True))


def widest_circle(rings: list[Ring]) -> tuple[Point, float]:
    """Return the centre and radius of the largest circle inside closed outlines, within `_PRECISION`.

    The SVG fill rule evenodd decides which points are inside.
    """
    starts: Floats = np.array([p for r in rings for p in r])
    ends: Floats = np.array([p for r in rings for p in r[1:] + r[:1]])
    low, high = starts.min(axis=0), starts.max(axis=0)
    step = float((high - low).max()) / 12
    grid = np.stack(np.meshgrid(*(np.linspace(a, b, 14) for a, b in zip(low, high, strict=True))), axis=-1)
    points = grid.reshape(-1, 2)
    best, centre = 0.0, points[0]
    while step > _PRECISION / 2:
        depth = _depth(points, starts, ends)
        order = np.argsort(-depth, kind="stable")[:6]
        if depth[order[0]] > best:
            best, centre = float(depth[order[0]]), points[order[0]]
        step /= 2
        offsets = step * np.stack(np.meshgrid([-1, 0, 1], [-1, 0, 1]), axis=-1).reshape(1, -1, 2)
        points = (points[order][:, None] + offsets).reshape(-1, 2)
    return (round(float(centre[0]), 1), round(float(centre[1]), 1)), max(round(best, 1), 0.1)


def _depth(points: Floats, starts: Floats, ends: Floats) -> Floats:
    """Return the distance of each point to the nearest side; the distance is negative for points outside."""
    (x, y), (start_x, start_y), (end_x, end_y) = points.T[..., None], starts.T, ends.T
    dx, dy, rel_x, rel_y = end_x - start_x, end_y - start_y, x - start_x, y - start_y
    t = np.clip((rel_x * dx + rel_y * dy) / np.maximum(dx * dx + dy * dy, 1e-12), 0, 1)
    distance = np.sqrt((rel_x - t * dx) ** 2 + (rel_y - t * dy) ** 2).min(axis=1)
    above = (start_y > y) != (end_y > y)
    crosses = above & (rel_x < rel_y * (dx / np.where(dy == 0, 1.0, dy)))
    inside = crosses.sum(axis=1) % 2 == 1
    depth: Floats = np.where(inside, distance, -distance)
    return depth
