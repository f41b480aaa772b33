"""Features of a position for the value network: features of each player and features of the rules.

The features of a player are sums over regions and super regions; they can be computed for any map and number of
players. The computation of all features takes about as long as the evaluation with weights.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from warlight_env.agents.context import Context
from warlight_env.agents.evaluation.surroundings import MOST_ROUNDS, chance_with_income, holder_of, neighbours_of
from warlight_env.agents.records.army_requirements import chance_of_capture, cost_of
from warlight_env.agents.records.value_record import N_PLAYER
from warlight_env.engine.jit import inline_kernel, kernel
from warlight_env.engine.kernel_types import Int, Real
from warlight_env.engine.position import Position
from warlight_env.engine.stack import stack_floats
from warlight_env.features.definitions import PLAYERS, RULES

#: The column of each feature, with the feature's name as attribute. `features.definitions` describes the features.
OF: Final[Any] = PLAYERS.columns
_RULE: Final[Any] = RULES.columns

#: float64[…]
Numbers = npt.NDArray[np.float64]

#: INCOME_VALUE: the value of an income of one army per round, in armies. PROMISE_VALUE: the value of one army of the
#: feature `promise_8`, in armies. Both were fitted to the winners of games between searches.
INCOME_VALUE: Final = 9.0
PROMISE_VALUE: Final = 6.0


@kernel
def write_features(context: Context, position: Position, features: Numbers) -> None:
    """Write each player's features to features float64[P * N_PLAYER], one player after the other, without scaling."""
    board, requirements, players = context.board, context.army_requirements, context.players
    owner, army = position.owner, position.army
    exposed, threatened, counts, own_costs, ready = (
        stack_floats(), stack_floats(), stack_floats(), stack_floats(), stack_floats(),
    )  # fmt: skip
    for p in range(players):
        for i in range(N_PLAYER):
            features[p * N_PLAYER + i] = 0.0
        features[p * N_PLAYER + OF.income] = context.params.base_income
    for s in range(board.bonus.shape[0]):
        holder = holder_of(board, position, s)
        if holder >= 0:
            features[holder * N_PLAYER + OF.income] += board.bonus[s]
            features[holder * N_PLAYER + OF.whole] += 1.0
    for r in range(owner.shape[0]):
        player = np.int64(owner[r])
        exposed[r], threatened[r] = 0.0, 0.0
        if player < 0:
            continue
        a, nearby = np.int64(army[r]), neighbours_of(board, position, r, player)
        strongest, enemy, neutral = nearby.strongest_enemy, nearby.strongest_holder, nearby.neutral_regions > 0
        features[player * N_PLAYER + OF.armies] += a
        features[player * N_PLAYER + OF.roots] += np.sqrt(np.float64(a))
        features[player * N_PLAYER + OF.regions] += 1.0
        features[player * N_PLAYER + OF.largest] = max(features[player * N_PLAYER + OF.largest], np.float64(a))
        if neutral:
            features[player * N_PLAYER + OF.edges] += 1.0
        if strongest > 0:
            current_risk = chance_of_capture(requirements, strongest - 1, a)
            next_risk = chance_with_income(requirements, strongest, features[enemy * N_PLAYER + OF.income], a)
            exposed[r], threatened[r] = current_risk, next_risk
            features[player * N_PLAYER + OF.front] += a
            features[player * N_PLAYER + OF.fronts] += 1.0
            features[player * N_PLAYER + OF.faced] += min(a, strongest)
            features[player * N_PLAYER + OF.exposed_armies] += current_risk * a
            features[player * N_PLAYER + OF.exposed_regions] += current_risk
            features[player * N_PLAYER + OF.threatened_armies] += next_risk * a
            features[player * N_PLAYER + OF.threatened_regions] += next_risk
            features[enemy * N_PLAYER + OF.prey_armies] += next_risk * a
            features[enemy * N_PLAYER + OF.prey_regions] += next_risk
        elif neutral:
            features[player * N_PLAYER + OF.edge] += a
    for s in range(board.bonus.shape[0]):
        start, end, total, bonus = board.member_start[s], board.member_start[s + 1], 0.0, board.bonus[s]
        holders, holder, current_risk, next_risk = 0, np.int64(-1), 0.0, 0.0
        for p in range(players):
            counts[p], own_costs[p], ready[p] = 0.0, 0.0, 0.0
        for i in range(start, end):
            r = board.members[i]
            player, cost = np.int64(owner[r]), np.float64(cost_of(requirements, army[r]))
            total += cost
            current_risk, next_risk = max(current_risk, exposed[r]), max(next_risk, threatened[r])
            if player >= 0:
                if counts[player] == 0.0:
                    holders += 1
                    holder = player
                counts[player] += 1.0
                own_costs[player] += cost
                ready[player] += army[r] - 1
        if holders == 1 and counts[holder] == end - start:
            features[holder * N_PLAYER + OF.exposed_bonus] += current_risk * bonus
            features[holder * N_PLAYER + OF.threatened_bonus] += next_risk * bonus
            continue
        for p in range(players):
            if counts[p] == 0.0:
                continue
            missing = total - own_costs[p]
            decay_16 = np.exp(-missing / 16.0)
            decay_8 = decay_16 * decay_16
            decay_4 = decay_8 * decay_8
            features[p * N_PLAYER + OF.promise_16] += bonus * decay_16
            features[p * N_PLAYER + OF.promise_8] += bonus * decay_8
            features[p * N_PLAYER + OF.promise_4] += bonus * decay_4
            features[p * N_PLAYER + OF.promise_2] += bonus * decay_4 * decay_4
            if holders == 1:
                features[p * N_PLAYER + OF.clear_8] += bonus * decay_8
                features[p * N_PLAYER + OF.clear_4] += bonus * decay_4
                features[p * N_PLAYER + OF.ready] += bonus * min(
                    1.0, (ready[p] + features[p * N_PLAYER + OF.income]) / max(1.0, missing)
                )


@inline_kernel
def position_value(features: Numbers, player: Int) -> Real:
    """Return the value of a player's position, in armies: its armies, its income, and super regions it may complete."""
    start = player * N_PLAYER
    return (
        features[start + OF.armies]
        + INCOME_VALUE * features[start + OF.income]
        + PROMISE_VALUE * features[start + OF.promise_8]
    )


@kernel
def write_rules(context: Context, position: Position, rules: Numbers) -> None:
    """Write the features `definitions.RULES` to rules float64[N_RULES]; all values have a magnitude of about 1."""
    limit = context.params.round_limit
    rounds_left: Int = MOST_ROUNDS if limit == 0 else min(MOST_ROUNDS, max(0, limit - position.round[0]))
    rules[_RULE.per_enemy] = 1.0 / max(1, context.players - 1)
    rules[_RULE.rounds_left] = rounds_left / MOST_ROUNDS
    rules[_RULE.to_take_two] = cost_of(context.army_requirements, 2) / 3.0
    rules[_RULE.to_take_ten] = cost_of(context.army_requirements, 10) / 15.0
    rules[_RULE.base_income] = context.params.base_income / 5.0
    rules[_RULE.regions] = position.owner.shape[0] / 40.0
