"""The error for maps that cannot be used."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from warlight_env.errors import InputError, readable

#: The largest number of reasons in the error for one map.
MOST_REASONS: Final = 100


class MapError(InputError):
    """An error for a map that cannot be used. The error message names the place (file, line or region) and the reason.

    Args:
        message: the first reason.
        reasons: all reasons, each with its place in the map; empty if `message` is the only reason.
    """

    def __init__(self, message: str, reasons: Sequence[str] = ()) -> None:
        super().__init__(message)
        self._reasons = tuple(reasons) or (message,)

    @property
    def reasons(self) -> tuple[str, ...]:
        """All reasons, at least one, with unprintable characters escaped."""
        return tuple(map(readable, self._reasons))
