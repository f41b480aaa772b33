"""The error for maps that cannot be used."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from warlight_env.errors import InputError, clipped, did_you_mean, readable

#: The largest number of reasons in the error for one map.
MOST_REASONS: Final = 100
#: The largest number of names for which `Suggestions` searches a similar name: one search can take 0.1 seconds.
_MOST_SUGGESTIONS: Final = 8


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


def raise_reasons(reasons: Iterable[str]) -> None:
    """Raise a `MapError` with the first `MOST_REASONS` different reasons; do nothing if there are no reasons."""
    different: dict[str, None] = {}
    for reason in reasons:
        different[clipped(reason)] = None
        if len(different) == MOST_REASONS:
            break
    if different:
        raise MapError(next(iter(different)), tuple(different))


class Suggestions:
    """Suggests a similar known name for each of the first unknown names.

    Args:
        names: the known names.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._names = list(names)
        self._hints: dict[str, str] = {}

    def hint(self, name: str) -> str:
        """Return a text such as `` (did you mean 'X'?)``, or an empty text; see `did_you_mean`."""
        if name not in self._hints and len(self._hints) < _MOST_SUGGESTIONS:
            self._hints[name] = did_you_mean(name, self._names)
        return self._hints.get(name, "")
