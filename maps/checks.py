"""Checks of maps. Each problem names a part of the map; the most basic problems come first."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from warlight_env.maps.parts import (
    CODE_PATTERN,
    MAX_ARMY,
    MAX_BONUS,
    MAX_BORDERS,
    MAX_DRAWING,
    MAX_NAME,
    MAX_PICKS,
    MAX_REGIONS,
    NAME_PATTERN,
    PATH_PATTERN,
    MapParts,
    StartingSetup,
)

_MAP_NAME, _CODE, _PATH = re.compile(NAME_PATTERN), re.compile(CODE_PATTERN), re.compile(PATH_PATTERN)
_NAMED = 8  # the largest number of regions that a message names
_FEWEST_OFFERED = 2  # the smallest number of offered regions: one for each of two players


@dataclass(frozen=True)
class MapProblem:
    """A problem of a map.

    Attributes:
        code: a name of the problem, so that the web page can show its own sentence.
        message: the problem in English, with the place in the map.
        part: the kind of the part with the problem, such as "border".
        indices: the index of the region or super region, or the two regions of a border or link, or all regions with
            the problem.
        entry: the entry (field) that has the problem, such as "bonus".
        values: the numbers in the message.
    """

    code: str
    message: str
    part: Literal["map", "region", "super_region", "border", "link"] = "map"
    indices: tuple[int, ...] = ()
    entry: str = ""
    values: Mapping[str, str | float] = field(default_factory=dict)


def problems(m: MapParts) -> Iterator[MapProblem]:
    """Yield all problems of a map. A `Map` can be constructed only from parts without problems."""
    yield from _heading_problems(m)
    yield from _super_region_problems(m)
    yield from _region_problems(m)
    yield from _border_problems(m)
    yield from _setup_problems(m)
    yield from _drawing_problems(m)


def _heading_problems(m: MapParts) -> Iterator[MapProblem]:
    if not _MAP_NAME.fullmatch(m.name):
        text = f"name {m.name!r}: must be lower-case letters, digits, '.', '_' or '-', at most 64"
        yield MapProblem("map-name", text, entry="name")
    for name in ("title", "description", "source"):
        if not getattr(m, name).isprintable():
            yield MapProblem("unprintable", f"{name}: has characters that cannot be printed", entry=name)
    if not m.regions:
        yield MapProblem("no-regions", "the map is empty: no regions")
    if len(m.regions) > MAX_REGIONS:
        text = f"{len(m.regions)} regions: at most {MAX_REGIONS} are supported"
        yield MapProblem("regions", text, values={"n": len(m.regions), "most": MAX_REGIONS})
    if len(m.borders) > MAX_BORDERS:
        text = f"{len(m.borders)} borders: at most {MAX_BORDERS} are supported"
        yield MapProblem("borders", text, values={"n": len(m.borders), "most": MAX_BORDERS})


def _name_problem(name: str) -> tuple[str, str] | None:
    if not name.strip():
        return "name-empty", "the name is empty"
    if len(name) > MAX_NAME or not name.isprintable() or name != " ".join(name.split()):
        reason = f"the name must be at most {MAX_NAME} printable characters, with single spaces between words"
        return "name-form", reason
    return None


def _super_region_problems(m: MapParts) -> Iterator[MapProblem]:
    sizes = [0] * len(m.super_regions)
    for i, r in enumerate(m.regions):
        if not 0 <= r.super_region < len(sizes):
            text = f"region {r.name!r}: unknown super region {r.super_region}"
            yield MapProblem("no-super-region", text, "region", (i,), "super_region")
        else:
            sizes[r.super_region] += 1
    names: dict[str, int] = {}
    for k, (s, size) in enumerate(zip(m.super_regions, sizes, strict=True)):
        place = f"super region {s.name!r}"

        def problem(code: str, reason: str, name: str, k: int = k, place: str = place) -> MapProblem:
            values = {"most": MAX_BONUS if name == "bonus" else MAX_NAME}
            return MapProblem(code, f"{place}: {reason}", "super_region", (k,), name, values)

        if fault := _name_problem(s.name):
            yield problem(*fault, "name")
        if names.setdefault(s.name.casefold(), k) != k:
            yield problem("name-repeated", "repeated name", "name")
        if type(s.bonus) is not int or not 0 <= s.bonus <= MAX_BONUS:
            yield problem("bonus", f"bonus {s.bonus}: must be a whole number from 0 to {MAX_BONUS}", "bonus")
        if not size:
            yield problem("no-members", "has no regions", "")


def _region_problems(m: MapParts) -> Iterator[MapProblem]:
    keys: dict[str, int] = {}
    for i, r in enumerate(m.regions):
        place = f"region {r.name!r}"

        def problem(code: str, reason: str, name: str, i: int = i, place: str = place) -> MapProblem:
            values = {"most": MAX_ARMY if name == "army" else MAX_NAME}
            return MapProblem(code, f"{place}: {reason}", "region", (i,), name, values)

        if fault := _name_problem(r.name):
            yield problem(*fault, "name")
        if not _CODE.fullmatch(r.code):
            yield problem("code", f"code {r.code!r}: must be 1 to 6 capital letters or digits", "code")
        if type(r.army) is not int or not 1 <= r.army <= MAX_ARMY:
            yield problem("army", f"army {r.army}: must be a whole number from 1 to {MAX_ARMY}", "army")
        if keys.setdefault(r.name.casefold(), i) != i:
            yield problem("name-repeated", "repeated name", "name")
    for i, r in enumerate(m.regions):
        first_index = keys.setdefault(r.code.casefold(), i)
        if first_index != i:
            first_name = m.regions[first_index].name
            text = f"region {r.name!r}: code {r.code!r} is taken by region {first_name!r}"
            yield MapProblem("code-taken", text, "region", (i,), "code", {"other": first_name})


def _border_problems(m: MapParts) -> Iterator[MapProblem]:
    n = len(m.regions)
    for a, b in m.borders:
        if not (0 <= a < n and 0 <= b < n):
            yield MapProblem("border-unknown", f"border ({a}, {b}): unknown region", "border", (a, b))
        elif a == b:
            yield MapProblem(
                "border-self", f"region {m.regions[a].name!r}: must not have a border to itself", "border", (a, b)
            )
    if any(a >= b for a, b in m.borders) or any(x >= y for x, y in zip(m.borders, m.borders[1:], strict=False)):
        yield MapProblem("border-order", "borders: must be (a, b) with a < b, sorted and without repetition")
    if missing := _unreached(n, m.borders):
        names = [repr(m.regions[i].name) for i in missing]
        suffix = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        first = m.regions[0].name
        text = f"not connected: {', '.join(names[:_NAMED])}{suffix} cannot be reached from {first!r}"
        yield MapProblem("not-connected", text, "region", tuple(missing), values={"first": first, "n": len(missing)})


def neighbor_lists(n: int, borders: Sequence[tuple[int, int]]) -> list[list[int]]:
    """Return the sorted neighbours of each of n regions. Borders with unknown regions are ignored."""
    lists: list[list[int]] = [[] for _ in range(n)]
    for a, b in borders:
        if 0 <= a < n and 0 <= b < n:
            lists[a].append(b)
            lists[b].append(a)
    return [sorted(x) for x in lists]


def _unreached(n: int, borders: Sequence[tuple[int, int]]) -> list[int]:
    """Return the regions that cannot be reached from region 0 over borders."""
    neighbors = neighbor_lists(n, borders)
    reached, todo = {0}, [0] if n else []
    while todo:
        for b in neighbors[todo.pop()]:
            if b not in reached:
                reached.add(b)
                todo.append(b)
    return [i for i in range(n) if i not in reached]


def _setup_problems(m: MapParts) -> Iterator[MapProblem]:
    if m.setup is None:
        return

    def problem(code: str, reason: str, indices: Sequence[int] = (), **values: float) -> MapProblem:
        part: Literal["map", "region"] = "region" if indices else "map"
        return MapProblem(code, f"setup: {reason}", part, tuple(indices), "setup", values)

    setup, n = m.setup, len(m.regions)
    if setup == StartingSetup():
        yield problem("setup-empty", "must have at least one entry")
    for entry, regions in (("wastelands", setup.wastelands or ()), ("offered", setup.offered or ())):
        if unknown := [r for r in regions if not 0 <= r < n]:
            yield problem("setup-unknown", f"{entry}: unknown region {unknown[0]}")
        if any(a >= b for a, b in itertools.pairwise(regions)):
            yield problem("setup-order", f"{entry}: must be ascending, without repetition")
    wastelands = set(setup.wastelands or ())
    for r in setup.offered or ():
        if r in wastelands and 0 <= r < n:
            yield problem(
                "setup-wasteland-offered",
                f"offered: region {m.regions[r].name!r} is a wasteland; wastelands cannot be offered",
                (r,),
            )
    if setup.offered is not None and len(setup.offered) < _FEWEST_OFFERED:
        text = f"offered: {len(setup.offered)} regions: two players need at least {_FEWEST_OFFERED}"
        yield problem("setup-few-offered", text, n=len(setup.offered), least=_FEWEST_OFFERED)
    for code, entry, value, limit in (
        ("setup-army", "wasteland_army", setup.wasteland_army, MAX_ARMY),
        ("setup-picks", "picks", setup.picks, MAX_PICKS),
    ):
        if value is not None and (type(value) is not int or not 1 <= value <= limit):
            yield problem(code, f"{entry} {value}: must be a whole number from 1 to {limit}", most=limit)


def _drawing_problems(m: MapParts) -> Iterator[MapProblem]:
    shapeless = [i for i, r in enumerate(m.regions) if r.shape is None]
    if m.view_box is None:
        if len(shapeless) < len(m.regions) or m.sea_links:
            yield MapProblem("no-view-box", "drawing: must have a view box, because the map has shapes or sea links")
        return
    if shapeless:
        text = f"drawing: region {m.regions[shapeless[0]].name!r} has no shape; with a view box, each region needs one"
        yield MapProblem("no-shape", text, "region", tuple(shapeless), "shape", {"n": len(shapeless)})
    x, y, width, height = m.view_box
    if not all(map(math.isfinite, m.view_box)) or not (1 <= width <= MAX_DRAWING and 1 <= height <= MAX_DRAWING):
        text = f"drawing: view box {m.view_box}: width and height must lie in 1 .. {MAX_DRAWING}"
        yield MapProblem("view-box", text, entry="view_box", values={"most": MAX_DRAWING})
    if height > 10 * width:
        text = f"drawing: view box {m.view_box}: the height must be at most 10 times the width"
        yield MapProblem("view-box-high", text, entry="view_box")
    for i, r in enumerate(m.regions):
        if r.shape is None:
            continue
        if not _PATH.fullmatch(r.shape.path):
            text = (
                f"region {r.name!r}: shape: the path must consist of closed rings of the absolute commands M, L and Z"
            )
            yield MapProblem("path", text, "region", (i,), "shape")
        right, down = r.shape.label[0] - x, r.shape.label[1] - y
        if not (0 <= right <= width and 0 <= down <= height and 0 < r.shape.radius <= width + height):
            text = f"region {r.name!r}: shape: the label must lie in the view box, and its radius must be above 0"
            yield MapProblem("label", text, "region", (i,), "shape")
    yield from _link_problems(m)


def _link_problems(m: MapParts) -> Iterator[MapProblem]:
    borders = set(m.borders)
    for link in m.sea_links:
        pair = (link.a, link.b)
        if pair not in borders:
            text = f"drawing: sea link {pair}: these regions have no border, or the link is given twice"
            yield MapProblem("link-unknown", text, "link", pair)
        borders.discard(pair)
        if link.line is not None and not all(map(math.isfinite, (*link.line[0], *link.line[1]))):
            yield MapProblem(
                "link-line", f"drawing: sea link {pair}: the coordinates of its line must be finite", "link", pair
            )
