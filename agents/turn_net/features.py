"""What the turn network reads of a position, from a player's side.

They are numbers of regions, of the whole and of borders, so that they exist for any map, rules and number of players.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from warlight_env.agents.context import Context
from warlight_env.agents.records.forces import attackers_needed, chance_of_capture
from warlight_env.agents.records.turn_record import N_EDGE, N_NODE, N_OVERALL, Floats, TurnNetWork
from warlight_env.agents.value.features import write_rules
from warlight_env.engine.jit import inline_kernel, kernel
from warlight_env.engine.kernel_types import Int, Real
from warlight_env.engine.position import Position
from warlight_env.engine.stack import stack_floats

#: Of a region: whose it is; armies, in all and by whose; armies of enemies and of one's own beside it, in all and the
#: strongest, kinds of neighbours and how many; the chance that the strongest on the other side captures it, with part
#: of its income; income and armies of who holds it; of its super region the parts that are one's own and enemies',
#: what it costs to complete it, whether it is whole, its bonus and size.
NODE_FEATURES: Final = (
    "mine", "enemy", "neutral", "army", "my_army", "enemy_army", "few",
    "enemies_beside", "strongest_enemy", "mine_beside", "strongest_mine",
    "beside_enemy", "beside_neutral", "beside_mine", "enemies", "neutrals", "borders", "risk",
    "holder_income", "holder_armies", "my_part", "enemy_part", "near", "far", "whole_mine", "whole_enemy", "bonus",
    "size",
)  # fmt: skip
#: Of the position: income and armies, one's own and of who has most among the enemies, parts of all regions, the round,
#: and what the value network reads of the rules (`value.features.write_rules`).
OVERALL_FEATURES: Final = (
    "my_income", "enemy_income", "my_armies", "enemy_armies", "my_regions", "enemy_regions", "round",
    "per_enemy", "rounds_left", "to_take_two", "to_take_ten", "base_income", "regions",
)  # fmt: skip
#: Of a directed border, where deploys are known: armies that may leave, defenders, whose the target is, the chance to
#: capture it with all, three quarters, half and a quarter of these, whether none may leave, and the deploy.
EDGE_FEATURES: Final = (
    "leaving", "defenders", "to_mine", "to_neutral", "to_enemy", "all", "three_quarters", "half", "quarter", "none",
    "deployed",
)  # fmt: skip

#: Index of 0.7 in `forces.LEVELS`, and the part of an income that is thought to join an attack.
_LEVEL: Final = 2
_JOINING: Final = 0.7
#: log(1 + x) of the whole numbers x below, which most armies are: a table, as kernels took a sixth of a turn for them.
_MANY: Final = 1024
_LOGS: Final = np.array([math.log1p(x) for x in range(_MANY)], dtype=np.float32)
#: Columns of `TurnNetWork.holding`.
INCOME: Final = 0
_ARMIES: Final = 1
_REGIONS: Final = 2


@inline_kernel
def _log(value: Real) -> Real:
    """log(1 + value) of a whole number."""
    return _LOGS[np.intp(value)] if value < _MANY else np.float32(np.log1p(np.float64(value)))


@kernel
def write_position(context: Context, position: Position, player: Int, work: TurnNetWork) -> None:
    """Write `nodes` and `overall` of `work`, all about 1."""
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
    overall[0], overall[1] = np.float32(holding[player, INCOME] / 10.0), np.float32(income / 10.0)
    overall[2] = _log(holding[player, _ARMIES]) / np.float32(4.0)
    overall[3] = _log(armies) / np.float32(4.0)
    overall[4], overall[5] = np.float32(holding[player, _REGIONS] / n), np.float32(regions / n)
    overall[6] = np.float32(min(40, position.round[0]) / 40.0)
    write_rules(context, position, rules)
    for i in range(6):
        overall[7 + i] = np.float32(rules[i])


@kernel
def _write_super_regions(context: Context, position: Position, player: Int, work: TurnNetWork) -> None:
    """Write what regions read of their super regions, and add bonuses to the incomes."""
    board, nodes, owner = context.board, work.nodes, position.owner
    for s in range(board.bonus.shape[0]):
        start, end = board.member_start[s], board.member_start[s + 1]
        mine, enemies, cost, first, same = 0.0, 0.0, 0.0, np.int64(owner[board.members[start]]), True
        for i in range(start, end):
            r = board.members[i]
            by = np.int64(owner[r])
            same = same and by == first
            if by == player:
                mine += 1.0
            else:
                enemies += by >= 0
                cost += attackers_needed(context.forces, _LEVEL, np.int64(position.army[r]))
        whole, size = same and first >= 0, np.float64(end - start)
        if whole:
            work.holding[first, INCOME] += board.bonus[s]
        far = np.exp(-cost / 20.0)
        near = np.exp(-cost / 8.0)
        for i in range(start, end):
            row = nodes[board.members[i]]
            row[20], row[21], row[22] = np.float32(mine / size), np.float32(enemies / size), np.float32(near)
            row[23] = np.float32(far)
            row[24], row[25] = np.float32(whole and first == player), np.float32(whole and first != player)
            row[26], row[27] = np.float32(board.bonus[s] / 5.0), np.float32(size / 6.0)


@kernel
def _write_region(context: Context, position: Position, player: Int, r: Int, work: TurnNetWork) -> None:
    """Write the rest of a region's row."""
    board, forces, holding = context.board, context.forces, work.holding
    owner, army, row = position.owner, position.army, work.nodes[r]
    third = np.float32(1.0 / 3.0)
    by, armies = np.int64(owner[r]), np.int64(army[r])
    mine, neutral = by == player, by < 0
    of_enemies, of_mine, enemies, neutrals, own = 0.0, 0.0, 0.0, 0.0, 0.0
    enemy, strongest, who = np.int64(0), np.int64(0), np.int64(player)
    begin, end = board.neighbor_start[r], board.neighbor_start[r + 1]
    for e in range(begin, end):
        q = board.edge_target[e]
        other, there = np.int64(owner[q]), np.int64(army[q])
        if other < 0:
            neutrals += 1.0
        elif other == player:
            own += 1.0
            of_mine += there
            strongest = max(strongest, there)
        else:
            enemies += 1.0
            of_enemies += there
            if there > enemy:
                enemy, who = there, other
    against = enemy if mine else strongest
    risk = 0.0
    if against > 0:
        joining = np.int64(_JOINING * holding[who if mine else player, INCOME])
        risk = chance_of_capture(forces, against - 1 + joining, armies)
    size = _log(armies) * third
    row[0], row[1], row[2] = np.float32(mine), np.float32(not mine and not neutral), np.float32(neutral)
    row[3], row[4], row[5] = size, size * row[0], size * row[1]
    row[6] = np.float32(min(20.0, float(armies)) / 20.0)
    row[7], row[8] = _log(of_enemies) * third, _log(enemy) * third
    row[9], row[10] = _log(of_mine) * third, _log(strongest) * third
    row[11], row[12], row[13] = np.float32(enemies > 0.0), np.float32(neutrals > 0.0), np.float32(own > 0.0)
    row[14], row[15] = np.float32(enemies / 4.0), np.float32(neutrals / 4.0)
    row[16], row[17] = np.float32((end - begin) / 5.0), np.float32(risk)
    row[18] = np.float32(0.0) if neutral else np.float32(holding[by, INCOME] / 10.0)
    row[19] = np.float32(0.0) if neutral else _log(holding[by, _ARMIES]) / np.float32(4.0)


@kernel
def write_edge(
    context: Context, position: Position, player: Int, source: Int, target: Int, deployed: Int, row: Floats
) -> None:
    """Write the numbers of a border whose source is the player's to row float32[N_EDGE]."""
    forces, third = context.forces, np.float32(1.0 / 3.0)
    available = np.int64(position.army[source]) + deployed - 1
    by, defenders = np.int64(position.owner[target]), np.int64(position.army[target])
    mine = by == player
    row[0], row[1] = _log(available) * third, _log(defenders) * third
    row[2], row[3] = np.float32(mine), np.float32(by < 0)
    row[4] = np.float32(1.0) - row[2] - row[3]
    for k in range(4):
        row[5 + k] = np.float32(0.0 if mine else chance_of_capture(forces, available * (4 - k) >> 2, defenders))
    row[9], row[10] = np.float32(available == 0), np.float32(deployed / 5.0)


assert (len(NODE_FEATURES), len(OVERALL_FEATURES), len(EDGE_FEATURES)) == (N_NODE, N_OVERALL, N_EDGE)
