"""The turn network's pass: descriptions of regions, from which deploys, then attacks, and players' chances are read.

A region is described by its own numbers, the mean of its neighbours' and of its super region's descriptions, layer by
layer (message passing; Gilmer et al., arXiv:1704.01212). Attacks are read once deploys are drawn, so that a turn's
probability is the product of those of its small choices.
"""

from __future__ import annotations

import numpy as np

from warlight_env.agents.context import Context
from warlight_env.agents.factored_turns import VALUES
from warlight_env.agents.turn_net.features import write_edge, write_position
from warlight_env.agents.turn_record import LAYERS, N_EDGE, N_NODE, N_OVERALL, UNITS, Floats, TurnNetWork
from warlight_env.engine.jit import inline_kernel, kernel
from warlight_env.engine.kernel_types import Int, Shares
from warlight_env.engine.lanes import product_adder
from warlight_env.engine.position import Position
from warlight_env.engine.stack import stack_singles

_ZERO = np.float32(0.0)
_add = product_adder(UNITS)
_add_values = product_adder(VALUES)


@inline_kernel
def _read(x: Floats, weights: Floats, bias: Floats, out: Floats) -> None:
    """Write x [H] times weights [H, V] and the bias to out [V]."""
    for v in range(VALUES):
        out[v] = bias[v]
    _add_values(x, weights, out, UNITS)


@kernel
def describe(context: Context, position: Position, player: Int, work: TurnNetWork) -> None:
    """Write what the network makes of all regions, from a player's side, to `described` of `work`."""
    net, board = context.turns, context.board
    n, described, hidden, mean = position.owner.shape[0], work.described, work.hidden, work.mean
    base = stack_singles()
    write_position(context, position, player, work)
    for j in range(UNITS):
        base[j] = net.first_bias[j]
    _add(work.overall, net.overall, base, N_OVERALL)
    for r in range(n):
        row = described[r]
        for j in range(UNITS):
            row[j] = base[j]
        _add(work.nodes[r], net.first, row, N_NODE)
        for j in range(UNITS):
            row[j] = max(row[j], _ZERO)
    for layer in range(LAYERS):
        for s in range(board.bonus.shape[0]):
            _write_among(context, layer, s, work)
        for r in range(n):
            row, begin, end = hidden[r], board.neighbor_start[r], board.neighbor_start[r + 1]
            among = mean[board.super_region[r]]
            for j in range(UNITS):
                row[j] = net.layer_bias[layer, j] + among[j]
                base[j] = _ZERO
            part = np.float32(1.0) / np.float32(max(1, end - begin))
            for e in range(begin, end):
                near = described[board.edge_target[e]]
                for j in range(UNITS):
                    base[j] += part * near[j]
            _add(described[r], net.own[layer], row, UNITS)
            _add(base, net.around[layer], row, UNITS)
        for r in range(n):
            for j in range(UNITS):
                described[r, j] += max(hidden[r, j], _ZERO)


@kernel
def _write_among(context: Context, layer: Int, s: Int, work: TurnNetWork) -> None:
    """Write to `mean` of `work` what the members of a super region hear of it."""
    board, out, total = context.board, work.mean[s], stack_singles()
    begin, end = board.member_start[s], board.member_start[s + 1]
    part = np.float32(1.0) / np.float32(end - begin)
    for j in range(UNITS):
        total[j], out[j] = _ZERO, _ZERO
    for i in range(begin, end):
        row = work.described[board.members[i]]
        for j in range(UNITS):
            total[j] += part * row[j]
    _add(total, context.turns.among[layer], out, UNITS)


@kernel
def write_scores(context: Context, position: Position, player: Int, work: TurnNetWork) -> None:
    """Write the scores of all regions as the one that most is deployed on, as `describe` left them, to `score` of
    `work`; their softmax are its chances. -inf for those that are not the player's."""
    net = context.turns
    for r in range(position.owner.shape[0]):
        score = _ZERO
        for j in range(UNITS):
            score += work.described[r, j] * net.main[j]
        work.score[r] = score if position.owner[r] == player else np.float32(-np.inf)


