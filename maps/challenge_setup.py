"""Readers for the starting setup of a map in the formats of the challenge."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from warlight_env.maps.build import RawSetup
from warlight_env.maps.challenge_fields import identifier, identifiers, integer
from warlight_env.maps.errors import MapError
from warlight_env.maps.parts import MAX_ARMY, MAX_REGIONS

#: The names of the entries of a starting setup. In JSON the names are keys of "Settings". In a line, the name follows
#: the word ``settings``, but ``wastelands`` follows ``setup_map``.
WASTELANDS: Final = "wastelands"
OFFERED: Final = "starting_regions"
PICKS: Final = "starting_pick_amount"

#: A region in a starting setup: its place in the file, and its id.
SetupRegion = tuple[str, int]

#: The first words of the lines that contain the starting setup.
_FIRST_WORDS: Final = (
    ("setup_map", WASTELANDS), ("settings", OFFERED), ("settings", PICKS), ("pick_starting_regions",),
)  # fmt: skip


def region_name(identifier: int) -> str:
    """Return the name of a region for which the file gives only an id."""
    return f"Region {identifier}"


def setup_of_lines(lines: Sequence[str], place: str) -> tuple[RawSetup | None, list[SetupRegion], set[int]]:
    """Return the setup in the lines of a game, its regions, and the numbers (from 1) of the lines that contain it.

    The caller must check that the regions exist. The setup is None if the lines contain no setup.

    The lines are ``setup_map wastelands``, ``settings starting_regions`` (in the first challenge
    ``pick_starting_regions TIME …``) and ``settings starting_pick_amount``. The first line ``update_map`` gives the
    number of armies on visible wastelands.
    """
    entries: dict[tuple[str, ...], tuple[int, list[str]]] = {}
    for number, line in enumerate(lines, 1):
        words = line.split()
        for first in _FIRST_WORDS:
            if tuple(words[: len(first)]) == first:
                if first in entries:
                    raise MapError(
                        f"{place}: line {number}: {' '.join(first)} occurs twice; only one such line is allowed"
                    )
                entries[first] = number, words[len(first) :]
    regions: list[SetupRegion] = []

    def read_ids(first: tuple[str, ...], skip: int = 0) -> list[int] | None:
        if first not in entries:
            return None
        number, words = entries[first]
        location, words = f"{place}: line {number}: {first[-1]}", words[skip:]
        if len(words) > MAX_REGIONS:
            raise MapError(f"{location}: {len(words)} ids: at most {MAX_REGIONS} are supported")
        ids = [identifier(location, word) for word in words]
        regions.extend((location, region) for region in ids)
        return ids

    wastelands, offered = read_ids(_FIRST_WORDS[0]), read_ids(_FIRST_WORDS[1])
    if offered is not None:
        entries.pop(_FIRST_WORDS[3], None)
    else:
        offered = read_ids(_FIRST_WORDS[3], skip=1)
    picks = None
    if _FIRST_WORDS[2] in entries:
        number, words = entries[_FIRST_WORDS[2]]
        picks = integer(f"{place}: line {number}: {PICKS}", " ".join(words))
    used_lines = {number for number, _ in entries.values()}
    army, army_line = _wasteland_army(lines, set(wastelands or ()))
    if army is not None:
        used_lines.add(army_line)
    return _setup(wastelands, army, offered, picks), regions, used_lines


def setup_of_settings(settings: dict[str, Any], location: str) -> tuple[RawSetup | None, list[SetupRegion]]:
    """Return the setup in "Settings" of the challenge's JSON, and its regions.

    The caller must check that the regions exist. The setup is None if the JSON contains no setup.
    """
    regions: list[SetupRegion] = []

    def read_ids(key: str) -> list[int] | None:
        if key not in settings:
            return None
        ids = identifiers(f"{location}: {key}", settings[key])
        regions.extend((f"{location}: {key}", region) for region in ids)
        return ids

    picks = integer(f"{location}: {PICKS}", settings[PICKS]) if PICKS in settings else None
    return _setup(read_ids(WASTELANDS), None, read_ids(OFFERED), picks), regions


def _setup(
    wastelands: list[int] | None, army: int | None, offered: list[int] | None, picks: int | None
) -> RawSetup | None:
    """Return the setup with the given entries, or None if all entries are missing."""
    if wastelands is None and offered is None and picks is None:
        return None

    def names(regions: list[int] | None) -> list[str] | None:
        return None if regions is None else [region_name(r) for r in regions]

    return RawSetup(names(wastelands), army, names(offered), picks)


def _wasteland_army(lines: Sequence[str], wastelands: set[int]) -> tuple[int | None, int]:
    """Return the army of each wasteland, from the first ``update_map`` line of a game, and the number of this line.

    The army is None if the line contains no wasteland, or wastelands with different armies. The ``update_map`` lines of
    later rounds are not used, because attacks change the number of armies on a wasteland.
    """
    for number, line in enumerate(lines, 1):
        words = line.split()
        if words[:1] == ["opponent_moves"]:
            break
        if words[:1] == ["update_map"]:
            rows = zip(words[1::3], words[2::3], words[3::3], strict=False)
            armies = {a for r, owner, a in rows if owner == "neutral" and r.isdecimal() and int(r[:10]) in wastelands}
            army = armies.pop() if len(armies) == 1 else ""
            is_valid = army.isascii() and army.isdecimal() and len(army) <= len(str(MAX_ARMY))
            return (int(army) if is_valid and 1 <= int(army) <= MAX_ARMY else None), number
    return None, 0
