"""Maps are written in every format and read again; the converter names the parts that a format cannot store."""

from __future__ import annotations

import dataclasses
import json

import pytest

from helpers import make_map
from warlight_env import maps
from warlight_env.cli import main
from warlight_env.maps.convert import WRITTEN, written_as
from warlight_env.maps.files import read_bytes
from warlight_env.maps.formats import CELLS, NATIVE
from warlight_env.maps.parts import StartingSetup

SETUP = StartingSetup(wastelands=(3,), wasteland_army=8, offered=(0, 4, 7), picks=1)


def map_with_setup():
    return dataclasses.replace(maps.load("small"), setup=SETUP)


def graph(map_):
    """Return the data that the rules use, with region names in place of numbers."""
    name = [region.name for region in map_.regions]
    return (
        {name[r]: map_.bonuses[s] for r, s in enumerate(map_.super_region_of)},
        {frozenset((name[a], name[b])) for a, b in map_.borders},
    )


@pytest.mark.parametrize("form", WRITTEN, ids=lambda form: form.name)
@pytest.mark.parametrize("other", WRITTEN, ids=lambda form: form.name)
@pytest.mark.parametrize("name", ["small", "world", "generated:20:3"])
def test_every_pair_of_formats_keeps_the_graph(name, form, other):
    first = read_bytes(written_as(maps.load(name), form)[0].encode(), "a").map
    second = read_bytes(written_as(first, other)[0].encode(), "a").map
    third = read_bytes(written_as(second, form)[0].encode(), "a").map
    assert second.borders == third.borders and second.super_region_of == third.super_region_of
    assert second.bonuses == third.bonuses == first.bonuses
    if other.name in ("native", "xml"):
        assert graph(first) == graph(second)


@pytest.mark.parametrize(("form", "kept"), [
    ("native", SETUP),
    ("setup-lines", dataclasses.replace(SETUP, wasteland_army=None)),
    ("challenge-json", dataclasses.replace(SETUP, wasteland_army=None)),
    ("xml", None),
])  # fmt: skip
def test_the_starting_setup_is_written_or_reported_as_lost(form, kept):
    chosen = next(each for each in WRITTEN if each.name == form)
    text, lost = written_as(map_with_setup(), chosen)
    assert read_bytes(text.encode(), "a").map.setup == kept
    entries = [part for part in lost if part.startswith("setup: ")]
    if kept is None:
        assert len(entries) == 4
    else:
        assert entries == ([] if kept == SETUP else ["setup: wasteland_army"])


def test_lost_parts_are_reported():
    m = make_map([0, 1, 0, 1], [(0, 1), (1, 2), (2, 3)], [1, 2])
    m = dataclasses.replace(m, regions=(dataclasses.replace(m.regions[0], army=5), *m.regions[1:]), title="Ring")
    lost = {form.name: written_as(m, form)[1] for form in WRITTEN}
    assert lost["native"] == ()
    assert "the order of the regions" in lost["xml"] and "armies at the start" not in lost["xml"]
    assert {"names of regions", "armies at the start"} <= set(lost["setup-lines"])
    assert "the drawing" in written_as(maps.load("small"), next(f for f in WRITTEN if f.name == "xml"))[1]


def test_the_cells_format_cannot_be_written():
    with pytest.raises(maps.MapError, match="cannot write a map"):
        written_as(maps.load("small"), CELLS)


def test_the_command_converts_and_reports(tmp_path, capsys):
    source, lines, back = tmp_path / "a.json", tmp_path / "a.txt", tmp_path / "b.json"
    maps.save(map_with_setup(), source)
    assert main(["map", "convert", str(source), str(lines)]) == 0
    out = capsys.readouterr().out
    assert "setup_map lines" in out and "names of regions" in out and "setup: wasteland_army" in out
    assert main(["map", "convert", str(lines), str(back), "--to", "challenge-json", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["format"] == "challenge-json"
    assert maps.load(back).setup == dataclasses.replace(SETUP, wasteland_army=None)
    assert main(["map", "check", str(lines), str(back)]) == 0
    assert capsys.readouterr().out.count("kept as the starting setup: wastelands 1, offered 3, picks 1") == 2


def test_the_show_command_prints_the_starting_setup(tmp_path, capsys):
    names = [region.name for region in maps.load("small").regions]
    maps.save(dataclasses.replace(maps.load("small"), setup=StartingSetup((), 8, (0, 4), 1)), tmp_path / "a.json")
    assert main(["map", "show", str(tmp_path / "a.json")]) == 0
    shown = capsys.readouterr().out
    for line in ("wastelands: none", "wasteland_army: 8", f"offered: {names[0]}, {names[4]}", "picks: 1"):
        assert f"  setup: {line}\n" in shown
    assert main(["map", "show", "small"]) == 0
    assert "setup" not in capsys.readouterr().out


@pytest.mark.parametrize(("arguments", "message"), [
    (["small", "a.map"], "give the format with --to"),
    (["small", "a.txt", "--to", "svg"], "must be one of native"),
    (["a.json", "a.json"], "must not be the input file"),
])  # fmt: skip
def test_bad_conversions_are_refused_and_nothing_is_written(arguments, message, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    maps.save(maps.load("small"), tmp_path / "a.json")
    before = (tmp_path / "a.json").read_bytes()
    assert main(["map", "convert", *arguments]) == 2
    assert message in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"] and (tmp_path / "a.json").read_bytes() == before


def test_unused_lines_are_reported(tmp_path, capsys):
    text = written_as(maps.load("small"), next(f for f in WRITTEN if f.name == "setup-lines"))[0]
    (tmp_path / "game").write_text(text + "settings timebank 10000\nsettings time_per_move 500\ngo place_armies 5\n")
    assert main(["map", "check", str(tmp_path / "game"), "--json"]) == 0
    (report,) = json.loads(capsys.readouterr().out)
    assert report["format"] == "setup-lines" and report["setup"] is None
    assert report["unused"] == ["settings timebank", "settings time_per_move", "go place_armies"]
    assert NATIVE.name == "native"


@pytest.mark.parametrize("form", ["setup-lines", "challenge-json"])
def test_names_that_move_to_other_parts_are_reported_as_lost(form):
    """Formats with numbers name the parts by their numbers, so the names of a map can move to other parts."""
    chosen = next(each for each in WRITTEN if each.name == form)
    plain = make_map([0, 1, 0, 1], [(0, 1), (1, 2), (2, 3)], [9, 1])
    numbered = read_bytes(written_as(plain, chosen)[0].encode(), "a").map
    assert "names of regions" not in written_as(numbered, chosen)[1]
    first, second = numbered.super_regions
    swapped = dataclasses.replace(
        numbered,
        super_regions=(
            dataclasses.replace(first, name=second.name),
            dataclasses.replace(second, name=first.name),
        ),
    )
    assert "names of super regions" in written_as(swapped, chosen)[1]
    names = [region.name for region in numbered.regions]
    moved = dataclasses.replace(
        numbered,
        regions=tuple(
            dataclasses.replace(region, name=names[other])
            for region, other in zip(numbered.regions, (1, 0, 2, 3), strict=True)
        ),
    )
    lost = written_as(moved, chosen)[1]
    assert "names of regions" in lost and "the order of the regions" not in lost
