"""Checks and conversions of a player's turn for encodings: its legality, and its armies per region and edge."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from warlight_env.engine.orders import Orders
from warlight_env.engine.rules import MAX_ARMIES
from warlight_env.engine.view import View
from warlight_env.errors import InputError

I64 = npt.NDArray[np.int64]

#: A player's turn: orders in play, or a list of preferred regions (best first) while regions are picked.
Choice = Orders | Sequence[int]


class InexpressibleError(InputError):
    """An error for a turn that no action of an encoding expresses."""


def check_preferences(view: View, preferences: Sequence[int]) -> list[int]:
    """Return the preferred regions as integers; raise `InexpressibleError` if one is not offered or occurs twice."""
    regions = [int(region) for region in preferences]
    if len(set(regions)) < len(regions) or not set(regions) <= set(view.offers):
        raise InexpressibleError(f"preferences = {regions}: must be offered regions, each only once")
    return regions


def merge_deploys(view: View, orders: Orders) -> I64:
    """Return the armies deployed on each region, int64[N]; raise `InexpressibleError` if the rules forbid one."""
    deploy = np.zeros(view.board.n_regions, dtype=np.int64)
    for region, armies in orders.arrays()[0].tolist():
        if not 0 <= region < len(deploy) or view.owner[region] != view.player or armies < 1:
            raise InexpressibleError(
                f"deploy of {armies} on {region}: must be at least one army on a region of the player"
            )
        deploy[region] += armies
    if deploy.sum() > view.income:
        raise InexpressibleError(f"{deploy.sum()} armies deployed, but the income is {view.income}")
    return deploy


def ranks(values: Sequence[int], levels: int) -> list[int]:
    """Return a level for each of several distinct indices, so that an order by level, then by index, is their order.

    Higher levels come first. The levels are in 1 .. `levels`, and as few as possible. Raises `InexpressibleError` if
    `levels` is too small.
    """
    level, out = levels, []
    for i, value in enumerate(values):
        if i and value < values[i - 1]:
            level -= 1
        out.append(level)
    if level < 1:
        raise InexpressibleError(f"this order needs {levels - level + 1} levels, but only {levels} are possible")
    return out


def edge_of(view: View, source: int, target: int) -> int:
    """Return the directed edge of an attack from an own region, or raise `InexpressibleError`."""
    n = view.board.n_regions
    if not (0 <= source < n and 0 <= target < n) or view.board.edge_index[source, target] < 0:
        raise InexpressibleError(f"attack {source} to {target}: the regions are not neighbours")
    if view.owner[source] != view.player:
        raise InexpressibleError(f"attack {source} to {target}: not the player's region")
    return int(view.board.edge_index[source, target])


def merged_attacks(view: View, orders: Orders) -> list[tuple[int, int]]:
    """Return the attacks as (directed edge, armies), in their order.

    Several attacks along an edge become one, at the position of the first. Raises `InexpressibleError` if the rules
    forbid an attack.
    """
    armies_of: dict[int, int] = {}
    for source, target, armies in orders.arrays()[1].tolist():
        edge = edge_of(view, source, target)
        if armies < 1:
            raise InexpressibleError(f"attack {source} to {target}: at least one army is needed")
        if edge in armies_of and view.params.repeated_illegal:
            raise InexpressibleError(f"two attacks from {source} to {target}")
        armies_of[edge] = min(armies_of.get(edge, 0) + armies, MAX_ARMIES)
    return list(armies_of.items())


def nearest_ranks(count: int, levels: int) -> list[int]:
    """Return levels for a list, best first, like `ranks`; if `levels` is too small, the last entries get level 1."""
    return [max(1, levels - place) for place in range(count)]
