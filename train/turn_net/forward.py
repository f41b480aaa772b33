"""The forward pass of the turn network in compiled code: the values of `loss.turn_log_probs`, and the activations."""

from __future__ import annotations

from typing import Any

import numpy as np

from warlight_env.agents.context import Context
from warlight_env.agents.records.factored_turns import VALUES, allocate_income
from warlight_env.agents.records.turn_record import N_NODE, N_OVERALL, UNITS, Floats, TurnNetworkBuffers
from warlight_env.agents.turn_net.features import INCOME, write_position
from warlight_env.agents.turn_net.forward import (
    edge_units,
    embed_ends,
    embed_features,
    embed_main,
    pass_messages,
    player_units,
    read_priority,
    read_score,
    read_share,
    weight_units,
    whole_units,
    write_deploy_weight_logits,
    write_scores,
)
from warlight_env.agents.turn_net.picks import write_pick_scores
from warlight_env.engine.jit import inline_kernel, kernel
from warlight_env.engine.kernel_types import Int
from warlight_env.engine.position import Position
from warlight_env.engine.simd import copy_floats
from warlight_env.engine.stack import stack_armies, stack_singles
from warlight_env.train.turn_net.activations import Activations, TurnOutputs
from warlight_env.train.turn_net.batches import CHOSEN, TurnRows

_ZERO, _ONE, _NEVER = np.float32(0.0), np.float32(1.0), np.float32(-np.inf)


@kernel
def evaluate_turns(
    context: Context, rows: TurnRows, low: Int, high: Int, work: TurnNetworkBuffers, activations: Activations,
    outputs: TurnOutputs,
) -> Int:  # fmt: skip
    """Evaluate turns low .. high - 1: write log-probabilities, entropies and scores of players to `outputs`.

    Also writes the activations for the backward pass. Returns the number of borders.
    """
    border = low * max(1, context.board.edge_target.shape[0])
    begin = border
    for m in range(low, high):
        position, player = Position(rows.owner[m], rows.army[m], rows.round[m : m + 1]), rows.player[m]
        _recall(rows, m, work)
        _describe(context, position, player, m, work, activations)
        if rows.picking[m]:
            _evaluate_pick(context, rows, m, border, work, activations, outputs)
            continue
        _evaluate_scores(context, position, player, m, work, activations, outputs)
        outputs.entropy[m] = _ZERO
        _evaluate_deploys(context, position, player, rows, m, work, activations, outputs)
        border = _evaluate_borders(context, position, player, rows, m, border, work, activations, outputs)
    return border - begin


@inline_kernel
def _recall(rows: TurnRows, m: Int, work: TurnNetworkBuffers) -> None:
    """Copy the features of the player's memory, if the rows contain them; otherwise they stay 0."""
    for r in range(rows.memory.shape[1]):
        for i in range(rows.memory.shape[2]):
            work.memory[r, i] = rows.memory[m, r, i]


@inline_kernel
def _evaluate_pick(
    context: Context, rows: TurnRows, m: Int, border: Int, work: TurnNetworkBuffers, activations: Activations,
    outputs: TurnOutputs,
) -> None:  # fmt: skip
    """Write the log-probability and the entropy of the choice of a start region, see `loss.TurnLogProbs`."""
    row, n, region = rows.row[m], rows.owner.shape[1], np.int64(0)
    for r in range(n):
        if row[r] == CHOSEN:
            region = np.int64(r)
    write_pick_scores(context, work, row)
    outputs.weights[m], outputs.entropy[m] = _choose(work.score, n, region, activations.main_push[m])
    outputs.shares[m], outputs.priorities[m] = _ZERO, _ZERO
    for p in range(context.players):
        outputs.scores[m, p] = _ZERO
    activations.main[m], activations.borders[m, 0], activations.borders[m, 1] = region, border, border


@inline_kernel
def _describe(
    context: Context, position: Position, player: Int, m: Int, work: TurnNetworkBuffers, activations: Activations
) -> None:
    """Compute the same embeddings as `embed_regions`, and write the result of each layer to the activations."""
    write_position(context, position, player, work)
    n = work.nodes.shape[0]
    copy_floats(work.overall, activations.overall[m], N_OVERALL)
    for r in range(n):
        copy_floats(work.nodes[r], activations.nodes[m, r], N_NODE)
    for layer in range(activations.embeddings.shape[1]):
        if layer == 0:
            embed_features(context, work)
        else:
            pass_messages(context, layer - 1, work)
        embeddings = activations.embeddings[m, layer]
        for r in range(n):
            copy_floats(work.embeddings[r], embeddings[r], UNITS)


@inline_kernel
def _evaluate_scores(
    context: Context,
    position: Position,
    player: Int,
    m: Int,
    work: TurnNetworkBuffers,
    activations: Activations,
    outputs: TurnOutputs,
) -> None:
    base = stack_singles()
    whole_units(context, work.embeddings, base)
    for p in range(context.players):
        hidden = activations.player_units[m, p]
        count = player_units(context, position, player, p, work.embeddings, base, hidden)
        outputs.scores[m, p] = read_score(context, hidden) if count > 0 else _NEVER


