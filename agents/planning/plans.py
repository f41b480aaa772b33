"""Plug-in functions that plan turns for a search: policies plan one turn, and generators plan many turns.

A style is the list of coefficients that a planner uses (`plan_style`).
"""

from __future__ import annotations

import numpy as np

from warlight_env.agents.context import Context
from warlight_env.agents.generators.turns import generate_turns, is_new
from warlight_env.agents.planning.turn import plan_turn
from warlight_env.agents.records.generator_work import MAX_TURNS, GeneratorWork, TurnSet
from warlight_env.agents.records.plan_style import draw_style, write_style
from warlight_env.engine.jit import kernel
from warlight_env.engine.kernel_types import Armies, AttackRows, Int, RandomState
from warlight_env.engine.position import Position

#: Number of random styles to try for each place that is free in the set of turns.
_TRIES = 2


@kernel
def planned_turn(
    context: Context,
    position: Position,
    player: Int,
    rng: RandomState,
    work: GeneratorWork,
    deploy: Armies,
    attacks: AttackRows,
) -> Int:
    """Write the turn that is planned with the style in the evaluation's weights; return the number of attacks.

    The signature is `plug_ins.policy_signature`.
    """
    write_style(context.evaluation, work.plan.style)
    return plan_turn(context, position, player, rng, work, deploy, attacks)


@kernel
def random_style_turn(
    context: Context,
    position: Position,
    player: Int,
    rng: RandomState,
    work: GeneratorWork,
    deploy: Armies,
    attacks: AttackRows,
) -> Int:
    """Write a turn that is planned with a random style; return the number of attacks.

    The signature is `plug_ins.policy_signature`.
    """
    draw_style(context.evaluation, work.plan.style, rng)
    return plan_turn(context, position, player, rng, work, deploy, attacks)


@kernel
def add_plans(
    context: Context, position: Position, player: Int, rng: RandomState, work: GeneratorWork, turns: TurnSet, count: Int
) -> Int:
    """Append planned turns to the first `count` turns of a set while the set has room.

    The turns of the set are all different. The first plan uses the style in the evaluation's weights; each later plan
    uses a random style. Returns the new number of turns, at least 1.
    """
    room = turns.counts.shape[0]
    for i in range(1 + _TRIES * (room - 1)):
        if count == room:
            break
        deploy, attacks = turns.deploy[count], turns.attacks[count]
        if i == 0:
            turns.counts[count] = planned_turn(context, position, player, rng, work, deploy, attacks)
        else:
            turns.counts[count] = random_style_turn(context, position, player, rng, work, deploy, attacks)
        if count == 0 or is_new(turns, count):
            count += 1
    return np.int64(count)


@kernel
def only_plans(
    context: Context, position: Position, player: Int, rng: RandomState, work: GeneratorWork, turns: TurnSet
) -> Int:
    """Write planned turns to `turns` (see `add_plans`); return the number of turns.

    The signature is `plug_ins.generator_signature`.
    """
    return add_plans(context, position, player, rng, work, turns, np.int64(0))


@kernel
def generate_plans(
    context: Context, position: Position, player: Int, rng: RandomState, work: GeneratorWork, turns: TurnSet
) -> Int:
    """Write the turns of `generate_turns` and then planned turns (`add_plans`) to `turns`; return the number of turns.

    If the set has no room for more than MAX_TURNS turns, it gets only planned turns. The signature is
    `plug_ins.generator_signature`.
    """
    count: Int = np.int64(0)
    if turns.counts.shape[0] > MAX_TURNS:
        count = generate_turns(context, position, player, rng, work, turns)
    return add_plans(context, position, player, rng, work, turns, count)
