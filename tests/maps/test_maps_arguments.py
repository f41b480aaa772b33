"""Map functions and constructors reject arguments of wrong types, and accept values from JSON and NumPy."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from warlight_env import maps
from warlight_env.maps import MapError, Region, Shape, StartingSetup, SuperRegion

SMALL = maps.load("small")
HUGE = 10**5000


class Failing(dict[str, Any]):
    """A dict with an `items` method that raises an error."""

    def items(self) -> Any:
        raise KeyError("items")


@pytest.mark.parametrize("text", [None, 3, [], b"x", HUGE], ids=["None", "3", "list", "bytes", "huge"])
@pytest.mark.parametrize("read", [maps.from_json, maps.from_xml, maps.from_challenge_json, maps.from_setup_lines])
def test_text_readers_refuse_other_types(read, text):
    with pytest.raises(MapError, match=r"text = .*: must be a string"):
        read(text)
    with pytest.raises(MapError, match=r"place = .*: must be a string"):
        read("", text)


@pytest.mark.parametrize("map_", [None, 3, {}, HUGE], ids=["None", "3", "dict", "huge"])
@pytest.mark.parametrize("write", [maps.dumps, maps.to_dict, lambda map_: maps.save(map_, "x.json")])
def test_writers_refuse_values_that_are_no_map(write, map_, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(MapError, match=r"m = .*: must be a Map"):
        write(map_)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", [None, 3, b"small", HUGE, 2.5], ids=["None", "3", "bytes", "huge", "2.5"])
@pytest.mark.parametrize("load", [maps.load, maps.read, maps.check])
def test_names_of_other_types_are_refused(load, name):
    with pytest.raises(MapError, match=r"map = .*: must be the name of a bundled map or the path of a file"):
        load(name)


@pytest.mark.parametrize("key", ["format", "version", "name", "title", "borders", "regions", "super_regions", "setup"])
@pytest.mark.parametrize(
    "value", [HUGE, np.array([1, 2]), np.int64(1), b"x", {1: 2}, Failing(a=1), [[object()]]],
    ids=["huge", "array", "int64", "bytes", "keys", "failing", "object"],
)  # fmt: skip
def test_plain_data_of_other_types_is_refused(key, value):
    with pytest.raises(MapError, match=r"map: "):
        maps.from_dict({**SMALL.to_dict(), key: value})


def test_data_nested_in_itself_is_refused():
    data = SMALL.to_dict()
    data["title"] = data
    with pytest.raises(MapError, match="nested too deeply"):
        maps.from_dict(data)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"name": 3}, "name = 3: must be a string"),
        ({"regions": HUGE}, "regions: an integer has too many digits"),
        ({"seed": HUGE}, "seed: an integer has too many digits"),
        ({"super_regions": b"x"}, "super_regions = b'x': must be an integer"),
    ],
)
def test_generator_arguments_of_wrong_types_are_refused(arguments, reason):
    with pytest.raises(MapError, match=reason):
        maps.generate(**{"regions": 10, "seed": 1, **arguments})


PARTS: dict[str, tuple[dict[str, Any], str]] = {
    "border": ({"borders": ((0.5, 1),)}, r"borders\[0\]\[0\] = 0.5: must be an integer"),
    "long border": ({"borders": ((0, 1, 2),)}, r"borders\[0\] = .*: must be of length 2"),
    "regions": ({"regions": "abc"}, "regions = 'abc': must be a list or a tuple"),
    "region": ({"regions": (3,)}, r"regions\[0\] = 3: must be a Region"),
    "setup": ({"setup": 3}, "setup = 3: must be a StartingSetup"),
    "wastelands": ({"setup": StartingSetup(wastelands=3)}, "setup: wastelands = 3: must be a list"),  # type: ignore[arg-type]
    "name": ({"name": 3}, "name = 3: must be a string"),
    "title": ({"title": None}, "title = None: must be a string"),
    "super region": ({"super_regions": (SuperRegion(b"x", 1),)}, r"super_regions\[0\]: name = b'x'"),  # type: ignore[arg-type]
    "home": ({"regions": (Region("A", "A", 0.0),)}, r"regions\[0\]: super_region = 0.0"),  # type: ignore[arg-type]
    "army": ({"regions": (Region("A", "A", 0, HUGE),)}, r"regions\[0\]: army: an integer has too many digits"),
    "shape": ({"regions": (Region("A", "A", 0, 2, Shape("", (0, "x"), 1)),)}, r"regions\[0\]: shape: label\[1\]"),  # type: ignore[arg-type]
    "view box": ({"view_box": (0, 0, True, 1)}, r"view_box\[2\] = True: must be a number"),
}


@pytest.mark.parametrize(("changes", "reason"), PARTS.values(), ids=PARTS)
def test_parts_of_other_types_are_refused(changes, reason):
    with pytest.raises(MapError, match=reason):
        dataclasses.replace(SMALL, **changes)


def test_lists_and_numpy_integers_are_converted():
    regions = [dataclasses.replace(r, super_region=np.int64(r.super_region)) for r in SMALL.regions]
    assert SMALL.view_box is not None
    converted = dataclasses.replace(
        SMALL,
        borders=[list(border) for border in SMALL.borders],  # type: ignore[arg-type]
        regions=regions,  # type: ignore[arg-type]
        view_box=[np.float64(x) for x in SMALL.view_box],  # type: ignore[arg-type]
        setup=StartingSetup([], 8, [0, np.int32(4)], 1),  # type: ignore[arg-type, list-item]
    )
    assert converted == dataclasses.replace(SMALL, setup=StartingSetup((), 8, (0, 4), 1))
    assert hash(converted) and maps.from_json(maps.dumps(converted)) == converted


@pytest.mark.parametrize("key", [None, HUGE, 2.5, True, -1, []], ids=["None", "huge", "2.5", "True", "-1", "list"])
def test_unknown_region_keys_are_refused(key):
    with pytest.raises(MapError, match=r"has no region .*: indices are 0 to"):
        SMALL.region_index(key)
