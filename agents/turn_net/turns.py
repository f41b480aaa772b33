"""Kernels that draw turns from the turn network's probabilities.

The kernels first draw the deploys, region by region. Then they draw, for each border, the fraction of armies that cross
it and the priority of the attack.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from warlight_env.agents.context import Context
from warlight_env.agents.records.factored_turns import VALUES, allocate_income, decode_factored
from warlight_env.agents.records.generator_work import GeneratorWork
from warlight_env.agents.records.turn_record import Floats
from warlight_env.agents.turn_net.features import INCOME
from warlight_env.agents.turn_net.forward import (
    edge_logits,
    embed_ends,
    embed_main,
    embed_regions,
    weight_logits,
    write_scores,
)
from warlight_env.engine.jit import inline_kernel, kernel
from warlight_env.engine.kernel_types import Armies, AttackRows, Int, RandomState, Real
from warlight_env.engine.position import Position
from warlight_env.engine.rng import uniform
from warlight_env.engine.stack import stack_floats, stack_singles

_CLOSED = np.float32(-np.inf)


@inline_kernel
def draw_value(
    logits: Floats, count: Int, temperature: Real, rng: RandomState, log_prob: npt.NDArray[np.float64]
) -> Int:
    """Draw one of the first `count` values from the softmax of logits / temperature.

    With temperature 0, return the most likely value. With a temperature above 0, add the logarithm of the drawn value's
    probability to log_prob[0].
    """
    best = np.int64(0)
    for v in range(1, count):
        if logits[v] > logits[best]:
            best = np.int64(v)
    if temperature == 0.0:
        return best
    total, parts = 0.0, stack_floats()
    for v in range(count):
        parts[v] = 0.0
        if logits[v] > _CLOSED:
            parts[v] = np.exp((np.float64(logits[v]) - logits[best]) / temperature)
        total += parts[v]
    remaining, choice = uniform(rng) * total, best
    for v in range(count):
        remaining -= parts[v]
        if remaining < 0.0:
            choice = np.int64(v)
            break
    log_prob[0] += (np.float64(logits[choice]) - logits[best]) / temperature - np.log(total)
    return choice


@kernel
def network_turn(
    context: Context,
    position: Position,
    player: Int,
    temperature: Real,
    rng: RandomState,
    work: GeneratorWork,
    deploy: Armies,
    attacks: AttackRows,
) -> Int:
    """Write a turn of the network to deploy int32[N] and attacks int32[E, 3], and return the number of attacks.

    Writes the turn's choices to `work.net.row`, as an action row of `factored_turns` with priorities. If the rules
    limit the number of orders, the turn may have fewer orders than the row, see `decode_factored`. Writes the logarithm
    of the turn's probability to `work.net.log_prob`. The probability is the product of the probabilities of all
    choices, each given the earlier choices. The main deploy region, which has the highest deploy weight, is drawn
    first, then the deploy weights of the other regions.

    Args:
        temperature: the divisor of the logits before values are drawn; with 0, each choice has its most likely value.
    """
    embed_regions(context, position, player, work.net)
    embed_ends(context, position, player, work.net)
    return described_turn(context, position, player, temperature, rng, work, deploy, attacks)


@kernel
def described_turn(
    context: Context,
    position: Position,
    player: Int,
    temperature: Real,
    rng: RandomState,
    work: GeneratorWork,
    deploy: Armies,
    attacks: AttackRows,
) -> Int:
    """Write a turn as `network_turn` does, but use the embeddings that `work.net` already contains.

    `embed_regions` and `embed_ends` must run before, once for each position.
    """
    board, net, owner, army = context.board, work.net, position.owner, position.army
    row, n, edges = net.row, position.owner.shape[0], board.edge_target.shape[0]
    logits, priorities, of_main = stack_singles(), stack_singles(), stack_singles()
    for i in range(n + 2 * edges):
        row[i] = 0
    net.log_prob[0] = 0.0
    write_scores(context, position, player, net)
    main = draw_value(net.score, n, temperature, rng, net.log_prob)
    embed_main(context, net, main, of_main)
    for r in range(n):
        if owner[r] != player:
            continue
        row[r] = VALUES - 1
        if r != main:
            weight_logits(context, net, r, main, of_main, logits)
            row[r] = draw_value(logits, VALUES, temperature, rng, net.log_prob)
    income = np.int64(net.holding[player, INCOME])
    allocate_income(owner, player, income, context.params.max_orders, row, net.allocation, deploy)
    for r in range(n):
        if owner[r] != player or army[r] + deploy[r] <= 1:
            continue
        for e in range(board.neighbor_start[r], board.neighbor_start[r + 1]):
            target = board.edge_target[e]
            edge_logits(context, position, player, r, target, np.int64(deploy[r]), net, logits, priorities)
            row[n + e] = draw_value(logits, VALUES, temperature, rng, net.log_prob)
            if row[n + e] > 0:
                row[n + edges + e] = draw_value(priorities, VALUES, temperature, rng, net.log_prob)
    count, _ = decode_factored(
        board, position, player, income, context.params.max_orders, row, net.allocation, deploy, attacks
    )
    return np.int64(count)


@kernel
def sampled_turn(
    context: Context,
    position: Position,
    player: Int,
    rng: RandomState,
    work: GeneratorWork,
    deploy: Armies,
    attacks: AttackRows,
) -> Int:
    """Write a turn that is drawn from the network's probabilities; return the number of attacks.

    The signature is `plug_ins.policy_signature`.
    """
    return network_turn(context, position, player, 1.0, rng, work, deploy, attacks)
