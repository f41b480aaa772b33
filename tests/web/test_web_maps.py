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


def opened(server: Server, name: str) -> dict[str, Any]:
    """A map as the page has it to draw on."""
    form: dict[str, Any] = server.client().get(f"maps/{name}").json()
    form.pop("points")
    return form


@pytest.mark.parametrize("name", [*maps.names(), "generated:12:7"])
def test_a_map_that_is_opened_and_written_is_the_same(server: Server, name: str):
    text = server.client().post("maps/file", json=opened(server, name)).json()["text"]
    assert maps.from_json(text) == maps.load(name)
    assert text == maps.dumps(maps.load(name))


def test_other_forms_are_read_and_undrawn_maps_get_places(server: Server, tmp_path: Path):
    client = server.client()
    found = client.post("maps/read", params={"name": "My map.xml"}, content=XML.encode()).json()
    assert [region["shape"] for region in found["regions"]] == [None] * 3
    assert len(found["points"]) == 3
    del found["points"]
    text = client.post("maps/file", json=found).json()["text"]
    (tmp_path / "My map.xml").write_text(XML)
    assert maps.from_json(text) == maps.load(tmp_path / "My map.xml")
    native = client.post("maps/read", params={"name": "small.json"}, content=maps.dumps(maps.load("small")).encode())
    assert {**native.json(), "points": None} == {**opened(server, "small"), "points": None}
    for name, body in (("a.xml", b"<Map>"), ("a.json", b"{"), ("a.png", b"x"), ("a.json", b'{"format": 1}')):
        refused = client.post("maps/read", params={"name": name}, content=body)
        assert refused.status_code == 422
        assert "/tmp" not in refused.json()["error"]


def test_a_starting_setup_is_kept_and_checked(server: Server):
    client = server.client()
    setup = maps.StartingSetup(wastelands=(3,), wasteland_army=8, offered=(0, 1, 4, 5), picks=2)
    map_ = dataclasses.replace(maps.load("small"), setup=setup)
    found = client.post("maps/read", params={"name": "isle"}, content=maps.dumps(map_).encode()).json()
    del found["points"]
    assert client.post("maps/file", json=found).json()["text"] == maps.dumps(map_)
    assert client.post("maps/check", json=found).json()["players"]["thesis"] == 2, "two picks each of four regions"
    found["setup"]["offered"] = [0, 3]
    (problem,) = client.post("maps/check", json=found).json()["problems"]
    assert (problem["code"], problem["indices"]) == ("setup-wasteland-offered", [3])


def test_all_problems_come_with_what_they_concern(server: Server):
    client, form = server.client(), opened(server, "small")
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
    found = {
        (p["code"], p["part"], *p["indices"], p["entry"])
        for p in client.post("maps/check", json=bad).json()["problems"]
    }
    assert found == {
        ("name-repeated", "region", 3, "name"),
        ("army", "region", 4, "army"),
        ("bonus", "super_region", 1, "bonus"),
        ("not-connected", "region", 9, ""),
    }
    odd = copy.deepcopy(form)
    odd["borders"].remove([0, 1])
    told = client.post("maps/check", json=odd).json()
    assert told["problems"] == []
    assert [(r["code"], r["indices"]) for r in told["remarks"]] == [("side-without-border", [0, 1])]
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


def test_a_map_is_kept_listed_played_on_and_removed(tmp_path: Path):
    with serving(tmp_path, "play", "--vs", "aggressive", "--map", "small") as server:
        client = server.client()
        form = {**opened(server, "small"), "name": "isle", "title": "My isle"}
        assert client.post("maps", json=form).json() == {"name": "isle", "title": "My isle", "regions": 10}
        own = [shown for shown in client.get("home").json()["maps"] if shown.get("own")]
        assert own == [{"name": "isle", "title": "My isle", "regions": 10, "own": True}]
        made = client.post(
            "games", json={"players": [{"name": "Ann"}, {"bot": "random"}], "map": "isle", "picks": "random"}
        ).json()
        form["super_regions"][0]["bonus"] = 9
        refused = client.post("maps", json=form)  # another one, as far as the server knows
        assert (refused.status_code, refused.json()["code"]) == (409, "map-there")
        assert opened(server, "isle")["super_regions"][0]["bonus"] == 2
        kept = client.post("maps", params={"replaces": "isle"}, json=form)
        assert kept.status_code == 200  # in its place; the game stays on the old one
        assert server.client(made["tokens"]["0"]).get(f"games/{made['id']}").json()["map"]["supers"][0]["bonus"] == 2
        assert opened(server, "isle")["super_regions"][0]["bonus"] == 9
        assert maps.load(tmp_path / "maps" / "isle.json").super_regions[0].bonus == 9
    with serving(tmp_path, "play", "--vs", "aggressive", "--map", "small") as again:
        client = again.client()
        assert [shown["name"] for shown in client.get("home").json()["maps"] if shown.get("own")] == ["isle"]
        (tmp_path / "maps" / "broken.json").write_text("{")
        assert [shown["name"] for shown in client.get("home").json()["maps"] if shown.get("own")] == ["isle"]
        assert client.post("maps/isle/remove", json={}).status_code == 200
        assert client.get("maps/isle").status_code == 404
        assert not any(shown.get("own") for shown in client.get("home").json()["maps"])
        game = {"players": [{"name": "Ann"}, {"bot": "random"}], "map": "isle"}
        assert client.post("games", json=game).json()["code"] == "no-map"
        resumed = again.client(made["tokens"]["0"]).get(f"games/{made['id']}")
        assert resumed.json()["map"]["name"] == "isle"


def test_names_of_others_and_paths_are_refused(server: Server):
    client, form = server.client(), opened(server, "small")
    for name, status in (("small", 409), ("generated", 409), ("../up", 422), ("", 422)):
        assert client.post("maps", json={**form, "name": name}).status_code == status
    assert client.get("maps/..%2Fserver").status_code == 404
    assert client.post("maps/..%2Fsmall/remove", json={}).status_code == 404
    assert client.get("maps/nowhere").json()["code"] == "no-map"


@pytest.mark.slow
def test_a_large_map_is_taken_and_a_huge_body_is_not(server: Server):
    client = server.client()
    whole = maps.generate(400, seed=1)
    read = client.post("maps/read", params={"name": "large.json"}, content=maps.dumps(whole).encode()).json()
    del read["points"]
    assert client.post("maps/check", json=read).json()["problems"] == []
    assert client.post("maps/check", content=b"[" + b"0," * 5_000_000 + b"0]").status_code == 413


def test_the_parts_that_are_sent_are_those_of_a_map(server: Server):
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
    made = maps.from_json(text)
    assert isinstance(made, Map)
    assert (made.regions, made.borders, made.view_box) == (parts.regions, parts.borders, parts.view_box)
