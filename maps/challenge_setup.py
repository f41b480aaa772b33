"""Readers for the starting setup of a map in the formats of the challenge."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from warlight_env.maps.build import RawSetup
from warlight_env.maps.challenge_fields import identifier, identifiers, integer
from warlight_env.maps.errors import MapError, raise_reasons
from warlight_env.maps.parts import MAX_ARMY, MAX_REGIONS

#: The names of the entries of a starting setup. In JSON the names are keys of "Settings". In a line, the name follows
#: the word ``settings``, but ``wastelands`` follows ``setup_map``.
WASTELANDS: Final = "wastelands"
OFFERED: Final = "starting_regions"
PICKS: Final = "starting_pick_amount"

#: The first words of the lines that contain the starting setup.
_FIRST_WORDS: Final = (
    ("setup_map", WASTELANDS), ("settings", OFFERED), ("settings", PICKS), ("pick_starting_regions",),
)  # fmt: skip


def region_name(identifier: int) -> str:
    """Return the name of a region for which the file gives only an id."""
    return f"Region {identifier}"


def setup_of_lines(lines: Sequence[str], place: str, region_ids: Iterable[int]) -> tuple[RawSetup | None, set[int]]:
    """Return the setup in the lines of a game, and the numbers (from 1) of the lines that contain the setup.

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
    regions = set(region_ids)

    def read_ids(first: tuple[str, ...], skip: int = 0) -> list[int] | None:
        if first not in entries:
            return None
        number, words = entries[first]
        return _checked_ids(f"{place}: line {number}: {first[-1]}", words[skip:], regions)

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
    return _setup(wastelands, army, offered, picks), used_lines if army is None else used_lines | {army_line}


def setup_of_settings(settings: dict[str, Any], location: str, region_ids: Iterable[int]) -> RawSetup | None:
    """Return the setup in "Settings" of the challenge's JSON, or None if the JSON has no setup."""
    regions = set(region_ids)

    def read_ids(key: str) -> list[int] | None:
        if key not in settings:
            return None
        return _checked_ids(f"{location}: {key}", identifiers(f"{location}: {key}", settings[key]), regions)

    picks = integer(f"{location}: {PICKS}", settings[PICKS]) if PICKS in settings else None
    return _setup(read_ids(WASTELANDS), None, read_ids(OFFERED), picks)


def _setup(
    wastelands: list[int] | None, army: int | None, offered: list[int] | None, picks: int | None
) -> RawSetup | None:
    """Return the setup with the given entries, or None if all entries are missing."""
    if wastelands is None and offered is None and picks is None:
        return None

    def names(regions: list[int] | None) -> list[str] | None:
        return None if regions is None else [region_name(r) for r in regions]

    return RawSetup(names(wastelands), army, names(offered), picks)


def _checked_ids(location: str, ids: Sequence[str | int], regions: set[int]) -> list[int]:
    if len(ids) > MAX_REGIONS:
        raise MapError(f"{location}: {len(ids)} ids: at most {MAX_REGIONS} are supported")
    region_ids = [identifier(location, entry) for entry in ids]
    raise_reasons(f"{location}: unknown region {region}" for region in region_ids if region not in regions)
    return region_ids


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
