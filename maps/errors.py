"""The error of every map that cannot be used."""

from __future__ import annotations

from warlight_env.errors import InputError


class MapError(InputError):
    """A map that cannot be used; the message names the place (file, line or region) and the reason."""
