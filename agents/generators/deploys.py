"""Three methods to deploy a player's income (thesis, algorithms 3.6 to 3.8).

The kernel of a method gets the position, the player, the player's income `available`, the values of the regions
(`work.value`, see `region_values`) and the players' incomes (`work.income`). The kernel writes the deployed armies to
deploy int32[N], or returns False if the method does not apply to the position.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from warlight_env.agents.context import Context
from warlight_env.agents.evaluation.expectation import max_attackers, to_hold
from warlight_env.agents.records.generator_work import GeneratorWork
from warlight_env.engine.board import Board
from warlight_env.engine.jit import inline_kernel, kernel
from warlight_env.engine.kernel_types import Armies, Bool, Int, Owners, RegionValues
from warlight_env.engine.position import Position

AGGRESSIVE: Final = 0
DEFENSIVE: Final = 1
EXPANSIVE: Final = 2
GENERATORS: Final = ("aggressive", "defensive", "expansive")


@inline_kernel
def _clear(deploy: Armies) -> None:
    for r in range(deploy.shape[0]):
        deploy[r] = 0


@kernel
def front(board: Board, position: Position, player: Int, neutral: Bool, value: RegionValues) -> Int:
    """Return the player's strongest region that is adjacent to the most valuable enemy region; -1 if there is none.

    neutral: use the most valuable neutral region instead of the enemy region.
    """
    owner, army = position.owner, position.army
    best = -1
    region: Int = -1
    for r in range(owner.shape[0]):
        if owner[r] == player or (owner[r] < 0) != neutral:
            continue
        if best >= 0 and value[r] <= value[best]:
            continue
        strongest: Int = -1
        for e in range(board.neighbor_start[r], board.neighbor_start[r + 1]):
            q = np.int64(board.edge_target[e])
            if owner[q] == player and (strongest < 0 or army[q] > army[strongest]):
                strongest = q
        if strongest >= 0:
            best, region = r, strongest
    return region


@kernel
def deploy_beside(
    board: Board, position: Position, player: Int, available: Int, neutral: Bool, value: RegionValues, deploy: Armies
) -> Bool:
    """Deploy all armies on one region next to the best enemy region ("aggressive") or neutral region ("expansive").

    Return False if the player has no region next to an enemy region ("aggressive") or neutral region ("expansive").
    """
    _clear(deploy)
    region = front(board, position, player, neutral, value)
    if region < 0:
        return False
    deploy[region] = available
    return True


@inline_kernel
def _owns_super(board: Board, owner: Owners, player: Int, region: Int) -> Bool:
    s = board.super_region[region]
    for i in range(board.member_start[s], board.member_start[s + 1]):
        if owner[board.members[i]] != player:
            return False
    return True


@kernel
def deploy_defensively(
    context: Context, position: Position, player: Int, available: Int, work: GeneratorWork, deploy: Armies
) -> Bool:
    """Deploy on each threatened region the fewest armies that defend it.

    Regions in super regions that the player owns completely come first, then regions with higher values. The remaining
    armies are deployed as in "aggressive" or, if "aggressive" does not apply, as in "expansive". Return False if no
    region is threatened.
    """
    board, attack_kill, owner, army = context.board, context.params.dice.kill[0], position.owner, position.army
    _clear(deploy)
    n = owner.shape[0]
    required, owns_super, value, income = work.free, work.after, work.value, work.income
    threatened = 0
    for r in range(n):
        required[r] = 0
        if owner[r] != player:
            continue
        threat: Int = np.int64(0)
        for q in range(income.shape[0]):
            if q != player:
                threat = max(threat, max_attackers(board, position, q, income[q], r))
        if threat > 0:
            required[r] = max(np.int64(0), to_hold(threat, attack_kill) - army[r])
        if required[r] > 0:
            threatened += 1
            owns_super[r] = _owns_super(board, owner, player, r)
    if threatened == 0:
        return False
    remaining = np.int64(available)
    while remaining > 0 and threatened > 0:
        best = -1
        for r in range(n):
            if required[r] > 0 and (
                best < 0
                or owns_super[r] > owns_super[best]
                or (owns_super[r] == owns_super[best] and value[r] > value[best])
            ):
                best = r
        armies = min(remaining, required[best])
        deploy[best] += armies
        remaining -= armies
        required[best] = 0
        threatened -= 1
    if remaining > 0:
        region = front(board, position, player, False, value)
        if region < 0:
            region = front(board, position, player, True, value)
        deploy[region] += remaining
    return True


@kernel
def deploy_nearest(board: Board, owner: Owners, player: Int, available: Int, deploy: Armies) -> None:
    """Deploy all armies on the own region closest to another owner's region; used if no method applies."""
    _clear(deploy)
    best = -1
    shortest: Int = 0
    for r in range(owner.shape[0]):
        if owner[r] != player:
            continue
        distance: Int = 32767
        for q in range(owner.shape[0]):
            if owner[q] != player:
                distance = min(distance, np.int64(board.distance[r, q]))
        if best < 0 or distance < shortest:
            best, shortest = r, distance
    if best >= 0:
        deploy[best] = available


@kernel
def write_deploy(
    context: Context,
    position: Position,
    generator: Int,
    player: Int,
    available: Int,
    work: GeneratorWork,
    deploy: Armies,
) -> Bool:
    """Write the deploys of the method with the index `generator`. Return False if the method does not apply."""
    board = context.board
    if generator == DEFENSIVE:
        return deploy_defensively(context, position, player, available, work, deploy)
    return deploy_beside(board, position, player, available, generator == EXPANSIVE, work.value, deploy)
