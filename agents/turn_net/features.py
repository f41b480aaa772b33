"""Features of a position for the turn network, from a player's view.

The features describe regions, the whole position and borders; they can be computed for any map, rules and number of
players.
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from warlight_env.agents.context import Context
from warlight_env.agents.evaluation.surroundings import MOST_ROUNDS, chance_with_income, holder_of, neighbours_of
from warlight_env.agents.records.army_requirements import ArmyRequirements, chance_of_capture, cost_of
from warlight_env.agents.records.turn_record import FIRST_MEMORY, N_MEMORY, Floats, TurnNetworkBuffers
from warlight_env.agents.value.features import write_rules
from warlight_env.engine.jit import inline_kernel, kernel
from warlight_env.engine.kernel_types import Bool, Int, Real
from warlight_env.engine.position import Position
from warlight_env.engine.stack import stack_floats
from warlight_env.features.definitions import EDGES, OVERALL, REGIONS, RULES

#: The column of each feature, with the feature's name as attribute. `features.definitions` describes the features.
_NODE: Final[Any] = REGIONS.columns
_OVERALL: Final[Any] = OVERALL.columns
_EDGE: Final[Any] = EDGES.columns
#: Column of the first feature of the rules in the position's features; the other features of the rules follow it.
_FIRST_RULE: Final = OVERALL.names.index(RULES.names[0])
_RULES: Final = RULES.width

#: A table of log(1 + x) for x < 1024; most numbers of armies are small. Without the table, logarithms would take a
#: sixth of the time for a turn.
_MANY: Final = 1024
_LOGS: Final = np.array([math.log1p(x) for x in range(_MANY)], dtype=np.float32)
#: Columns of `TurnNetworkBuffers.holding`.
INCOME: Final = 0
_ARMIES: Final = 1
_REGIONS: Final = 2


@inline_kernel
def _log(value: Int | Real) -> Real:
    """Return log(1 + value) of a whole number."""
    return _LOGS[np.intp(value)] if value < _MANY else np.float32(np.log1p(np.float64(value)))


@kernel
def write_position(context: Context, position: Position, player: Int, work: TurnNetworkBuffers) -> None:
    """Write the features of regions to `work.nodes` and of the position to `work.overall`.

    All features have a magnitude of about 1. `work.memory` has the features of the player's memory under fog.
    """
    owner, army, holding, players = position.owner, position.army, work.holding, context.players
    for p in range(players):
        holding[p, INCOME], holding[p, _ARMIES], holding[p, _REGIONS] = context.params.base_income, 0.0, 0.0
    for r in range(owner.shape[0]):
        if owner[r] >= 0:
            holding[owner[r], _ARMIES] += army[r]
            holding[owner[r], _REGIONS] += 1.0
    _write_super_regions(context, position, player, work)
    for r in range(owner.shape[0]):
        _write_region(context, position, player, r, work)
    overall, rules = work.overall, stack_floats()
    income, armies, regions, n = 0.0, 0.0, 0.0, np.float64(owner.shape[0])
    for p in range(players):
        if p != player and holding[p, _REGIONS] > 0.0:
            income, armies = max(income, holding[p, INCOME]), max(armies, holding[p, _ARMIES])
            regions += holding[p, _REGIONS]
    overall[_OVERALL.my_income] = np.float32(holding[player, INCOME] / 10.0)
    overall[_OVERALL.enemy_income] = np.float32(income / 10.0)
    overall[_OVERALL.my_armies] = _log(holding[player, _ARMIES]) / np.float32(4.0)
    overall[_OVERALL.enemy_armies] = _log(armies) / np.float32(4.0)
    overall[_OVERALL.my_regions] = np.float32(holding[player, _REGIONS] / n)
    overall[_OVERALL.enemy_regions] = np.float32(regions / n)
    overall[_OVERALL.round] = np.float32(min(MOST_ROUNDS, position.round[0]) / np.float64(MOST_ROUNDS))
    write_rules(context, position, rules)
    for i in range(_RULES):
        overall[_FIRST_RULE + i] = np.float32(rules[i])


@kernel
def _write_super_regions(context: Context, position: Position, player: Int, work: TurnNetworkBuffers) -> None:
    """Write the features of regions that describe their super regions, and add bonuses to the players' incomes."""
    board, nodes, owner = context.board, work.nodes, position.owner
    for s in range(board.bonus.shape[0]):
        start, end = board.member_start[s], board.member_start[s + 1]
        own_count, enemies, cost = 0.0, 0.0, 0.0
        for i in range(start, end):
            r = board.members[i]
            if owner[r] == player:
                own_count += 1.0
            else:
                enemies += owner[r] >= 0
                cost += cost_of(context.army_requirements, position.army[r])
        holder, size = holder_of(board, position, s), np.float64(end - start)
        if holder >= 0:
            work.holding[holder, INCOME] += board.bonus[s]
        far = np.exp(-cost / 20.0)
        near = np.exp(-cost / 8.0)
        for i in range(start, end):
            row = nodes[board.members[i]]
            row[_NODE.my_part], row[_NODE.enemy_part] = np.float32(own_count / size), np.float32(enemies / size)
            row[_NODE.near], row[_NODE.far] = np.float32(near), np.float32(far)
            row[_NODE.whole_mine] = np.float32(holder == player)
            row[_NODE.whole_enemy] = np.float32(holder >= 0 and holder != player)
            row[_NODE.bonus], row[_NODE.size] = np.float32(board.bonus[s] / 5.0), np.float32(size / 6.0)


