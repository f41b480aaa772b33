"""Each error in a map raises a MapError with its place and reason."""

from __future__ import annotations

import copy
import dataclasses
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from warlight_env import maps

from_text = {
    ".json": maps.from_json,
    ".xml": maps.from_xml,
    ".txt": maps.from_setup_lines,
}


def tiny() -> dict[str, Any]:
    """Return the data of a map with four regions in a row, two super regions and no drawing."""
    return {
        "format": "warlight-map",
        "version": 1,
        "name": "tiny",
        "super_regions": [{"name": "West", "bonus": 1}, {"name": "East", "bonus": 2}],
        "regions": [
            {"name": "Ash", "code": "AS", "super_region": "West"},
            {"name": "Birch", "code": "BI", "super_region": "West"},
            {"name": "Cedar", "code": "CE", "super_region": "East"},
            {"name": "Dogwood", "code": "DO", "super_region": "East"},
        ],
        "borders": [["Ash", "Birch"], ["Birch", "Cedar"], ["Cedar", "Dogwood"]],
    }


def setter(*path: Any) -> Callable[[dict[str, Any]], None]:
    *keys, last, value = path

    def change(d: Any) -> None:
        for k in keys:
            d = d[k]
        d[last] = value

    return change


def appender(key: str, value: Any) -> Callable[[dict[str, Any]], None]:
    return lambda d: d[key].append(value)


SQUARE = {"label": [1, 1], "radius": 1, "path": "M0 0L2 0L2 2L0 2Z"}


def draw(d: dict[str, Any]) -> None:
    d["drawing"] = {"view_box": [0, 0, 10, 10]}
    for r in d["regions"]:
        r["shape"] = {**SQUARE, "label": list(SQUARE["label"])}


def on_drawn_map(change: Callable[[dict[str, Any]], None]) -> Callable[[dict[str, Any]], None]:
    def both(d: dict[str, Any]) -> None:
        draw(d)
        change(d)

    return both


OWN_FORMAT = [
    (
        setter("borders", [["Ash", "Birch"], ["Cedar", "Dogwood"]]),
        "not connected: 'Cedar', 'Dogwood' cannot be reached",
    ),
    (appender("borders", ["Ash", "Ash"]), "region 'Ash': must not have a border to itself"),
    (
        appender("borders", ["Ash", "Ceder"]),
        r"region 'Ash': border to unknown region 'Ceder' \(did you mean 'Cedar'\?\)",
    ),
    (appender("regions", {"name": "Ash", "code": "X", "super_region": "West"}), "region 'Ash': repeated name"),
    (
        appender("regions", {"name": "Ash", "code": "X", "super_region": "East"}),
        "region 'Ash': in two super regions, 'West' and 'East'",
    ),
    (setter("regions", 1, "name", "ash"), "unknown region 'Birch'"),
    (setter("regions", 1, "code", "AS"), "region 'Birch': code 'AS' is taken by region 'Ash'"),
    (setter("regions", 1, "code", "bi"), "region 'Birch': code: 'bi': must be 1 to 6 capital letters or digits"),
    (setter("regions", 1, "super_region", "Wset"), r"unknown super region 'Wset' \(did you mean 'West'\?\)"),
    (appender("super_regions", {"name": "North", "bonus": 1}), "super region 'North': has no regions"),
    (appender("super_regions", {"name": "West", "bonus": 1}), "super region 'West': repeated name"),
    (setter("super_regions", 0, "bonus", -1), "super region 'West': bonus: -1 is less than the minimum of 0"),
    (setter("super_regions", 0, "bonus", 1001), "super region 'West': bonus: 1001 is greater"),
    (setter("super_regions", 0, "bonus", "1"), "super region 'West': bonus: '1' is not of type 'integer'"),
    (setter("regions", 2, "army", 0), "region 'Cedar': army: 0 is less than the minimum of 1"),
    (setter("regions", 2, "army", 10_001), "region 'Cedar': army: 10001 is greater"),
    (setter("regions", 2, "army", 2.5), "region 'Cedar': army: 2.5 is not of type 'integer'"),
    (setter("regions", 2, "name", "Ce\ndar"), "unknown region 'Cedar'"),
    (setter("regions", 2, "colour", "red"), "region 'Cedar': no key 'colour'"),
    (setter("regions", 2, "armies", 5), r"region 'Cedar': no key 'armies' \(did you mean 'army'\?\)"),
    (setter("regions", []), r"regions: \[\] should be non-empty"),
    (setter("borders", []), "not connected: 'Birch', 'Cedar', 'Dogwood'"),
    (setter("format", "other"), "format 'other': expected"),
    (setter("version", 2), "version 2: this program reads version 1"),
    (setter("version", True), "version True"),
    (setter("name", "Tiny Map"), "name: 'Tiny Map': must be 1 to 64 small letters, digits"),
    (setter("name", "tiny\n"), "name 'tiny"),
    (setter("title", "a\u0007b"), "title: has characters that cannot be printed"),
    (setter("title", "\ud800"), "title: has characters that cannot be printed"),
    (setter("regions", 0, "shape", SQUARE), "drawing: must have a view box"),
    (setter("drawing", {"view_box": [0, 0, 1, 1]}), "drawing: region 'Ash' has no shape"),
    (on_drawn_map(setter("drawing", "view_box", [0, 0, 0, 1])), "width and height must lie in 1 .. 100000"),
    (
        on_drawn_map(setter("regions", 3, "shape", "path", "M0 0l1 1Z")),
        "region 'Dogwood': shape: path: 'M0 0l1 1Z': must be an SVG path",
    ),
    (
        on_drawn_map(setter("regions", 3, "shape", "path", "M0 0L1 0L1 1Z\n")),
        "region 'Dogwood': shape: the path must consist of",
    ),
    (on_drawn_map(setter("regions", 3, "shape", "radius", 0)), "region 'Dogwood': shape: radius: 0 is less"),
    (
        on_drawn_map(setter("regions", 3, "shape", "radius", 1e999)),
        "region 'Dogwood': shape: the label must lie in the view box",
    ),
    (
        on_drawn_map(setter("drawing", "sea_links", [{"regions": ["Ash", "Cedar"], "line": None}])),
        "sea link 'Ash' - 'Cedar': the map has no border between these regions",
    ),
    (
        on_drawn_map(setter("drawing", "sea_links", [{"regions": ["Ash", "Birch"], "line": None}] * 2)),
        r"sea link \(0, 1\): these regions have no border, or the link is given twice",
    ),
]


