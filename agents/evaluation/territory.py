"""Terms of the evaluation that the thesis does not have: a player's connected territories and threatened bonuses."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from warlight_env.engine.board import Board
from warlight_env.engine.jit import inline_kernel, kernel
from warlight_env.engine.kernel_types import Armies, Int, Owners, Regions
from warlight_env.engine.position import Position
from warlight_env.engine.stack import stack_indices


@inline_kernel
def _spread(
    board: Board,
    owner: Owners,
    player: Int,
    start: Int,
    number: Int,
    labels: npt.NDArray[np.integer[Any]],
    queue: Regions,
) -> Int:
    """Write a number to labels[r] for all regions r with labels[r] = 0 in the connected territory of `start`.

    Returns the number of regions that got the number. queue: an array with room for all regions.
    """
    labels[start], queue[0] = number, start
    head, tail = np.int64(0), np.int64(1)
    while head < tail:
        r = queue[head]
        head += 1
        for e in range(board.neighbor_start[r], board.neighbor_start[r + 1]):
            q = board.edge_target[e]
            if owner[q] == player and labels[q] == 0:
                labels[q] = number
                queue[tail] = q
                tail += 1
    return tail


@kernel
def largest_territory(board: Board, owner: Owners, player: Int) -> Int:
    """Return the number of regions in the player's largest connected territory; owner int8[N]."""
    queue, visited = stack_indices(), stack_indices()
    for r in range(owner.shape[0]):
        visited[r] = 0
    largest: Int = np.int64(0)
    for start in range(owner.shape[0]):
        if owner[start] == player and visited[start] == 0:
            largest = max(largest, _spread(board, owner, player, start, 1, visited, queue))
    return largest


@kernel
def label_components(board: Board, owner: Owners, player: Int, part: Armies, queue: Regions) -> Int:
    """Number the player's connected territories from 1, and write each region's number to part int32[N].

    Regions of other owners get the number 0. Returns the number of territories.
    """
    for r in range(owner.shape[0]):
        part[r] = 0
    parts = np.int64(0)
    for start in range(owner.shape[0]):
        if owner[start] == player and part[start] == 0:
            parts += 1
            _spread(board, owner, player, start, parts, part, queue)
    return parts


@kernel
def threatened_bonus(board: Board, position: Position, player: Int) -> Int:
    """Return the sum of the bonuses of the player's threatened super regions.

    A super region counts if the player owns all of it and one of its regions is adjacent to a stronger enemy region.
    """
    owner, army = position.owner, position.army
    total = np.int64(0)
    for s in range(board.bonus.shape[0]):
        is_complete, is_threatened = True, False
        for i in range(board.member_start[s], board.member_start[s + 1]):
            r = board.members[i]
            if owner[r] != player:
                is_complete = False
                break
            for e in range(board.neighbor_start[r], board.neighbor_start[r + 1]):
                q = board.edge_target[e]
                is_threatened |= (owner[q] >= 0) & (owner[q] != player) & (army[q] > army[r])
        if is_complete and is_threatened:
            total += board.bonus[s]
    return total
