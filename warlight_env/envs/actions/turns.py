"""What a player decides, and what encodings ask of it: whether it is legal, and what comes of it by region and edge."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from warlight_env.engine.orders import Orders
from warlight_env.engine.rules import MAX_ARMIES
from warlight_env.engine.view import View
from warlight_env.errors import InputError

I64 = npt.NDArray[np.int64]

#: What a player decides: orders while the game is played, regions (best first) while regions are picked.
Choice = Orders | Sequence[int]


class InexpressibleError(InputError):
    """A turn that an encoding has no action for."""


def check_wishes(view: View, wishes: Sequence[int]) -> list[int]:
    """The wishes as integers; `InexpressibleError` where a region is not offered or named twice."""
    regions = [int(region) for region in wishes]
    if len(set(regions)) < len(regions) or not set(regions) <= set(view.offers):
        raise InexpressibleError(f"wishes {regions} name a region twice or one that is not offered")
    return regions


def merge_deploys(view: View, orders: Orders) -> I64:
    """The armies deployed on each region, int64[N]; `InexpressibleError` where the rules forbid them."""
    deploy = np.zeros(view.board.n_regions, dtype=np.int64)
    for region, armies in orders.arrays()[0].tolist():
        if not 0 <= region < len(deploy) or view.owner[region] != view.player or armies < 1:
            raise InexpressibleError(f"deploy of {armies} on {region}: needs an own region and at least one army")
        deploy[region] += armies
    if deploy.sum() > view.income:
        raise InexpressibleError(f"{deploy.sum()} armies deployed, but the income is {view.income}")
    return deploy


def ranks(values: Sequence[int], levels: int) -> list[int]:
    """Levels for a sequence of distinct indices, so that 'higher level first, ties by index' restores its order.

    The fewest possible, from `levels` downwards to 1 at least; `InexpressibleError` where they do not suffice.
    """
    level, out = levels, []
    for i, value in enumerate(values):
        if i and value < values[i - 1]:
            level -= 1
        out.append(level)
    if level < 1:
        raise InexpressibleError(f"this order needs {levels - level + 1} levels, and there are {levels}")
    return out


def edge_of(view: View, source: int, target: int) -> int:
    """The directed edge of an attack from an own region, or `InexpressibleError`."""
    n = view.board.n_regions
    if not (0 <= source < n and 0 <= target < n) or view.board.edge_index[source, target] < 0:
        raise InexpressibleError(f"attack {source} to {target}: the regions are not neighbours")
    if view.owner[source] != view.player:
        raise InexpressibleError(f"attack {source} to {target}: not the player's region")
    return int(view.board.edge_index[source, target])


def merged_attacks(view: View, orders: Orders) -> list[tuple[int, int]]:
    """The attacks as (directed edge, armies), in their order; several along an edge are one, where the first stands.

    `InexpressibleError` where the rules forbid one.
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
    """Levels for a list, best first, as `ranks` gives them, but from 1 on the last ones share the lowest."""
    return [max(1, levels - place) for place in range(count)]
