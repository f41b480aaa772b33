"""Small, unusual maps for fast games."""

from __future__ import annotations

from typing import Any

from helpers import RING, make_map
from warlight_env.engine.rules import Rules
from warlight_env.game import Game
from warlight_env.maps import Map
from warlight_env.saved_position import fill_state

LONELY = make_map([0, 0], [(0, 1)], [0], "lonely")
STAR = make_map([0, 0, 1, 1, 2, 2, 2], [(0, i) for i in range(1, 7)], [1, 0, 1000], "star")


def ladder_map(length: int) -> Map:
    """Return a map with two parallel rows of regions, and super regions of four."""
    n = 2 * length
    borders = [(i, i + 2) for i in range(n - 2)] + [(i, i + 1) for i in range(0, n, 2)]
    groups = [i // 4 for i in range(n)]
    return make_map(groups, borders, [2 + g for g in range(max(groups) + 1)], f"ladder{length}")


def new_game(map_: Any, rules: Any, players: int = 2, seed: int = 0) -> Game:
    """Return a game in the play phase."""
    return Game(map_, rules, players, seed, picks="random")


def position(map_: Map, rules: Rules, players: int, owner: list[int], army: list[int]) -> Game:
    """Return a game in the play phase with a given position.

    Unlike `helpers.position`, it does not read the map again, which would take most of the time.
    """
    game = Game(map_, rules, players)
    state = {name: array[0].tolist() for name, array in game._state._asdict().items()}
    out = [int(p not in owner) for p in range(players)]
    state.update(owner=owner, army=army, phase=1, offers=[0] * len(owner), eliminated_at=out, round=max(out), turn=0)
    fill_state(game._params, game._state, state)
    return game


__all__ = ["LONELY", "RING", "STAR", "ladder_map", "new_game", "position"]
