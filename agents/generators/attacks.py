"""Three methods to attack (thesis, algorithms 3.9 to 3.15), on the position after the deploys.

Each kernel appends orders to `attacks`, int32[E, 3] of (from, to, armies), and returns the new number of orders.
`work.free`, int64[N], contains the armies of each region that may attack. `work.value` contains the regions' values,
and `work.after` contains the regions' armies after the deploys.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from warlight_env.agents.context import Context
from warlight_env.agents.evaluation.expectation import favourable, to_conquer
from warlight_env.agents.generators.inland import move_inland
from warlight_env.agents.records.generator_work import GeneratorWork
from warlight_env.engine.board import Board
from warlight_env.engine.jit import inline_kernel, kernel
from warlight_env.engine.kernel_types import Armies, AttackRows, Bool, Int, Owners, Regions, RegionValues
from warlight_env.engine.position import Position, with_army

OFFENSIVE: Final = 0
WAITING: Final = 1
CAREFUL: Final = 2
GENERATORS: Final = ("offensive", "offensive_waiting", "defensive")

#: Types of targets: all regions that the player does not own, only enemies' regions, only neutral regions.
_FOREIGN: Final = 0
_ENEMY: Final = 1
_NEUTRAL: Final = 2


@inline_kernel
def _list_targets(
    board: Board, owner: Owners, player: Int, region: Int, kind: Int, value: RegionValues, targets: Regions
) -> Int:
    """Write the neighbours of one type (`kind`) to `targets`, most valuable first. Return the number of targets."""
    count = 0
    for e in range(board.neighbor_start[region], board.neighbor_start[region + 1]):
        q = board.edge_target[e]
        holder = owner[q]
        if holder == player or (kind == _ENEMY and holder < 0) or (kind == _NEUTRAL and holder >= 0):
            continue
        i = count
        while i > 0 and value[targets[i - 1]] < value[q]:
            targets[i] = targets[i - 1]
            i -= 1
        targets[i] = q
        count += 1
    return count


@inline_kernel
def is_ordered(attacks: AttackRows, count: Int, source: Int, target: Int) -> Bool:
    """Return whether one of the first `count` orders goes from source to target.

    The rows of `attacks` may be in any order.
    """
    for i in range(count):
        if attacks[i, 0] == source and attacks[i, 1] == target:
            return True
    return False


@kernel
def attack(
    context: Context,
    position: Position,
    player: Int,
    careful: Bool,
    press: Bool,
    work: GeneratorWork,
    attacks: AttackRows,
    count: Int,
) -> Int:
    """Append favourable attacks from each own region on neighbours of other owners, most valuable target first.

    The thesis calls the method of this kernel "aggressively". Each attack gets as many armies as are needed to conquer
    the target, or all free armies if there are fewer. careful: attack only enemies, and add an enemy's income to the
    armies on the target. press: armies that are still free join the region's first attack.
    """
    board, kill, owner = context.board, context.params.dice.kill, position.owner
    after, free, value, targets = work.after, work.free, work.value, work.targets
    before = count
    for r in range(owner.shape[0]):
        if owner[r] != player or free[r] < 1:
            continue
        first_attack = count
        n_targets = _list_targets(board, owner, player, r, _ENEMY if careful else _FOREIGN, value, targets)
        for i in range(n_targets):
            q = targets[i]
            if free[r] < 1:
                break
            defenders = np.int64(after[q])
            if careful:
                defenders += work.income[owner[q]]
            if not favourable(free[r], defenders, kill[0], kill[1]) or is_ordered(attacks, before, r, q):
                continue
            armies = min(to_conquer(defenders, kill[0]), free[r])
            attacks[count, 0], attacks[count, 1], attacks[count, 2] = r, q, armies
            free[r] -= armies
            count += 1
        if press and count > first_attack:
            attacks[first_attack, 2] += free[r]
            free[r] = 0
    return count


@kernel
def expand(
    context: Context, position: Position, player: Int, work: GeneratorWork, attacks: AttackRows, count: Int
) -> Int:
    """Append favourable attacks that conquer neutral neighbours, most valuable target first.

    The attacks start only from own regions that are not adjacent to an enemy's region.
    """
    board, kill, owner = context.board, context.params.dice.kill, position.owner
    after, free, value, targets = work.after, work.free, work.value, work.targets
    for r in range(owner.shape[0]):
        if owner[r] != player or free[r] < 1:
            continue
        enemy = False
        for e in range(board.neighbor_start[r], board.neighbor_start[r + 1]):
            holder = owner[board.edge_target[e]]
            enemy |= (holder >= 0) & (holder != player)
        if enemy:
            continue
        n_targets = _list_targets(board, owner, player, r, _NEUTRAL, value, targets)
        for i in range(n_targets):
            q = targets[i]
            armies = to_conquer(after[q], kill[0])
            if armies <= free[r] and favourable(armies, np.int64(after[q]), kill[0], kill[1]):
                attacks[count, 0], attacks[count, 1], attacks[count, 2] = r, q, armies
                free[r] -= armies
                count += 1
    return count


@kernel
def write_attacks(
    context: Context,
    position: Position,
    generator: Int,
    press: Bool,
    player: Int,
    deploy: Armies,
    work: GeneratorWork,
    attacks: AttackRows,
) -> Int:
    """Write the attacks of one method after the deploys in deploy int32[N]; return the number of attacks.

    `position.army` does not include the deploys. press: whether armies without an order join the first attack from
    their region; the method CAREFUL ignores `press`.
    """
    board, owner, army = context.board, position.owner, position.army
    after, free = work.after, work.free
    for r in range(owner.shape[0]):
        after[r] = army[r] + deploy[r]
        free[r] = after[r] - 1
    deployed = with_army(position, after)
    if generator == OFFENSIVE:
        count = attack(context, position, player, False, press, work, attacks, 0)
        return move_inland(board, deployed, player, work.scratch, attacks, count)
    count = move_inland(board, deployed, player, work.scratch, attacks, 0)
    count = expand(context, position, player, work, attacks, count)
    careful = generator == CAREFUL
    return attack(context, position, player, careful, press and not careful, work, attacks, count)
