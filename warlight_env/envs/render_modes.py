"""The render modes of all environments."""

from __future__ import annotations

from typing import Any, Final

from warlight_env.arguments import check_choice

#: The entries about render modes in the `metadata` of every environment.
RENDERING: Final[dict[str, Any]] = {"render_modes": ["human", "ansi", "rgb_array"], "render_fps": 4}


def checked_mode(mode: str | None) -> str | None:
    """Return the render mode; raise InputError unless it is None or one of the modes in `RENDERING`."""
    if mode is not None:
        check_choice(mode, "render_mode", RENDERING["render_modes"])
    return mode
