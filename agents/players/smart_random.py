"""The smart random bot: it plays a random turn of `generate_turns`. The bot is a baseline for agents that search."""

from __future__ import annotations

import numpy as np

from warlight_env.agents.base import PolicyKernelAgent
from warlight_env.agents.context import Context
from warlight_env.agents.generators.turns import generate_turns
from warlight_env.agents.records.generator_work import GeneratorWork
from warlight_env.engine.jit import kernel
from warlight_env.engine.kernel_types import Armies, AttackRows, Int, RandomState
from warlight_env.engine.position import Position


@kernel
def smart_random_policy(
    context: Context,
    position: Position,
    player: Int,
    rng: RandomState,
    work: GeneratorWork,
    deploy: Armies,
    attacks: AttackRows,
) -> Int:
    """Write a random turn of `generate_turns`, and return the number of its attacks.

    The signature is `plug_ins.policy_signature`.
    """
    owner = position.owner
    turns = work.turns
    generate_turns(context, position, player, rng, work, turns)
    for r in range(owner.shape[0]):  # turn 0 is a random turn, because `generate_turns` shuffles the turns
        deploy[r] = turns.deploy[0, r]
    count = turns.counts[0]
    for i in range(count):
        for c in range(3):
            attacks[i, c] = turns.attacks[0, i, c]
    return np.int64(count)


class SmartRandomAgent(PolicyKernelAgent):
    """Plays a random turn of `generate_turns`."""

    name = "smart_random"
    policy = staticmethod(smart_random_policy)
