"""Maps over the server's HTTP interface: opened, checked during drawing, stored, listed, played, removed."""

from __future__ import annotations

import copy
import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest
from map_helpers import row

from warlight_env import Game, maps
from warlight_env.engine.rules import RulesError
from warlight_env.maps import Map
from web_helpers import Server, needs_page, serving

pytestmark = needs_page

XML = """<Map><SuperRegions><SuperRegion Name="All" Bonus="3">
<Region Name="Ash"><Neighbours><Region Name="Birch"/></Neighbours></Region>
<Region Name="Birch"><Neighbours><Region Name="Ash"/><Region Name="Cedar"/></Neighbours></Region>
<Region Name="Cedar"><Neighbours><Region Name="Birch"/></Neighbours></Region></SuperRegion></SuperRegions></Map>"""


def open_map(server: Server, name: str) -> dict[str, Any]:
    """Return a map in the form that the page's editor uses."""
    form: dict[str, Any] = server.client().get(f"maps/{name}").json()
    form.pop("points")
    return form


@pytest.mark.parametrize("name", [*maps.names(), "generated:12:7"])
def test_a_map_is_unchanged_after_opening_and_saving(server: Server, name: str):
    text = server.client().post("maps/file", json=open_map(server, name)).json()["text"]
    assert maps.from_json(text) == maps.load(name)
    assert text == maps.dumps(maps.load(name))


def test_other_formats_are_read_and_maps_without_shapes_get_points(server: Server, tmp_path: Path):
    client = server.client()
    form = client.post("maps/read", params={"name": "My map.xml"}, content=XML.encode()).json()
    assert [region["shape"] for region in form["regions"]] == [None] * 3
    assert len(form["points"]) == 3
    del form["points"]
    text = client.post("maps/file", json=form).json()["text"]
    (tmp_path / "My map.xml").write_text(XML)
    assert maps.from_json(text) == maps.load(tmp_path / "My map.xml")
    native = client.post("maps/read", params={"name": "small.json"}, content=maps.dumps(maps.load("small")).encode())
    assert {**native.json(), "points": None} == {**open_map(server, "small"), "points": None}
    for name, body in (("a.xml", b"<Map>"), ("a.json", b"{"), ("a.png", b"x"), ("a.json", b'{"format": 1}')):
        refused = client.post("maps/read", params={"name": name}, content=body)
        assert refused.status_code == 422
        assert "/tmp" not in refused.json()["error"]


def test_a_starting_setup_is_saved_and_checked(server: Server):
    client = server.client()
    setup = maps.StartingSetup(wastelands=(3,), wasteland_army=8, offered=(0, 1, 4, 5), picks=2)
    map_ = dataclasses.replace(maps.load("small"), setup=setup)
    form = client.post("maps/read", params={"name": "isle"}, content=maps.dumps(map_).encode()).json()
    del form["points"]
    assert client.post("maps/file", json=form).json()["text"] == maps.dumps(map_)
    assert client.post("maps/check", json=form).json()["players"]["thesis"] == 2, "two picks each of four regions"
    form["setup"]["offered"] = [0, 3]
    (problem,) = client.post("maps/check", json=form).json()["problems"]
    assert (problem["code"], problem["indices"]) == ("setup-wasteland-offered", [3])


def test_each_problem_names_the_part_of_the_map_that_it_concerns(server: Server):
    client, form = server.client(), open_map(server, "small")
    good = client.post("maps/check", json=form).json()
    assert good["problems"] == good["remarks"] == []
    most = good["players"]["thesis"]
    assert Game("small", "thesis", most).players == most
    with pytest.raises(RulesError):
        Game("small", "thesis", most + 1)
    bad = copy.deepcopy(form)
    bad["regions"][3]["name"] = bad["regions"][0]["name"]
    bad["regions"][4]["army"] = None
    bad["super_regions"][1]["bonus"] = 2.5
    bad["borders"] = [pair for pair in bad["borders"] if 9 not in pair]
    bad["sea_links"] = [link for link in bad["sea_links"] if 9 not in link["regions"]]
    problems = {
        (p["code"], p["part"], *p["indices"], p["entry"])
        for p in client.post("maps/check", json=bad).json()["problems"]
    }
    assert problems == {
        ("name-repeated", "region", 3, "name"),
        ("army", "region", 4, "army"),
        ("bonus", "super_region", 1, "bonus"),
        ("not-connected", "region", 9, ""),
    }
    odd = copy.deepcopy(form)
    odd["borders"].remove([0, 1])
    result = client.post("maps/check", json=odd).json()
    assert result["problems"] == []
    assert [(r["code"], r["indices"]) for r in result["remarks"]] == [("side-without-border", [0, 1])]
    tiny = {
        **form,
        "regions": form["regions"][:1],
        "borders": [],
        "sea_links": [],
        "super_regions": [form["super_regions"][0]],
    }
    assert client.post("maps/check", json=tiny).json()["players"] == dict.fromkeys(good["players"], 0)
    for nonsense in ({}, [], {**form, "borders": [[0, "x"]]}, {**form, "more": 1}):
        assert client.post("maps/check", json=nonsense).status_code == 422


