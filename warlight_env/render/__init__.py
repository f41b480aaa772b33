"""Pictures of positions: one scene as SVG or pixels, and a board in plain text.

Imported by `record`, `envs`, `web` and `cli`. To add a format, write a module that draws a `Scene`.
"""

from warlight_env.render.pixels import to_rgb
from warlight_env.render.shown_position import ShownPosition
from warlight_env.render.svg import to_svg
from warlight_env.render.terminal import to_text

__all__ = ["ShownPosition", "to_rgb", "to_svg", "to_text"]
