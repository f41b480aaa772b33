"""Functions that draw positions as SVG documents, which need no other files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from warlight_env.render.scene import Scene, build
from warlight_env.render.shapes import Area, Item, Label, Point, Stroke
from warlight_env.render.shown_position import ShownPosition
from warlight_env.render.theme import FOG, FOG_LINE

FONT = "'DejaVu Sans', Verdana, 'Segoe UI', sans-serif"

_HATCH = (
    '<defs><pattern id="warlight-fog" width="7" height="7" patternUnits="userSpaceOnUse" '
    f'patternTransform="rotate(45)"><rect width="7" height="7" fill="{FOG}"/>'
    f'<line x1="0" y1="0" x2="0" y2="7" stroke="{FOG_LINE}" stroke-width="3.5"/></pattern></defs>'
)


def to_svg(position: ShownPosition, orders: Sequence[Any] | Mapping[int, Any] | None = None, width: int = 960) -> str:
    """Return a position as an SVG document.

    Args:
        position: the position to draw.
        orders: a list with the `Orders` of each player, or a mapping from players to `Orders`. The picture shows
            attacks and transfers as arrows, and deploys as numbers such as +4; if `orders` is None, it shows no orders.
        width: width of the picture in pixels, 200 to 4000. The shape of the map determines the height.

    Raises:
        RenderError: an argument is not valid.
    """
    return draw(build(position, orders, width))


def draw(scene: Scene) -> str:
    """Return a scene as an SVG document."""
    name = escape(scene.description)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {scene.width} {scene.height}" width="{scene.width}" '
        f'height="{scene.height}" role="img" aria-label={quoteattr(scene.description)} font-family="{FONT}" '
        'stroke-linejoin="round" stroke-linecap="round">'
    )
    hatched = any(isinstance(item, Area) and item.hatched for item in scene.items)
    lines = [head, f"<title>{name}</title>", *([_HATCH] if hatched else []), *_elements(scene.items), "</svg>", ""]
    return "\n".join(lines)


def _elements(items: Sequence[Item]) -> Iterator[str]:
    for item in items:
        if isinstance(item, Area):
            yield _area(item)
        elif isinstance(item, Stroke):
            yield _stroke(item)
        else:
            yield _label(item)


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def _points(points: Sequence[Point]) -> str:
    return "L".join(f"{_number(x)} {_number(y)}" for x, y in points)


def _close(tag: str, title: str) -> str:
    return f"{tag}><title>{escape(title)}</title></path>" if title else f"{tag}/>"


def _area(item: Area) -> str:
    path = "".join(f"M{_points(ring)}Z" for ring in item.rings)
    fill = "url(#warlight-fog)" if item.hatched else item.fill or "none"
    outline = f' stroke="{item.stroke}" stroke-width="{_number(item.width)}"' if item.stroke else ""
    even_odd = ' fill-rule="evenodd"' if len(item.rings) > 1 else ""
    return _close(f'<path d="{path}" fill="{fill}"{even_odd}{outline}', item.title)


def _stroke(item: Stroke) -> str:
    dash = f' stroke-dasharray="{_number(item.dash[0])} {_number(item.dash[1])}"' if item.dash else ""
    cap = ' stroke-linecap="butt"' if item.dash else ""
    tag = f'<path d="M{_points(item.points)}" fill="none" stroke="{item.colour}" stroke-width="{_number(item.width)}"'
    return _close(f"{tag}{dash}{cap}", item.title)


def _label(item: Label) -> str:
    weight = ' font-weight="bold"' if item.bold else ""
    halo = f' stroke="{item.halo}" stroke-width="3" paint-order="stroke"' if item.halo else ""
    anchor = ' text-anchor="middle"' if item.anchor == "middle" else ""
    baseline = _number(item.y + 0.36 * item.size)  # half a capital letter below the middle
    return (
        f'<text x="{_number(item.x)}" y="{baseline}" font-size="{_number(item.size)}" fill="{item.colour}"'
        f'{anchor}{weight}{halo} pointer-events="none">{escape(item.text)}</text>'
    )
