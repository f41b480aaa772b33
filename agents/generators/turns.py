"""Turns: every method to deploy combined with every method to attack (thesis, algorithm 3.2)."""

from __future__ import annotations

from warlight_env.agents.context import Context
from warlight_env.agents.evaluation.static_evaluation import region_values
from warlight_env.agents.generators.attacks import write_attacks
from warlight_env.agents.generators.deploys import deploy_nearest, write_deploy
from warlight_env.agents.records.generator_work import N_ATTACKS, N_DEPLOYS, PRESS, GeneratorWork, TurnSet
from warlight_env.engine.jit import inline_kernel, kernel
from warlight_env.engine.kernel_types import Armies, AttackRows, Bool, Int, RandomState
from warlight_env.engine.position import Position
from warlight_env.engine.rng import below
from warlight_env.engine.round import income


@inline_kernel
def prepare(context: Context, position: Position, player: Int, work: GeneratorWork) -> None:
    """Write the regions' values to `work.value` and the players' incomes to `work.income`."""
    board, params, owner = context.board, context.params, position.owner
    region_values(context, position, player, work.value)
    for p in range(work.income.shape[0]):
        work.income[p] = income(board, params.base_income, owner, p)


@inline_kernel
def _same_row(a: Armies, b: Armies) -> Bool:
    for i in range(a.shape[0]):
        if a[i] != b[i]:
            return False
    return True


@inline_kernel
def _same_attacks(turns: TurnSet, i: Int, j: Int) -> Bool:
    if turns.counts[i] != turns.counts[j]:
        return False
    for k in range(turns.counts[i]):
        for c in range(3):
            if turns.attacks[i, k, c] != turns.attacks[j, k, c]:
                return False
    return True


@inline_kernel
def is_new(turns: TurnSet, count: Int) -> Bool:
    """Return whether the turn at index `count` differs from all turns before it."""
    for i in range(count):
        if _same_attacks(turns, i, count) and _same_row(turns.deploy[i], turns.deploy[count]):
            return False
    return True


@kernel
def generate_turns(
    context: Context, position: Position, player: Int, rng: RandomState, work: GeneratorWork, turns: TurnSet
) -> Int:
    """Write the candidate turns to `turns`, shuffled and without duplicates; return the number of turns, at least 1.

    `context.generators` has a bit for each method in use (see `generator_work.ALL_GENERATORS`). rng: uint64[2]. work: a
    `GeneratorWork`. turns: a `TurnSet` with room for `MAX_TURNS` turns.
    """
    board, generators, owner = context.board, context.generators, position.owner
    prepare(context, position, player, work)
    available, press = work.income[player], generators & PRESS != 0
    count, deploys = 0, 0
    for d in range(N_DEPLOYS + 1):
        if d == N_DEPLOYS:
            if deploys > 0:
                break
            deploy_nearest(board, owner, player, available, turns.deploy[count])
        elif not (generators >> d) & 1 or not write_deploy(
            context, position, d, player, available, work, turns.deploy[count]
        ):
            continue
        deploys += 1
        first = count
        for a in range(N_ATTACKS):
            if not (generators >> (N_DEPLOYS + a)) & 1:
                continue
            if count > first:
                for r in range(owner.shape[0]):
                    turns.deploy[count, r] = turns.deploy[first, r]
            turns.counts[count] = write_attacks(
                context, position, a, press, player, turns.deploy[count], work, turns.attacks[count]
            )
            if is_new(turns, count):
                count += 1
    _shuffle(turns, count, rng)
    return count


@inline_kernel
def _shuffle(turns: TurnSet, count: Int, rng: RandomState) -> None:
    for i in range(count - 1, 0, -1):
        j = below(rng, i + 1)
        if j != i:
            swap_turns(turns, i, j)


@inline_kernel
def swap_turns(turns: TurnSet, i: Int, j: Int) -> None:
    """Swap two turns of a `TurnSet`."""
    for r in range(turns.deploy.shape[1]):
        turns.deploy[i, r], turns.deploy[j, r] = turns.deploy[j, r], turns.deploy[i, r]
    count = max(turns.counts[i], turns.counts[j])
    for k in range(count):
        for c in range(3):
            turns.attacks[i, k, c], turns.attacks[j, k, c] = turns.attacks[j, k, c], turns.attacks[i, k, c]
    turns.counts[i], turns.counts[j] = turns.counts[j], turns.counts[i]


@kernel
def random_turn(
    context: Context,
    position: Position,
    player: Int,
    rng: RandomState,
    work: GeneratorWork,
    deploy: Armies,
    attacks: AttackRows,
) -> Int:
    """Write one random turn, and return the number of its attacks.

    The method to deploy and the method to attack are drawn at random from the applicable methods. The result is one of
    the turns of `generate_turns`. A turn is more likely if several pairs of methods produce it.
    """
    prepare(context, position, player, work)
    generators, available = context.generators, work.income[player]
    first, step, applied = below(rng, N_DEPLOYS), 1 + below(rng, 2), False  # a random order of the three methods
    for k in range(N_DEPLOYS):
        d = (first + k * step) % N_DEPLOYS
        if (generators >> d) & 1 and write_deploy(context, position, d, player, available, work, deploy):
            applied = True
            break
    if not applied:
        deploy_nearest(context.board, position.owner, player, available, deploy)
    a, step = below(rng, N_ATTACKS), 1 + below(rng, 2)
    while not (generators >> (N_DEPLOYS + a)) & 1:
        a = (a + step) % N_ATTACKS
    return write_attacks(context, position, a, generators & PRESS != 0, player, deploy, work, attacks)
