"""Generators of candidate turns: plans, and turns that are drawn from a turn network."""

from __future__ import annotations

import numpy as np

from warlight_env.agents.context import Context
from warlight_env.agents.generators.turns import is_new
from warlight_env.agents.planning.plans import add_plans, generate_plans
from warlight_env.agents.records.generator_work import GeneratorWork, TurnSet
from warlight_env.agents.turn_net.forward import embed_ends, embed_regions
from warlight_env.agents.turn_net.turns import described_turn
from warlight_env.engine.jit import kernel
from warlight_env.engine.kernel_types import Int, RandomState
from warlight_env.engine.position import Position

#: Number of turns that are drawn for each turn that is missing in the set, because some turns are duplicates.
_TRIES = 2


@kernel
def add_samples(
    context: Context, position: Position, player: Int, rng: RandomState, work: GeneratorWork, turns: TurnSet, count: Int
) -> Int:
    """Append different turns of the network to the first `count` turns of a set while the set has room.

    The first appended turn has the network's most likely choices; the later turns are drawn at random. Returns the new
    number of turns.
    """
    room = turns.counts.shape[0]
    embed_regions(context, position, player, work.net)
    embed_ends(context, position, player, work.net)
    for i in range(1 + _TRIES * (room - 1)):
        if count == room:
            break
        deploy, attacks, temperature = turns.deploy[count], turns.attacks[count], min(1.0, np.float64(i))
        turns.counts[count] = described_turn(context, position, player, temperature, rng, work, deploy, attacks)
        if count == 0 or is_new(turns, count):
            count += 1
    return np.int64(count)


@kernel
def plans_and_samples(
    context: Context, position: Position, player: Int, rng: RandomState, work: GeneratorWork, turns: TurnSet
) -> Int:
    """Write different plans and turns of the network to `turns`; return the number of turns.

    `generate_plans` fills the first half of the set; turns of the network fill the second half. If the network gives
    too few different turns, more plans fill the empty places of the set. The signature is
    `plug_ins.generator_signature`.
    """
    half = (turns.counts.shape[0] + 1) // 2
    front = TurnSet(turns.deploy[:half], turns.attacks[:half], turns.counts[:half])
    count = generate_plans(context, position, player, rng, work, front)
    count = add_samples(context, position, player, rng, work, turns, count)
    return add_plans(context, position, player, rng, work, turns, count)
