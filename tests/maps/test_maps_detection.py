"""The format of a map file is detected from its content; errors name the detected format."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from warlight_env import maps
from warlight_env.cli import main
from warlight_env.maps.files import read_file

SUPERS = [{"id": 1, "bonus": 2}, {"id": 2, "bonus": 3}]
ENGINE = json.dumps(
    {
        "SuperRegions": SUPERS,
        "Regions": [
            {"id": 1, "superRegion": 1, "neighbors": [2]},
            {"id": 2, "superRegion": 1, "neighbors": [3]},
            {"id": 3, "superRegion": 2, "neighbors": []},
        ],
    }
)
CELLS = json.dumps(
    {
        "SuperRegions": [{**s, "regions": regions} for s, regions in zip(SUPERS, ([1, 2], [3]), strict=True)],
        "Regions": [{"id": r, "neighbors": [r + 1] * (r < 3), "cells": [{"x": r, "y": 0}]} for r in (1, 2, 3)],
    }
)
LINES = "setup_map super_regions 1 2 2 3\nsetup_map regions 1 1 2 1 3 2\nsetup_map neighbors 1 2 2 3\n"
XML = """<?xml version="1.0"?> <!-- <svg> --><?x <y?>
<Map><SuperRegions><SuperRegion Name="A" Bonus="2"><Region Name="a"><Neighbours/></Region>
<Region Name="b"><Neighbours><Region Name="a"/><Region Name="c"/></Neighbours></Region></SuperRegion>
<SuperRegion Name="B" Bonus="3"><Region Name="c"/></SuperRegion></SuperRegions></Map>"""

FORMS = {
    "native": maps.dumps(maps.from_setup_lines(LINES)),
    "challenge-json": ENGINE,
    "challenge-cells": CELLS,
    "setup-lines": "# a comment\nsettings timebank 10000\n" + LINES,
    "xml": XML,
}


@pytest.mark.parametrize("name", ["map.json", "map.txt", "map.xml", "map.map", "map", "MAP.TXT"])
@pytest.mark.parametrize("form", FORMS)
def test_the_format_is_detected_from_the_content_for_any_file_name(form: str, name: str, tmp_path: Path):
    file = tmp_path / name
    file.write_text("\ufeff" + FORMS[form], encoding="utf-8")
    read = read_file(file)
    assert read.format.name == form
    assert maps.load(file) == maps.load(str(file)) == read.map
    assert read.map.digest() == maps.from_setup_lines(LINES).digest()


def test_a_file_without_a_suffix_in_the_working_directory_is_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    Path("isles").write_text(LINES)
    Path("small").write_text(LINES)
    assert maps.load("isles").n_regions == maps.load("./small").n_regions == maps.load(Path("small")).n_regions == 3
    assert maps.load("small").n_regions == 10, "a bundled map's name is its own"
    with pytest.raises(maps.MapError, match="no map 'isle'"):
        maps.load("isle")


@pytest.mark.parametrize(
    ("content", "appears"),
    [
        ('<?xml version="1.0"?>\n<!DOCTYPE svg>\n<svg xmlns="http://www.w3.org/2000/svg"/>', "an SVG drawing"),
        ("<svg:svg/>", "an SVG drawing"),
        ("<!doctype html><html></html>", "an HTML page"),
        ("<gpx/>", "XML with the root element <gpx>"),
        ("id;name;bonus\n1;Alaska;5\n2;Alberta;5\n", "a table (CSV) that begins with 'id;name;bonus'"),
        ("id,name,bonus\n1,Alaska,5\n", "a table (CSV)"),
        ("Dear all,\nthis is no map\n", "text in an unknown format"),
        ('{"type": "FeatureCollection"}', 'JSON with neither "format" nor "Regions"'),
        ("[1]", "JSON with a list instead of an object"),
    ],
)
def test_a_file_in_another_format_is_named_and_the_supported_formats_are_listed(
    content: str, appears: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    file = tmp_path / "map.txt"
    file.write_text(content)
    with pytest.raises(maps.MapError) as refused:
        maps.load(file)
    forms = "warlight-env's JSON, the JSON of the challenge's engine, the JSON of the challenge's site, "
    forms += "the challenge's setup_map lines, the thesis's XML"
    expected = f"the file appears to be {appears}"
    assert str(refused.value).startswith(f"map.txt: {expected}")
    assert str(refused.value).endswith(f", which is not a map format; supported formats: {forms}")
    assert main(["map", "check", str(file)]) == 1
    assert capsys.readouterr().out.startswith(f"{file}: {expected}")


@pytest.mark.parametrize("content", [b"\x89PNG\r\n\x1a\n\xff", b" \n"])
def test_the_supported_formats_are_listed_for_files_without_text(content: bytes, tmp_path: Path):
    (tmp_path / "map.json").write_bytes(content)
    with pytest.raises(maps.MapError, match=r"^map\.json: .*supported formats: warlight-env's JSON, "):
        maps.load(tmp_path / "map.json")


@pytest.mark.parametrize(
    ("form", "old", "new", "title"),
    [
        ("native", '"Region 2"]', '"Region 9"]', "warlight-env's JSON"),
        ("native", '"format":', '"format"', "JSON"),
        ("challenge-json", '"superRegion": 2', '"superRegion": 5', "the JSON of the challenge's engine"),
        ("challenge-cells", '"cells": [{"x": 2', '"cells": [{"x": -2', "the JSON of the challenge's site"),
        ("setup-lines", "setup_map regions", "setup_map region", "the challenge's setup_map lines"),
        ("xml", "</Map>", "", "the thesis's XML"),
        ("xml", 'Bonus="3"', "", "the thesis's XML"),
    ],
)
def test_an_error_names_the_detected_format(
    form: str, old: str, new: str, title: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    assert old in FORMS[form]
    file = tmp_path / "map"
    file.write_text(FORMS[form].replace(old, new, 1))
    with pytest.raises(maps.MapError) as refused:
        maps.load(file)
    assert str(refused.value).startswith("map: ") and str(refused.value).endswith(f"(the file appears to be {title})")
    assert main(["map", "check", str(file)]) == 1
    assert f"(the file appears to be {title})" in capsys.readouterr().out.splitlines()[0]


def test_a_tournament_loads_a_map_file_without_a_suffix_from_its_folder(tmp_path: Path):
    from warlight_env.arena.tournaments.tournament_file import load_tournament

    maps.save(maps.load("small"), tmp_path / "isles")
    (tmp_path / "small").write_text(LINES)
    settings = tmp_path / "cup.toml"
    settings.write_text('name = "cup"\nmaps = ["isles", "world"]\nagents = ["random", "aggressive"]\n')
    assert [map_.n_regions for map_ in load_tournament(settings).maps] == [10, 42]
