"""The error of every map that cannot be used."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from warlight_env.errors import InputError, readable

#: Reasons that are looked for in one map.
MOST_REASONS: Final = 100


class MapError(InputError):
    """A map that cannot be used; the message names the place (file, line or region) and the reason.

    Args:
        message: of the first reason.
        reasons: all of them, where several are known, each with its place in the map.
    """

    def __init__(self, message: str, reasons: Sequence[str] = ()) -> None:
        super().__init__(message)
        self._reasons = tuple(reasons) or (message,)

    @property
    def reasons(self) -> tuple[str, ...]:
        """All reasons that were found, at least one, as a terminal can show them."""
        return tuple(map(readable, self._reasons))