@pytest.mark.parametrize(("change", "reason"), OWN_FORMAT, ids=[str(i) for i in range(len(OWN_FORMAT))])
def test_errors_in_the_native_format(change: Callable[[dict[str, Any]], None], reason: str) -> None:
    d = tiny()
    assert maps.from_dict(d).n_regions == 4
    change(d)
    with pytest.raises(maps.MapError, match=f"^tiny.json: .*{reason}"):
        maps.from_dict(d, "tiny.json")


def test_the_error_names_only_the_first_unknown_keys() -> None:
    d = tiny()
    d["regions"][2] |= {f"key{number}": 1 for number in range(100_000)}
    with pytest.raises(maps.MapError, match="no key 'key0', no key 'key1', no key 'key2', no key 'key3', …"):
        maps.from_dict(d, "tiny.json")


def test_names_that_differ_only_in_case_are_refused() -> None:
    d = tiny()
    d["regions"][1] = {"name": "ASH", "code": "BI", "super_region": "West"}
    d["borders"] = [["Ash", "ASH"], ["ASH", "Cedar"], ["Cedar", "Dogwood"]]
    with pytest.raises(maps.MapError, match="region 'ASH': repeated name"):
        maps.from_dict(d)


def test_maps_with_too_many_regions_are_refused() -> None:
    ids = range(1, 1002)
    text = "setup_map super_regions 1 1\nsetup_map regions " + " ".join(f"{i} 1" for i in ids)
    text += "\nsetup_map neighbors " + " ".join(f"{i} {i + 1}" for i in ids[:-1])
    with pytest.raises(maps.MapError, match="1001 regions: at most 1000"):
        maps.from_setup_lines(text)


