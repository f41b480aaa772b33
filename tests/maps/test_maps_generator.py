"""Generated maps: with any settings they are connected, planar, drawable and reproducible."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from warlight_env import maps

Side = tuple[tuple[float, float], tuple[float, float]]


def shared_lengths(m: maps.Map) -> dict[tuple[int, int], float]:
    """Return the length of the shared outline for each pair of regions."""
    owners: dict[Side, list[int]] = {}
    for i, r in enumerate(m.regions):
        assert r.shape is not None
        for ring in r.shape.rings:
            for p, q in zip(ring, ring[1:] + ring[:1], strict=True):
                owners.setdefault((min(p, q), max(p, q)), []).append(i)
    lengths: dict[tuple[int, int], float] = {}
    for ((ax, ay), (bx, by)), regions in owners.items():
        assert len(regions) <= 2
        if len(regions) == 2 and regions[0] != regions[1]:
            pair = (min(regions), max(regions))
            lengths[pair] = lengths.get(pair, 0) + ((ax - bx) ** 2 + (ay - by) ** 2) ** 0.5
    return lengths


def connected(members: tuple[int, ...], m: maps.Map) -> bool:
    seen = [members[0]]
    for a in seen:
        seen += [b for b in m.neighbors[a] if b in members and b not in seen]
    return len(seen) == len(members)


@given(regions=st.integers(3, 30), share=st.floats(0, 1), seed=st.integers(0, 2**64))
@settings(max_examples=3, deadline=None)
def test_generated_maps_are_valid(regions: int, share: float, seed: int) -> None:
    groups = 1 + round(share * (regions - 1) / 2)
    m = maps.generate(regions, groups, seed=seed)
    assert (m.n_regions, m.n_super_regions) == (regions, groups)
    assert connected(tuple(range(regions)), m)
    assert len(m.borders) <= 3 * regions - 6, "a planar graph has at most 3 n - 6 edges"
    assert all(connected(members, m) for members in m.members)
    assert all(1 <= s.bonus <= 1000 for s in m.super_regions)
    lengths = shared_lengths(m)
    assert set(lengths) == set(m.borders), "a border is a shared line, and every shared line a border"
    assert min(lengths.values()) > 3, "and long enough to be seen"
    for r in m.regions:
        assert r.shape is not None and r.shape.radius > 8
        assert re.fullmatch("[A-Z][a-z]{3,10}", r.name) and re.fullmatch("[A-Z][A-Z0-9]{1,3}", r.code)
    assert maps.from_dict(m.to_dict()) == m


def test_the_same_arguments_give_the_same_map() -> None:
    a, b = maps.generate(30, seed=5), maps.generate(30, 5, seed=5)
    assert a == b and maps.dumps(a) == maps.dumps(b), "5 super regions are the default for 30"
    small, again, other = (maps.generate(8, seed=seed) for seed in (5, 5, 6))
    assert small == again and small.digest() != other.digest()


def test_a_seed_gives_the_same_map_on_every_machine() -> None:
    m = maps.generate(12, seed=2026)
    assert m.digest() == "e2ed230857c773d05c2ccd499e338021e79c455d8a7e50561dc5b282f3e31f1d"
    assert m.regions[0].name == "Soding"


@pytest.mark.parametrize("regions", [3, 4, 60, pytest.param(400, marks=pytest.mark.slow)])
def test_maps_of_extreme_sizes_are_generated(regions: int) -> None:
    m = maps.generate(regions, seed=1)
    assert m.n_regions == regions and m.drawable
    assert len({r.code for r in m.regions}) == regions


def test_super_regions_have_moderate_sizes() -> None:
    for seed in range(2):
        m = maps.generate(42, seed=seed)
        assert m.n_super_regions == 6
        assert all(2 <= len(members) <= 14 for members in m.members)


def test_the_bonus_formula_matches_five_of_six_bonuses_of_the_world_map() -> None:
    from warlight_env.maps.generator import _bonus

    w = maps.load("world")
    bonuses = [_bonus(k, w.super_region_of, w.neighbors) for k in range(6)]
    assert sum(a == b for a, b in zip(bonuses, w.bonuses, strict=True)) == 5


def test_the_name_can_be_chosen() -> None:
    assert maps.generate(3, seed=1, name="tiny").name == "tiny"
    assert maps.generate(3, seed=1).name == "generated-3-2-1"


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"regions": 2}, r"regions = 2: must lie in 3 \.\. 400"),
        ({"regions": 401}, r"regions = 401: must lie in 3 \.\. 400"),
        ({"regions": 7.5}, "regions = 7.5: must be an integer"),
        ({"regions": True}, "regions = True: must be an integer"),
        ({"regions": 10, "super_regions": 11}, r"super_regions = 11: must lie in 1 \.\. 10"),
        ({"regions": 10, "super_regions": 0}, r"super_regions = 0: must lie in 1 \.\. 10"),
        ({"seed": -1}, r"seed = -1: must lie in 0 \.\. 9{38}"),
        ({"seed": "x"}, "seed = 'x': must be an integer"),
        ({"regions": 3, "name": "No Spaces"}, "name 'No Spaces'"),
    ],
)
def test_invalid_arguments_are_refused(arguments: dict[str, object], reason: str) -> None:
    with pytest.raises(maps.MapError, match=reason):
        maps.generate(**({"seed": 1} | arguments))  # type: ignore[arg-type]
