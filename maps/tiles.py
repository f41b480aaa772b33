"""The small tiles of generated maps: cells of a relaxed Voronoi diagram, and the choice of the tiles that are land."""

from __future__ import annotations

import heapq
import math
import random
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

SHORTEST_SIDE = 0.3  # shortest side of a tile, divided by the spacing of tiles; shorter sides shrink to a point


_OCTAVES = ((0.75, 0.2, 5), (0.36, 0.15, 5), (0.17, 0.1, 5))  # wavelength / sheet size, strength, number of waves

_PUDDLE: Final = 3


@dataclass(frozen=True)
class Tiles:
    """The Voronoi cells (tiles) of ``sites``, stored as the dual triangulation.

    The circumcentre of a triangle is a corner of three tiles.
    """

    sites: Floats  # (n, 2)
    corners: Floats  # (m, 2): the circumcentre of each triangle
    triangles: Ints  # (m, 3): indices of sites, counter-clockwise
    corner_of: dict[tuple[int, int], int]  # key: a directed side a → b of a triangle; value: the index of the triangle
    neighbors: tuple[tuple[int, ...], ...]  # for each tile, the tiles with which it shares a visible side, ascending
    rim: frozenset[int]  # tiles at the edge of the sheet or near it


def make_tiles(rng: random.Random, columns: int, rows: int, spacing: float) -> Tiles:
    """Return about ``columns`` times ``rows`` tiles in a rectangle; neighbouring sites are about ``spacing`` apart."""
    width, height = columns * spacing, rows * spacing
    sites = np.array(
        [
            (spacing * (x + 0.5 * (y % 2) + _jitter(rng)), spacing * (y + _jitter(rng)))
            for y in range(-2, rows + 3)
            for x in range(-2, columns + 3)
        ]
    )
    for _ in range(2):  # Lloyd's algorithm: each site moves to the centroid of its cell
        triangles = _delaunay(sites)
        sites = _centroids(sites, triangles)
    sites = np.round(sites, 3)
    triangles = _delaunay(sites)
    corners = _circumcentres(sites, triangles)
    corner_of = {}
    for t, (a, b, c) in enumerate(triangles.tolist()):
        corner_of[a, b] = corner_of[b, c] = corner_of[c, a] = t
    joined = _join_close_corners(corners, corner_of, SHORTEST_SIDE * spacing)
    neighbors: list[list[int]] = [[] for _ in sites]
    for (a, b), t in corner_of.items():
        opposite = corner_of.get((b, a))
        if opposite is not None and (min(t, opposite), max(t, opposite)) not in joined:
            neighbors[a].append(b)
    margin = 0.5 * spacing
    rim = frozenset(
        i
        for i, (x, y) in enumerate(sites.tolist())
        if not (margin < x < width - margin and margin < y < height - margin)
    )
    return Tiles(sites, corners, triangles, corner_of, tuple(tuple(sorted(n)) for n in neighbors), rim)


def _jitter(rng: random.Random) -> float:
    return 1.2 * (rng.random() - 0.5)


