"""All formats of the same map give the same graph; writing and reading again changes nothing."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from warlight_env import maps
from warlight_env.maps.parts import StartingSetup


def as_xml(m: maps.Map, enclosing: bool = False) -> str:
    lines = ['<?xml version="1.0" encoding="windows-1250"?>', "<Map>", "<SuperRegions>"]
    for s, members in zip(m.super_regions, m.members, strict=True):
        lines.append(f'<SuperRegion Name={quoteattr(s.name)} Bonus="{s.bonus}">')
        lines += ["<Regions>"] * enclosing
        for r in members:
            army = f' Army="{m.regions[r].army}"' if m.regions[r].army != 2 else ""
            lines.append(f"<Region Name={quoteattr(m.regions[r].name)}{army}><Neighbours>")
            lines += [f"<Region Name={quoteattr(m.regions[n].name)}/>" for n in m.neighbors[r]]
            lines.append("</Neighbours></Region>")
        lines += ["</Regions>"] * enclosing
        lines.append("</SuperRegion>")
    return "\n".join([*lines, "</SuperRegions>", "</Map>"])


def as_setup_lines(m: maps.Map) -> str:
    supers = " ".join(f"{i} {s.bonus}" for i, s in enumerate(m.super_regions, 1))
    regions = " ".join(f"{i} {s + 1}" for i, s in enumerate(m.super_region_of, 1))
    later = [[str(b + 1) for b in around if b > a] for a, around in enumerate(m.neighbors)]
    neighbors = " ".join(f"{a} {','.join(bs)}" for a, bs in enumerate(later, 1) if bs)
    return (
        "settings your_bot player1\n"
        f"setup_map super_regions {supers}\nsetup_map regions {regions}\nsetup_map neighbors {neighbors}\n"
        "setup_map wastelands 3 7\npick_starting_regions 2000 1 2\n"
    )


def as_challenge_json(m: maps.Map) -> str:
    regions = [
        {"id": i + 1, "superRegion": s + 1, "neighbors": [b + 1 for b in m.neighbors[i] if b > i]}
        for i, s in enumerate(m.super_region_of)
    ]
    supers = [{"id": i, "bonus": s.bonus} for i, s in enumerate(m.super_regions, 1)]
    return json.dumps({"Regions": regions[::-1], "SuperRegions": supers[::-1]})


@pytest.mark.parametrize("name", maps.names())
def test_every_format_gives_the_same_graph(name: str, tmp_path: Path) -> None:
    m = maps.load(name)
    forms = {
        "a.xml": as_xml(m),
        "b.xml": as_xml(m, enclosing=True),
        "c.txt": as_setup_lines(m),
        "d.json": as_challenge_json(m),
        "e.json": maps.dumps(m),
    }
    for file, text in forms.items():
        (tmp_path / file).write_text(text, encoding="utf-8")
        read = maps.load(tmp_path / file)
        assert dataclasses.replace(read, setup=None).digest() == m.digest(), file
        assert read.neighbors == m.neighbors
        assert maps.from_dict(read.to_dict()) == read
    assert maps.load(tmp_path / "a.xml").regions[0].name == m.regions[0].name
    assert maps.load(tmp_path / "c.txt").regions[1].name == "Region 2"
    assert not maps.load(str(tmp_path / "c.txt")).drawable
    assert maps.load(tmp_path / "c.txt").setup == StartingSetup(wastelands=(2, 6), offered=(0, 1))


def test_writing_and_reading_again_changes_nothing(tmp_path: Path) -> None:
    m = maps.load("world")
    assert maps.from_json(maps.dumps(m)) == m
    assert maps.dumps(maps.from_json(maps.dumps(m))) == maps.dumps(m)
    maps.save(m, tmp_path / "copy.json")
    assert maps.load(tmp_path / "copy.json") == m
    alaska = [line for line in maps.dumps(m).splitlines() if '"code": "AK"' in line]
    assert len(alaska) == 1 and '"path": "M' in alaska[0], "one region a line"


def test_starting_armies_other_than_two_are_kept() -> None:
    d = maps.load("small").to_dict()
    d["regions"][3]["army"] = 7
    m = maps.from_dict(d)
    assert m.starting_armies[3] == 7 and maps.from_dict(m.to_dict()) == m
    assert maps.from_xml(as_xml(m)).starting_armies == m.starting_armies
    assert m.digest() != maps.load("small").digest()


def test_ids_may_have_gaps() -> None:
    m = maps.from_setup_lines(
        "setup_map super_regions 70 1 20 4\nsetup_map regions 90 20 5 70 33 20\nsetup_map neighbors 90 5 5 33,90"
    )
    assert [r.name for r in m.regions] == ["Region 5", "Region 33", "Region 90"]
    assert m.bonuses == (4, 1) and m.super_region_of == (1, 0, 0)
    assert m.borders == ((0, 1), (0, 2))
    assert m.region_index("r33") == 1


def test_competition_maps_that_list_each_border_once_are_read() -> None:
    text = (
        '{"Regions":[{"id":3,"superRegion":1,"neighbors":[]},{"id":1,"superRegion":1,"neighbors":[3,2]},'
        '{"id":2,"superRegion":4,"neighbors":[3]}],"SuperRegions":[{"id":4,"bonus":1},{"id":1,"bonus":3}]}'
    )
    m = maps.from_challenge_json(text)
    assert m.borders == ((0, 1), (0, 2), (1, 2)) and m.bonuses == (3, 1)


def test_both_challenge_json_formats_give_one_graph_and_cells_give_the_drawing() -> None:
    """The map has two adjacent regions, an L-shaped region below the first, and a region across water."""
    cells = {1: [(0, 0), (1, 0)], 2: [(2, 0), (2, 1)], 3: [(0, 1), (0, 2), (1, 2)], 7: [(5, 2)]}
    engine = {
        "SuperRegions": [{"id": 1, "bonus": 3}, {"id": 2, "bonus": 0}],
        "Regions": [
            {"id": 1, "superRegion": 1, "neighbors": [2, 3]}, {"id": 2, "superRegion": 1, "neighbors": [7]},
            {"id": 3, "superRegion": 2}, {"id": 7, "superRegion": 2},
        ],
    }  # fmt: skip
    site: dict[str, Any] = {
        "Settings": {"gridSizeCells": {"x": 8, "y": 4}},
        "SuperRegions": [{"id": 1, "bonus": 3, "regions": [1, 2]}, {"id": 2, "bonus": 0, "regions": [3, 7]}],
        "Regions": [
            {"id": r, "neighbors": near, "cells": [{"x": x, "y": y} for x, y in cells[r]],
             "text": {"x": cells[r][0][0], "y": cells[r][0][1]}}
            for r, near in ((1, [2, 3]), (2, [1, 7]), (3, [1]), (7, [2]))
        ],
    }  # fmt: skip
    texts: dict[str, Any] = {
        "Settings": {"gridSizeCells": "8, 4"},
        "SuperRegions": [
            {"id": "1", "bonus": "3", "regions": "1 2"}, {"id": "2", "bonus": "0", "regions": "3,7"},
        ],
        "Regions": [
            {"id": str(r), "neighbors": near, "cells": [list(cell) for cell in cells[r]],
             "text": "{} {}".format(*cells[r][0])}
            for r, near in ((1, "2 3"), (2, "1, 7"), (3, "1"), (7, "2"))
        ],
    }  # fmt: skip
    plain, drawn, loose = (maps.from_challenge_json(json.dumps(data)) for data in (engine, site, texts))
    assert drawn.digest() == plain.digest() and not plain.drawable
    assert loose == drawn and maps.from_json(maps.dumps(drawn)) == drawn
    assert drawn.view_box == (0, 0, 1600, 800), "200 units for a cell"
    corners = [{(x / 200, y / 200) for ring in r.shape.rings for x, y in ring} for r in drawn.regions if r.shape]
    assert corners[0] == {(0, 0), (2, 0), (2, 1), (0, 1)}
    assert corners[2] == {(0, 1), (1, 1), (1, 2), (2, 2), (2, 3), (0, 3)}
    assert drawn.regions[2].shape and drawn.regions[2].shape.label == (100, 300), "in the cell that text names"
    assert drawn.regions[2].shape.radius == 100
    assert [(link.a, link.b, link.line) for link in drawn.sea_links] == [(1, 3, ((600, 400), (1000, 400)))]
    del texts["Settings"], texts["Regions"][2]["text"]
    tight = maps.from_challenge_json(json.dumps(texts))
    assert tight.view_box == (0, 0, 1596, 798), "as far as the cells go"
    for region in texts["Regions"]:
        del region["cells"]
    assert maps.from_challenge_json(json.dumps(texts)).digest() == plain.digest()


@given(st.lists(st.text("abcdé XYZ-", min_size=1, max_size=6).map(lambda s: " ".join(s.split())), unique=True))
@settings(max_examples=40, deadline=None)
def test_codes_are_unique_and_never_a_name(names: list[str]) -> None:
    from warlight_env.maps.build import make_codes

    codes = make_codes(names)
    keys = {c.casefold() for c in codes}
    assert len(keys) == len(names)
    assert not keys & {n.casefold() for n in names}
    assert all(c.isascii() and c.isalnum() and c == c.upper() for c in codes)