@kernel
def _write_region(context: Context, position: Position, player: Int, r: Int, work: TurnNetworkBuffers) -> None:
    """Write the features of a region that do not describe its super region."""
    holding, row, third = work.holding, work.nodes[r], np.float32(1.0 / 3.0)
    holder, armies = np.int64(position.owner[r]), np.int64(position.army[r])
    is_own, is_neutral = holder == player, holder < 0
    surroundings = neighbours_of(context.board, position, r, player)
    threat = surroundings.strongest_enemy if is_own else surroundings.strongest_own
    risk: Real = 0.0
    if threat > 0:
        income = holding[surroundings.strongest_holder if is_own else player, INCOME]
        risk = chance_with_income(context.army_requirements, threat, income, armies)
    size = _log(armies) * third
    row[_NODE.mine], row[_NODE.neutral] = np.float32(is_own), np.float32(is_neutral)
    row[_NODE.enemy] = np.float32(not is_own and not is_neutral)
    row[_NODE.army] = size
    row[_NODE.my_army], row[_NODE.enemy_army] = size * row[_NODE.mine], size * row[_NODE.enemy]
    row[_NODE.few] = np.float32(min(20.0, float(armies)) / 20.0)
    row[_NODE.enemies_beside] = _log(surroundings.enemy_armies) * third
    row[_NODE.strongest_enemy] = _log(surroundings.strongest_enemy) * third
    row[_NODE.mine_beside] = _log(surroundings.own_armies) * third
    row[_NODE.strongest_mine] = _log(surroundings.strongest_own) * third
    row[_NODE.beside_enemy] = np.float32(surroundings.enemy_regions > 0)
    row[_NODE.beside_neutral] = np.float32(surroundings.neutral_regions > 0)
    row[_NODE.beside_mine] = np.float32(surroundings.own_regions > 0)
    row[_NODE.enemies], row[_NODE.neutrals] = (
        np.float32(surroundings.enemy_regions / 4.0),
        np.float32(surroundings.neutral_regions / 4.0),
    )
    row[_NODE.borders] = np.float32(
        (surroundings.own_regions + surroundings.enemy_regions + surroundings.neutral_regions) / 5.0
    )
    row[_NODE.risk] = np.float32(risk)
    row[_NODE.holder_income] = np.float32(0.0) if is_neutral else np.float32(holding[holder, INCOME] / 10.0)
    row[_NODE.holder_armies] = np.float32(0.0) if is_neutral else _log(holding[holder, _ARMIES]) / np.float32(4.0)
    for i in range(N_MEMORY):
        row[FIRST_MEMORY + i] = work.memory[r, i]


@kernel
def write_edge(
    context: Context, position: Position, player: Int, source: Int, target: Int, deployed: Int, row: Floats
) -> None:
    """Write the features of the border from a region of the player to a neighbour to row float32[N_EDGE]."""
    requirements, third = context.army_requirements, np.float32(1.0 / 3.0)
    available = np.int64(position.army[source]) + deployed - 1
    holder, defenders = np.int64(position.owner[target]), np.int64(position.army[target])
    is_own = holder == player
    row[_EDGE.leaving], row[_EDGE.defenders] = _log(available) * third, _log(defenders) * third
    row[_EDGE.to_mine], row[_EDGE.to_neutral] = np.float32(is_own), np.float32(holder < 0)
    row[_EDGE.to_enemy] = np.float32(1.0) - row[_EDGE.to_mine] - row[_EDGE.to_neutral]
    row[_EDGE.all] = _chance(requirements, is_own, available, defenders)
    row[_EDGE.three_quarters] = _chance(requirements, is_own, available * 3 >> 2, defenders)
    row[_EDGE.half] = _chance(requirements, is_own, available * 2 >> 2, defenders)
    row[_EDGE.quarter] = _chance(requirements, is_own, available >> 2, defenders)
    row[_EDGE.none], row[_EDGE.deployed] = np.float32(available == 0), np.float32(deployed / 5.0)


@inline_kernel
def _chance(requirements: ArmyRequirements, is_own: Bool, attackers: Int, defenders: Int) -> Real:
    """Return the probability of capturing a region, float32; 0 for the player's own region."""
    return np.float32(0.0 if is_own else chance_of_capture(requirements, attackers, defenders))
