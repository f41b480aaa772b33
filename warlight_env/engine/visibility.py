"""Fog of war: this module alone decides which regions and which orders a player sees."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

import numpy as np
import numpy.typing as npt

from warlight_env.engine.bits import BitBoard, meets
from warlight_env.engine.board import Board
from warlight_env.engine.jit import kernel
from warlight_env.engine.kernel_types import Armies, Bool, Events, Int, Owners
from warlight_env.engine.state import UNKNOWN

_ONE = np.uint64(1)


@kernel
def write_view(
    board: Board, fog: Bool, owner: Owners, army: Armies, player: Int, owner_out: Owners, army_out: Armies
) -> None:
    """Write a player's view of a position: under fog its own regions and their neighbours, otherwise all regions.

    Regions that the player does not see get owner UNKNOWN and army 0. The arrays of owners and armies have the shapes
    and dtypes of a `Position`.
    """
    for r in range(owner.shape[0]):
        visible = not fog or owner[r] == player
        if not visible:
            for e in range(board.neighbor_start[r], board.neighbor_start[r + 1]):
                if owner[board.edge_target[e]] == player:
                    visible = True
                    break
        owner_out[r] = owner[r] if visible else UNKNOWN
        army_out[r] = army[r] if visible else 0


@kernel
def visible_bits(bits: BitBoard, owned: npt.NDArray[np.uint64], out: npt.NDArray[np.uint64]) -> None:
    """Write the bit set of the regions that a player with the regions `owned` sees under fog to out uint64[W]."""
    for w in range(out.shape[0]):
        out[w] = owned[w]
    for r in range(bits.adjacent.shape[0]):
        if meets(bits.adjacent[r], owned):
            out[r >> 6] |= _ONE << np.uint64(r & 63)


@kernel
def mark_seen_in_round(
    board: Board, player: Int, before: Owners, after: Owners, events: Events, count: Int, out: npt.NDArray[np.int8]
) -> None:
    """Mark the regions that `seen_in_round` returns in out int8[N]. events: the first `count` events of the round."""
    for r in range(out.shape[0]):
        out[r] = np.int8(before[r] == player or after[r] == player)
    for k in range(count):
        if events[k, 0] == player and events[k, 6] != 0:
            out[events[k, 2]] = 1
    for r in range(out.shape[0]):
        if out[r] != 0:
            continue
        for e in range(board.neighbor_start[r], board.neighbor_start[r + 1]):
            if out[board.edge_target[e]] == 1:
                out[r] = 2
                break


def sees(neighbors: Sequence[Sequence[int]], owned_regions: Collection[int], region: int) -> bool:
    """Whether a player that owns the regions `owned_regions` sees a region under fog."""
    return region in owned_regions or any(neighbor in owned_regions for neighbor in neighbors[region])


def visible(neighbors: Sequence[Sequence[int]], owner: Sequence[int], player: int) -> frozenset[int]:
    """Return the regions that a player sees under fog. owner: the owner of each region."""
    owned_regions = [region for region, region_owner in enumerate(owner) if region_owner == player]
    return frozenset(owned_regions).union(*(neighbors[region] for region in owned_regions))


def seen_in_round(
    neighbors: Sequence[Sequence[int]],
    player: int,
    before: Sequence[int],
    after: Sequence[int],
    captured: Iterable[int],
) -> frozenset[int]:
    """Return the regions that a player saw in a round under fog: at its start, during the round, and at its end.

    Args:
        before, after: owners of all regions. captured: the regions that the player captured, even if it lost them
            again. A player sees captured regions and their neighbours.
    """
    regions = visible(neighbors, before, player) | visible(neighbors, after, player)
    return regions.union(*((region, *neighbors[region]) for region in captured))


def is_order_visible(visible_regions: Collection[int], player: int, order_player: int, *regions: int) -> bool:
    """Whether a player that saw `visible_regions` sees an order of the player `order_player` in `regions`.

    A player sees its own orders, and the orders of other players in regions that it sees.
    """
    return order_player == player or any(region in visible_regions for region in regions)
