"""Rules in the forms that users write: presets, and tables of fields."""

from __future__ import annotations

import dataclasses
import random
from pathlib import Path

from fuzz import mutate, small_maps, values
from fuzz.target import Data, Target, expect, refused
from warlight_env.engine.rules import PRESETS, Rules, RulesError
from warlight_env.errors import InputError
from warlight_env.game import Game
from warlight_env.maps import MapError

MAPS = {m.name: m for m in (small_maps.RING, small_maps.LONELY, small_maps.STAR, small_maps.ladder_map(6))}


class RulesTarget(Target):
    """``(map, players, rules)``: arguments of `Rules.of` and `Game`."""

    share = 60

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._seeds = [rules.to_dict() for rules in PRESETS.values()]
        self._choices = {
            f.name: [getattr(rules, f.name) for rules in PRESETS.values()]
            for f in dataclasses.fields(Rules)
            if f.name != "name"
        }

    def make(self, rng: random.Random) -> Data:
        players = rng.choice((2, 2, 3, 6)) if rng.random() < 0.95 else values.anything(rng)
        name = rng.choice(list(MAPS))
        draw = rng.random()
        if draw < 0.03:
            return (name, players, values.anything(rng))
        table = dict(rng.choice(self._seeds))
        for field in rng.sample(list(self._choices), rng.choice((0, 1, 2, 6))):
            table[field] = rng.choice(self._choices[field])
        if draw < 0.5:
            for field in rng.sample(list(self._choices), rng.choice((1, 1, 2))):
                table[field] = values.number(rng) if rng.random() < 0.8 else rng.choice((0.25, 1 / 3, 0.999, 7))
        elif draw < 0.7:
            table = mutate.changed(table, rng)
        if isinstance(table, dict) and rng.random() < 0.1:
            table = {key: table[key] for key in rng.sample(list(table), rng.randint(0, len(table)))}
        return (name, players, table)

    def run(self, data: Data) -> bool:
        name, players, table = data
        try:
            rules = Rules.of(table)
        except RulesError as error:
            return refused(error, "rule")
        expect(Rules.of(rules.to_dict()) == rules, "rules that are others when they are read again")
        try:
            game = Game(MAPS[name], rules, players, 5, picks="random")
        except (RulesError, MapError) as error:
            return refused(error, "rules", "players", "map")
        except InputError as error:
            return refused(error)
        game.play_round([None] * game.players)
        expect(Game.from_dict(game.to_dict()) == game, "a game that is another when it is read again")
        return True


TARGET = RulesTarget
