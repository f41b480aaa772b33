"""The maps of an environment of many maps: given maps, or generated maps in a range of sizes."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from warlight_env.arguments import short_repr
from warlight_env.engine.rng import derive_seed
from warlight_env.errors import InputError
from warlight_env.maps import Map, load

#: A map in one of four forms: the name of a bundled map, ``generated:REGIONS:SEED``, a file, or a `Map`.
MapLike = str | Path | Map
#: The minimum and the maximum number of regions of generated maps, the same as in `maps.generate`.
_FEWEST, _MOST = 3, 400


class MapLimits(NamedTuple):
    """The maximum numbers of regions and directed edges."""

    regions: int
    edges: int

    @classmethod
    def of(cls, told: Any) -> MapLimits:
        """Return the limits from two integers.

        Raises:
            InputError: `told` is not two integers.
        """
        sizes = tuple(told) if isinstance(told, Sequence) else ()
        if len(sizes) != 2 or not all(isinstance(size, int | np.integer) and size > 0 for size in sizes):
            raise InputError(
                f"map_limits = {short_repr(told)}: must be two numbers, regions and directed edges, such as (60, 400)"
            )
        return cls(*sizes)

    def holds(self, map_: Map) -> bool:
        """Whether a map is within the limits."""
        return len(map_.regions) <= self.regions and edges_of(map_) <= self.edges


def edges_of(map_: Map) -> int:
    """Return the number of directed edges of a map."""
    return sum(len(beside) for beside in map_.neighbors)


@dataclass(frozen=True)
class GeneratedMaps:
    """`count` different maps from `maps.generate`, with `min_regions` to `max_regions` regions; equal probabilities.

    A set with another `seed` has other maps (up to chance). Use such a set to test on maps that training did not use.

    Raises:
        InputError: the range is not possible.
    """

    min_regions: int = 10
    max_regions: int = 60
    count: int = 1000
    seed: int = 0

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if isinstance(value, bool) or not isinstance(value, int | np.integer):
                raise InputError(f"{name} = {short_repr(value)}: must be an integer")
        if not _FEWEST <= self.min_regions <= self.max_regions <= _MOST:
            given = f"min_regions = {short_repr(self.min_regions)}, max_regions = {short_repr(self.max_regions)}"
            raise InputError(f"{given}: must lie in {_FEWEST} .. {_MOST}, with min_regions <= max_regions")
        if self.count < 1 or self.seed < 0:
            raise InputError(
                f"count = {short_repr(self.count)}, seed = {short_repr(self.seed)}: "
                "count must be at least 1, and seed at least 0"
            )

    @property
    def named(self) -> tuple[Map, ...]:
        """An empty tuple, because each map is generated when it is drawn."""
        return ()

    @property
    def map_limits(self) -> MapLimits:
        """The limits for any of these maps: a planar graph has at most 3 N - 6 borders."""
        return MapLimits(self.max_regions, 2 * max(3, 3 * self.max_regions - 6))

    def draw(self, rng: np.random.Generator) -> Map:
        """Draw one of the maps."""
        own = derive_seed(self.seed, int(rng.integers(self.count)))
        regions = self.min_regions + derive_seed(own, 0) % (self.max_regions - self.min_regions + 1)
        return load(f"generated:{regions}:{derive_seed(own, 1) % 10**9}")


@dataclass(frozen=True)
class GivenMaps:
    """Given maps, and their weights in random draws."""

    maps: tuple[Map, ...]
    weights: tuple[float, ...]  #: their sum is 1

    @cached_property
    def _ends(self) -> list[float]:
        return list(accumulate(self.weights))[:-1]

    @property
    def named(self) -> tuple[Map, ...]:
        """The maps with a weight above 0."""
        return tuple(each for each, weight in zip(self.maps, self.weights, strict=True) if weight > 0)

    @property
    def map_limits(self) -> MapLimits:
        """The limits for any of these maps."""
        return MapLimits(max(len(each.regions) for each in self.maps), max(map(edges_of, self.maps)))

    def draw(self, rng: np.random.Generator) -> Map:
        """Draw one of the maps."""
        return self.maps[bisect(self._ends, rng.random())]


@dataclass(frozen=True)
class OneMap:
    """A single map; its `draw` uses no random numbers."""

    map: Map

    @property
    def named(self) -> tuple[Map, ...]:
        """The map, as a tuple."""
        return (self.map,)

    @property
    def map_limits(self) -> MapLimits:
        """The limits for this map alone."""
        return MapLimits(len(self.map.regions), edges_of(self.map))

    def draw(self, rng: np.random.Generator) -> Map:
        """Return the map."""
        return self.map


MapSet = GeneratedMaps | GivenMaps | OneMap
#: A set of maps in one of its forms, see `map_set`.
MapsLike = MapLike | Sequence[MapLike] | Mapping[Any, float] | GeneratedMaps


def map_set(told: MapsLike) -> MapSet:
    """Return a set of maps from one map, a list of maps, a mapping of maps to weights, or `GeneratedMaps`.

    Raises:
        InputError: there are no maps, or a weight is not a number of at least 0. MapError: a map is unknown or invalid.
    """
    if isinstance(told, GeneratedMaps):
        return told
    if isinstance(told, str | Path | Map):
        told = [told]
    if not isinstance(told, Sequence | Mapping):
        raise InputError(
            f"map = {short_repr(told)}: must be a map, a list of maps, a dict of weights by map, or a `GeneratedMaps`"
        )
    try:
        weights = np.array([float(told[key]) for key in told] if isinstance(told, Mapping) else [1.0] * len(told))
    except Exception:  # methods of the caller's own object may raise anything
        raise InputError(f"map = {short_repr(told)}: weights must be numbers") from None
    if not len(weights) or not np.isfinite(weights).all() or (weights < 0).any() or weights.sum() == 0:
        raise InputError(f"map = {short_repr(told)}: must have at least one map, and weights from 0 up, not all 0")
    for each in told:
        if not isinstance(each, str | Path | Map):
            raise InputError(f"map = {short_repr(told)}: {short_repr(each)} must be a `Map`, a map's name or a path")
    found = tuple(each if isinstance(each, Map) else load(each) for each in told)
    return GivenMaps(found, tuple((weights / weights.sum()).tolist()))
