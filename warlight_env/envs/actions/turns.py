"""Functions for action encodings that check a player's turn, compute its armies, and compare two turns."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from warlight_env.engine.orders import Orders
from warlight_env.engine.rules import MAX_ARMIES
from warlight_env.engine.view import View
from warlight_env.errors import InputError

I64 = npt.NDArray[np.int64]

#: A player's turn: `Orders` in play, or a list of preferred regions, best first, while the players pick start regions.
Choice = Orders | Sequence[int]


class InexpressibleError(InputError):
    """An error for a turn that no action of an action encoding expresses."""


def check_preferences(view: View, preferences: Sequence[int]) -> list[int]:
    """Return the preferred regions as ints; raise `InexpressibleError` if a region is not offered or occurs twice."""
    regions = [int(region) for region in preferences]
    if len(set(regions)) < len(regions) or not set(regions) <= set(view.offers):
        raise InexpressibleError(f"preferences = {regions}: must be offered regions, each only once")
    return regions


def merge_deploys(view: View, orders: Orders) -> I64:
    """Return int64[N], the armies deployed on each region; raise `InexpressibleError` for an illegal deploy."""
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
    """Return a level in 1 .. `levels` for each of the distinct indices in `values`.

    An action has one of `levels` levels for each entry. An encoding executes attacks, or prefers regions, with a higher
    level first; entries of the same level are in ascending order of their indices. The function chooses the levels so
    that this rule gives the order of `values`, and uses as few different levels as possible. Raises
    `InexpressibleError` if more than `levels` different levels are necessary.
    """
    level, out = levels, []
    for i, value in enumerate(values):
        if i and value < values[i - 1]:
            level -= 1
        out.append(level)
    if level < 1:
        raise InexpressibleError(
            f"this order of regions or attacks needs {levels - level + 1} different values, but only {levels} exist"
        )
    return out


def edge_of(view: View, source: int, target: int) -> int:
    """Return the number of the directed edge of an attack.

    Raises `InexpressibleError` if the regions are not neighbours, or if the player does not own the source.
    """
    n = view.board.n_regions
    if not (0 <= source < n and 0 <= target < n) or view.board.edge_index[source, target] < 0:
        raise InexpressibleError(f"attack {source} to {target}: the regions are not neighbours")
    if view.owner[source] != view.player:
        raise InexpressibleError(f"attack {source} to {target}: the player does not own region {source}")
    return int(view.board.edge_index[source, target])


def merged_attacks(view: View, orders: Orders) -> list[tuple[int, int]]:
    """Return the attacks as pairs (directed edge, armies), in their order.

    Several attacks along an edge are merged into one attack, at the place of the first of these attacks. Raises
    `InexpressibleError` if the rules forbid an attack.
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
    """Return a level in 1 .. `levels` for each of `count` entries, in descending order.

    The first entry gets the level `levels`, and each later entry a level that is lower by 1, but at least 1.
    """
    return [max(1, levels - place) for place in range(count)]


class Loss(NamedTuple):
    """The differences between the turn of an action and the intended turn. All numbers are 0 for equal turns."""

    deployed: int = 0  #: the sum over all regions of the absolute difference in deployed armies
    armies: int = 0  #: the sum over all directed edges of the absolute difference in attacking armies
    attacks: int = 0  #: the number of directed edges with an attack in only one of the two turns
    order: int = 0  #: the number of pairs of successive attacks in the intended turn that the action's turn reverses
    preferences: int = 0  #: the number of places in the intended list of picks at which the action has another region

    @property
    def exact(self) -> bool:
        """Whether the turns are equal, apart from the order of deploys and from orders that were merged into one."""
        return not any(self)


def loss_between(view: View, turn: Choice, decoded: Choice) -> Loss:
    """Return the differences between the intended turn `turn` and the decoded turn `decoded`; both turns must be legal.

    In the comparison, an attack with all armies (1,000,000 in an order) has the number of armies that can leave its
    source after the deploys.
    """
    if not isinstance(turn, Orders) or not isinstance(decoded, Orders):
        intended_regions, decoded_regions = list(turn), list(decoded)  # type: ignore[arg-type]
        return Loss(
            preferences=sum(
                i >= len(decoded_regions) or region != decoded_regions[i] for i, region in enumerate(intended_regions)
            )
        )
    deploy, decoded_deploy = merge_deploys(view, turn), merge_deploys(view, decoded)
    sent_armies = [
        {
            edge: max(1, int(view.army[source] + deployed[source]) - 1) if armies >= MAX_ARMIES else armies
            for edge, armies in merged_attacks(view, orders)
            for source in [view.board.edge_source[edge]]
        }
        for orders, deployed in ((turn, deploy), (decoded, decoded_deploy))
    ]
    place = {edge: i for i, edge in enumerate(sent_armies[1])}
    places = [place[edge] for edge in sent_armies[0] if edge in place]
    return Loss(
        deployed=int(abs(deploy - decoded_deploy).sum()),
        armies=sum(
            abs(sent_armies[0].get(edge, 0) - sent_armies[1].get(edge, 0))
            for edge in {**sent_armies[0], **sent_armies[1]}
        ),
        attacks=len(sent_armies[0].keys() ^ sent_armies[1].keys()),
        order=sum(after < before for before, after in pairwise(places)),
    )
