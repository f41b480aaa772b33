"""The shapes of a scene. All coordinates and sizes are in pixels."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from warlight_env.render.theme import BadgeShape, text_colour

Point = tuple[float, float]
Ring = Sequence[Point]


@dataclass(frozen=True)
class Area:
    """An area that is bounded by closed rings, filled by the even-odd rule, with an outline.

    A hatched area shows a region that is hidden by fog.
    """

    rings: tuple[Ring, ...]
    fill: str | None
    stroke: str | None = None
    width: float = 0.0
    hatched: bool = False
    title: str = ""  # a description in words


@dataclass(frozen=True)
class Stroke:
    """A line through points."""

    points: Sequence[Point]
    colour: str
    width: float
    dash: tuple[float, float] | None = None  # lengths of a dash and of a gap
    title: str = ""


@dataclass(frozen=True)
class Label:
    """A line of text. The vertical middle of the text has the coordinate y."""

    x: float
    y: float
    text: str
    size: float  # font size
    colour: str
    anchor: Literal["start", "middle"] = "middle"
    bold: bool = False
    halo: str | None = None  # colour of an outline around the letters


Item = Area | Stroke | Label


def text_width(text: str, size: float) -> float:
    """Return an estimate of the width of a text; the estimate is usually too large."""
    return 0.6 * size * len(text)


def _corners(count: int, radius: float, turn: float) -> list[Point]:
    angles = [turn + 2 * math.pi * k / count for k in range(count)]
    return [(radius * math.cos(a), radius * math.sin(a)) for a in angles]


def badge(shape: BadgeShape, centre: Point, size: float) -> Ring:
    """Return the outline of a badge, the shape behind a region's number of armies.

    The area of the badge is about the area of a circle with the radius `size`.
    """
    up = -math.pi / 2
    if shape == "circle":
        points = _corners(32, size, 0)
    elif shape == "square":
        points = _corners(4, 1.3 * size, math.pi / 4)
    elif shape == "diamond":
        points = _corners(4, 1.4 * size, 0)
    elif shape == "triangle":
        points = [(x, y + 0.15 * size) for x, y in _corners(3, 1.65 * size, up)]
    elif shape == "wedge":
        points = [(x, y - 0.15 * size) for x, y in _corners(3, 1.65 * size, -up)]
    else:
        outer, inner = _corners(5, 1.6 * size, up), _corners(5, 0.95 * size, up + math.pi / 5)
        points = [p for pair in zip(outer, inner, strict=True) for p in pair]
    return [(centre[0] + x, centre[1] + y) for x, y in points]


def pill(centre: Point, text: str, size: float, fill: str) -> Iterator[Item]:
    """Yield the shapes of a short text on a rounded background."""
    half, radius = max(0.0, 0.5 * text_width(text, size) - 0.35 * size), 0.72 * size
    x, y = centre
    right = [(x + half + px, y + py) for px, py in _corners(32, radius, -math.pi / 2)[:17]]
    left = [(x - half + px, y + py) for px, py in _corners(32, radius, math.pi / 2)[:17]]
    yield Area((right + left,), fill)
    yield Label(x, y, text, size, text_colour(fill), bold=True)
