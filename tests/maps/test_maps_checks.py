"""Map checks report all problems of a map with their places, and warnings about its drawing."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st
from map_helpers import row, square

from warlight_env import maps
from warlight_env.maps import Map, MapError, Region, SeaLink, Shape, SuperRegion
from warlight_env.maps.checks import problems
from warlight_env.maps.drawing_checks import remarks
from warlight_env.maps.parts import MapParts


def test_all_problems_are_reported_with_the_parts_concerned():
    good = row()
    regions = list(good.regions)
    regions[0] = dataclasses.replace(regions[0], name="", army=0)
    regions[1] = dataclasses.replace(regions[1], code="b!", super_region=-1)
    regions[3] = dataclasses.replace(regions[3], name="cedar", shape=None)
    supers = (SuperRegion("West", 1001), SuperRegion("west", 2), SuperRegion("Far", 0))
    bad = row(name="A row", super_regions=supers, regions=tuple(regions), borders=((0, 1), (1, 1), (1, 9)))
    reported = {(p.code, p.part, p.indices, p.entry) for p in problems(bad)}
    assert reported == {
        ("map-name", "map", (), "name"),
        ("no-super-region", "region", (1,), "super_region"),
        ("bonus", "super_region", (0,), "bonus"),
        ("name-repeated", "super_region", (1,), "name"),
        ("no-members", "super_region", (2,), ""),
        ("name-empty", "region", (0,), "name"),
        ("army", "region", (0,), "army"),
        ("code", "region", (1,), "code"),
        ("name-repeated", "region", (3,), "name"),
        ("border-self", "border", (1, 1), ""),
        ("border-unknown", "border", (1, 9), ""),
        ("border-order", "map", (), ""),
        ("not-connected", "region", (2, 3), ""),
        ("no-shape", "region", (3,), "shape"),
    }
    empty = MapParts("empty", "", "", "", (), (), ())
    assert [p.code for p in problems(empty)] == ["no-regions"]


@st.composite
def odd_parts(draw: st.DrawFn) -> MapParts:
    """Generate map parts with a few errors."""
    names = st.sampled_from(["Ash", "Birch", "", "ash", "Cedar ", "Elm"])
    size = draw(st.integers(0, 4))
    regions = tuple(
        Region(
            draw(names), draw(st.sampled_from(["AS", "BI", "CE", "a", "DO"])), draw(st.integers(-1, 2)),
            draw(st.sampled_from([2, 0, 10_001])), draw(st.sampled_from([None, square(10 * k), square(900)])),  # type: ignore[arg-type]
        )
        for k in range(size)
    )  # fmt: skip
    supers = tuple(SuperRegion(draw(names), draw(st.sampled_from([1, -1]))) for _ in range(draw(st.integers(0, 2))))
    pairs = st.tuples(st.integers(-1, 4), st.integers(-1, 4))
    borders = tuple(draw(st.lists(pairs, max_size=5)))
    links = tuple(SeaLink(a, b) for a, b in draw(st.lists(pairs, max_size=2)))
    box = draw(st.sampled_from([None, (0.0, 0.0, 40.0, 10.0), (0.0, 0.0, 1.0, 900.0)]))
    return MapParts(draw(st.sampled_from(["row", "A"])), "", "", "", supers, regions, borders, box, links)


@given(odd_parts())
def test_a_map_can_be_built_exactly_when_its_parts_have_no_problems(parts: MapParts):
    reported = list(problems(parts))
    fields = {field.name: getattr(parts, field.name) for field in dataclasses.fields(parts)}
    if reported:
        with pytest.raises(MapError) as refused:
            Map(**fields)
        assert str(refused.value) == reported[0].message
    else:
        assert Map(**fields).n_regions == len(parts.regions)
    for problem in reported:
        most = {"region": len(parts.regions), "super_region": len(parts.super_regions)}.get(problem.part)
        assert most is None or all(0 <= index < most for index in problem.indices)


def test_remarks_report_oddities_of_a_drawing():
    assert list(problems(row())) == list(remarks(row())) == []
    regions = list(row().regions)
    crossed = Shape("M0 0L10 10L10 0L0 10Z", (90.0, 5.0), 1.0)
    regions[0] = dataclasses.replace(regions[0], shape=crossed)
    regions[3] = dataclasses.replace(regions[3], shape=square(25))
    odd = row(regions=tuple(regions), borders=((0, 1), (0, 2), (2, 3)), view_box=(0.0, 0.0, 100.0, 10.0))
    assert list(problems(odd)) == []
    assert {(r.code, r.indices) for r in remarks(odd)} == {
        ("outline-crosses", (0,)),
        ("label-outside", (0,)),
        ("overlap", (2, 3)),
        ("side-without-border", (1, 2)),
        ("border-without-side", (0, 2)),
    }


@pytest.mark.parametrize("name", [*maps.names(), "generated:30:1", "generated:60:2"])
def test_drawings_of_bundled_and_generated_maps_have_no_remarks(name: str):
    assert list(remarks(maps.load(name))) == []
