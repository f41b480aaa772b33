"""The bundled maps: known facts of the world map, and requirements for every bundled map."""

from __future__ import annotations

import json
import subprocess
import sys

import jsonschema  # type: ignore[import-untyped,unused-ignore]
import pytest

from warlight_env import maps

WORLD_CODES = (
    "AK NT GL AB ON QC UW UE CA VE PE BR AR IC GB SC UA WE NE SE NA EG EA CO SA MD "
    "UR SI YA KA IR KZ CN MN JP ME IN SM ID NG AW AE"
)


@pytest.fixture(scope="module")
def world() -> maps.Map:
    return maps.load("world")


def test_the_world_has_42_regions_in_6_super_regions_and_82_borders(world: maps.Map) -> None:
    assert (world.n_regions, world.n_super_regions, len(world.borders)) == (42, 6, 82)
    bonuses = {s.name: s.bonus for s in world.super_regions}
    assert bonuses == {
        "North America": 5,
        "South America": 2,
        "Europe": 5,
        "Africa": 3,
        "Asia": 7,
        "Australia": 2,
    }
    assert [len(m) for m in world.members] == [9, 4, 7, 6, 12, 4]
    assert world.starting_armies == (2,) * 42


def test_the_world_map_uses_the_region_numbers_of_the_competitions(world: maps.Map) -> None:
    assert " ".join(r.code for r in world.regions) == WORLD_CODES
    names = {1: "Alaska", 9: "Central America", 25: "South Africa", 26: "Madagascar", 42: "Eastern Australia"}
    assert {i: world.regions[i - 1].name for i in names} == names


def test_scandinavia_and_northern_europe_do_not_border(world: maps.Map) -> None:
    scandinavia, northern = world.region_index("Scandinavia"), world.region_index("Northern Europe")
    assert northern not in world.neighbors[scandinavia]
    assert [world.regions[i].name for i in world.neighbors[scandinavia]] == [
        "Iceland",
        "Great Britain",
        "Ukraine",
    ]


def test_alaska_and_kamchatka_are_linked_across_the_map_edge(world: maps.Map) -> None:
    assert len(world.sea_links) == 22
    across_the_edge = [(world.regions[s.a].code, world.regions[s.b].code) for s in world.sea_links if not s.line]
    assert across_the_edge == [("AK", "KA")]


def test_the_world_credits_its_source(world: maps.Map) -> None:
    assert "Natural Earth" in world.source and "public domain" in world.source


@pytest.mark.parametrize("name", maps.names())
def test_bundled_maps_are_valid_and_drawable(name: str) -> None:
    text = (maps.loader.DATA / f"{name}.json").read_text(encoding="utf-8")
    jsonschema.Draft202012Validator(maps.schema()).validate(json.loads(text))
    m = maps.load(name)
    assert m.name == name and m.title and m.description and m.source
    assert m.drawable and m.view_box is not None
    left, top, width, height = m.view_box
    for r in m.regions:
        assert r.shape is not None and r.shape.radius > 5, r.name
        for x, y in (p for ring in r.shape.rings for p in ring):
            assert left <= x <= left + width and top <= y <= top + height, r.name
        assert _inside(r.shape.label, r.shape.rings), r.name
    for a, b in m.borders:
        assert b in m.neighbors[a] and a in m.neighbors[b]
    assert maps.dumps(m) == text, "the file is what the writer writes"


@pytest.mark.parametrize("name", maps.names())
def test_borders_are_shared_outlines_or_sea_links_of_the_drawing(name: str) -> None:
    m = maps.load(name)
    sides: dict[tuple[tuple[float, float], ...], set[int]] = {}
    for i, r in enumerate(m.regions):
        assert r.shape is not None
        for ring in r.shape.rings:
            for p, q in zip(ring, ring[1:] + ring[:1], strict=True):
                sides.setdefault(tuple(sorted((p, q))), set()).add(i)
    drawn = {tuple(sorted(s)) for s in sides.values() if len(s) == 2}
    assert max(map(len, sides.values())) == 2
    assert drawn | {(s.a, s.b) for s in m.sea_links} == set(m.borders)


def test_the_small_and_the_large_map_have_the_expected_sizes() -> None:
    small, large = maps.load("small"), maps.load("large")
    assert small.n_regions == 10 and 3 <= small.n_super_regions <= 4
    assert large.n_regions >= 120 and large.n_super_regions >= 15
    assert maps.names() == ["large", "small", "world"]


def test_the_schema_is_a_valid_json_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(maps.schema())


def test_a_region_is_found_by_name_code_or_index(world: maps.Map) -> None:
    for key in ("North Africa", "north  africa", "NA", "na", 20):
        assert world.region_index(key) == 20
    with pytest.raises(maps.MapError, match=r"no region 'North Afrika' \(did you mean 'North Africa'\?\)"):
        world.region_index("North Afrika")
    for bad in (42, -1, True):
        with pytest.raises(maps.MapError, match="indices are 0 to 41"):
            world.region_index(bad)


def test_a_mistyped_map_name_gets_a_suggestion() -> None:
    with pytest.raises(
        maps.MapError, match=r"no map 'wrold' \(did you mean 'world'\?\); use a bundled map \(large, small"
    ):
        maps.load("wrold")


def test_the_digest_depends_on_the_rules_data_and_not_on_the_drawing(world: maps.Map) -> None:
    d = world.to_dict()
    d["title"] = "Another"
    del d["drawing"]
    for r in d["regions"]:
        del r["shape"]
    assert maps.from_dict(d).digest() == world.digest()
    for change in ({"borders": d["borders"][1:]}, {"super_regions": [{"name": "Asia", "bonus": 8}]}):
        changed = d | change
        if "super_regions" in change:
            changed["super_regions"] = [s | {"bonus": s["bonus"] + 1} for s in d["super_regions"]]
        assert maps.from_dict(changed).digest() != world.digest()


def test_loading_a_map_imports_no_heavy_libraries() -> None:
    heavy = "('numpy', 'shapely', 'jsonschema', 'defusedxml')"
    code = f"import sys; from warlight_env import maps; before = set({heavy}) & set(sys.modules)\n"
    code = "import sys, warlight_env; had = set(sys.modules)\n" + code.replace("import sys; ", "")
    code += f"maps.load('world'); print(sorted(set({heavy}) & (set(sys.modules) - had)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def _inside(point: tuple[float, float], rings: tuple[tuple[tuple[float, float], ...], ...]) -> bool:
    x, y = point
    inside = False
    for ring in rings:
        for (ax, ay), (bx, by) in zip(ring, ring[1:] + ring[:1], strict=True):
            if (ay > y) != (by > y) and x < (bx - ax) * (y - ay) / (by - ay) + ax:
                inside = not inside
    return inside
