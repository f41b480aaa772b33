"""What the value network reads of a position: some numbers of each player and some of the rules.

They are sums over regions and super regions, so that they exist for any map and number of players, and take about as
long as the evaluation by weights.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from warlight_env.agents.context import Context
from warlight_env.agents.records.forces import attackers_needed, chance_of_capture
from warlight_env.agents.records.value_record import N_PLAYER
from warlight_env.engine.jit import inline_kernel, kernel
from warlight_env.engine.kernel_types import Int, Real
from warlight_env.engine.position import Position
from warlight_env.engine.stack import stack_floats

#: Of each player: sums over its regions (armies, square roots of armies), numbers of regions, income, whole super
#: regions, what super regions promise that it has a part of, fading fast and slowly with the armies that are lacking
#: there, in all and where no enemy stands, and those that its armies there can complete; armies at enemies' and at
#: neutral borders; what enemies' strongest neighbours can capture as they stand and with their income: armies, regions,
#: bonuses; what it could take from them; borders, the largest army, armies that face as many.
PLAYER_FEATURES: Final = (
    "armies", "roots", "regions", "income", "whole",
    "promise_2", "promise_4", "promise_8", "promise_16", "clear_4", "clear_8", "ready",
    "front", "edge", "exposed_armies", "exposed_regions", "exposed_bonus",
    "threatened_armies", "threatened_regions", "threatened_bonus", "prey_armies", "prey_regions",
    "fronts", "edges", "largest", "faced",
)  # fmt: skip

(
    _ARMIES, _ROOTS, REGIONS, _INCOME, _WHOLE, _PROMISE_2, _PROMISE_4, _PROMISE_8, _PROMISE_16, _CLEAR_4, _CLEAR_8,
    _READY, _FRONT, _EDGE, _EXPOSED, _EXPOSED_REGIONS, _EXPOSED_BONUS, _THREATENED, _THREATENED_REGIONS,
    _THREATENED_BONUS, _PREY, _PREY_REGIONS, _FRONTS, _EDGES, _LARGEST, _FACED,
) = range(N_PLAYER)  # fmt: skip

#: float64[…]
Numbers = npt.NDArray[np.float64]

#: Index of 0.7 in `forces.LEVELS`.
_LEVEL: Final = 2
#: Part of an enemy's income that is thought to join an attack.
_JOINING: Final = 0.7
_MOST_ROUNDS: Final = 40
#: What an army of income is worth in armies, and one that a super region would add: by who won in games of searches.
INCOME_WORTH: Final = 9.0
PROMISE_WORTH: Final = 6.0


@kernel
def write_features(context: Context, position: Position, features: Numbers) -> None:
    """Write each player's numbers, as they are, to features float64[P * N_PLAYER], one player after the other."""
    board, forces, players = context.board, context.forces, context.players
    owner, army = position.owner, position.army
    exposed, threatened, own, cost_own, ready = (
        stack_floats(), stack_floats(), stack_floats(), stack_floats(), stack_floats(),
    )  # fmt: skip
    for p in range(players):
        for i in range(N_PLAYER):
            features[p * N_PLAYER + i] = 0.0
        features[p * N_PLAYER + _INCOME] = context.params.base_income
    for s in range(board.bonus.shape[0]):
        start, end = board.member_start[s], board.member_start[s + 1]
        held, first = 0, np.int64(owner[board.members[start]])
        for i in range(start, end):
            held += owner[board.members[i]] == first
        if first >= 0 and held == end - start:
            features[first * N_PLAYER + _INCOME] += board.bonus[s]
            features[first * N_PLAYER + _WHOLE] += 1.0
    for r in range(owner.shape[0]):
        by = np.int64(owner[r])
        exposed[r], threatened[r] = 0.0, 0.0
        if by < 0:
            continue
        a, strongest, who, neutral = np.int64(army[r]), np.int64(0), np.int64(0), False
        for e in range(board.neighbor_start[r], board.neighbor_start[r + 1]):
            q = board.edge_target[e]
            other = owner[q]
            if other == by:
                continue
            if other < 0:
                neutral = True
            elif army[q] > strongest:
                strongest, who = np.int64(army[q]), np.int64(other)
        features[by * N_PLAYER + _ARMIES] += a
        features[by * N_PLAYER + _ROOTS] += np.sqrt(np.float64(a))
        features[by * N_PLAYER + REGIONS] += 1.0
        features[by * N_PLAYER + _LARGEST] = max(features[by * N_PLAYER + _LARGEST], np.float64(a))
        if neutral:
            features[by * N_PLAYER + _EDGES] += 1.0
        if strongest > 0:
            now = chance_of_capture(forces, strongest - 1, a)
            joined = strongest - 1 + np.int64(_JOINING * features[who * N_PLAYER + _INCOME])
            soon = chance_of_capture(forces, joined, a)
            exposed[r], threatened[r] = now, soon
            features[by * N_PLAYER + _FRONT] += a
            features[by * N_PLAYER + _FRONTS] += 1.0
            features[by * N_PLAYER + _FACED] += min(a, strongest)
            features[by * N_PLAYER + _EXPOSED] += now * a
            features[by * N_PLAYER + _EXPOSED_REGIONS] += now
            features[by * N_PLAYER + _THREATENED] += soon * a
            features[by * N_PLAYER + _THREATENED_REGIONS] += soon
            features[who * N_PLAYER + _PREY] += soon * a
            features[who * N_PLAYER + _PREY_REGIONS] += soon
        elif neutral:
            features[by * N_PLAYER + _EDGE] += a
    for s in range(board.bonus.shape[0]):
        start, end, total, bonus = board.member_start[s], board.member_start[s + 1], 0.0, board.bonus[s]
        holders, holder, now, soon = 0, np.int64(-1), 0.0, 0.0
        for p in range(players):
            own[p], cost_own[p], ready[p] = 0.0, 0.0, 0.0
        for i in range(start, end):
            r = board.members[i]
            by, cost = np.int64(owner[r]), np.float64(attackers_needed(forces, _LEVEL, np.int64(army[r])))
            total += cost
            now, soon = max(now, exposed[r]), max(soon, threatened[r])
            if by >= 0:
                if own[by] == 0.0:
                    holders += 1
                    holder = by
                own[by] += 1.0
                cost_own[by] += cost
                ready[by] += army[r] - 1
        if holders == 1 and own[holder] == end - start:
            features[holder * N_PLAYER + _EXPOSED_BONUS] += now * bonus
            features[holder * N_PLAYER + _THREATENED_BONUS] += soon * bonus
            continue
        for p in range(players):
            if own[p] == 0.0:
                continue
            lack = total - cost_own[p]
            by_16 = np.exp(-lack / 16.0)
            by_8 = by_16 * by_16
            by_4 = by_8 * by_8
            features[p * N_PLAYER + _PROMISE_16] += bonus * by_16
            features[p * N_PLAYER + _PROMISE_8] += bonus * by_8
            features[p * N_PLAYER + _PROMISE_4] += bonus * by_4
            features[p * N_PLAYER + _PROMISE_2] += bonus * by_4 * by_4
            if holders == 1:
                features[p * N_PLAYER + _CLEAR_8] += bonus * by_8
                features[p * N_PLAYER + _CLEAR_4] += bonus * by_4
                features[p * N_PLAYER + _READY] += bonus * min(
                    1.0, (ready[p] + features[p * N_PLAYER + _INCOME]) / max(1.0, lack)
                )


@inline_kernel
def worth(features: Numbers, player: Int) -> Real:
    """What a player has by these numbers, in armies: its armies, its income, and what super regions promise."""
    start = player * N_PLAYER
    return (
        features[start + _ARMIES]
        + INCOME_WORTH * features[start + _INCOME]
        + PROMISE_WORTH * features[start + _PROMISE_8]
    )


@kernel
def write_rules(context: Context, position: Position, rules: Numbers) -> None:
    """Write what the network reads of the rules to rules float64[N_RULES], each about 1: the enemies' number,
    rounds that are left (40 where there is no limit), armies that it takes to capture a region of two and one of
    ten, income without bonuses, regions."""
    limit = context.params.round_limit
    left: Int = _MOST_ROUNDS if limit == 0 else min(_MOST_ROUNDS, max(0, limit - position.round[0]))
    rules[0] = 1.0 / max(1, context.players - 1)
    rules[1] = left / _MOST_ROUNDS
    rules[2] = attackers_needed(context.forces, _LEVEL, 2) / 3.0
    rules[3] = attackers_needed(context.forces, _LEVEL, 10) / 15.0
    rules[4] = context.params.base_income / 5.0
    rules[5] = position.owner.shape[0] / 40.0
