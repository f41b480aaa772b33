"""Pictures of positions as SVG or pixels, and positions as plain text.

The packages `record`, `envs`, `web` and `cli` import this package. To add a picture format, write a module that draws a
`Scene`.
"""

from warlight_env.render.pixels import to_rgb
from warlight_env.render.shown_position import ShownPosition
from warlight_env.render.svg import to_svg
from warlight_env.render.terminal import to_text

__all__ = ["ShownPosition", "to_rgb", "to_svg", "to_text"]
