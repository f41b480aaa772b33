"""The whole position as a player believes it to be, from the views of the player in the rounds so far."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from warlight_env.agents.evaluation.determinization import proportional_determinization
from warlight_env.beliefs.belief import Belief, Observation
from warlight_env.beliefs.order_observer import OrderObserver, known_wastelands
from warlight_env.engine.orders import Orders
from warlight_env.engine.state import NEUTRAL
from warlight_env.engine.view import View
from warlight_env.errors import InputError


def believed_position(
    views: Sequence[View],
    turns: Sequence[Orders | None],
    eliminated: Sequence[int] = (),
    offers: Sequence[int] = (),
    preferences: Sequence[int] = (),
) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int32]]:
    """Return the believed owner and army of every region, int8[N] and int32[N].

    With two players, the result is the estimate of a `Belief` that was updated in each round. With more players, the
    estimate uses only the last view: players without a visible region have some of the regions farthest away.

    Args:
        views: the player's view at the start of each round so far; the last view is that of the position.
        turns: the player's own orders in the rounds between the views; None: unknown.
        eliminated: players without regions. All players know them.
        offers, preferences: see `Belief`.

    Raises:
        InputError: there are no views, or not exactly one turn between two views.
    """
    if not views or len(turns) != len(views) - 1:
        raise InputError(f"{len(turns)} turns for {len(views)} views: there must be one turn between two views")
    last = views[-1]
    if not last.rules.fog:
        return last.owner.copy(), last.army.copy()
    if last.players == 2:
        return _tracked(views, turns, offers, preferences)
    position = proportional_determinization(last)
    owner = position.owner
    owner[np.isin(owner, list(eliminated))] = NEUTRAL
    return owner, position.army


def _tracked(
    views: Sequence[View], turns: Sequence[Orders | None], offers: Sequence[int], preferences: Sequence[int]
) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int32]]:
    first, observer = views[0], OrderObserver()
    army = np.array(first.map.starting_armies, dtype=np.int32)
    army[known_wastelands(first)] = first.params.wasteland_army
    belief = Belief(first.map, first.rules, first.player, army, offers, preferences)
    for view, own_orders in zip(views, [None, *turns], strict=True):
        starts = None if view.starts is None else view.starts[1 - view.player]
        opponent_orders = observer.observe(view)
        belief.update(Observation(view.round, view.owner, view.army, opponent_orders, starts, own_orders))
    return belief.position()
