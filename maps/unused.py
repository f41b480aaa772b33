"""The fields of a map file that have no meaning for a map here, for reports: grouped, and with their number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, Final

from warlight_env.errors import clipped
from warlight_env.maps.challenge_setup import OFFERED, PICKS, WASTELANDS

#: Kinds of fields that a report names.
_NAMED: Final = 20
#: Lines whose second word says what they are about.
_PAIRED: Final = ("settings", "setup_map", "go")

_SETTINGS: Final = frozenset((WASTELANDS, OFFERED, PICKS))
_CELLS: Final = (
    _SETTINGS | {"gridSizeCells"},
    frozenset(("id", "bonus", "regions")),
    frozenset(("id", "neighbors", "cells", "text")),
)
_ENGINE: Final = (_SETTINGS, frozenset(("id", "bonus")), frozenset(("id", "superRegion", "neighbors")))


def grouped(fields: Iterable[str]) -> tuple[str, ...]:
    """Each kind of field once, with the number of its fields where there are several."""
    counts = Counter(clipped(field, 60) for field in fields)
    told = [name if count == 1 else f"{name} ({count} times)" for name, count in counts.items()]
    return (*told[:_NAMED], *([f"{len(told) - _NAMED} more kinds of fields"] if len(told) > _NAMED else ()))


def unused_lines(lines: Iterable[str], used: set[int]) -> tuple[str, ...]:
    """The lines (numbered from 1) of a game that were not used, by their first words."""

    def kinds() -> Iterator[str]:
        for number, line in enumerate(lines, 1):
            words = line.split(None, 2)
            if words and number not in used:
                yield " ".join(words[: 1 + (words[0] in _PAIRED)])

    return grouped(kinds())


def unused_json(data: dict[str, Any], cells: bool) -> tuple[str, ...]:
    """The entries of the challenge's JSON that are not read, in the form of its site (with cells) or of its engine."""
    settings, supers, regions = _CELLS if cells else _ENGINE

    def kinds() -> Iterator[str]:
        yield from (key for key in data if key not in ("SuperRegions", "Regions", "Settings"))
        yield from (f"Settings: {key}" for key in data.get("Settings", {}) if key not in settings)
        for name, known in (("SuperRegions", supers), ("Regions", regions)):
            yield from (f"{name}: {key}" for item in data[name] for key in item if key not in known)

    return grouped(kinds())
