"""The bot with one big army: it moves all armies to its strongest region, and attacks from there.

The bot is useful as a test of an opponent's planning.
"""

from __future__ import annotations

from warlight_env.agents.base import PolicyKernelAgent
from warlight_env.agents.context import Context
from warlight_env.agents.evaluation.static_evaluation import region_values
from warlight_env.agents.generators.inland import move_inland
from warlight_env.agents.records.generator_work import GeneratorWork
from warlight_env.engine.jit import kernel
from warlight_env.engine.kernel_types import Armies, AttackRows, Int, RandomState
from warlight_env.engine.position import Position
from warlight_env.engine.round import income


@kernel
def one_big_army_policy(
    context: Context,
    position: Position,
    player: Int,
    rng: RandomState,
    work: GeneratorWork,
    deploy: Armies,
    attacks: AttackRows,
) -> Int:
    """Write the bot's turn, with the signature of policies (`plug_ins.policy_signature`)."""
    board, owner, army = context.board, position.owner, position.army
    available = income(board, context.params.base_income, owner, player)
    strongest = -1
    for r in range(owner.shape[0]):
        deploy[r] = 0
        if owner[r] == player and (strongest < 0 or army[r] > army[strongest]):
            strongest = r
    if strongest < 0:
        return 0
    deploy[strongest] = available
    army[strongest] += available  # `move_inland` needs the armies after the deploy
    count = move_inland(board, position, player, work.scratch, attacks, 0)
    free = army[strongest] - 1
    army[strongest] -= available
    region_values(context, position, player, work.value)
    best = -1
    for e in range(board.neighbor_start[strongest], board.neighbor_start[strongest + 1]):
        q = board.edge_target[e]
        if owner[q] != player and (best < 0 or work.value[q] > work.value[best]):
            best = q
    if best >= 0 and free > 0:
        attacks[count, 0], attacks[count, 1], attacks[count, 2] = strongest, best, free
        count += 1
    return count


class OneBigArmyAgent(PolicyKernelAgent):
    """Deploys all armies on the strongest region, moves inland armies to the front, attacks the best neighbour."""

    name = "one_big_army"
    policy = staticmethod(one_big_army_policy)