def _delaunay(sites: Floats) -> Ints:
    import shapely  # type: ignore[import-untyped,unused-ignore]

    geometries: Any = shapely.get_parts(shapely.delaunay_triangles(shapely.MultiPoint(sites)))
    points = shapely.get_coordinates(geometries).reshape(-1, 4, 2)[:, :3]
    keys = sites @ [1, 1j]  # the library returns the coordinates of the sites unchanged
    order = np.argsort(keys)
    triangles = order[np.searchsorted(keys[order], points @ [1, 1j])]
    a, b, c = (sites[triangles[:, k]] for k in range(3))
    area = (b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (b[:, 1] - a[:, 1]) * (c[:, 0] - a[:, 0])
    triangles[area < 0] = triangles[area < 0][:, ::-1]
    first = triangles.argmin(axis=1)  # so the result does not depend on the order in which the library lists corners
    triangles = np.stack([triangles[np.arange(len(first)), (first + k) % 3] for k in range(3)], axis=1)
    return triangles[np.lexsort(triangles.T[::-1])]


def _circumcentres(sites: Floats, triangles: Ints) -> Floats:
    a, b, c = (sites[triangles[:, k]] for k in range(3))
    (bx, by), (cx, cy) = (b - a).T, (c - a).T
    d = 2 * (bx * cy - by * cx)
    d[np.abs(d) < 1e-9] = 1e-9
    b2, c2 = bx * bx + by * by, cx * cx + cy * cy
    centres: Floats = a + np.stack([(cy * b2 - by * c2) / d, (bx * c2 - cx * b2) / d], axis=1)
    return centres


def _centroids(sites: Floats, triangles: Ints) -> Floats:
    """Return the centroid of the cell of each site. A site at the edge has an unbounded cell and does not move."""
    corners = _circumcentres(sites, triangles)
    corner_of = {}
    for t, (a, b, c) in enumerate(triangles.tolist()):
        corner_of[a, b] = corner_of[b, c] = corner_of[c, a] = t
    centroids = sites.copy()
    area = np.zeros(len(sites))
    total = np.zeros_like(sites)
    inner = np.ones(len(sites), dtype=bool)
    sides = np.array([(a, t, corner_of.get((b, a), -1)) for (a, b), t in corner_of.items()])
    inner[sides[sides[:, 2] < 0, 0]] = False
    for side in (0, 1, 2):
        inner[triangles[~inner[triangles].all(axis=1), side]] &= False
    s = sides[inner[sides[:, 0]]]
    p, q, o = corners[s[:, 2]], corners[s[:, 1]], sites[s[:, 0]]
    cross = (p[:, 0] - o[:, 0]) * (q[:, 1] - o[:, 1]) - (p[:, 1] - o[:, 1]) * (q[:, 0] - o[:, 0])
    np.add.at(area, s[:, 0], cross)
    np.add.at(total, s[:, 0], cross[:, None] * (p + q + o) / 3)
    centroids[inner] = total[inner] / area[inner, None]
    return centroids


def _join_close_corners(
    corners: Floats, corner_of: dict[tuple[int, int], int], shortest: float
) -> set[tuple[int, int]]:
    """Shrink short sides of tiles to points, so that their two corners become one; a tile keeps at least four corners.

    Returns the sides that were shrunk, as pairs of corners.
    """
    corners_of: dict[int, set[int]] = {}  # key: a tile; value: the merged points that are its corners
    for (a, _), t in corner_of.items():
        corners_of.setdefault(a, set()).add(t)
    tiles_at: dict[int, list[int]] = {t: [] for t in corner_of.values()}
    for (a, _), t in corner_of.items():
        tiles_at[t].append(a)
    point = list(range(len(corners)))  # index: a corner; value: one of the corners that are merged with it
    members = {t: [t] for t in point}
    place = corners.tolist()
    sides = [(t, corner_of[b, a], a, b) for (a, b), t in corner_of.items() if a < b and (b, a) in corner_of]
    changed = True
    while changed:
        changed = False
        short_sides = []
        for t, opposite, a, b in sides:
            p, q = point[t], point[opposite]
            length = math.dist(place[p], place[q])
            if p != q and length < shortest:
                short_sides.append((length, min(p, q), max(p, q), a, b))
        for _, p, q, a, b in sorted(short_sides):
            if point[p] != p or point[q] != q or min(len(corners_of[a]), len(corners_of[b])) <= 4:
                continue
            changed = True
            members[p] += members.pop(q)
            place[p] = corners[members[p]].mean(axis=0).tolist()
            for t in members[p]:
                point[t] = p
                for tile in tiles_at[t]:
                    corners_of[tile] -= {q}
                    corners_of[tile].add(p)
    corners[:] = [place[p] for p in point]
    return {(min(t, o), max(t, o)) for t, o, _, _ in sides if point[t] == point[o]}


def crop(tiles: Tiles, land: frozenset[int], margin: float) -> tuple[Tiles, float, float]:
    """Move the tiles so that the distance of the land to each edge of the drawing is `margin`.

    Returns the moved tiles, and the width and height of the drawing.
    """
    on_land = np.isin(tiles.triangles, sorted(land)).any(axis=1)
    corners = tiles.corners[on_land]
    low, high = np.floor(corners.min(axis=0) - margin), np.ceil(corners.max(axis=0) + margin)
    width, height = (high - low).tolist()
    return replace(tiles, sites=tiles.sites - low, corners=tiles.corners - low), width, height


def choose_land(rng: random.Random, tiles: Tiles, count: int, width: float, height: float) -> frozenset[int]:
    """Return at least ``count`` connected tiles with an irregular coast: the highest tiles of a noise field."""
    scale = math.sqrt(width * height)
    waves = []
    for share, strength, number in _OCTAVES:
        for _ in range(number):
            turn, phase, stretch = 2 * math.pi * rng.random(), 2 * math.pi * rng.random(), rng.random()
            length = scale * share * (0.75 + 0.5 * stretch)
            waves.append((math.cos(turn) / length, math.sin(turn) / length, phase, strength))

    def elevation(i: int) -> float:
        x, y = tiles.sites[i].tolist()
        u, v = 2 * x / width - 1, 2 * y / height - 1
        noise = sum(a * math.sin(2 * math.pi * (kx * x + ky * y) + p) for kx, ky, p, a in waves)
        return float(noise - 0.8 * (abs(u) ** 3 + abs(v) ** 3) - 0.35 * (u * u + v * v))

    inner = [i for i in range(len(tiles.sites)) if i not in tiles.rim]
    high = {i: elevation(i) for i in inner}
    top = max(inner, key=lambda i: high[i])
    land: set[int] = set()
    queue, queued = [(-high[top], top)], {top}
    while queue and len(land) < count:
        _, i = heapq.heappop(queue)
        land.add(i)
        for j in tiles.neighbors[i]:
            if j in high and j not in queued:
                queued.add(j)
                heapq.heappush(queue, (-high[j], j))
    for i in sorted(land):  # a strip or tip of land that is one tile wide becomes three tiles wide
        if sum(j in land for j in tiles.neighbors[i]) <= 2:
            land.update(j for j in tiles.neighbors[i] if j in high)
    return frozenset(land | _puddles(tiles, land))


def _puddles(tiles: Tiles, land: set[int]) -> set[int]:
    """Return the tiles of enclosed water areas that have at most `_PUDDLE` tiles."""
    puddles: set[int] = set()
    visited = set(land)
    for start in range(len(tiles.sites)):
        if start in visited:
            continue
        visited.add(start)
        pool = [start]
        for i in pool:
            for j in tiles.neighbors[i]:
                if j not in visited:
                    visited.add(j)
                    pool.append(j)
        if len(pool) <= _PUDDLE and not tiles.rim.intersection(pool):
            puddles |= set(pool)
    return puddles
