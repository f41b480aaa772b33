"""The value network: two layers of leaky ReLU units with the same weights for all players.

The inputs for a player's score are the square roots of its features, and the features of the rules. Further inputs are
the means of the square roots over the other players. Win probabilities are the softmax of the scores. For two players,
the win probability is the logistic function of the difference of the scores.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from warlight_env.agents.context import Context
from warlight_env.agents.records.value_record import FIRST_UNITS, N_PLAYER, SECOND_UNITS
from warlight_env.agents.value.features import OF, Numbers, position_value, write_features, write_rules
from warlight_env.engine.jit import inline_kernel, kernel
from warlight_env.engine.kernel_types import Int, Real, Shares
from warlight_env.engine.position import Position
from warlight_env.engine.stack import stack_floats, stack_singles

#: Slope of the leaky ReLU units below 0.
LEAK: Final = 0.1
#: Weights in the weighted mean of `network_share`: the player's fraction of all players' regions, and its fraction of
#: all players' value in armies (`position_value`).
REGION_WEIGHT: Final = 0.05
VALUE_WEIGHT: Final = 0.3


@inline_kernel
def _rectified(value: np.float32) -> np.float32:
    return max(value, np.float32(LEAK) * value)


@kernel
def network_scores(context: Context, position: Position, features: Numbers, scores: Shares) -> None:
    """Write the players' scores to scores float64[P]; -inf for players without regions.

    Also writes the players' features to features, float64[P * N_PLAYER] or longer.
    """
    net, players = context.value, context.players
    rules = stack_floats()
    numbers, mean, base, first, second = (
        stack_singles(), stack_singles(), stack_singles(), stack_singles(), stack_singles(),
    )  # fmt: skip
    write_features(context, position, features)
    write_rules(context, position, rules)
    n_alive = np.float32(0.0)
    for p in range(players):
        n_alive += np.float32(features[p * N_PLAYER + OF.regions] > 0.0)
    player_columns, rule_columns = net.player_columns, net.rule_columns
    width = np.int64(player_columns.shape[0])
    for p in range(players):
        for i in range(width):
            numbers[p * width + i] = np.float32(0.5 * np.sqrt(features[p * N_PLAYER + player_columns[i]]))
    for j in range(FIRST_UNITS):
        base[j] = net.first_bias[j]
    for i in range(rule_columns.shape[0]):
        x = np.float32(rules[rule_columns[i]])
        for j in range(FIRST_UNITS):
            base[j] += net.rules[i, j] * x
    for p in range(players):
        scores[p] = -np.inf
        if features[p * N_PLAYER + OF.regions] == 0.0:
            continue
        for i in range(width):
            mean[i] = np.float32(0.0)
        for q in range(players):
            if q != p and features[q * N_PLAYER + OF.regions] > 0.0:
                for i in range(width):
                    mean[i] += numbers[q * width + i]
        for i in range(width):
            mean[i] /= max(np.float32(1.0), n_alive - np.float32(1.0))
        for j in range(FIRST_UNITS):
            first[j] = base[j]
        for i in range(width):
            x, y = numbers[p * width + i], mean[i]
            for j in range(FIRST_UNITS):
                first[j] += net.own[i, j] * x + net.others[i, j] * y
        for k in range(SECOND_UNITS):
            second[k] = net.second_bias[k]
        for j in range(FIRST_UNITS):
            x = _rectified(first[j])
            for k in range(SECOND_UNITS):
                second[k] += net.second[j, k] * x
        score = np.float32(0.0)
        for k in range(SECOND_UNITS):
            score += net.last[k] * _rectified(second[k])
        scores[p] = score


@inline_kernel
def _write_chances(scores: Shares, players: Int, shares: Shares) -> None:
    for p in range(players):
        total = 0.0
        for q in range(players):
            total += np.exp(scores[q] - scores[p])
        shares[p] = 0.0 if scores[p] == -np.inf else 1.0 / total


@kernel
def win_probabilities(context: Context, position: Position, shares: Shares) -> Int:
    """Write each player's win probability to shares float64[P]. The training fits these win probabilities to labels.

    The signature is `plug_ins.evaluation_signature`.
    """
    features, scores = stack_floats(), stack_floats()
    network_scores(context, position, features, scores)
    _write_chances(scores, context.players, shares)
    return 0


@kernel
def network_share(context: Context, position: Position, shares: Shares) -> Int:
    """Write each player's share of a position's value to shares float64[P].

    A share is the weighted mean of three numbers: the player's win probability, its fraction of all players' value in
    armies, and its fraction of all players' regions. The win probability of a player that is far ahead is close to 1
    and hardly changes, but its fractions of armies and regions still increase when it captures more regions. So a
    search of a winning player captures the last regions, too. The signature is `plug_ins.evaluation_signature`.
    """
    features, scores, players = stack_floats(), stack_floats(), context.players
    network_scores(context, position, features, scores)
    _write_chances(scores, players, shares)
    n_regions = 0.0
    total_value: Real = 0.0
    for p in range(players):
        if scores[p] > -np.inf:
            total_value += position_value(features, p)
            n_regions += features[p * N_PLAYER + OF.regions]
    for p in range(players):
        if scores[p] > -np.inf:
            shares[p] = (
                (1.0 - REGION_WEIGHT - VALUE_WEIGHT) * shares[p]
                + VALUE_WEIGHT * position_value(features, p) / total_value
                + REGION_WEIGHT * features[p * N_PLAYER + OF.regions] / n_regions
            )
    return 0