XML = """<Map>
 <SuperRegions>
  <SuperRegion Name="West" Bonus="1">
   <Region Name="Ash"><Neighbours><Region Name="Birch"/></Neighbours></Region>
   <Region Name="Birch" Army="3"><Neighbours>
     <Region Name="Ash"/>
     <Region Name="Cedar"/></Neighbours></Region>
  </SuperRegion>
  <SuperRegion Name="East" Bonus="2">
   <Region Name="Cedar"><Neighbours><Region Name="Birch"/></Neighbours></Region>
  </SuperRegion>
 </SuperRegions>
</Map>"""


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (
            '     <Region Name="Ash"/>',
            '     <Region Name="Oak"/>',
            "line 6: region 'Birch': border to unknown region 'Oak'",
        ),
        (
            '<Region Name="Cedar"/>',
            '<Region Name="Birch"/>',
            "line 7: region 'Birch': must not have a border to itself",
        ),
        ('Bonus="2"', 'Bonus="two"', "line 9: <SuperRegion> 'East': Bonus 'two' is not a whole number"),
        ('Bonus="2"', 'Bonus="-2"', "super region 'East': bonus -2: must be a whole number from 0 to 1000"),
        ('Bonus="2"', 'Bonus="99999999999"', "line 9: .*is not a whole number"),
        (' Bonus="2"', "", "line 9: <SuperRegion> 'East' has no Bonus"),
        ('Army="3"', 'Army="0"', "region 'Birch': army 0: must be"),
        (
            '<Region Name="Cedar"><N',
            '<Region Name="Birch"><N',
            "line 10: region 'Birch': in two super regions, 'West'",
        ),
        ('<Region Name="Cedar"><N', "<Region><N", "line 10: <Region> has no Name"),
        ("</Map>", "", "line 13: malformed XML: no element found"),
        ("<Map>", "<Karte>", "line 13: malformed XML: mismatched tag"),
        (XML, "<Karte/>", "line 1: expected <Map>, found <Karte>"),
        (XML, "<Map/>", "the map is empty"),
        (XML, "", "malformed XML"),
        (XML, "\ud800", "not valid text"),
        (XML, "<a>" * 50, "nested too deeply"),
        (XML, '<!DOCTYPE Map [<!ENTITY a "b">]><Map>&a;</Map>', "DTD or entities is not supported"),
    ],
)
def test_errors_in_xml(old: str, new: str, reason: str) -> None:
    assert maps.from_xml(XML).starting_armies == (2, 3, 2)
    with pytest.raises(maps.MapError, match=f"^my.xml: .*{reason}"):
        maps.from_xml(XML.replace(old, new), "my.xml")


