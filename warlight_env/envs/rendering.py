"""How environments are rendered, told to libraries alike by all fronts."""

from __future__ import annotations

from typing import Any, Final

from warlight_env.errors import InputError

#: What goes into the `metadata` of environments.
RENDERING: Final[dict[str, Any]] = {"render_modes": ["human", "ansi", "rgb_array"], "render_fps": 4}


def checked_mode(mode: str | None) -> str | None:
    """The mode, if it is one of `RENDERING` or None; else InputError."""
    if mode is not None and mode not in RENDERING["render_modes"]:
        raise InputError(f"render_mode = {mode!r}: there are {RENDERING['render_modes']}")
    return mode
