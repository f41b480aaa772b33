"""A graph layout (stress majorization) that places the regions of a map that has no drawing."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from warlight_env.maps import Map

Floats = npt.NDArray[np.float64]

ACROSS = 1.7  # graph distance of neighbours in different super regions; in the same super region it is 1
ROUNDS = 60


def stress_layout(map_: Map) -> Floats:
    """Return a point for each region, float64[N, 2]. The result is deterministic.

    The distances between the points approximate the graph distances, in which neighbours have the distance 1; the
    points of neighbours have distances of about 1 to 2. Classical multidimensional scaling gives the first points.
    Stress majorization (SMACOF: Gansner, Koren & North 2004) with weights 1/distance² then improves the points of the
    scaling.
    """
    n = map_.n_regions
    if n == 1:
        return np.zeros((1, 2))
    distance = _distances(map_)
    points = _scaling(distance)
    weight = 1 / np.maximum(distance, 1e-9) ** 2
    np.fill_diagonal(weight, 0)
    laplacian = np.diag(weight.sum(1)) - weight
    inverse = np.linalg.inv(laplacian + 1 / n)
    for _ in range(ROUNDS):
        gap = np.linalg.norm(points[:, None] - points[None], axis=-1)
        pull = np.where(gap > 1e-9, -weight * distance / np.maximum(gap, 1e-9), 0)
        np.fill_diagonal(pull, 0)
        np.fill_diagonal(pull, -pull.sum(1))
        points = inverse @ (pull @ points)
    return _lay_flat(points)


def _distances(map_: Map) -> Floats:
    """Return the lengths of the shortest paths between all regions, float64[N, N], by the Floyd–Warshall algorithm."""
    n, super_region_of = map_.n_regions, map_.super_region_of
    distance = np.full((n, n), float(2 * n))
    np.fill_diagonal(distance, 0)
    for a, b in map_.borders:
        distance[a, b] = distance[b, a] = 1.0 if super_region_of[a] == super_region_of[b] else ACROSS
    for k in range(n):
        np.minimum(distance, distance[:, k, None] + distance[None, k], out=distance)
    return distance


def _scaling(distance: Floats) -> Floats:
    """Return points by classical multidimensional scaling.

    The sign of each axis is fixed, so that the result is deterministic. Small offsets make sure that all points differ.
    """
    n = len(distance)
    squares = distance**2
    centred = -0.5 * (squares - squares.mean(0) - squares.mean(1)[:, None] + squares.mean())
    values, vectors = np.linalg.eigh(centred)
    points = vectors[:, -1:-3:-1] * np.sqrt(np.maximum(values[-1:-3:-1], 0))
    points *= np.where(points[np.abs(points).argmax(0), range(points.shape[1])] < 0, -1, 1)
    angle = np.arange(n) * 2.399963  # multiples of the golden angle, in radians
    return np.asarray(points + 0.05 * np.stack([np.cos(angle), np.sin(angle)], 1))


def _lay_flat(points: Floats) -> Floats:
    """Rotate the points so that they extend the most along the x axis."""
    points = points - points.mean(0)
    _, vectors = np.linalg.eigh(points.T @ points)
    axis = vectors[:, 1] * (1 if vectors[0, 1] >= 0 else -1)
    return np.stack([points @ axis, points @ np.array([-axis[1], axis[0]])], 1)
