"""Divisions of a graph into connected parts: tiles become regions, and regions become super regions."""

from __future__ import annotations

import heapq
import math
import random
from collections.abc import Sequence
from typing import Final

Point = tuple[float, float]

_ATTEMPTS: Final = 24


def divide_evenly(
    rng: random.Random, points: dict[int, Point], neighbors: Sequence[Sequence[int]], parts: int
) -> dict[int, int]:
    """Divide the tiles ``points`` into ``parts`` connected, compact parts of similar size.

    The algorithm is a centroidal partition with several iterations. Each tile belongs to the centre with the
    smallest distance in the graph. Each centre then moves to the middle of its part.
    """
    nodes = sorted(points)
    centres = _spread(rng, points, parts)
    best: tuple[float, dict[int, int]] | None = None
    weight = [1.0] * parts
    for _ in range(14):
        part = _nearest(points, neighbors, centres, weight)
        members: list[list[int]] = [[] for _ in range(parts)]
        for i in nodes:
            members[part[i]].append(i)
        sizes = [len(m) for m in members]
        score = sum(s * s for s in sizes) - 0.5 * min(sizes) * len(nodes) / parts
        if best is None or score < best[0]:
            best = score, part
        centres = [_middle(points, m) for m in members]
        mean = len(nodes) / parts
        weight = [w * min(max((s / mean) ** 0.25, 0.8), 1.25) for w, s in zip(weight, sizes, strict=True)]
    assert best is not None
    return best[1]


def _mean(points: dict[int, Point], members: Sequence[int]) -> Point:
    n = len(members)
    return sum(points[i][0] for i in members) / n, sum(points[i][1] for i in members) / n


def _middle(points: dict[int, Point], members: Sequence[int]) -> int:
    mean = _mean(points, members)
    return min(members, key=lambda i: (math.dist(points[i], mean), i))


def _spread(rng: random.Random, points: dict[int, Point], parts: int) -> list[int]:
    """Return the first centres of the parts, which are far apart from each other.

    The first centre is random. Each next centre is the point farthest from all earlier centres.
    """
    nodes = sorted(points)
    centres = [nodes[int(rng.random() * len(nodes))]]
    distances = {i: math.dist(points[i], points[centres[0]]) for i in nodes}
    while len(centres) < parts:
        farthest = max(nodes, key=lambda i: (distances[i], i))
        centres.append(farthest)
        for i in nodes:
            distances[i] = min(distances[i], math.dist(points[i], points[farthest]))
    return centres


def _nearest(
    points: dict[int, Point], neighbors: Sequence[Sequence[int]], centres: Sequence[int], weight: Sequence[float]
) -> dict[int, int]:
    """Return for each node the nearest centre by path length in the graph (Dijkstra), so that parts are connected."""
    part: dict[int, int] = {}
    queue = [(0.0, c, k) for k, c in enumerate(centres)]
    heapq.heapify(queue)
    fixed = dict(zip(centres, range(len(centres)), strict=True))
    while queue:
        length, i, k = heapq.heappop(queue)
        if i in part or fixed.get(i, k) != k:
            continue
        part[i] = k
        for j in neighbors[i]:
            if j in points and j not in part:
                heapq.heappush(queue, (length + weight[k] * math.dist(points[i], points[j]), j, k))
    return part


def group(rng: random.Random, points: Sequence[Point], neighbors: Sequence[Sequence[int]], groups: int) -> list[int]:
    """Divide nodes into connected groups of different sizes; return the best of `_ATTEMPTS` attempts.

    When a group grows, it takes the free adjacent node that is nearest to the middle of the group. The group with the
    smallest ratio of size to target size grows next.
    """
    best: tuple[float, list[int]] | None = None
    point_of = dict(enumerate(points))
    for _ in range(_ATTEMPTS):
        shares = [0.7 + 0.6 * rng.random() for _ in range(groups)]
        total = sum(shares)
        targets = [len(points) * s / total for s in shares]
        group_of = _grow(points, neighbors, _spread(rng, point_of, groups), targets)
        score = _penalty(group_of, points, targets)
        if best is None or score < best[0]:
            best = score, group_of
    assert best is not None
    return best[1]


def _grow(
    points: Sequence[Point], neighbors: Sequence[Sequence[int]], seeds: Sequence[int], targets: Sequence[float]
) -> list[int]:
    group_of = [-1] * len(points)
    point_of = dict(enumerate(points))
    members = [[s] for s in seeds]
    for k, s in enumerate(seeds):
        group_of[s] = k
    while -1 in group_of:
        for k in sorted(range(len(seeds)), key=lambda k: (len(members[k]) / targets[k], k)):
            free = {j for i in members[k] for j in neighbors[i] if group_of[j] < 0}
            if free:
                middle = _mean(point_of, members[k])
                cost = {j: math.dist(points[j], middle) * _attraction(j, neighbors, group_of, k) for j in free}
                node = min(free, key=lambda j: (cost[j], j))
                group_of[node] = k
                members[k].append(node)
                break
    return group_of


def _attraction(j: int, neighbors: Sequence[Sequence[int]], group_of: Sequence[int], k: int) -> float:
    """Return a factor for the distance of node j from group k, below 1 for nodes that the group should take early.

    The returned factor is below 1 for a node without free neighbours, and for a node with neighbours in the group.
    """
    adjacent = neighbors[j]
    own_count = sum(group_of[i] == k for i in adjacent)
    free = sum(group_of[i] < 0 for i in adjacent)
    return (0.55 if not free else 1.0) * (1.0 - 0.5 * own_count / len(adjacent))


def _penalty(group_of: Sequence[int], points: Sequence[Point], targets: Sequence[float]) -> float:
    """Return how much groups differ from their target sizes and from discs, plus a penalty for groups of one node."""
    point_of = dict(enumerate(points))
    xs, ys = [p[0] for p in points], [p[1] for p in points]
    room = max((max(xs) - min(xs)) * (max(ys) - min(ys)), 1.0) / len(points)  # mean area of a node
    penalty = 0.0
    for k, target in enumerate(targets):
        members = [i for i, g in enumerate(group_of) if g == k]
        middle = _mean(point_of, members)
        spread = sum(math.dist(points[i], middle) ** 2 for i in members) / len(members)
        penalty += (len(members) - target) ** 2 / target
        penalty += 2 * math.pi * spread / (room * len(members))  # the added number is 1 for a disc
        if len(members) < 2:
            penalty += 5.0
    return penalty
