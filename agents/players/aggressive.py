"""The aggressive bot: it deploys on one border region, and attacks all weaker neighbours.

The bot is useful as a test of an opponent's defence.
"""

from __future__ import annotations

from warlight_env.agents.base import PolicyKernelAgent
from warlight_env.agents.context import Context
from warlight_env.agents.evaluation.expectation import to_conquer
from warlight_env.agents.evaluation.static_evaluation import region_values
from warlight_env.agents.generators.inland import move_inland
from warlight_env.agents.records.generator_work import GeneratorWork
from warlight_env.engine.board import Board
from warlight_env.engine.jit import kernel
from warlight_env.engine.kernel_types import Armies, AttackRows, Int, RandomState, Real, RegionValues
from warlight_env.engine.position import Position
from warlight_env.engine.round import income
from warlight_env.engine.state import Scratch


@kernel
def _deploy_at_best(
    context: Context, position: Position, player: Int, available: Int, value: RegionValues, deploy: Armies
) -> None:
    """Deploy all armies on the strongest own region adjacent to the most valuable region that is not the player's."""
    board, owner, army = context.board, position.owner, position.army
    region_values(context, position, player, value)
    best, front = -1, -1
    for r in range(owner.shape[0]):
        deploy[r] = 0
        if owner[r] == player:
            continue
        strongest = -1
        for e in range(board.neighbor_start[r], board.neighbor_start[r + 1]):
            q = board.edge_target[e]
            if owner[q] == player and (strongest < 0 or army[q] > army[strongest]):
                strongest = q
        if strongest >= 0 and (best < 0 or value[r] > value[best]):
            best, front = r, strongest
    if front >= 0:
        deploy[front] = available


@kernel
def _attack_weaker(
    board: Board,
    position: Position,
    player: Int,
    attack_kill: Real,
    region: Int,
    free: Int,
    value: RegionValues,
    attacks: AttackRows,
    count: Int,
) -> Int:
    """Append attacks from one region on all weaker neighbours of other owners, most valuable neighbour first.

    Armies that remain after these attacks join the first attack.
    """
    owner, army = position.owner, position.army
    first = count
    while free > 0:
        best = -1
        for e in range(board.neighbor_start[region], board.neighbor_start[region + 1]):
            q = board.edge_target[e]
            if owner[q] == player or army[q] >= free:
                continue
            is_target = False
            for i in range(first, count):
                if attacks[i, 1] == q:
                    is_target = True
                    break
            if not is_target and (best < 0 or value[q] > value[best]):
                best = q
        if best < 0:
            break
        armies = min(to_conquer(army[best], attack_kill), free)
        attacks[count, 0], attacks[count, 1], attacks[count, 2] = region, best, armies
        count += 1
        free -= armies
    if count > first:
        attacks[first, 2] += free
    return count


@kernel
def aggressive_orders(
    context: Context,
    position: Position,
    player: Int,
    available: Int,
    scratch: Scratch,
    deploy: Armies,
    attacks: AttackRows,
) -> Int:
    """Write the aggressive turn, and return the number of attacks. For the arrays, see `random_orders`."""
    board, owner, army = context.board, position.owner, position.army
    value, attack_kill = scratch.value, context.params.dice.kill[0]
    _deploy_at_best(context, position, player, available, value, deploy)
    count: Int = 0
    for r in range(owner.shape[0]):
        if owner[r] == player:
            free = army[r] + deploy[r] - 1
            count = _attack_weaker(board, position, player, attack_kill, r, free, value, attacks, count)
    return move_inland(board, position, player, scratch, attacks, count)


@kernel
def aggressive_policy(
    context: Context,
    position: Position,
    player: Int,
    rng: RandomState,
    work: GeneratorWork,
    deploy: Armies,
    attacks: AttackRows,
) -> Int:
    """Write the turn of `aggressive_orders`, with the signature of policies (`plug_ins.policy_signature`)."""
    board, params, owner = context.board, context.params, position.owner
    available = income(board, params.base_income, owner, player)
    return aggressive_orders(context, position, player, available, work.scratch, deploy, attacks)


class AggressiveAgent(PolicyKernelAgent):
    """Deploys next to the most valuable region of another owner, attacks weaker neighbours, moves armies forward."""

    name = "aggressive"
    policy = staticmethod(aggressive_policy)