@kernel
def describe_main(context: Context, work: TurnNetWork, main: Int, out: Floats) -> None:
    """Write what deploys on other regions read of the one that most is deployed on to out float32[H]."""
    net = context.turns
    for j in range(UNITS):
        out[j] = net.beside_bias[j]
    _add(work.described[main], net.chosen, out, UNITS)


@kernel
def weight_logits(context: Context, work: TurnNetWork, region: Int, main: Int, of_main: Floats, out: Floats) -> None:
    """Write the logits of a region's deploy weight to out float32[V], given the region that most is deployed on.

    That is the first one of the highest weight, so that none before it can have as much.

    Args:
        of_main: as `describe_main` gives it.
    """
    net, board, hidden = context.turns, context.board, stack_singles()
    near = np.float32(board.edge_index[main, region] >= 0)
    same = np.float32(board.super_region[main] == board.super_region[region])
    for j in range(UNITS):
        hidden[j] = of_main[j] + near * net.link[0, j] + same * net.link[1, j]
    _add(work.described[region], net.beside, hidden, UNITS)
    for j in range(UNITS):
        hidden[j] = max(hidden[j], _ZERO)
    _read(hidden, net.weight, net.weight_bias, out)
    if region < main:
        out[VALUES - 1] = np.float32(-np.inf)


@kernel
def describe_ends(context: Context, position: Position, player: Int, work: TurnNetWork) -> None:
    """Write what borders read of their ends, as `describe` left them, to `mean` and `toward` of `work`: of the player's
    regions as sources, and of all as targets."""
    net = context.turns
    for r in range(position.owner.shape[0]):
        source, target = work.mean[r], work.toward[r]
        for j in range(UNITS):
            source[j], target[j] = net.edge_bias[j], _ZERO
        if position.owner[r] == player:
            _add(work.described[r], net.source, source, UNITS)
        _add(work.described[r], net.target, target, UNITS)


@kernel
def edge_logits(
    context: Context, position: Position, player: Int, source: Int, target: Int, deployed: Int, work: TurnNetWork,
    shares: Floats, priorities: Floats,
) -> None:  # fmt: skip
    """Write the logits of a border's share and priority, as `describe_ends` left its ends, to float32[V] each."""
    net, numbers, hidden = context.turns, stack_singles(), stack_singles()
    write_edge(context, position, player, source, target, deployed, numbers)
    for j in range(UNITS):
        hidden[j] = work.mean[source, j] + work.toward[target, j]
    _add(numbers, net.edge, hidden, N_EDGE)
    for j in range(UNITS):
        hidden[j] = max(hidden[j], _ZERO)
    _read(hidden, net.share, net.share_bias, shares)
    _read(hidden, net.priority, net.priority_bias, priorities)


@kernel
def player_scores(context: Context, position: Position, player: Int, work: TurnNetWork, scores: Shares) -> None:
    """Write the players' scores, from a player's side as `describe` left it, to float64[P]; -inf for who is out.

    Their softmax is their chances to win.
    """
    net, owner, n = context.turns, position.owner, position.owner.shape[0]
    whole, base, total, held, hidden = (
        stack_singles(), stack_singles(), stack_singles(), stack_singles(), stack_singles(),
    )  # fmt: skip
    part = np.float32(1.0) / np.float32(n)
    for j in range(UNITS):
        whole[j], base[j] = _ZERO, net.value_bias[j]
    for r in range(n):
        for j in range(UNITS):
            whole[j] += part * work.described[r, j]
    _add(whole, net.whole, base, UNITS)
    for p in range(context.players):
        count = np.float32(0.0)
        for j in range(UNITS):
            total[j] = _ZERO
            hidden[j] = base[j] + (net.player[j] if p == player else _ZERO)
        for r in range(n):
            if owner[r] == p:
                count += np.float32(1.0)
                for j in range(UNITS):
                    total[j] += work.described[r, j]
        scores[p] = -np.inf
        if count == 0.0:
            continue
        for j in range(UNITS):
            held[j] = total[j] / count
            total[j] *= np.float32(0.1)
        _add(held, net.held, hidden, UNITS)
        _add(total, net.total, hidden, UNITS)
        score = _ZERO
        for j in range(UNITS):
            score += net.value[j] * max(hidden[j], _ZERO)
        scores[p] = score
