"""The value network: two layers of rectified units that all players share; who has more of the last has the better
chance.

A player's score goes by its own numbers, the mean of the others' and the rules; shares are the softmax of scores, for
two players the logistic function of their difference. A pass takes about a microsecond.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from warlight_env.agents.context import Context
from warlight_env.agents.value.features import write_features, write_rules
from warlight_env.agents.value.record import N_PLAYER, N_RULES
from warlight_env.engine.jit import kernel
from warlight_env.engine.kernel_types import Int, Real
from warlight_env.engine.position import Position
from warlight_env.engine.stack import stack_floats, stack_singles

#: Slope of units below 0.
LEAK: Final = 0.1


@kernel
def network_scores(context: Context, position: Position, scores: Any) -> None:
    """Write the players' scores to float64[P]; those without regions get none that counts."""
    net, players = context.value, context.players
    features, numbers, rules = stack_floats(), stack_singles(), stack_floats()
    mean, first, second = stack_singles(), stack_singles(), stack_singles()
    write_features(context, position, features)
    write_rules(context, position, rules)
    width, units = net.own.shape[0], net.first_bias.shape[0]
    present = 0
    for p in range(players):
        present += features[p * N_PLAYER + 2] > 0.0
        for i in range(width):
            numbers[p * width + i] = np.float32(np.log(1.0 + features[p * N_PLAYER + i]))
    for p in range(players):
        scores[p] = -np.inf
        if features[p * N_PLAYER + 2] == 0.0:
            continue
        for i in range(width):
            total = np.float32(0.0)
            for q in range(players):
                if q != p:
                    total += numbers[q * width + i]
            mean[i] = total / np.float32(max(1, present - 1))
        for j in range(units):
            first[j] = net.first_bias[j]
        for i in range(N_RULES):
            x = np.float32(rules[i])
            for j in range(units):
                first[j] += net.rules[i, j] * x
        for i in range(width):
            x, y = numbers[p * width + i], mean[i]
            for j in range(units):
                first[j] += net.own[i, j] * x + net.others[i, j] * y
        score = np.float32(0.0)
        for j in range(units):
            first[j] = max(first[j], np.float32(LEAK) * first[j])
        for k in range(net.last.shape[0]):
            second[k] = net.second_bias[k]
        for j in range(units):
            x = first[j]
            for k in range(net.last.shape[0]):
                second[k] += net.second[j, k] * x
        for k in range(net.last.shape[0]):
            score += net.last[k] * max(second[k], np.float32(LEAK) * second[k])
        scores[p] = score


@kernel
def network_share(context: Context, position: Position, player: Int) -> Real:
    """A player's share of a position, in [0, 1], in the signature of evaluations."""
    scores = stack_floats()
    network_scores(context, position, scores)
    total = 0.0
    for p in range(context.players):
        total += np.exp(scores[p] - scores[player])
    return 1.0 / total if scores[player] > -np.inf else 0.0
