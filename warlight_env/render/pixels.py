"""Functions that draw positions as pixels.

Pillow draws a picture at twice its size and then reduces the picture, so that edges are smooth.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from warlight_env.render.scene import Scene, build
from warlight_env.render.shapes import Area, Label, Point, Stroke
from warlight_env.render.shown_position import ShownPosition
from warlight_env.render.theme import BACKGROUND, FOG, FOG_LINE

if TYPE_CHECKING:
    from PIL import Image, ImageDraw, ImageFont

SCALE = 2


def to_rgb(
    position: ShownPosition, orders: Sequence[Any] | Mapping[int, Any] | None = None, width: int = 960
) -> npt.NDArray[np.uint8]:
    """Return a position as an image, uint8[H, W, 3]. The arguments and errors are the same as for `to_svg`."""
    return np.asarray(draw(build(position, orders, width)), dtype=np.uint8)


def draw(scene: Scene) -> Image.Image:
    """Return a scene as an RGB image."""
    from PIL import Image, ImageDraw

    image = Image.new("RGB", (scene.width * SCALE, scene.height * SCALE), BACKGROUND)
    pen = ImageDraw.Draw(image)
    for item in scene.items:
        if isinstance(item, Area):
            _area(image, pen, item)
        elif isinstance(item, Stroke):
            _stroke(pen, item)
        else:
            _label(pen, item)
    return image.reduce(SCALE)


def _scaled(points: Sequence[Point]) -> list[Point]:
    return [(x * SCALE, y * SCALE) for x, y in points]


def _thickness(width: float) -> int:
    return max(1, round(width * SCALE))


def _area(image: Image.Image, pen: ImageDraw.ImageDraw, item: Area) -> None:
    rings = [_scaled(ring) for ring in item.rings]
    if item.fill is not None:
        if item.hatched:
            image.paste(_hatch(image.size), (0, 0), _even_odd(image.size, rings))
        elif _disjoint(rings):
            for ring in rings:
                pen.polygon(ring, fill=item.fill)
        else:
            image.paste(item.fill, (0, 0), _even_odd(image.size, rings))
    if item.stroke is not None:
        for ring in rings:
            pen.line([*ring, ring[0]], fill=item.stroke, width=_thickness(item.width), joint="curve")


def _bounds(ring: Sequence[Point]) -> tuple[float, float, float, float]:
    xs, ys = [p[0] for p in ring], [p[1] for p in ring]
    return min(xs), min(ys), max(xs), max(ys)


def _disjoint(rings: list[list[Point]]) -> bool:
    """Return whether no ring is inside another ring, so that each ring can be filled separately."""
    if len(rings) == 1:
        return True
    boxes = [_bounds(ring) for ring in rings]
    return not any(
        a is not b and a[0] <= b[0] and a[1] <= b[1] and b[2] <= a[2] and b[3] <= a[3] for a in boxes for b in boxes
    )


def _even_odd(size: tuple[int, int], rings: list[list[Point]]) -> Image.Image:
    """Return a mask of the pixels inside an odd number of rings."""
    from PIL import Image, ImageChops, ImageDraw

    mask = Image.new("1", size)
    for ring in rings:
        layer = Image.new("1", size)
        ImageDraw.Draw(layer).polygon(ring, fill=1)
        mask = ImageChops.logical_xor(mask, layer)
    return mask


@functools.lru_cache(maxsize=2)
def _hatch(size: tuple[int, int]) -> Image.Image:
    from PIL import Image, ImageDraw

    image = Image.new("RGB", size, FOG)
    pen = ImageDraw.Draw(image)
    step = round(7 * math.sqrt(2) * SCALE)
    for x in range(-size[1], size[0], step):
        pen.line([(x, size[1]), (x + size[1], 0)], fill=FOG_LINE, width=_thickness(3.5))
    return image


def _stroke(pen: ImageDraw.ImageDraw, item: Stroke) -> None:
    points, width = _scaled(item.points), _thickness(item.width)
    if item.dash is None:
        pen.line(points, fill=item.colour, width=width, joint="curve")
        return
    for piece in _dashes(points, item.dash[0] * SCALE, item.dash[1] * SCALE):
        pen.line(piece, fill=item.colour, width=width)


def _dashes(points: list[Point], dash_length: float, gap_length: float) -> Iterator[list[Point]]:
    """Yield the dashes of a dashed line: `dash_length` pixels drawn, then `gap_length` pixels not drawn."""
    remaining, drawing, piece = dash_length, True, [points[0]]
    for a, b in itertools.pairwise(points):
        length, offset = math.dist(a, b), 0.0
        while length - offset > remaining:
            offset += remaining
            cut_point = (a[0] + (b[0] - a[0]) * offset / length, a[1] + (b[1] - a[1]) * offset / length)
            if drawing:
                yield [*piece, cut_point]
            drawing, piece = not drawing, [cut_point]
            remaining = dash_length if drawing else gap_length
        remaining -= length - offset
        piece.append(b)
    if drawing and len(piece) > 1:
        yield piece


@functools.lru_cache(maxsize=64)
def _font(size: float) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    from PIL import ImageFont

    return ImageFont.load_default(size)


def _label(pen: ImageDraw.ImageDraw, item: Label) -> None:
    place = (item.x * SCALE, item.y * SCALE)
    font, anchor = _font(round(item.size * SCALE, 1)), "mm" if item.anchor == "middle" else "lm"
    if item.halo is not None:
        pen.text(place, item.text, item.halo, font, anchor, stroke_width=1.5 * SCALE)
    pen.text(place, item.text, item.colour, font, anchor, stroke_width=0.3 * SCALE if item.bold else 0)
