"""The render modes of all environments."""

from __future__ import annotations

from typing import Any, Final

from warlight_env.arguments import short_repr
from warlight_env.errors import InputError

#: The entries about render modes in the `metadata` of every environment.
RENDERING: Final[dict[str, Any]] = {"render_modes": ["human", "ansi", "rgb_array"], "render_fps": 4}


def checked_mode(mode: str | None) -> str | None:
    """Return the render mode; raise InputError unless it is None or one of the modes in `RENDERING`."""
    if mode is not None and not (isinstance(mode, str) and mode in RENDERING["render_modes"]):
        raise InputError(f"render_mode = {short_repr(mode)}: must be one of {', '.join(RENDERING['render_modes'])}")
    return mode
