"""Reports on the fields of a map file that the reader does not use, grouped by kind and counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, Final

from warlight_env.errors import clipped
from warlight_env.maps.challenge_setup import OFFERED, PICKS, WASTELANDS

#: The largest number of kinds of fields in a report.
_MOST_NAMED: Final = 20
#: In reports, the kind of a line is its first word. If the first word is in this tuple, the kind is the first two
#: words.
_TWO_WORDS: Final = ("settings", "setup_map", "go")

_SETTINGS: Final = frozenset((WASTELANDS, OFFERED, PICKS))
_CELLS: Final = (
    _SETTINGS | {"gridSizeCells"},
    frozenset(("id", "bonus", "regions")),
    frozenset(("id", "neighbors", "cells", "text")),
)
_ENGINE: Final = (_SETTINGS, frozenset(("id", "bonus")), frozenset(("id", "superRegion", "neighbors")))


def grouped(fields: Iterable[str]) -> tuple[str, ...]:
    """Return each kind of field once; a kind with several fields also shows their number, as in ``color (3 times)``."""
    counts = Counter(clipped(field, 60) for field in fields)
    kinds = [name if count == 1 else f"{name} ({count} times)" for name, count in counts.items()]
    n_hidden = len(kinds) - _MOST_NAMED
    return (*kinds[:_MOST_NAMED], *([f"{n_hidden} more kinds of fields"] if n_hidden > 0 else ()))


def unused_lines(lines: Iterable[str], used_numbers: set[int]) -> tuple[str, ...]:
    """Return the kinds of unused lines; the kind of a line is its first word or its first two words.

    Args:
        lines: the lines of a game.
        used_numbers: the numbers of the used lines, from 1.
    """

    def kinds() -> Iterator[str]:
        for number, line in enumerate(lines, 1):
            words = line.split(None, 2)
            if words and number not in used_numbers:
                yield " ".join(words[: 1 + (words[0] in _TWO_WORDS)])

    return grouped(kinds())


def unused_json(data: dict[str, Any], cells: bool) -> tuple[str, ...]:
    """Return the kinds of unused entries of the challenge's JSON.

    Args:
        data: the JSON of a map that was read without an error.
        cells: whether the JSON is in the format of the challenge's site; otherwise it is in the format of the
            challenge's engine.
    """
    settings, supers, regions = _CELLS if cells else _ENGINE

    def kinds() -> Iterator[str]:
        yield from (key for key in data if key not in ("SuperRegions", "Regions", "Settings"))
        yield from (f"Settings: {key}" for key in data.get("Settings", {}) if key not in settings)
        for name, read_keys in (("SuperRegions", supers), ("Regions", regions)):
            yield from (f"{name}: {key}" for item in data[name] for key in item if key not in read_keys)

    return grouped(kinds())