@inline_kernel
def _choose(logits: Floats, count: Int, value: Int, push: Floats) -> Any:
    """Return the log-probability of `value` under the softmax of the first `count` logits, and the entropy.

    The derivatives of the log-probability and of the entropy with respect to the logits are written to push
    float32[2, count]. A logit of -inf marks a forbidden value.
    """
    best = logits[0]
    for v in range(1, count):
        best = max(best, logits[v])
    total = _ZERO
    for v in range(count):
        push[0, v] = np.exp(logits[v] - best)
        total += push[0, v]
    entropy, logarithm, part = _ZERO, best + np.log(total), _ONE / total
    for v in range(count):
        push[0, v] *= part
        if push[0, v] > _ZERO:
            entropy -= push[0, v] * (logits[v] - logarithm)
    for v in range(count):
        p = push[0, v]
        push[1, v] = -p * (logits[v] - logarithm + entropy) if p > _ZERO else _ZERO
        push[0, v] = -p
    if logits[value] > _NEVER:
        push[0, value] += _ONE
    return logits[value] - logarithm, entropy


@inline_kernel
def _evaluate_deploys(
    context: Context, position: Position, player: Int, rows: TurnRows, m: Int, work: TurnNetworkBuffers,
    activations: Activations, outputs: TurnOutputs,
) -> None:  # fmt: skip
    """Write the log-probability of a turn's deploy weights, and add their entropy to the turn's entropy.

    The main region is the first region with the highest weight. The probabilities of the weights of all other regions
    depend on the main region. If all deploy weights of the turn are 0, the log-probability is 0 and the turn's entropy
    does not change.
    """
    owner, row, n = position.owner, rows.row[m], position.owner.shape[0]
    logits, of_main = stack_singles(), stack_singles()
    main, highest, k = np.int64(-1), np.int64(0), 0
    for r in range(n):
        if owner[r] == player and row[r] > highest:
            main, highest = np.int64(r), np.int64(row[r])
    activations.main[m], outputs.weights[m] = main, _ZERO
    if main < 0:
        return
    write_scores(context, position, player, work)
    chance, spread = _choose(work.score, n, main, activations.main_push[m])
    embed_main(context, work, main, of_main)
    for r in range(n):
        if owner[r] == player and r != main:
            hidden = activations.weight_units[m, k]
            weight_units(context, work, r, main, of_main, hidden)
            write_deploy_weight_logits(context, r, main, hidden, logits)
            log, entropy = _choose(logits, VALUES, row[r], activations.weight_push[m, k])
            chance, spread, k = chance + log, spread + entropy, k + 1
    outputs.weights[m] = chance
    outputs.entropy[m] += spread


@inline_kernel
def _evaluate_borders(
    context: Context, position: Position, player: Int, rows: TurnRows, m: Int, border: Int, work: TurnNetworkBuffers,
    activations: Activations, outputs: TurnOutputs,
) -> Int:  # fmt: skip
    """Write the log-probabilities of the shares and the priorities of a turn's borders, and add their entropies.

    The share of a border is the fraction of the source region's available armies that cross the border. A border has a
    priority only if its share is above 0. Returns the index at which the borders of the next position begin.
    """
    board, owner, row, n = context.board, position.owner, rows.row[m], position.owner.shape[0]
    edges, income = board.edge_target.shape[0], np.int64(work.holding[player, INCOME])
    deploy, logits = stack_armies(), stack_singles()
    allocate_income(owner, player, income, context.params.max_orders, row, work.allocation, deploy)
    embed_ends(context, position, player, work)
    of_shares, of_priorities, spread = _ZERO, _ZERO, _ZERO
    activations.borders[m, 0] = border
    for r in range(n):
        if owner[r] != player or position.army[r] + deploy[r] <= 1:
            continue
        for e in range(board.neighbor_start[r], board.neighbor_start[r + 1]):
            target, hidden = board.edge_target[e], activations.edge_units[border]
            activations.edge[border] = e
            edge_units(
                context, position, player, r, target, np.int64(deploy[r]), work, activations.numbers[border], hidden
            )  # fmt: skip
            read_share(context, hidden, logits)
            log, entropy = _choose(logits, VALUES, row[n + e], activations.share_push[border])
            of_shares, spread = of_shares + log, spread + entropy
            push = activations.priority_push[border]
            if row[n + e] > 0:
                read_priority(context, hidden, logits)
                log, entropy = _choose(logits, VALUES, row[n + edges + e], push)
                of_priorities, spread = of_priorities + log, spread + entropy
            else:
                for v in range(VALUES):
                    push[0, v], push[1, v] = _ZERO, _ZERO
            border += 1
    activations.borders[m, 1] = border
    outputs.shares[m], outputs.priorities[m] = of_shares, of_priorities
    outputs.entropy[m] += spread
    return border