LINES = "setup_map super_regions 1 1 2 2\nsetup_map regions 1 1 2 1 3 2\nsetup_map neighbors 1 2 2 3\n"


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("regions 1 1 2 1 3 2", "regions 1 1 2 1 3", "line 2: setup_map regions: expected pairs"),
        ("regions 1 1 2 1 3 2", "regions 1 1 2 1 3 9", "line 2: regions: region 3: unknown super region 9"),
        (
            "regions 1 1 2 1 3 2",
            "regions 1 1 2 1 2 2 3 2",
            "line 2: regions: region 2: in two super regions, 1 and 2",
        ),
        ("regions 1 1 2 1 3 2", "regions 1 1 2 1 3 1", "super region 'Super region 2': has no regions"),
        ("regions 1 1 2 1 3 2", "regions one 1 2 1 3 2", "line 2: regions: 'one' is not an id"),
        ("regions 1 1 2 1 3 2", "regions 0 1 2 1 3 2", "line 2: regions: '0' is not an id"),
        ("2 2\n", "2 x\n", "line 1: super_regions: 'x' is not a whole number"),
        ("2 2\n", "2 -2\n", "super region 'Super region 2': bonus -2"),
        ("2 2\n", "1 2\n", "line 1: super_regions: super region 1: given twice"),
        ("neighbors 1 2 2 3", "neighbors 1 2 2 2", "line 3: neighbors: region 2: must not have a border to itself"),
        ("neighbors 1 2 2 3", "neighbors 1 2 2 7", "line 3: neighbors: region 2: border to unknown region 7"),
        ("neighbors 1 2 2 3", "neighbors 1 2 8 3", "line 3: neighbors: neighbors of unknown region 8"),
        ("neighbors 1 2 2 3", "neighbors 1 2", "not connected: 'Region 3' cannot be reached from 'Region 1'"),
        ("neighbors 1 2 2 3", "neighbors 1 2,x", "line 3: neighbors: region 1: 'x' is not an id"),
        ("setup_map neighbors 1 2 2 3\n", "", "the line 'setup_map neighbors …' is missing"),
        ("setup_map neighbors", "setup_map regions", "line 3: setup_map regions occurs twice"),
        (LINES, "setup_map super_regions\nsetup_map regions\nsetup_map neighbors", "the map is empty"),
    ],
)
def test_errors_in_setup_lines(old: str, new: str, reason: str) -> None:
    assert maps.from_setup_lines(LINES).n_regions == 3
    with pytest.raises(maps.MapError, match=f"^my.txt: .*{reason}"):
        maps.from_setup_lines(LINES.replace(old, new, 1), "my.txt")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[]", "a map must be a JSON object, not list"),
        ("{}", "SuperRegions: expected a list"),
        ('{"SuperRegions": [1], "Regions": []}', r"SuperRegions\[0\]: expected an object"),
        (
            '{"SuperRegions": [{"id": 1, "bonus": "5x"}], "Regions": []}',
            r"SuperRegions\[0\] \(id 1\): bonus: '5x' is not",
        ),
        ('{"SuperRegions": [{"id": 0, "bonus": 5}], "Regions": []}', "id: '0' is not an id"),
        (
            '{"SuperRegions": [], "Regions": [{"id": 3, "superRegion": 2}]}',
            "region 3: unknown super region 2",
        ),
        (
            '{"SuperRegions": [{"id": 1, "bonus": 5}],\n"Regions": [{"id": 3, "superRegion": 1, "neighbors": [4]}]}',
            r"Regions\[0\] \(id 3\): region 3: border to unknown region 4",
        ),
        ('{"SuperRegions": [],\n "Regions": [}', "line 2, column 14: malformed JSON"),
        ('{"SuperRegions": [],\n "Regions": [NaN]}', "line 2: NaN is not a number"),
        ('{"SuperRegions": [],\n "Regions": [' + "9" * 5000 + "]}", "line 2: a number has 5000 digits"),
        ('{"Regions": [], "Regions": []}', "key 'Regions' occurs twice in one object"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_errors_in_challenge_json(text: str, reason: str) -> None:
    with pytest.raises(maps.MapError, match=f"^my.json: .*{reason}"):
        maps.from_challenge_json(text, "my.json")


SITE = {
    "Settings": {"gridSizeCells": {"x": 8, "y": 5}},
    "Regions": [
        {"id": 1, "neighbors": [2, 3], "cells": [{"x": 0, "y": 0}, {"x": 1, "y": 0}], "text": {"x": 1, "y": 0}},
        {"id": 2, "neighbors": [1], "cells": [{"x": 0, "y": 1}], "text": {"x": 0, "y": 1}},
        {"id": 3, "neighbors": [], "cells": [{"x": 5, "y": 2}], "text": {"x": 0, "y": 0}},
    ],
    "SuperRegions": [{"id": 1, "bonus": 2, "regions": [1, 2]}, {"id": 2, "bonus": 1, "regions": [3]}],
}


@pytest.mark.parametrize(
    ("path", "value", "reason"),
    [
        (("SuperRegions", 1, "regions"), [3, 2], "region 2: in two super regions, 1 and 2"),
        (("SuperRegions", 1, "regions"), [3, 9], r"SuperRegions\[1\] \(id 2\): regions: unknown region 9"),
        (("SuperRegions", 1, "regions"), [], r"Regions\[2\] \(id 3\): region 3: belongs to no super region"),
        (("SuperRegions", 1, "regions"), None, r"SuperRegions\[1\] \(id 2\): regions: expected a list"),
        (("SuperRegions", 0, "regions"), "1 two", "regions: 'two' is not an id"),
        (("Regions", 0, "neighbors"), "2 3 4", "region 1: border to unknown region 4"),
        (("Regions", 0, "neighbors"), [1, 2, 3], "region 1: must not have a border to itself"),
        (("Regions", 0, "neighbors"), 2, r"Regions\[0\] \(id 1\): neighbors: expected a list"),
        (("Regions", 1, "id"), 1, r"Regions\[1\] \(id 1\): region 1: given twice"),
        (("Regions", 2, "cells"), [], r"Regions\[2\] \(id 3\): cells: must be a list with at least one"),
        (("Regions", 2, "cells"), [{"x": 1, "y": 0}], r"cells\[0\]: \(1, 0\) is also a cell of region 1;"),
        (("Regions", 2, "cells"), [{"x": 1}], r"cells\[0\]: y: 'None' is not a number"),
        (("Regions", 2, "cells"), [[1, -1]], r"cells\[0\]: y: '-1' is not a number"),
        (("Regions", 2, "cells"), [[1, 10**6]], r"cells\[0\]: y: '1000000' is not a number from 0"),
        (("Regions", 2, "cells"), [[1, 0.5]], r"cells\[0\]: a cell must be two whole numbers"),
        (("Regions", 2, "cells"), [[1, 1]] * 30_000, "cells: a map may have at most 20000 cells"),
        (("Regions", 2, "text"), "somewhere", r"Regions\[2\] \(id 3\): text: expected two numbers, x and y"),
        (("Settings", "gridSizeCells"), [8], "Settings: gridSizeCells: expected two numbers, x and y"),
        (("Settings",), [], "Settings: expected an object"),
    ],
)
def test_errors_in_challenge_json_with_cells(path, value, reason):
    assert maps.from_challenge_json(json.dumps(SITE)).drawable
    damaged = json.loads(json.dumps(SITE))
    parent = damaged
    for key in path[:-1]:
        parent = parent[key]
    parent[path[-1]] = value
    with pytest.raises(maps.MapError, match=f"^my.json: .*({reason})"):
        maps.from_challenge_json(json.dumps(damaged), "my.json")


def test_errors_in_files(tmp_path: Path) -> None:
    cases: dict[str, tuple[bytes | None, str]] = {
        "missing.json": (None, "missing.json: cannot be read: No such file"),
        "latin.json": ("{'é'}".encode("latin-1"), "latin.json: not UTF-8 text"),
        "half.json": (b'{\n"format": ', "half.json: line 2, column 11: malformed JSON"),
        "blank.xml": (b" \n", "blank.xml: the file is empty; supported formats: "),
    }
    for name, (content, reason) in cases.items():
        if content is not None:
            (tmp_path / name).write_bytes(content)
        with pytest.raises(maps.MapError) as e:
            maps.load(tmp_path / name)
        assert reason in str(e.value)
    (tmp_path / "folder.json").mkdir()
    for bad in (tmp_path / "folder.json", "nul\0.json", "", "some/map"):
        with pytest.raises(maps.MapError):
            maps.load(bad)


def test_a_map_built_in_python_is_checked() -> None:
    west = (maps.SuperRegion("West", 1),)
    regions = (maps.Region("Ash", "AS", 0), maps.Region("Birch", "BI", 0))

    def make(**changes: Any) -> maps.Map:
        fields = {"super_regions": west, "regions": regions, "borders": ((0, 1),)} | changes
        return maps.Map(name="m", title="", description="", source="", **fields)

    assert make().neighbors == ((1,), (0,))
    cases: list[tuple[dict[str, Any], str]] = [
        ({"borders": ((1, 0),)}, "sorted and without repetition"),
        ({"borders": ((0, 2),)}, "unknown region"),
        ({"regions": ()}, "empty"),
        ({"regions": (maps.Region("Ash", "AS", 1),)}, "unknown super region 1"),
        ({"super_regions": (maps.SuperRegion("West", -1),)}, "bonus -1"),
        ({"regions": (maps.Region("", "AS", 0), regions[1])}, "the name is empty"),
        ({"regions": (maps.Region("A  B", "AS", 0), regions[1])}, "single spaces"),
    ]
    for changes, reason in cases:
        with pytest.raises(maps.MapError, match=reason):
            make(**changes)


@given(st.sampled_from(sorted(from_text)), st.integers(0, 2**32), st.integers(1, 6))
@settings(max_examples=150, deadline=None)
def test_a_damaged_file_gives_a_map_or_a_map_error(suffix: str, seed: int, damages: int) -> None:
    rng = random.Random(seed)
    text = {".json": json.dumps(tiny()), ".xml": XML, ".txt": LINES}[suffix]
    for _ in range(damages):
        at, size = rng.randrange(len(text)), rng.randrange(4)
        text = text[:at] + rng.choice(["", "-", "9", "A", '"', "{", "<", " ", "null", "é", "\0"]) + text[at + size :]
    try:
        assert from_text[suffix](text).n_regions > 0
    except maps.MapError as e:
        assert str(e)


@given(st.integers(0, 2**32))
@settings(max_examples=100, deadline=None)
def test_damaged_data_gives_a_map_or_a_map_error(seed: int) -> None:
    rng = random.Random(seed)
    d: Any = copy.deepcopy(tiny())
    draw(d)
    part = d
    while isinstance(part, dict | list) and part:
        key = rng.choice(list(part)) if isinstance(part, dict) else rng.randrange(len(part))
        if rng.random() < 0.3 or not isinstance(part[key], dict | list):
            part[key] = rng.choice([None, True, -1, 0, 1e300, float("nan"), 10**30, "", "Ash", [], {}, [[]], ["x", 1]])
            break
        part = part[key]
    try:
        assert maps.from_dict(d).n_regions > 0
    except maps.MapError as e:
        assert str(e)


@pytest.mark.parametrize(
    "change",
    [
        {"view_box": (0, 0, 1e-320, 1)}, {"view_box": (0, 0, 10, 1e9)}, {"view_box": (0, 0, 10, 200)},
        {"view_box": (5000, 0, 1600, 800)},
    ],
    ids=str,
)  # fmt: skip
def test_impossible_view_boxes_are_refused(change):
    with pytest.raises(maps.MapError, match="view box"):
        dataclasses.replace(maps.load("world"), **change)
