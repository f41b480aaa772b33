"""A position as a list of simple shapes with coordinates in pixels. The modules `svg` and `pixels` draw the shapes."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from warlight_env.arguments import is_integer, short_repr
from warlight_env.render import theme as colours
from warlight_env.render.layout import Layout, Point, Ring, layout_of
from warlight_env.render.shapes import Area, Item, Label, Stroke, badge, pill, text_width
from warlight_env.render.shown_position import UNKNOWN, ShownPosition, by_player, check_position
from warlight_env.tables import counted, printable

MARGIN = 12.0
LINE = 24.0  # height of a line of the header, in pixels
MIN_WIDTH, MAX_WIDTH = 200, 4000  # limits of the width of a picture, in pixels

_CURVE_STEPS = 28  # number of straight parts of an arrow's curve


@dataclass(frozen=True)
class Scene:
    """A picture: its size in pixels, a description in words, and its shapes from back to front."""

    width: int
    height: int
    description: str
    items: tuple[Item, ...]


@dataclass(frozen=True)
class Frame:
    """The transformation from map units to pixels."""

    scale: float
    left: float
    top: float

    def point(self, p: Point) -> Point:
        return self.left + p[0] * self.scale, self.top + p[1] * self.scale

    def ring(self, ring: Sequence[Point]) -> Ring:
        return tuple(self.point(p) for p in ring)


def build(position: ShownPosition, orders: Sequence[Any] | Mapping[int, Any] | None = None, width: int = 960) -> Scene:
    """Return the scene of a position, with orders as arrows.

    orders: a list with the orders of each player, or a mapping from players to orders; None: no orders. An order with a
    region that is hidden by fog is not drawn.
    """
    check_position(position)
    if not is_integer(width) or not MIN_WIDTH <= width <= MAX_WIDTH:
        raise colours.RenderError(f"width = {short_repr(width)}: must be {MIN_WIDTH} to {MAX_WIDTH} pixels")
    layout = layout_of(position.map)
    header, top = _header(position, width)
    x, y, box_width, box_height = layout.box
    scale = (width - 2 * MARGIN) / box_width
    frame = Frame(scale, MARGIN - x * scale, top + MARGIN - y * scale)
    size = min(16.0, max(7.0, 0.5 * statistics.median(layout.radii) * scale))
    height = round(top + box_height * scale + 2 * MARGIN)
    sea = Area((_rectangle(0, top, width, height - top),), colours.SEA)
    items = [
        Area((_rectangle(0, 0, width, top),), colours.BACKGROUND),
        sea,
        *_land(position, layout, frame),
        *_transports(position, layout, frame, size, orders),
        *_badges(position, layout, frame, size),
        *_deploys(position, layout, frame, size, orders),
        *header,
    ]
    return Scene(width, height, _describe(position), tuple(items))


def _rectangle(x: float, y: float, width: float, height: float) -> Ring:
    return (x, y), (x + width, y), (x + width, y + height), (x, y + height)


def _title(position: ShownPosition) -> str:
    parts = [position.title or position.map.title or position.map.name]
    if position.round is not None:
        parts.append(f"round {position.round}")
    if position.foggy:
        parts.append("fog: only visible regions count")
    return printable(" · ".join(parts))


def _player_summary(position: ShownPosition, player: int) -> str:
    regions, armies = position.count(player)
    if not regions and not position.foggy:
        return f"{position.name(player)} · out"
    bonus = f" · bonus {position.bonus(player)}" if position.bonus(player) else ""
    counts = f"{counted(regions, 'region', 'regions')} · {counted(armies, 'army', 'armies')}"
    return f"{position.name(player)} · {counts}{bonus}"


def _describe(position: ShownPosition) -> str:
    return "; ".join([_title(position), *(_player_summary(position, p) for p in range(position.players))])


def _header(position: ShownPosition, width: int) -> tuple[list[Item], float]:
    """Return the shapes of the header and its height in pixels.

    The header contains the title, and then the players, in one or several lines.
    """
    theme = colours.theme(position.players)
    items: list[Item] = [Label(MARGIN, LINE * 0.5 + 6, _title(position), 15, colours.TEXT, "start", bold=True)]
    x, y = MARGIN, LINE * 1.5 + 6
    for player in range(position.players):
        text = _player_summary(position, player)
        item_width = 22 + text_width(text, 13) + 22
        if x > MARGIN and x + item_width > width:
            x, y = MARGIN, y + LINE
        shape = badge(colours.SHAPES[player], (x + 8, y), 8)
        items.append(Area((shape,), theme.fill(player), colours.TEXT, 1.2))
        items.append(Label(x + 22, y, text, 13, colours.TEXT, "start"))
        x += item_width
    return items, y + LINE * 0.5 + 6


def _land(position: ShownPosition, layout: Layout, frame: Frame) -> Iterator[Item]:
    """Yield the shapes of the map: border lines, regions, and outlines of super regions.

    Regions have the colour of their owner; regions that are hidden by fog are hatched.
    """
    theme = colours.theme(position.players)
    for line in layout.sea_links:
        yield Stroke(frame.ring(line), colours.SEA_LINK, 1.2, (2.0, 4.0))
    for line in layout.borders:
        yield Stroke(frame.ring(line), colours.SEA_LINK, 1.5)
    for region, rings in enumerate(layout.regions):
        owner = position.owner[region]
        hidden = owner == UNKNOWN
        fill = colours.FOG if hidden else theme.fill(owner)
        shape = tuple(frame.ring(ring) for ring in rings)
        yield Area(shape, fill, colours.SEA, 0.8, hatched=hidden, title=position.describe(region))
    for index, (rings, super_region) in enumerate(zip(layout.super_regions, position.map.super_regions, strict=True)):
        colour = colours.OUTLINES[layout.colours[index]]
        shape = tuple(frame.ring(ring) for ring in rings)
        yield Area(
            shape,
            None,
            colour,
            2.4 if layout.borders else 1.4,
            title=f"{printable(super_region.name)}, bonus {super_region.bonus}",
        )


def _compact(armies: int) -> str:
    """Return a number of armies as a short text: 999, 1.2k, 34k, 2.0M."""
    if armies < 1000:
        return str(armies)
    if armies < 999_500:
        return f"{armies / 1000:.1f}k" if armies < 9950 else f"{armies / 1000:.0f}k"
    return f"{armies / 1e6:.1f}M"


def _badges(position: ShownPosition, layout: Layout, frame: Frame, size: float) -> Iterator[Item]:
    theme = colours.theme(position.players)
    for region, owner in enumerate(position.owner):
        x, y = frame.point(layout.labels[region])
        if owner == UNKNOWN:
            yield Label(x, y, "?", 1.2 * size, colours.MUTED)
            continue
        text = _compact(position.army[region])
        if owner < 0:
            fill = theme.fill(owner)
            yield Label(x, y, text, 1.3 * size, colours.text_colour(fill), bold=True, halo=fill)
            continue
        shape = badge(colours.SHAPES[owner], (x, y), size)
        yield Area((shape,), theme.dark(owner), colours.HIGHLIGHT, 1.2)
        letters = 1.25 if len(text) < 3 else 1.0 if len(text) == 3 else 0.8
        yield Label(x, y, text, letters * size, colours.HIGHLIGHT, bold=True)


def _transports(
    position: ShownPosition, layout: Layout, frame: Frame, size: float, orders: Sequence[Any] | Mapping[int, Any] | None
) -> Iterator[Item]:
    """Yield attacks as solid arrows and transfers as dashed arrows. An arrow is thicker if more armies move."""
    theme = colours.theme(position.players)
    span = layout.box[2] * frame.scale
    for player, turn in by_player(orders):
        if not 0 <= player < position.players:
            raise colours.RenderError(f"orders: there is no player {player}")
        arrow_counts: dict[tuple[int, int], int] = {}
        for source, target, armies in turn.attacks:
            if not position.knows(source, target) or source == target:
                continue
            nth = arrow_counts[source, target] = arrow_counts.get((source, target), -1) + 1
            ends = frame.point(layout.labels[source]), frame.point(layout.labels[target])
            wraps = (min(source, target), max(source, target)) in layout.wrapped_borders
            paths: list[Route] = routes(*ends, size, 0.16 + 0.1 * nth, span if wraps else None, MARGIN + span)
            transfer = position.owner[target] == player
            names = [printable(position.map.regions[r].name) for r in (source, target)]
            title = f"{position.name(player)} {'moves' if transfer else 'attacks with'} {armies}: {' → '.join(names)}"
            yield from arrow(paths, int(armies), theme.light(player), transfer, size, title, _compact(int(armies)))


def _deploys(
    position: ShownPosition, layout: Layout, frame: Frame, size: float, orders: Sequence[Any] | Mapping[int, Any] | None
) -> Iterator[Item]:
    theme = colours.theme(position.players)
    for player, turn in by_player(orders):
        total: dict[int, int] = {}
        for region, armies in turn.deploys:
            if position.knows(region):
                total[region] = total.get(region, 0) + int(armies)
        for region, armies in total.items():
            x, y = frame.point(layout.labels[region])
            centre = (x + 1.25 * size, y - 1.1 * size)
            yield from pill(centre, f"+{_compact(armies)}", 0.95 * size, theme.light(player))


@dataclass(frozen=True)
class Route:
    """A part of an arrow's line, a curve between the badges of two regions.

    A badge is the shape that contains the number of armies of a region. On some maps an arrow leaves the map at one
    edge and continues at the opposite edge.

    `number` and `head` are True if the number of armies and the arrowhead are drawn at this part of the line.
    """

    points: list[Point]
    number: bool = True
    head: bool = True


def routes(start: Point, end: Point, size: float, bend: float, map_width: float | None, right: float) -> list[Route]:
    """Return the parts of the line from one badge to another.

    A line across the left and right edges of the map has two parts; every other line has one. All lengths are in
    pixels.

    Args:
        start, end: the centres of the two badges.
        size: the radius of a badge.
        bend: the curvature of the line; 0: a straight line.
        map_width: the width of the map if the line goes across its edges, else None.
        right: the x coordinate of the right edge of the map. If `map_width` is not None, the left edge of the map has
            the x coordinate `right - map_width`.
    """
    if map_width is None:
        return [Route(_curve(start, end, size, bend))]
    step = map_width if start[0] > end[0] else -map_width
    out = _curve(start, (end[0] + step, end[1]), size, bend)
    back = [(x - step, y) for x, y in out]
    left = right - map_width
    inside = [[p for p in points if left <= p[0] <= right] for points in (out, back)]
    return [Route(inside[0], head=False), Route(inside[1], number=False)]


def _curve(start: Point, end: Point, size: float, bend: float) -> list[Point]:
    """Return points of a quadratic Bézier curve that bends to the left, without the parts inside the two badges."""
    (x0, y0), (x1, y1) = start, end
    cx, cy = (x0 + x1) / 2 + bend * (y1 - y0), (y0 + y1) / 2 - bend * (x1 - x0)
    points = []
    for k in range(_CURVE_STEPS + 1):
        t = k / _CURVE_STEPS
        a, b, c = (1 - t) ** 2, 2 * t * (1 - t), t**2
        points.append((a * x0 + b * cx + c * x1, a * y0 + b * cy + c * y1))
    outside = [p for p in points if math.dist(p, start) > 1.1 * size and math.dist(p, end) > 1.2 * size]
    return outside if len(outside) >= 2 else [points[_CURVE_STEPS // 3], points[_CURVE_STEPS - _CURVE_STEPS // 3]]


def arrow(
    paths: list[Route], armies: int, colour: str, dashed: bool, size: float, title: str, number: str
) -> Iterator[Item]:
    """Yield the shapes of an arrow: a line with a dark outline, the arrowhead, and the number of armies."""
    width = min(0.7 * size, 1.6 + 0.9 * math.log2(max(1, armies)))
    for path in paths:
        if len(path.points) < 2:
            continue
        line = _shortened(path.points, 1.6 * width) if path.head else path.points
        yield Stroke(line, colours.BACKGROUND, width + 1.6)
        yield Stroke(line, colour, width, (2.2 * width, 1.6 * width) if dashed else None, title=title)
        if path.head:
            yield Area((_head(path.points, width),), colour, colours.BACKGROUND, 0.8)
    for path in paths:
        if path.number and path.points:
            yield from pill(path.points[len(path.points) // 2], number, 0.95 * size, colour)


def _shortened(points: list[Point], length: float) -> list[Point]:
    """Return the line without its last part, which the arrowhead covers."""
    tip = points[-1]
    visible = [p for p in points if math.dist(p, tip) >= length]
    return visible if len(visible) >= 2 else points


def _head(points: list[Point], width: float) -> list[Point]:
    tip, length = points[-1], 4.0 + 2.2 * width
    base = next((p for p in reversed(points) if math.dist(p, tip) >= length), points[0])
    gap = math.dist(base, tip) or 1.0
    dx, dy = (tip[0] - base[0]) / gap, (tip[1] - base[1]) / gap
    x, y, half = tip[0] - length * dx, tip[1] - length * dy, 2.0 + 1.3 * width
    return [tip, (x - half * dy, y + half * dx), (x + half * dy, y - half * dx)]
