"""All map readers accept a border that is listed once, twice, or from both sides."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

import pytest

from warlight_env import maps

#: The super region of each of the regions 1 to 4.
HOMES = {1: 1, 2: 1, 3: 2, 4: 2}
Listed = Mapping[int, list[int]]


def own_format(listed: Listed) -> maps.Map:
    names = {1: "West", 2: "East"}
    data = {
        "format": "warlight-map", "version": 1, "name": "row",
        "super_regions": [{"name": name, "bonus": 2} for name in names.values()],
        "regions": [{"name": f"R {r}", "code": f"A{r}", "super_region": names[s]} for r, s in HOMES.items()],
        "borders": [[f"R {a}", f"R {b}"] for a, near in listed.items() for b in near],
    }  # fmt: skip
    return maps.from_json(json.dumps(data))


def setup_lines(listed: Listed) -> maps.Map:
    homes = " ".join(f"{r} {s}" for r, s in HOMES.items())
    near = " ".join(f"{a} {','.join(map(str, others))}" for a, others in listed.items() if others)
    return maps.from_setup_lines(
        f"setup_map super_regions 1 2 2 2\nsetup_map regions {homes}\nsetup_map neighbors {near}\n"
    )


def engine_json(listed: Listed) -> maps.Map:
    regions = [{"id": r, "superRegion": s, "neighbors": listed[r]} for r, s in HOMES.items()]
    return maps.from_challenge_json(json.dumps({"SuperRegions": supers(), "Regions": regions}))


def site_json(listed: Listed) -> maps.Map:
    regions = [{"id": r, "neighbors": listed[r], "cells": [{"x": r, "y": 0}]} for r in HOMES]
    named = [{**s, "regions": [r for r, home in HOMES.items() if home == s["id"]]} for s in supers()]
    return maps.from_challenge_json(json.dumps({"SuperRegions": named, "Regions": regions}))


def supers() -> list[dict[str, int]]:
    return [{"id": 1, "bonus": 2}, {"id": 2, "bonus": 2}]


def xml(listed: Listed) -> maps.Map:
    lines = ["<Map><SuperRegions>"]
    for s in (1, 2):
        lines.append(f'<SuperRegion Name="S {s}" Bonus="2">')
        for r in (r for r, home in HOMES.items() if home == s):
            near = "".join(f'<Region Name="R {b}"/>' for b in listed[r])
            lines.append(f'<Region Name="R {r}"><Neighbours>{near}</Neighbours></Region>')
        lines.append("</SuperRegion>")
    return maps.from_xml("\n".join([*lines, "</SuperRegions></Map>"]))


@pytest.mark.parametrize("read", [own_format, setup_lines, engine_json, site_json, xml])
@pytest.mark.parametrize(
    "listed",
    [
        {1: [2], 2: [3], 3: [4], 4: []},
        {1: [], 2: [1], 3: [2], 4: [3]},
        {1: [2], 2: [1, 3], 3: [2, 4], 4: [3]},
        {1: [2, 2], 2: [3], 3: [4, 4, 4], 4: []},
        {1: [2, 2], 2: [1, 1, 3], 3: [4], 4: [3, 3]},
    ],
    ids=["first side", "second side", "both sides", "twice", "twice and both sides"],
)
def test_a_border_may_be_listed_once_twice_or_from_both_sides(read: Callable[[Listed], maps.Map], listed: Listed):
    assert read(listed).borders == ((0, 1), (1, 2), (2, 3))
