"""Whole positions that fit what a player sees: two rules for what lies in fog, of one position alone.

Both take regions out of sight for neutral with two armies, and put an enemy of whom nothing is seen on those that are
farthest from the player and free: `lone` on one, `spread` on one for each two that the player has. A third rule, of all
rounds so far, is `warlight_env.beliefs`.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from warlight_env.engine.position import Position
from warlight_env.engine.state import NEUTRAL, UNKNOWN
from warlight_env.engine.view import View

#: Armies of a region out of sight.
UNSEEN_ARMY: Final = 2


def lone(view: View) -> Position:
    """The position, with one region each for enemies that are nowhere to be seen."""
    return _filled(view, 1)


def spread(view: View) -> Position:
    """The same, but that they have half as many regions as the player, and one at least."""
    return _filled(view, max(1, int((view.owner == view.player).sum()) // 2))


def _filled(view: View, share: int) -> Position:
    position = view.position
    owner, army = position.owner, position.army
    hidden = owner == UNKNOWN
    owner[hidden], army[hidden] = NEUTRAL, UNSEEN_ARMY
    unseen = [enemy for enemy in range(view.players) if enemy != view.player and not (view.owner == enemy).any()]
    if unseen and hidden.any():
        places = farthest(view.board.distance, view.owner, view.player, hidden)
        for k, enemy in enumerate(unseen):
            owner[places[k * share : (k + 1) * share]] = enemy
    return position


def farthest(
    distance: npt.NDArray[Any], owner: npt.NDArray[np.int8], player: int, among: npt.NDArray[np.bool_]
) -> npt.NDArray[np.int64]:
    """The regions `among` bool[N], those farthest from the player's first; distance [N, N] between regions."""
    places = np.flatnonzero(among)
    return places[np.argsort(-distance_to(distance, owner, player)[places], kind="stable")]


def distance_to(distance: npt.NDArray[Any], owner: npt.NDArray[np.int8], player: int) -> npt.NDArray[np.int64]:
    """How far each region is from the nearest of the player's, int64[N]; 10,000 where it has none."""
    return np.asarray(distance)[:, owner == player].min(1, initial=10_000).astype(np.int64)
