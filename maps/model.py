"""The class `Map`, the map of a game: regions, super regions and borders, with an optional drawing."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from warlight_env.arguments import index, short_repr
from warlight_env.errors import did_you_mean
from warlight_env.maps.checks import neighbor_lists, problems
from warlight_env.maps.errors import MapError, raise_reasons
from warlight_env.maps.parts import DEFAULT_ARMY, FORMAT, VERSION, MapParts, StartingSetup
from warlight_env.maps.types import converted_fields


@dataclass(frozen=True)
class Map(MapParts):
    """A connected graph of regions, each in one super region.

    Regions and super regions are identified by indices from 0. The constructor checks all parts, so a game can be
    played on every ``Map``. If a part is wrong, the constructor raises a :class:`MapError`: its message is the first
    problem, and its attribute ``reasons`` contains all problems. Lists, for example from JSON, are converted to tuples,
    and integers of NumPy to ``int``.
    """

    def __post_init__(self) -> None:
        for name, value in converted_fields(self).items():
            object.__setattr__(self, name, value)
        raise_reasons(problem.message for problem in problems(self))

    @property
    def n_regions(self) -> int:
        return len(self.regions)

    @property
    def n_super_regions(self) -> int:
        return len(self.super_regions)

    @cached_property
    def neighbors(self) -> tuple[tuple[int, ...], ...]:
        """For each region, the indices of its neighbours, in ascending order."""
        return tuple(tuple(adjacent) for adjacent in neighbor_lists(len(self.regions), self.borders))

    @cached_property
    def bonuses(self) -> tuple[int, ...]:
        """The bonus of each super region."""
        return tuple(s.bonus for s in self.super_regions)

    @cached_property
    def super_region_of(self) -> tuple[int, ...]:
        """For each region, the index of its super region."""
        return tuple(r.super_region for r in self.regions)

    @cached_property
    def members(self) -> tuple[tuple[int, ...], ...]:
        """For each super region, the indices of its regions, in ascending order."""
        super_region_of = self.super_region_of
        return tuple(tuple(r for r, s in enumerate(super_region_of) if s == k) for k in range(self.n_super_regions))

    @cached_property
    def starting_armies(self) -> tuple[int, ...]:
        """The number of armies on each region at the start of a game."""
        return tuple(r.army for r in self.regions)

    @property
    def drawable(self) -> bool:
        """Whether the map has a view box and each region has a shape."""
        return self.view_box is not None

    @cached_property
    def _index(self) -> dict[str, int]:
        return {key.casefold(): i for i, r in enumerate(self.regions) for key in (r.name, r.code)}

    def region_index(self, key: str | int) -> int:
        """Return the index of a region. key: the region's name or code, in upper or lower case, or the index itself."""
        if isinstance(key, str):
            region = self._index.get(" ".join(key.split()).casefold())
            if region is None:
                keys = [k for r in self.regions for k in (r.name, r.code)]
                raise MapError(f"map {self.name!r} has no region {key!r}{did_you_mean(key, keys)}")
            return region
        try:
            return index(key, "region", self.n_regions, MapError)
        except MapError:
            raise MapError(
                f"map {self.name!r} has no region {short_repr(key)}: indices are 0 to {self.n_regions - 1}"
            ) from None

    def digest(self) -> str:
        """Return the SHA-256 digest (hex) of borders, super regions, bonuses, armies and setup; not of the drawing."""
        return self._digest

    @cached_property
    def _digest(self) -> str:
        content: list[Any] = [self.bonuses, self.super_region_of, self.starting_armies, self.borders]
        if self.setup is not None:
            content.append(dataclasses.astuple(self.setup))
        return hashlib.sha256(json.dumps(content, separators=(",", ":")).encode()).hexdigest()

    @cached_property
    def full_digest(self) -> str:
        """The SHA-256 digest (hex) of the whole map, also of its texts, names and drawing."""
        return hashlib.sha256(json.dumps(self.to_dict(), separators=(",", ":")).encode()).hexdigest()

    def to_dict(self) -> dict[str, Any]:
        """Return the map as plain data in this project's own format, which ``from_dict`` reads."""
        names = [r.name for r in self.regions]
        d: dict[str, Any] = {
            "format": FORMAT,
            "version": VERSION,
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "source": self.source,
            "super_regions": [{"name": s.name, "bonus": s.bonus} for s in self.super_regions],
            "regions": [],
            "borders": [[names[a], names[b]] for a, b in self.borders],
        }
        for r in self.regions:
            region: dict[str, Any] = {
                "name": r.name,
                "code": r.code,
                "super_region": self.super_regions[r.super_region].name,
            }
            if r.army != DEFAULT_ARMY:
                region["army"] = r.army
            if r.shape is not None:
                label = [_number(x) for x in r.shape.label]
                region["shape"] = {"label": label, "radius": _number(r.shape.radius), "path": r.shape.path}
            d["regions"].append(region)
        if self.setup is not None:
            d["setup"] = self._setup_dict(self.setup)
        if self.view_box is not None:
            d["drawing"] = {
                "view_box": [_number(x) for x in self.view_box],
                "sea_links": [
                    {
                        "regions": [names[s.a], names[s.b]],
                        "line": None if s.line is None else [[_number(x) for x in p] for p in s.line],
                    }
                    for s in self.sea_links
                ],
            }
        return d

    def _setup_dict(self, setup: StartingSetup) -> dict[str, Any]:
        """Return the entries of the setup that are not None, with names of regions instead of indices."""
        entries = {key: value for key, value in dataclasses.asdict(setup).items() if value is not None}
        for key in ("wastelands", "offered"):
            if key in entries:
                entries[key] = [self.regions[r].name for r in entries[key]]
        return entries


def _number(x: float) -> int | float:
    return int(x) if float(x).is_integer() and abs(x) < 1e15 else x
