"""Arrows for attacks and transfers: curved lines between the badges of two regions.

A badge is the shape that contains the number of armies of a region. On some maps an arrow leaves the map at one edge
and continues at the opposite edge.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from warlight_env.render.shapes import Area, Item, Point, Stroke, pill
from warlight_env.render.theme import BACKGROUND

STEPS = 28


@dataclass(frozen=True)
class Route:
    """A part of an arrow's line.

    `number` and `head` are True if the number of armies and the arrowhead are drawn at this part of the line.
    """

    points: list[Point]
    number: bool = True
    head: bool = True


def routes(start: Point, end: Point, size: float, bend: float, around: float | None, right: float) -> list[Route]:
    """Return the parts of the line from one badge to another.

    A line across the left and right edges of the map has two parts; every other line has one. All lengths are in
    pixels.

    Args:
        start, end: the centres of the two badges.
        size: the radius of a badge.
        bend: the curvature of the line; 0: a straight line.
        around: the width of the map if the line goes across its edges, else None.
        right: the x coordinate of the right edge of the map. If `around` is not None, the left edge of the map has the
            x coordinate `right - around`.
    """
    if around is None:
        return [Route(_curve(start, end, size, bend))]
    step = around if start[0] > end[0] else -around
    out = _curve(start, (end[0] + step, end[1]), size, bend)
    back = [(x - step, y) for x, y in out]
    left = right - around
    inside = [[p for p in points if left <= p[0] <= right] for points in (out, back)]
    return [Route(inside[0], head=False), Route(inside[1], number=False)]


def _curve(start: Point, end: Point, size: float, bend: float) -> list[Point]:
    """Return points of a quadratic Bézier curve that bends to the left, without the parts inside the two badges."""
    (x0, y0), (x1, y1) = start, end
    cx, cy = (x0 + x1) / 2 + bend * (y1 - y0), (y0 + y1) / 2 - bend * (x1 - x0)
    points = []
    for k in range(STEPS + 1):
        t = k / STEPS
        a, b, c = (1 - t) ** 2, 2 * t * (1 - t), t**2
        points.append((a * x0 + b * cx + c * x1, a * y0 + b * cy + c * y1))
    free = [p for p in points if math.dist(p, start) > 1.1 * size and math.dist(p, end) > 1.2 * size]
    return free if len(free) >= 2 else [points[STEPS // 3], points[STEPS - STEPS // 3]]


def arrow(
    paths: list[Route], armies: int, colour: str, dashed: bool, size: float, title: str, number: str
) -> Iterator[Item]:
    """Yield the shapes of an arrow: a line with a dark outline, the arrowhead, and the number of armies."""
    width = min(0.7 * size, 1.6 + 0.9 * math.log2(max(1, armies)))
    for path in paths:
        if len(path.points) < 2:
            continue
        line = _shortened(path.points, 1.6 * width) if path.head else path.points
        yield Stroke(line, BACKGROUND, width + 1.6)
        yield Stroke(line, colour, width, (2.2 * width, 1.6 * width) if dashed else None, title=title)
        if path.head:
            yield Area((_head(path.points, width),), colour, BACKGROUND, 0.8)
    for path in paths:
        if path.number and path.points:
            yield from pill(path.points[len(path.points) // 2], number, 0.95 * size, colour)


def _shortened(points: list[Point], by: float) -> list[Point]:
    """Return the line without its last part, which the arrowhead covers."""
    tip = points[-1]
    kept = [p for p in points if math.dist(p, tip) >= by]
    return kept if len(kept) >= 2 else points


def _head(points: list[Point], width: float) -> list[Point]:
    tip, length = points[-1], 4.0 + 2.2 * width
    base = next((p for p in reversed(points) if math.dist(p, tip) >= length), points[0])
    gap = math.dist(base, tip) or 1.0
    dx, dy = (tip[0] - base[0]) / gap, (tip[1] - base[1]) / gap
    x, y, half = tip[0] - length * dx, tip[1] - length * dy, 2.0 + 1.3 * width
    return [tip, (x - half * dy, y + half * dx), (x + half * dy, y - half * dx)]
