"""A whole position that fits what a player sees."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from warlight_env.engine.state import NEUTRAL, UNKNOWN
from warlight_env.engine.view import View


def imagined(view: View) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int32]]:
    """Owner int8[N] and army int32[N]: regions out of sight are neutral with two armies.

    Every enemy of whom nothing is seen is put on the region out of sight that is farthest from us and free.
    """
    owner, army = view.owner.copy(), view.army.copy()
    hidden = owner == UNKNOWN
    owner[hidden], army[hidden] = NEUTRAL, 2
    for enemy in range(view.players):
        if enemy == view.player or not hidden.any() or (owner == enemy).any():
            continue
        places = np.flatnonzero(hidden)
        distance = view.board.distance[:, view.owner == view.player].min(1)
        farthest = places[np.argmax(distance[places])]
        owner[farthest], hidden[farthest] = enemy, False
    return owner, army
