"""Map files in every format."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

from fuzz import mutate, small_maps
from fuzz.target import Data, Target, expect, refused
from warlight_env import maps
from warlight_env.errors import InputError
from warlight_env.game import Game
from warlight_env.maps.convert import WRITTEN, written_as
from warlight_env.render import ShownPosition, to_svg

DRAWN: dict[str, Any] = {
    "format": "warlight-map", "version": 1, "name": "drawn", "title": "Drawn", "description": "", "source": "",
    "super_regions": [{"name": "West", "bonus": 1}, {"name": "East", "bonus": 2}],
    "regions": [
        {"name": "Ash", "code": "AS", "super_region": "West", "army": 3,
         "shape": {"label": [1, 1], "radius": 1, "path": "M0 0L2 0L2 2L0 2Z"}},
        {"name": "Birch", "code": "BI", "super_region": "East",
         "shape": {"label": [3.5, 1], "radius": 0.5, "path": "M3 0L4 0L4 2.5L3 2ZM5 5L6 5L6 6Z"}},
    ],
    "borders": [["Ash", "Birch"]],
    "drawing": {"view_box": [0, 0, 10, 10], "sea_links": [{"regions": ["Ash", "Birch"], "line": [[2, 1], [3, 1]]}]},
}  # fmt: skip
CHALLENGE = {
    "SuperRegions": [{"id": 1, "bonus": 5}, {"id": 2, "bonus": 0}],
    "Regions": [
        {"id": 1, "superRegion": 1, "neighbors": [2, 3]}, {"id": 2, "superRegion": 1, "neighbors": [1]},
        {"id": 3, "superRegion": 2, "neighbors": [4]}, {"id": 4, "superRegion": 2},
    ],
}  # fmt: skip
CELLS = {
    "Settings": {"gridSizeCells": {"x": 8, "y": 5}},
    "SuperRegions": [{"id": 1, "bonus": 5, "regions": [1, 2]}, {"id": 2, "bonus": "0", "regions": "3 4"}],
    "Regions": [
        {"id": 1, "neighbors": [2, 3], "cells": [{"x": 0, "y": 0}, {"x": 1, "y": 0}], "text": {"x": 1, "y": 0}},
        {"id": 2, "neighbors": "1,4", "cells": [[0, 1], [0, 2], [1, 2], [2, 2], [2, 1]], "text": [0, 1]},
        {"id": "3", "neighbors": [4], "cells": ["2 0", "3 0"], "text": "2.5 0.5"},
        {"id": 4, "neighbors": [], "cells": [{"x": 7, "y": 4}]},
    ],
}  # fmt: skip
SETUP = {"wastelands": ["Birch"], "wasteland_army": 8, "offered": ["Ash", "Cedar"], "picks": 1}
GROVE: dict[str, Any] = {
    "format": "warlight-map", "version": 1, "name": "grove",
    "super_regions": [{"name": "West", "bonus": 1}],
    "regions": [
        {"name": name, "code": name[:2].upper(), "super_region": "West"}
        for name in ("Ash", "Birch", "Cedar", "Dogwood")
    ],
    "borders": [["Ash", "Birch"], ["Birch", "Cedar"], ["Cedar", "Ash"], ["Cedar", "Dogwood"]],
    "setup": SETUP,
}  # fmt: skip
SETTINGS = {"wastelands": [2], "starting_regions": "1 3 4", "starting_pick_amount": 1}
LINES = b"setup_map super_regions 1 5 2 2\nsetup_map regions 1 1 2 1 3 2 4 2\nsetup_map neighbors 1 2,3 2 3 3 4\n"
STREAM = (
    b"settings timebank 10000\n" + LINES + b"setup_map wastelands 2 4\nsettings starting_regions 1 3\n"
    b"settings starting_pick_amount 1\nupdate_map 1 player1 2 2 neutral 10 4 neutral 10\ngo place_armies 10000\n"
)
FIRST = LINES + b"pick_starting_regions 2000 1 2 3 4\nupdate_map 1 player1 2\n"
XML = b"""<?xml version="1.0" encoding="utf-8"?>
<Map><SuperRegions><SuperRegion Name="Africa" Bonus="3"><Regions>
<Region Name="Egypt" Army="2"><Neighbours><Region Name="Congo"/></Neighbours></Region>
<Region Name="Congo"><Neighbours><Region Name="Egypt"/><Region Name="Brazil"/></Neighbours></Region></Regions>
</SuperRegion><SuperRegion Name="America" Bonus="1"><Region Name="Brazil" Army="9"><Neighbors><Region name="Congo"/>
</Neighbors></Region></SuperRegion></SuperRegions></Map>
"""
ENTITIES = b'<!DOCTYPE m [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><Map a="&b;"></Map>'


class Maps(Target):
    """``(name, content)`` of a file, or plain data for `from_dict`."""

    share = 50

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._plain = [DRAWN, DRAWN, GROVE, maps.to_dict(small_maps.RING), maps.to_dict(small_maps.ladder_map(5))]
        self._challenge = [CHALLENGE, CELLS, {**CHALLENGE, "Settings": SETTINGS}]
        small = maps.dumps(maps.load("small")).encode()
        self._files = {
            "native.json": [*(json.dumps(data, indent=1).encode() for data in self._plain), small],
            "challenge.json": [json.dumps(data, indent=1).encode() for data in self._challenge],
            "lines.txt": [LINES, STREAM, FIRST],
            "map.xml": [XML, XML, ENTITIES],
        }

    def make(self, rng: random.Random) -> Data:
        if rng.random() < 0.4:
            data = mutate.changed(rng.choice(self._plain), rng)
            return ("", data)
        name = rng.choice(list(self._files))
        if name == "challenge.json" and rng.random() < 0.5:
            return ("", mutate.changed(rng.choice(self._challenge), rng))
        seeds = self._files[name]
        damage = mutate.damaged_lines if rng.random() < 0.3 else mutate.damaged
        return (name, damage(rng.choice(seeds), rng, seeds))

    def run(self, data: Data) -> bool:
        name, content = data
        try:
            if name:
                path = self.folder / name
                path.write_bytes(content)
                map_ = maps.load(path)
            elif isinstance(content, dict) and "Regions" in content:
                map_ = maps.from_challenge_json(json.dumps(content), "challenge")
            else:
                map_ = maps.from_dict(content, "plain")
        except maps.MapError as error:
            return refused(error, name or "plain", "challenge")
        again = maps.from_json(maps.dumps(map_))
        expect(again == map_, "a map that is another when it is read again")
        expect(again.digest() == map_.digest(), "a map of another digest when it is read again")
        for form in WRITTEN:
            written_as(map_, form)
        for region in map_.regions:
            expect(map_.region_index(region.name) == map_.region_index(region.code), "a name that means another region")
        try:
            game = Game(map_, {"name": "thesis", "picks": 1}, 2, 1, picks="random")
        except InputError as error:
            return refused(error)
        game.play_round([None, None])
        to_svg(ShownPosition(map_, game.owner, game.army, 2, 1))
        return True


TARGET = Maps
