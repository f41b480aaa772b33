"""Transfers of inland armies towards the front (thesis, algorithm 3.9)."""

from __future__ import annotations

from typing import Any

from warlight_env.engine.board import Board
from warlight_env.engine.jit import kernel
from warlight_env.engine.kernel_types import AttackRows, Int, Owners, Regions
from warlight_env.engine.position import Position
from warlight_env.engine.state import Scratch


@kernel
def distances_to_foreign(board: Board, owner: Owners, player: Int, queue: Regions, distance: Any) -> None:
    """Write each region's distance to the nearest region that the player does not own, by breadth-first search."""
    n = owner.shape[0]
    head, tail = 0, 0
    for r in range(n):
        distance[r] = -1
        if owner[r] != player:
            distance[r] = 0
            queue[tail] = r
            tail += 1
    while head < tail:
        r = queue[head]
        head += 1
        for e in range(board.neighbor_start[r], board.neighbor_start[r + 1]):
            q = board.edge_target[e]
            if distance[q] < 0:
                distance[q] = distance[r] + 1
                queue[tail] = q
                tail += 1


@kernel
def move_inland(
    board: Board, position: Position, player: Int, scratch: Scratch, attacks: AttackRows, count: Int
) -> Int:
    """Append transfers of inland armies towards the front; each inland region keeps one army.

    Armies move one step along a shortest path to the nearest region that is not the player's (thesis, algorithm 3.9).
    Returns the new number of orders.
    """
    owner, army = position.owner, position.army
    distance = scratch.mark
    distances_to_foreign(board, owner, player, scratch.queue, distance)
    for r in range(owner.shape[0]):
        if owner[r] != player or army[r] <= 1 or distance[r] < 2:
            continue
        for e in range(board.neighbor_start[r], board.neighbor_start[r + 1]):
            q = board.edge_target[e]
            if distance[q] == distance[r] - 1:
                attacks[count, 0], attacks[count, 1], attacks[count, 2] = r, q, army[r] - 1
                count += 1
                break
    return count
