"""Maps and rules at the limits of the allowed values, for tests of code that must support all of them."""

from __future__ import annotations

import random

from helpers import PRESETS, make_map
from warlight_env.engine.rules import Rules, RulesError
from warlight_env.game import Game
from warlight_env.maps import Map

#: A map without bonuses, one with a super region for each region, a star, a chain, a complete graph, and two pairs.
#: Bonuses are 0 to 1000.
ODD_MAPS: tuple[Map, ...] = (
    make_map([0, 0, 1, 1, 2, 2], [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (0, 5)], [0, 0, 0], "poor"),
    make_map(list(range(8)), [(i, i + 1) for i in range(7)], [0, 3, 0, 1000, 0, 1, 0, 2], "singles"),
    make_map([0] + [1] * 11, [(0, i) for i in range(1, 12)], [5, 0], "star"),
    make_map([i // 6 for i in range(24)], [(i, i + 1) for i in range(23)], [0, 1, 2, 0], "chain"),
    make_map([0] * 7, [(a, b) for a in range(7) for b in range(a)], [0], "whole"),
    make_map([0, 0, 1, 1], [(0, 1), (1, 2), (2, 3)], [0, 1], "pairs"),
)
#: Changes of a preset.
ODD_RULES: tuple[dict[str, object], ...] = (
    {"base_income": 0},
    {"base_income": 0, "max_orders": 1},
    {"base_income": 1, "attack_kill": 0.0},
    {"base_income": 1, "defense_kill": 0.0, "luck": 0.0},
    {"base_income": 1_000_000},
    {"base_income": 1, "attack_kill": 1e-9},
    {"base_income": 3, "fog": True, "max_orders": 2, "repeated_attack": "illegal"},
    {"base_income": 0, "attack_kill": 1.0, "defense_kill": 1.0, "rounding": "stochastic", "luck": 0.5},
)


def odd_game(number: int) -> Game:
    """Return game `number`: a random map, preset, change of rules, number of players and way to pick."""
    rng = random.Random(number)
    while True:
        map_, players = rng.choice(ODD_MAPS), rng.choice((2, 2, 3, 4, 5, 6))
        picks = {"picks": rng.choice((1, 1, 2)), "offers_per_super_region": 0, "wastelands": rng.choice((0.0, 0.5))}
        try:
            rules = Rules.of(rng.choice(PRESETS), **picks, **rng.choice(ODD_RULES))
            return Game(map_, rules, players, seed=number, picks=rng.choice(("play", "random")))
        except RulesError:  # the map is too small for so many players
            continue


__all__ = ["ODD_MAPS", "ODD_RULES", "odd_game"]
