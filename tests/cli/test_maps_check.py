"""``warlight map check`` reports all errors of a file, not only the first one."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import pytest

from warlight_env import maps
from warlight_env.cli import main
from warlight_env.maps import MapError


def small() -> dict[str, Any]:
    """Return a map without a drawing as plain data."""
    data: dict[str, Any] = json.loads(json.dumps(maps.load("small").to_dict()))
    data.pop("drawing", None)
    for region in data["regions"]:
        region.pop("shape", None)
    return data


def three_errors() -> tuple[dict[str, Any], list[str]]:
    """Return a map with three errors, and the messages of these errors."""
    data = small()
    first, second, last = data["regions"][0], data["regions"][1], data["regions"][-1]
    second["code"] = first["code"]
    data["super_regions"].append({"name": "Far", "bonus": 1})
    data["borders"] = [pair for pair in data["borders"] if last["name"] not in pair]
    return data, [
        "super region 'Far': has no regions",
        f"region {second['name']!r}: code {first['code']!r} is taken by region {first['name']!r}",
        f"not connected: {last['name']!r} cannot be reached from {first['name']!r}",
    ]


def schema_errors() -> tuple[dict[str, Any], list[str]]:
    """Return a map with entries that violate the schema, and the messages of these errors."""
    data = small()
    data["regions"][0]["army"], data["regions"][1]["code"], data["super_regions"][0]["bonus"] = 0, "b!", -1
    names = [f"region {data['regions'][k]['name']!r}" for k in (0, 1)]
    return data, [
        f"{names[0]}: army: 0 is less than the minimum of 1",
        f"{names[1]}: code: 'b!': must be 1 to 6 capital letters",
        f"super region {data['super_regions'][0]['name']!r}: bonus: -1 is less than the minimum of 0",
    ]


def name_errors() -> tuple[dict[str, Any], list[str]]:
    """Return a map with wrong names of each kind, and the messages of these errors."""
    data = small()
    first, second, last = (region["name"] for region in data["regions"][:2] + data["regions"][-1:])
    data["regions"][1]["super_region"] = "Nowhere"
    data["regions"].append(dict(data["regions"][0]))
    data["borders"] += [[first, last + "x"], ["Atlantis", last], [second, second]]
    data["setup"] = {"wastelands": ["El Dorado"], "offered": [first, "Thule"]}
    return data, [
        f"region {second!r}: unknown super region 'Nowhere'",
        f"region {first!r}: repeated name",
        f"region {first!r}: border to unknown region {last + 'x'!r} (did you mean {last!r}?)",
        f"region {last!r}: border to unknown region 'Atlantis'",
        f"region {second!r}: must not have a border to itself",
        "setup: wastelands: unknown region 'El Dorado'",
        "setup: offered: unknown region 'Thule'",
    ]


@pytest.mark.parametrize("wrong", [three_errors, schema_errors, name_errors])
def test_map_check_reports_all_errors_of_a_file(wrong: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    data, faults = wrong()
    file = tmp_path / "bad.json"
    file.write_text(json.dumps(data))
    assert main(["map", "check", str(file), "small"]) == 1
    *lines, valid = capsys.readouterr().out.splitlines()
    assert len(lines) == len(faults)
    assert all(line.startswith(f"{file}: {fault}") for line, fault in zip(lines, faults, strict=True)), lines
    assert valid.startswith("small: ok")
    assert main(["map", "check", str(file), "small", "--json"]) == 1
    bad, good = json.loads(capsys.readouterr().out)
    assert [f"{file}: {fault}" for fault in bad["errors"]] == lines
    assert bad["error"] == bad["errors"][0] and "errors" not in good


XML = """<Map><SuperRegions><SuperRegion Name="W" Bonus="1"><Region Name="Ash"><Neighbours>
<Region Name="Birch"/>
<Region Name="Oak"/></Neighbours></Region>
<Region Name="Birch"/>
<Region Name="Ash"><Neighbours><Region Name="Elm"/></Neighbours></Region></SuperRegion>
<SuperRegion Name="W" Bonus="2"><Region Name="Fir"/></SuperRegion></SuperRegions></Map>"""
LINES = """setup_map super_regions 1 1{}
setup_map regions 1 1 2 1 3 9 3 1
setup_map neighbors 1 2 2 3,7 8 3
setup_map wastelands {}"""
ENGINE = {
    "SuperRegions": [{"id": 1, "bonus": 1}, {"id": 1, "bonus": 2}],
    "Regions": [{"id": 1, "superRegion": 4, "neighbors": [1, 5]}],
    "Settings": {"wastelands": [1, 6], "starting_regions": [7]},
}
# Region 2 is only in "Regions", and regions 8 and 9 are only in "SuperRegions": their borders give no further errors.
SITE = {
    "SuperRegions": [{"id": 1, "bonus": 1, "regions": [1, 8, 9]}, {"id": 1, "bonus": 1, "regions": []}],
    "Regions": [{"id": i, "cells": [{"x": i, "y": 0}], "neighbors": [8, 77]} for i in (1, 1, 2)],
    "Settings": {"wastelands": [2, 8], "starting_regions": [6, 9]},
}


@pytest.mark.parametrize(("text", "faults"), [
    (XML, [
        "line 6: super region 'W': repeated name", "line 5: region 'Ash': repeated name",
        "line 3: region 'Ash': border to unknown region 'Oak'", "line 5: region 'Ash': border to unknown region 'Elm'",
    ]),
    (LINES.format("", "3"), [
        "line 2: regions: region 3: unknown super region 9",
        "line 2: regions: region 3: in two super regions, 9 and 1",
        "line 3: neighbors: region 2: border to unknown region 7", "line 3: neighbors: neighbors of unknown region 8",
    ]),
    (LINES.format(" 1 2", "5 6\nsettings starting_regions 1 4"), [
        "line 1: super_regions: super region 1: given twice",
        "line 2: regions: region 3: unknown super region 9",
        "line 2: regions: region 3: in two super regions, 9 and 1",
        "line 3: neighbors: region 2: border to unknown region 7", "line 3: neighbors: neighbors of unknown region 8",
        "line 4: wastelands: unknown region 5", "line 4: wastelands: unknown region 6",
        "line 5: starting_regions: unknown region 4",
    ]),
    (json.dumps(ENGINE), [
        "SuperRegions[1] (id 1): super region 1: given twice",
        "Regions[0] (id 1): region 1: unknown super region 4",
        "Regions[0] (id 1): region 1: must not have a border to itself",
        "Regions[0] (id 1): region 1: border to unknown region 5",
        "Settings: wastelands: unknown region 6", "Settings: starting_regions: unknown region 7",
    ]),
    (json.dumps(SITE), [
        "Regions[1] (id 1): region 1: given twice", "SuperRegions[0] (id 1): regions: unknown region 8",
        "SuperRegions[0] (id 1): regions: unknown region 9",
        "Regions[2] (id 2): region 2: belongs to no super region",
        "SuperRegions[1] (id 1): super region 1: given twice",
        *(f"Regions[{k}] (id {i}): region {i}: border to unknown region 77" for k, i in enumerate((1, 1, 2))),
        "Settings: starting_regions: unknown region 6",
    ]),
])  # fmt: skip
def test_map_check_reports_all_wrong_names_in_other_formats(text: str, faults: list[str], tmp_path: Path, capsys: Any):
    file = tmp_path / "bad.map"
    file.write_text(text)
    assert main(["map", "check", str(file)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(faults), lines
    assert all(line.startswith(f"{file}: {fault}") for line, fault in zip(lines, faults, strict=True)), lines


def test_map_check_suggests_similar_names_only_for_the_first_unknown_names(tmp_path: Path, capsys: Any):
    data = small()
    data["borders"] += [[data["regions"][0]["name"], f"{data['regions'][-1]['name']}{i}"] for i in range(200)]
    file = tmp_path / "bad.json"
    file.write_text(json.dumps(data))
    assert main(["map", "check", str(file)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert sum("did you mean" in line for line in lines) == 8, "each suggestion costs time"
    assert len(lines) == 101 and "the check stops after 100" in lines[-1]


def test_map_check_stops_after_100_errors(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    data = maps.load("large").to_dict()
    for region in data["regions"]:
        region["code"] = "SAME"
    file = tmp_path / "bad.json"
    file.write_text(json.dumps(data))
    assert main(["map", "check", str(file)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 101 and lines[-1] == f"{file}: there may be more problems: the check stops after 100"


def test_a_map_error_contains_all_reasons_and_shows_the_first():
    data, faults = three_errors()
    with pytest.raises(MapError) as raised:
        maps.from_dict(data, "here")
    assert raised.value.reasons == tuple(faults)
    assert str(raised.value) == f"here: {faults[0]}"
    copy = pickle.loads(pickle.dumps(raised.value))
    assert (str(copy), copy.reasons) == (str(raised.value), tuple(faults))
    assert MapError("a\x1b").reasons == ("a\\x1b",)
