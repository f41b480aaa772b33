"""The data of a map that never change during a game, as arrays: borders, super regions, bonuses, distances."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Final, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from warlight_env.engine.jit import kernel, read_only, shared
from warlight_env.engine.reference import reference

#: Indices are unsigned, because Numba then generates no code for negative indices. Such code would take a third of the
#: time of a random game.
U32 = npt.NDArray[np.uint32]
I32 = npt.NDArray[np.int32]
I16 = npt.NDArray[np.int16]


#: Bits of `Board.setup_marks`.
WASTELAND: Final = 1
OFFERED: Final = 2


class SetupLike(Protocol):
    """The fixed start of the games on a map, for example a `warlight_env.maps.StartingSetup`."""

    @property
    def wastelands(self) -> Sequence[int] | None: ...
    @property
    def wasteland_army(self) -> int | None: ...
    @property
    def offered(self) -> Sequence[int] | None: ...
    @property
    def picks(self) -> int | None: ...


class MapLike(Protocol):
    """The data of a map that the engine needs, for example a `warlight_env.maps.Map`."""

    @property
    def neighbors(self) -> Sequence[Sequence[int]]: ...
    @property
    def super_region_of(self) -> Sequence[int]: ...
    @property
    def bonuses(self) -> Sequence[int]: ...
    @property
    def starting_armies(self) -> Sequence[int]: ...
    @property
    def setup(self) -> SetupLike | None: ...


@shared
class Board(NamedTuple):
    """A map for kernels: N regions, S super regions, E directed edges (each border twice). Arrays are read-only.

    neighbor_start: uint32[N + 1], the edges from region r are neighbor_start[r] .. neighbor_start[r + 1] - 1. The
        neighbours of r are edge_target[neighbor_start[r] : neighbor_start[r + 1]].
    edge_target, edge_source: uint32[E], the regions where an edge ends and where it starts. The targets of a region's
        edges are in ascending order.
    edge_index: int32[N, N], at [r, q] the index of the edge from r to q, or -1 if the regions have no border.
    super_region: uint32[N], the super region of a region.
    member_start: uint32[S + 1], the members of super region s are members[member_start[s] : member_start[s + 1]].
    members: uint32[N], the indices of all regions, sorted by super region.
    bonus: int32[S], armies per round for a player that owns all regions of the super region.
    starting_army: int32[N], armies on each region when a game starts.
    distance: int16[N, N], the smallest number of borders on a path between two regions.
    setup_marks: uint8[N], WASTELAND and OFFERED bits of the map's starting setup.
    setup_wastelands, setup_offers: int, the numbers of wastelands and of offered regions in the setup; -1: they are
        drawn at random according to the rules.
    setup_wasteland_army, setup_picks: int, the armies of a wasteland and the picks of a player in the setup; 0: the
        values of the rules apply.
    """

    neighbor_start: U32
    edge_target: U32
    edge_source: U32
    edge_index: I32
    super_region: U32
    member_start: U32
    members: U32
    bonus: I32
    starting_army: I32
    distance: I16
    setup_marks: npt.NDArray[np.uint8]
    setup_wastelands: int
    setup_offers: int
    setup_wasteland_army: int
    setup_picks: int

    @property
    def n_regions(self) -> int:
        return len(self.super_region)

    @property
    def n_super_regions(self) -> int:
        return len(self.bonus)

    @property
    def n_edges(self) -> int:
        return len(self.edge_target)


@kernel
def _measure(neighbor_start: U32, edge_target: U32, distance: I16, queue: U32) -> None:
    """Write the distances of all regions with a breadth-first search from each region.

    Args:
        distance: [N, N], filled with -1 by the caller.
        queue: [N], working memory.
    """
    n = len(queue)
    for start in range(n):
        row = distance[start]
        row[start] = 0
        queue[0] = start
        head, tail = 0, 1
        while head < tail:
            r = queue[head]
            head += 1
            for edge in range(neighbor_start[r], neighbor_start[r + 1]):
                q = edge_target[edge]
                if row[q] < 0:
                    row[q] = row[r] + 1
                    queue[tail] = q
                    tail += 1


@functools.lru_cache(maxsize=64)
def make_board(map_: MapLike) -> Board:
    """Return the arrays of a valid, connected, hashable map.

    Later calls for the map return the same read-only arrays.
    """
    neighbors = [sorted(row) for row in map_.neighbors]
    n = len(neighbors)
    degrees = [len(row) for row in neighbors]
    target = np.array([q for row in neighbors for q in row], dtype=np.uint32)
    source = np.repeat(np.arange(n, dtype=np.uint32), degrees)
    edge_index = np.full((n, n), -1, dtype=np.int32)
    edge_index[source, target] = np.arange(len(target), dtype=np.int32)
    super_region = np.array(map_.super_region_of, dtype=np.uint32)
    counts = np.bincount(super_region, minlength=len(map_.bonuses))
    neighbor_start = np.concatenate([[0], np.cumsum(degrees)]).astype(np.uint32)
    distance = np.full((n, n), -1, dtype=np.int16)
    _measure(neighbor_start, target, distance, np.empty(n, dtype=np.uint32))
    setup = map_.setup
    wastelands = None if setup is None else setup.wastelands
    offered = None if setup is None else setup.offered
    marks = np.zeros(n, dtype=np.uint8)
    marks[list(wastelands or ())] |= WASTELAND
    marks[list(offered or ())] |= OFFERED
    board = Board(
        neighbor_start=neighbor_start,
        edge_target=target,
        edge_source=source,
        edge_index=edge_index,
        super_region=super_region,
        member_start=np.concatenate([[0], np.cumsum(counts)]).astype(np.uint32),
        members=np.argsort(super_region, kind="stable").astype(np.uint32),
        bonus=np.array(map_.bonuses, dtype=np.int32),
        starting_army=np.array(map_.starting_armies, dtype=np.int32),
        distance=distance,
        setup_marks=marks,
        setup_wastelands=-1 if wastelands is None else len(wastelands),
        setup_offers=-1 if offered is None else len(offered),
        setup_wasteland_army=(setup and setup.wasteland_army) or 0,
        setup_picks=(setup and setup.picks) or 0,
    )
    return reference(read_only(board))
