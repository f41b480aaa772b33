"""Planned turns as plug-ins of a search: policies for one style, and a generator for many styles."""

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

#: Number of styles that are tried for each turn in the set's capacity.
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
    """Write the turn of the evaluation's style, with the signature of policies; return the number of attacks."""
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
    """Write a turn of a random style, with the signature of policies; return the number of attacks."""
    draw_style(context.evaluation, work.plan.style, rng)
    return plan_turn(context, position, player, rng, work, deploy, attacks)


@kernel
def add_plans(
    context: Context, position: Position, player: Int, rng: RandomState, work: GeneratorWork, turns: TurnSet, count: Int
) -> Int:
    """Write different plans after the first `count` turns while there is room.

    The first plan has the evaluation's style, the others have random styles. Returns the new number of turns, at least
    1.
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
    """Write different plans to `turns` (see `add_plans`), with the signature of generators. Return their number."""
    return add_plans(context, position, player, rng, work, turns, np.int64(0))


@kernel
def generate_plans(
    context: Context, position: Position, player: Int, rng: RandomState, work: GeneratorWork, turns: TurnSet
) -> Int:
    """Write different turns to `turns`, with the signature of generators: plans from `add_plans`.

    The thesis's turns come first if there is room for more turns than these. Returns the number of turns.
    """
    count: Int = np.int64(0)
    if turns.counts.shape[0] > MAX_TURNS:
        count = generate_turns(context, position, player, rng, work, turns)
    return add_plans(context, position, player, rng, work, turns, count)
