"""Random small changes to a turn: the neighbourhood of the local search.

A turn is deploy int32[N] and attacks int32[E, 3] of (from, to, armies), with the number of attacks. A turn deploys the
whole income on own regions. The turn has at most one order for each pair of regions, and a region sends no more armies
than it has.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from warlight_env.agents.context import Context
from warlight_env.agents.evaluation.expectation import to_conquer
from warlight_env.agents.generators.attacks import is_ordered
from warlight_env.engine.board import Board
from warlight_env.engine.jit import inline_kernel, kernel
from warlight_env.engine.kernel_types import Armies, AttackRows, Bool, FreeArmies, Int, Owners, RandomState, Regions
from warlight_env.engine.position import Position
from warlight_env.engine.rng import below

#: Types of changes. ADD has the probability 2/8, every other type 1/8.
_MOVE_DEPLOYS: Final = 0
_MOVE_AND_ADD: Final = 1
_RESIZE: Final = 2
_REMOVE: Final = 3
_REDIRECT: Final = 4
_SWAP: Final = 5
_ADD: Final = 6
_TICKETS: Final = 8


@kernel
def list_borders(board: Board, owner: Owners, player: Int, borders: Regions) -> Int:
    """Write the player's regions with a neighbour of another owner to borders int32[N]; return their number."""
    count = 0
    for r in range(owner.shape[0]):
        if owner[r] != player:
            continue
        for e in range(board.neighbor_start[r], board.neighbor_start[r + 1]):
            if owner[board.edge_target[e]] != player:
                borders[count] = r
                count += 1
                break
    return count


@kernel
def fit(army: Armies, deploy: Armies, attacks: AttackRows, count: Int, free: FreeArmies) -> Int:
    """Reduce attacks to the available armies, and drop attacks without armies; return the new number of attacks.

    Writes the number of armies without an order in each region to `free`, int64[N].
    """
    for r in range(army.shape[0]):
        free[r] = army[r] + deploy[r] - 1
    n_kept = 0
    for i in range(count):
        source = attacks[i, 0]
        armies = min(np.int64(attacks[i, 2]), free[source])
        if armies < 1:
            continue
        free[source] -= armies
        attacks[n_kept, 0], attacks[n_kept, 1], attacks[n_kept, 2] = source, attacks[i, 1], armies
        n_kept += 1
    return n_kept


@kernel
def is_within(deploy: Armies, count: Int, limit: Int) -> Bool:
    """Return whether a turn has at most `limit` deploys and at most `limit` attacks; 0 means no limit."""
    if limit == 0:
        return True
    deploys = 0
    for r in range(deploy.shape[0]):
        deploys += deploy[r] > 0
    return max(deploys, count) <= limit


@inline_kernel
def _neighbor(board: Board, region: Int, rng: RandomState) -> Int:
    start = board.neighbor_start[region]
    return np.int64(board.edge_target[start + below(rng, board.neighbor_start[region + 1] - start)])


@inline_kernel
def _move_deploys(
    owner: Owners,
    player: Int,
    deploy: Armies,
    attacks: AttackRows,
    count: Int,
    borders: Regions,
    rng: RandomState,
) -> None:
    """Move one, half, some or all of the armies that are deployed on a random region to a random border region.

    With probability 1/2 the moved armies join the first attack from the border region.
    """
    n = deploy.shape[0]
    source, start = -1, below(rng, n)
    for k in range(n):
        r = (start + k) % n
        if deploy[r] > 0:
            source = r
            break
    target = borders[below(rng, borders.shape[0])]
    if source < 0 or target == source:
        return
    moved = np.int64(deploy[source])
    portion = below(rng, 4)
    if portion == 0:
        moved = np.int64(1)
    elif portion == 1:
        moved = max(np.int64(1), moved // 2)
    elif portion == 2:
        moved = np.int64(1 + below(rng, moved))
    deploy[source] -= moved
    deploy[target] += moved
    if below(rng, 2) == 0:
        for i in range(count):
            if attacks[i, 0] == target and owner[attacks[i, 1]] != player:
                attacks[i, 2] += moved
                break


@inline_kernel
def _add(
    context: Context,
    position: Position,
    player: Int,
    attacks: AttackRows,
    count: Int,
    free: FreeArmies,
    borders: Regions,
    rng: RandomState,
) -> Int:
    """Add an order from a random border region to a random neighbour; return the new number of orders.

    If the turn already has an order from this border region to this neighbour, nothing changes. The number of armies is
    chosen at random: all free armies of the border region, about as many as conquer the neighbour, or any number. If
    the border region has no free armies, the new order takes armies from another order of the border region.
    """
    board, attack_kill, owner, army = context.board, context.params.dice.kill[0], position.owner, position.army
    source = np.int64(borders[below(rng, borders.shape[0])])
    target = _neighbor(board, source, rng)
    if is_ordered(attacks, count, source, target):
        return count
    if free[source] < 1:
        for i in range(count):
            if attacks[i, 0] == source:
                moved = np.int64(attacks[i, 2])
                if below(rng, 2) == 0:
                    moved //= 2
                attacks[i, 2] -= moved
                free[source] += moved
                break
    armies = free[source]
    if armies < 1:
        return count
    if owner[target] != player and below(rng, 2) == 0:
        armies = min(armies, to_conquer(np.int64(army[target]), attack_kill) + below(rng, 3))
    elif below(rng, 3) == 0:
        armies = np.int64(1 + below(rng, armies))
    place = count if below(rng, 2) == 0 else below(rng, count + 1)
    for i in range(count, place, -1):
        for c in range(3):
            attacks[i, c] = attacks[i - 1, c]
    attacks[place, 0], attacks[place, 1], attacks[place, 2] = source, target, armies
    return count + 1


@kernel
def random_neighbor(
    context: Context,
    position: Position,
    player: Int,
    deploy: Armies,
    attacks: AttackRows,
    count: Int,
    borders: Regions,
    rng: RandomState,
    free: FreeArmies,
) -> Int:
    """Make one random change to a turn in place; return the new number of attacks. The random change may leave the turn
    as it was.

    borders: the regions from `list_borders`, with at least one region. rng uint64[2]. free int64[N]: working memory.
    """
    board, owner, army = context.board, position.owner, position.army
    kind = min(np.int64(below(rng, _TICKETS)), _ADD)
    if kind in (_MOVE_DEPLOYS, _MOVE_AND_ADD):
        _move_deploys(owner, player, deploy, attacks, count, borders, rng)
    count = fit(army, deploy, attacks, count, free)
    if kind in (_ADD, _MOVE_AND_ADD):
        count = _add(context, position, player, attacks, count, free, borders, rng)
        return fit(army, deploy, attacks, count, free)
    if kind == _MOVE_DEPLOYS or count == 0:
        return count
    i = below(rng, count)
    if kind == _RESIZE:
        max_armies = free[attacks[i, 0]] + attacks[i, 2]
        attacks[i, 2] = max_armies if below(rng, 2) == 0 else 1 + below(rng, max_armies)
    elif kind == _REMOVE:
        for k in range(i, count - 1):
            for c in range(3):
                attacks[k, c] = attacks[k + 1, c]
        count -= 1
    elif kind == _REDIRECT:
        target = _neighbor(board, np.int64(attacks[i, 0]), rng)
        if not is_ordered(attacks, count, attacks[i, 0], target):
            attacks[i, 1] = target
    else:
        j = below(rng, count)
        for c in range(3):
            attacks[i, c], attacks[j, c] = attacks[j, c], attacks[i, c]
    return np.int64(count)