def test_a_map_can_be_saved_listed_played_replaced_and_removed(tmp_path: Path):
    with serving(tmp_path, "play", "--vs", "aggressive", "--map", "small") as server:
        client = server.client()
        form = {**open_map(server, "small"), "name": "isle", "title": "My isle"}
        assert client.post("maps", json=form).json() == {"name": "isle", "title": "My isle", "regions": 10}
        user_maps = [entry for entry in client.get("home").json()["maps"] if entry.get("own")]
        assert user_maps == [{"name": "isle", "title": "My isle", "regions": 10, "own": True}]
        created = client.post(
            "games", json={"players": [{"name": "Ann"}, {"bot": "random"}], "map": "isle", "picks": "random"}
        ).json()
        form["super_regions"][0]["bonus"] = 9
        refused = client.post("maps", json=form)  # the server treats it as a new map
        assert (refused.status_code, refused.json()["code"]) == (409, "map-there")
        assert open_map(server, "isle")["super_regions"][0]["bonus"] == 2
        answer = client.post("maps", params={"replaces": "isle"}, json=form)
        assert answer.status_code == 200  # replaces the map; the game keeps the old one
        assert (
            server.client(created["tokens"]["0"]).get(f"games/{created['id']}").json()["map"]["supers"][0]["bonus"] == 2
        )
        assert open_map(server, "isle")["super_regions"][0]["bonus"] == 9
        assert maps.load(tmp_path / "maps" / "isle.json").super_regions[0].bonus == 9
    with serving(tmp_path, "play", "--vs", "aggressive", "--map", "small") as again:
        client = again.client()
        assert [entry["name"] for entry in client.get("home").json()["maps"] if entry.get("own")] == ["isle"]
        (tmp_path / "maps" / "broken.json").write_text("{")
        assert [entry["name"] for entry in client.get("home").json()["maps"] if entry.get("own")] == ["isle"]
        assert client.post("maps/isle/remove", json={}).status_code == 200
        assert client.get("maps/isle").status_code == 404
        assert not any(entry.get("own") for entry in client.get("home").json()["maps"])
        game = {"players": [{"name": "Ann"}, {"bot": "random"}], "map": "isle"}
        assert client.post("games", json=game).json()["code"] == "no-map"
        resumed = again.client(created["tokens"]["0"]).get(f"games/{created['id']}")
        assert resumed.json()["map"]["name"] == "isle"


def test_reserved_names_and_paths_are_rejected(server: Server):
    client, form = server.client(), open_map(server, "small")
    for name, status in (("small", 409), ("generated", 409), ("../up", 422), ("", 422)):
        assert client.post("maps", json={**form, "name": name}).status_code == status
    assert client.get("maps/..%2Fserver").status_code == 404
    assert client.post("maps/..%2Fsmall/remove", json={}).status_code == 404
    assert client.get("maps/nowhere").json()["code"] == "no-map"


@pytest.mark.slow
def test_a_large_map_is_accepted_and_a_huge_body_is_rejected(server: Server):
    client = server.client()
    map_ = maps.generate(400, seed=1)
    form = client.post("maps/read", params={"name": "large.json"}, content=maps.dumps(map_).encode()).json()
    del form["points"]
    assert client.post("maps/check", json=form).json()["problems"] == []
    assert client.post("maps/check", content=b"[" + b"0," * 5_000_000 + b"0]").status_code == 413


def test_a_map_file_contains_the_parts_of_the_request(server: Server):
    parts = row()
    form = {
        "name": "row", "title": "", "description": "", "source": "",
        "super_regions": [{"name": s.name, "bonus": s.bonus} for s in parts.super_regions],
        "regions": [
            {"name": r.name, "code": r.code, "super_region": r.super_region, "army": r.army,
             "shape": {"path": r.shape.path, "label": r.shape.label, "radius": r.shape.radius}}
            for r in parts.regions
        ],
        "borders": parts.borders, "view_box": parts.view_box, "sea_links": [],
    }  # fmt: skip
    text = server.client().post("maps/file", content=json.dumps(form)).json()["text"]
    map_ = maps.from_json(text)
    assert isinstance(map_, Map)
    assert (map_.regions, map_.borders, map_.view_box) == (parts.regions, parts.borders, parts.view_box)
