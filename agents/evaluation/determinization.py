"""Two rules that make a determinization: a complete position that is consistent with a player's view.

Both determinization rules treat hidden regions as neutral with two armies. Each enemy without a visible region gets
hidden regions, beginning with the regions farthest from the player. `minimal_determinization` gives one region to each
enemy without a visible region. `proportional_determinization` gives each enemy without a visible region one region for
every two regions of the player. `warlight_env.beliefs` contains a third rule, which uses the views of all rounds so
far.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from warlight_env.engine.position import Position
from warlight_env.engine.state import NEUTRAL, UNKNOWN
from warlight_env.engine.view import View

#: The assumed number of armies on a hidden region.
UNSEEN_ARMY: Final = 2


def minimal_determinization(view: View) -> Position:
    """Return the position in which each enemy without a visible region has one region."""
    return _filled(view, 1)


def proportional_determinization(view: View) -> Position:
    """Return the position in which each enemy without a visible region has several regions.

    Each enemy without a visible region gets half as many regions as the player has, and at least one.
    """
    return _filled(view, max(1, int((view.owner == view.player).sum()) // 2))


def _filled(view: View, count: int) -> Position:
    position = view.position
    owner, army = position.owner, position.army
    hidden = owner == UNKNOWN
    owner[hidden], army[hidden] = NEUTRAL, UNSEEN_ARMY
    unseen = [enemy for enemy in range(view.players) if enemy != view.player and not (view.owner == enemy).any()]
    if unseen and hidden.any():
        regions = farthest(view.board.distance, view.owner, view.player, hidden)
        for k, enemy in enumerate(unseen):
            owner[regions[k * count : (k + 1) * count]] = enemy
    return position


def farthest(
    distance: npt.NDArray[Any], owner: npt.NDArray[np.int8], player: int, candidates: npt.NDArray[np.bool_]
) -> npt.NDArray[np.int64]:
    """Return the candidates as indices, sorted by distance from the player's regions, farthest first.

    Args:
        candidates: bool[N], True for each region that the result contains.
        distance: [N, N], the distances between regions.
    """
    regions = np.flatnonzero(candidates)
    return regions[np.argsort(-distance_to(distance, owner, player)[regions], kind="stable")]


def distance_to(distance: npt.NDArray[Any], owner: npt.NDArray[np.int8], player: int) -> npt.NDArray[np.int64]:
    """Return the distance of each region to the player's nearest region, int64[N]; 10,000 if the player owns none."""
    return np.asarray(distance)[:, owner == player].min(1, initial=10_000).astype(np.int64)
