"""Kernels that build a turn: it begins with a good battle, and continues with the best battle of each new position."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from warlight_env.agents.context import Context
from warlight_env.agents.evaluation.territory import label_components
from warlight_env.agents.generators.attacks import is_ordered
from warlight_env.agents.generators.deploys import DEFENSIVE, deploy_nearest, write_deploy
from warlight_env.agents.generators.inland import move_inland
from warlight_env.agents.generators.turns import prepare
from warlight_env.agents.players.maxn.odds import capture_chance
from warlight_env.agents.players.maxn.value import TermInputs, Terms, battle_value, carry_out, mark_spared
from warlight_env.agents.records.generator_work import GeneratorWork, make_generator_work
from warlight_env.engine.jit import inline_kernel, kernel
from warlight_env.engine.kernel_types import AttackRows, Bool, Int
from warlight_env.engine.memory import private_zeros
from warlight_env.engine.position import Position, make_position
from warlight_env.engine.reference import reference
from warlight_env.engine.round import income

#: Largest number of battles in a turn, and largest number of turns that are searched in a position.
MAX_BATTLES: Final = 5
MAX_BREADTH: Final = 9


#: Values of `BattleWork.states`. READY: the region may attack. FOUGHT: the region lost a battle and may not attack
#: again.
READY: Final = 1
FOUGHT: Final = 2


class BattleWork(NamedTuple):
    """Working memory of one thread that builds turns from battles."""

    generator: GeneratorWork
    position: Position  #: the position after the orders that the turn has so far
    rows: npt.NDArray[np.int32]  #: [MAX_BREADTH, 2] the best battles, (from, to)
    values: npt.NDArray[np.float64]  #: [MAX_BREADTH] values of the battles in `rows`
    deploy: npt.NDArray[np.int32]  #: [N]
    attacks: npt.NDArray[np.int32]  #: [E, 3]
    states: npt.NDArray[np.int8]  #: [N] READY or FOUGHT for the player's regions at the start of the turn, else 0
    spared: npt.NDArray[np.int8]  #: [P] 1 for weak enemies adjacent to a strong enemy, see `mark_spared`
    #: [N] number of the region's territory among the player's connected territories, from 1; else 0
    part: npt.NDArray[np.int32]


def make_battle_work(n_regions: int, n_edges: int, players: int) -> BattleWork:
    """Allocate working memory for one thread that builds turns from battles."""
    return reference(
        BattleWork(
            generator=make_generator_work(n_regions, n_edges, players),
            position=make_position(n_regions),
            rows=private_zeros((MAX_BREADTH, 2), np.int32),
            values=private_zeros(MAX_BREADTH, np.float64),
            deploy=private_zeros(n_regions, np.int32),
            attacks=private_zeros((max(1, n_edges), 3), np.int32),
            states=private_zeros(n_regions, np.int8),
            spared=private_zeros(players, np.int8),
            part=private_zeros(n_regions, np.int32),
        )
    )


@kernel
def list_battles(
    context: Context,
    position: Position,
    terms: Terms,
    player: Int,
    extra: Int,
    limit: Int,
    attacks: AttackRows,
    count: Int,
    work: BattleWork,
) -> Int:
    """Write the `limit` best battles with a value above 0 to `work.rows`, best first; return the number of battles.

    The attackers are all armies but one of a region with the state READY (it may attack), plus `extra` armies. Battles
    that are already in `attacks` are left out.
    """
    board, owner, army = context.board, position.owner, position.army
    several: Bool = False
    if terms.join != 0.0:
        several = label_components(board, owner, player, work.part, work.generator.scratch.queue) > 1
    if terms.spare != 0.0:
        mark_spared(context, position, player, work.spared)
    inputs, rows, values = TermInputs(several, work.part, work.spared), work.rows, work.values
    n_battles: Int = 0
    last: Int = limit - 1
    for source in range(owner.shape[0]):
        if work.states[source] != READY or army[source] + extra < 2:
            continue
        for e in range(board.neighbor_start[source], board.neighbor_start[source + 1]):
            target = np.int64(board.edge_target[e])
            if owner[target] == player or is_ordered(attacks, count, source, target):
                continue
            threshold = values[last] if n_battles == limit else 0.0
            army[source] += extra
            armies = np.int64(army[source]) - 1
            value = battle_value(context, position, terms, player, source, target, armies, inputs, threshold)
            army[source] -= extra
            if value <= threshold:
                continue
            index = n_battles if n_battles < limit else last
            n_battles = min(n_battles + 1, limit)
            while index > 0 and values[index - 1] < value:
                values[index], rows[index, 0], rows[index, 1] = (
                    values[index - 1],
                    rows[index - 1, 0],
                    rows[index - 1, 1],
                )
                index -= 1
            values[index], rows[index, 0], rows[index, 1] = value, source, target
    return n_battles


@inline_kernel
def _fight(terms: Terms, player: Int, source: Int, target: Int, count: Int, work: BattleWork) -> Int:
    """Order an attack with all armies but one, and apply its more likely result; return the number of orders."""
    army = work.position.army
    armies = np.int64(army[source]) - 1
    won = capture_chance(terms.odds, armies, np.int64(army[target])) >= 0.5
    work.attacks[count, 0], work.attacks[count, 1], work.attacks[count, 2] = source, target, armies
    carry_out(terms.odds, work.position, player, source, target, armies, won)
    if not won:
        work.states[source] = FOUGHT
    return count + 1


@inline_kernel
def _begin_turn(context: Context, player: Int, work: BattleWork) -> Int:
    """Mark the regions that may attack, and return the income."""
    board, params, owner = context.board, context.params, work.position.owner
    for r in range(owner.shape[0]):
        work.states[r] = READY if owner[r] == player else 0
    return income(board, params.base_income, owner, player)


@kernel
def list_first_battles(context: Context, terms: Terms, player: Int, limit: Int, work: BattleWork) -> Int:
    """List the battles that can begin a turn in the position in `work`; each attacking region gets the whole income."""
    available = _begin_turn(context, player, work)
    return list_battles(context, work.position, terms, player, available, limit, work.attacks, 0, work)


@kernel
def make_turn(context: Context, terms: Terms, player: Int, source: Int, target: Int, work: BattleWork) -> Int:
    """Write a turn and the position after it: all income goes to `source`, which attacks `target` first.

    After each battle, the kernel evaluates the possible battles of the new position, and adds the best one to the turn.
    The turn ends if no battle has a value above 0, or after MAX_BATTLES battles. If `source` is -1, the turn has no
    battles, and the deploy is defensive. Before the call, `work.position` contains the position before the turn. After
    the call, `work.position` contains the position after the turn. Returns the number of orders in `work.attacks`.
    """
    board, position, deploy = context.board, work.position, work.deploy
    owner, army = position.owner, position.army
    available = _begin_turn(context, player, work)
    for r in range(owner.shape[0]):
        deploy[r] = 0
    count: Int = 0
    if source < 0:
        prepare(context, position, player, work.generator)
        if not write_deploy(context, position, DEFENSIVE, player, available, work.generator, deploy):
            deploy_nearest(board, owner, player, available, deploy)
        for r in range(owner.shape[0]):
            army[r] += deploy[r]
    else:
        deploy[source] = available
        army[source] += available
        count = _fight(terms, player, source, target, count, work)
        while count < MAX_BATTLES:
            if list_battles(context, position, terms, player, 0, 1, work.attacks, count, work) == 0:
                break
            count = _fight(terms, player, np.int64(work.rows[0, 0]), np.int64(work.rows[0, 1]), count, work)
    attacks = work.attacks
    end = move_inland(board, position, player, work.generator.scratch, attacks, count)
    for i in range(count, end):
        source, target, armies = np.int64(attacks[i, 0]), np.int64(attacks[i, 1]), attacks[i, 2]
        if work.states[source] == 0:  # the turn captures this region, so its armies get no orders in the turn
            continue
        attacks[count, 0], attacks[count, 1], attacks[count, 2] = source, target, armies
        army[source] -= armies
        army[target] += armies
        count += 1
    return np.int64(count)
