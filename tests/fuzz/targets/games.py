"""Saved games."""

from __future__ import annotations

import json
import random
from pathlib import Path

from fuzz import mutate, small_maps
from fuzz.target import Data, Target, expect, refused
from warlight_env.engine.rules import PRESETS
from warlight_env.errors import InputError
from warlight_env.game import Game


class Games(Target):
    """The data that `Game.from_dict` reads."""

    share = 60

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._seeds = []
        for rules in PRESETS:
            for map_ in ("small", small_maps.RING) if rules == "thesis" else ("small",):
                game = Game(map_, {"name": rules, "picks": 1}, 2, seed=3)
                self._seeds.append(game.to_dict())
                while game.phase == "pick":
                    game.pick(on_illegal="skip")
                self._seeds.append(game.to_dict())
                for _ in range(3):
                    game.play_round([None, None])
                self._seeds.append(game.to_dict())
        self._seeds = json.loads(json.dumps(self._seeds))

    def make(self, rng: random.Random) -> Data:
        saved = dict(rng.choice(self._seeds))
        if rng.random() < 0.9:
            saved.pop("hash")
        draw = rng.random()
        if draw < 0.6:
            saved["state"] = mutate.changed(saved["state"], rng)
        elif draw < 0.7:
            saved["state"] = rng.choice(self._seeds)["state"]
        elif draw < 0.8:
            saved["rules"] = mutate.changed(saved["rules"], rng)
        else:
            saved = mutate.changed(saved, rng)
        return saved

    def run(self, data: Data) -> bool:
        try:
            game = Game.from_dict(data)
        except InputError as error:
            return refused(error)
        again = Game.from_dict(game.to_dict())
        expect(again == game, "a game that is another when it is read again")
        for _ in range(3):
            if game.phase == "pick":
                game.pick(on_illegal="skip")
            elif game.phase == "play":
                game.play_round([None] * game.players)
            game.view(game.players - 1)
            expect(game.army.min() >= 1 and game.owner.max() < game.players, "a position that cannot be")
            assert len(game.placements) == game.players
        return True


TARGET = Games
