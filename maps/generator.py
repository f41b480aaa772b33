"""A generator of random maps: land with an irregular coast, divided into regions and super regions."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

from warlight_env.maps.build import Heading, RawRegion, build
from warlight_env.maps.errors import MapError
from warlight_env.maps.model import Map
from warlight_env.maps.parts import SuperRegion
from warlight_env.maps.types import DIGITS, checked

FEWEST, MOST = 3, 400  # smallest and largest number of regions
MOST_SEED = 10**DIGITS - 1
SPACING = 24.0  # distance between tiles, in map units
LAND_SHARE = 0.42  # fraction of the sheet that is land


@checked
def generate(regions: int = 42, super_regions: int | None = None, *, seed: int, name: str | None = None) -> Map:
    """Return a new random map with a drawing, connected and planar.

    The same arguments give the same map on every machine. Two regions have a border exactly if their outlines share a
    side. Super regions are connected. The default number of super regions is `regions` / 6.5, rounded. A bonus
    increases with the number of regions of the super region, and with the number of its regions that border another
    super region. The formula for bonuses is correct for five of the six super regions of the bundled world map.

    Raises ``MapError`` for arguments out of range: ``regions`` 3 to 400, ``super_regions`` 1 to ``regions``, ``seed`` 0
    to `MOST_SEED`.
    """
    regions, seed = _checked_number("regions", regions, FEWEST, MOST), _checked_number("seed", seed, 0, MOST_SEED)
    if super_regions is None:
        super_regions = max(2, (2 * regions + 6) // 13)
    groups = _checked_number("super_regions", super_regions, 1, regions)
    for attempt in range(20):
        # Python hashes a text seed with SHA-512, and only random() is called, so all versions of Python give the same
        # map.
        rng = random.Random(f"warlight-map 1: {regions} {groups} {seed} {attempt}")
        map_ = _attempt(rng, regions, groups, seed, name)
        if map_ is not None:
            return map_
    raise MapError(f"generate: found no map of {regions} regions with seed {seed}; try another seed")


def _attempt(rng: random.Random, regions: int, groups: int, seed: int, name: str | None) -> Map | None:
    from warlight_env.maps.graph_partition import divide_evenly, group
    from warlight_env.maps.name_generator import make_names
    from warlight_env.maps.outline import contacts, shapes
    from warlight_env.maps.tiles import choose_land, crop, make_tiles

    per_region = 18 if regions <= 150 else 14
    land_tiles = regions * per_region
    rows = math.ceil(math.sqrt(land_tiles / LAND_SHARE / 1.7)) + 3
    columns = math.ceil(rows * 1.7)
    tiles = make_tiles(rng, columns, rows, SPACING)
    width, height = columns * SPACING, rows * SPACING
    land = choose_land(rng, tiles, land_tiles, width, height)
    if len(land) < land_tiles:
        return None
    tiles, width, height = crop(tiles, land, SPACING)
    sites = {i: (float(tiles.sites[i][0]), float(tiles.sites[i][1])) for i in sorted(land)}
    part = divide_evenly(rng, sites, tiles.neighbors, regions)
    borders = contacts(tiles, part)
    outlines = shapes(tiles, part, regions)
    middles = [s.label for s in outlines]
    neighbors = _adjacency(regions, borders)
    grouped = group(rng, middles, neighbors, groups)
    order, ranked = _reading_order(middles, grouped, groups)
    sizes = [grouped.count(g) for g in ranked]
    super_names, region_names = make_names(rng, sizes)
    title_of = dict(zip(ranked, super_names, strict=True))
    names = dict(zip(order, (n for names_in_group in region_names for n in names_in_group), strict=True))
    default = f"generated-{regions}-{groups}-{seed}"
    heading = Heading(
        name or default,
        title=f"Generated map: {regions} regions, seed {seed}",
        description=f"A random landmass of {regions} regions in {groups} super regions.",
        source=f"generate(regions={regions}, super_regions={groups}, seed={seed})",
    )
    return build(
        "generate",
        heading,
        [SuperRegion(title_of[g], _bonus(g, grouped, neighbors)) for g in ranked],
        [RawRegion(names[r], title_of[grouped[r]], shape=outlines[r]) for r in order],
        [(names[a], names[b]) for a, b in sorted(borders)],
        view_box=(0.0, 0.0, width, height),
    )


def _adjacency(n: int, borders: set[tuple[int, int]]) -> list[list[int]]:
    neighbors: list[list[int]] = [[] for _ in range(n)]
    for a, b in sorted(borders):
        neighbors[a].append(b)
        neighbors[b].append(a)
    return neighbors


def _bonus(group: int, grouped: Sequence[int], neighbors: Sequence[Sequence[int]]) -> int:
    """Return 0.36 for each region and 0.5 for each region that borders another super region, rounded, at least 1."""
    members = [r for r, g in enumerate(grouped) if g == group]
    guards = sum(any(grouped[b] != group for b in neighbors[r]) for r in members)
    return max(1, (36 * len(members) + 50 * guards + 50) // 100)


def _reading_order(
    middles: Sequence[tuple[float, float]], grouped: Sequence[int], groups: int
) -> tuple[list[int], list[int]]:
    """Return two orders: the order in which the regions are numbered, and the order in which the super regions are
    numbered.

    Super regions are sorted from left to right, and so are the regions within a super region.
    """
    mean_x = [sum(middles[r][0] for r, g in enumerate(grouped) if g == k) / grouped.count(k) for k in range(groups)]
    ranked = sorted(range(groups), key=lambda k: (mean_x[k], k))
    place = {k: i for i, k in enumerate(ranked)}
    order = sorted(range(len(middles)), key=lambda r: (place[grouped[r]], middles[r][0], middles[r][1]))
    return order, ranked


def _checked_number(label: str, number: int, low: int, high: int) -> int:
    if not low <= number <= high:
        raise MapError(f"generate: {label} = {number}: must lie in {low} .. {high}")
    return number
