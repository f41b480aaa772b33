"""The smart random bot: it plays a random turn of `generate_turns`. The bot is a baseline for agents that search."""

from __future__ import annotations

import numpy as np

from warlight_env.agents.base import PolicyKernelAgent
from warlight_env.agents.context import Context
from warlight_env.agents.generators.turns import generate_turns
from warlight_env.agents.records.generator_work import GeneratorWork, copy_turn
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
    generate_turns(context, position, player, rng, work, work.turns)
    return copy_turn(work.turns, np.int64(0), deploy, attacks)  # a random turn, because `generate_turns` shuffles them


class SmartRandomAgent(PolicyKernelAgent):
    """Plays a random turn of `generate_turns`."""

    name = "smart_random"
    policy = staticmethod(smart_random_policy)
