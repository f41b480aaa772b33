"""The turn network's forward pass: embeddings of regions, then logits of deploys and attacks, and win probabilities.

The embedding of a region is first computed from the region's features. Each layer then adds messages to a region's
embedding: from the mean embedding of the region's neighbours, and from that of its super region (message passing;
Gilmer et al., arXiv:1704.01212). The logits of attacks depend on the drawn deploys. The probability of a turn is the
product of the conditional probabilities of its choices.
"""

from __future__ import annotations

import numpy as np

from warlight_env.agents.context import Context
from warlight_env.agents.records.factored_turns import VALUES
from warlight_env.agents.records.turn_record import UNITS, Floats, TurnNetworkBuffers
from warlight_env.agents.turn_net.features import write_edge, write_position
from warlight_env.engine.board import Board
from warlight_env.engine.jit import inline_kernel, kernel
from warlight_env.engine.kernel_types import Int, Real, Shares
from warlight_env.engine.position import Position
from warlight_env.engine.simd import clear_floats, column_adder, copy_floats, product_adder, row_adder, row_gate
from warlight_env.engine.stack import stack_singles

_ZERO = np.float32(0.0)
#: The factor of the sum of a player's embeddings, so that the sum is about as large as the embeddings' mean.
TENTH = np.float32(0.1)
_ONE = np.float32(1.0)
_add, _add_row, _gate = product_adder(UNITS), row_adder(UNITS), row_gate(UNITS)
_add_values = product_adder(VALUES)
_add_columns = column_adder(UNITS)


@inline_kernel
def _read(x: Floats, weights: Floats, bias: Floats, out: Floats) -> None:
    """Write x [H] times weights [H, V] plus the bias to out [V]."""
    copy_floats(bias, out, VALUES)
    _add_values(x, weights, out, UNITS)


@kernel
def embed_regions(context: Context, position: Position, player: Int, work: TurnNetworkBuffers) -> None:
    """Compute the embeddings of all regions, from a player's view, and write them to `work.embeddings`."""
    write_position(context, position, player, work)
    embed_features(context, work)
    for layer in range(context.turns.own.shape[0]):
        pass_messages(context, layer, work)


@kernel
def embed_features(context: Context, work: TurnNetworkBuffers) -> None:
    """Compute each region's first embedding from the features in `work`, and write it to `work.embeddings`."""
    net, base = context.turns, stack_singles()
    copy_floats(net.first_bias, base, UNITS)
    _add_columns(work.overall, net.overall_columns, net.overall, base)
    for r in range(work.nodes.shape[0]):
        row = work.embeddings[r]
        copy_floats(base, row, UNITS)
        _add_columns(work.nodes[r], net.node_columns, net.first, row)
        _gate(row, row, row)


@kernel
def pass_messages(context: Context, layer: Int, work: TurnNetworkBuffers) -> None:
    """Add one layer's messages from neighbours and super regions to `work.embeddings`."""
    net, board = context.turns, context.board
    embeddings, hidden, mean, n = work.embeddings, work.hidden, work.mean, work.embeddings.shape[0]
    neighbor_mean = stack_singles()
    for s in range(board.bonus.shape[0]):
        _write_among(context, layer, s, work)
    for r in range(n):
        row = hidden[r]
        copy_floats(net.layer_bias[layer], row, UNITS)
        _add_row(_ONE, mean[board.super_region[r]], row)
        mean_of_neighbors(board, embeddings, r, neighbor_mean)
        _add(embeddings[r], net.own[layer], row, UNITS)
        _add(neighbor_mean, net.around[layer], row, UNITS)
    for r in range(n):
        _gate(hidden[r], hidden[r], hidden[r])
        _add_row(_ONE, hidden[r], embeddings[r])


@inline_kernel
def mean_of_neighbors(board: Board, embeddings: Floats, r: Int, out: Floats) -> None:
    """Write the mean embedding of a region's neighbours to out float32[H]."""
    begin, end = board.neighbor_start[r], board.neighbor_start[r + 1]
    part = np.float32(1.0) / np.float32(max(1, end - begin))
    clear_floats(out, UNITS)
    for e in range(begin, end):
        _add_row(part, embeddings[board.edge_target[e]], out)


@inline_kernel
def mean_of_members(board: Board, embeddings: Floats, s: Int, out: Floats) -> None:
    """Write the mean embedding of a super region's regions to out float32[H]."""
    begin, end = board.member_start[s], board.member_start[s + 1]
    part = np.float32(1.0) / np.float32(end - begin)
    clear_floats(out, UNITS)
    for i in range(begin, end):
        _add_row(part, embeddings[board.members[i]], out)


@kernel
def _write_among(context: Context, layer: Int, s: Int, work: TurnNetworkBuffers) -> None:
    """Write the message that a super region sends to its own regions into `work.mean`."""
    out, total = work.mean[s], stack_singles()
    mean_of_members(context.board, work.embeddings, s, total)
    clear_floats(out, UNITS)
    _add(total, context.turns.among[layer], out, UNITS)


@kernel
def write_scores(context: Context, position: Position, player: Int, work: TurnNetworkBuffers) -> None:
    """Write each region's score as the main deploy region to `work.score`.

    The main deploy region is the region that gets the most armies. The softmax of the scores gives the probability of
    each region to be the main deploy region. Regions of other owners get the score -inf. `embed_regions` must run
    first.
    """
    net = context.turns
    for r in range(position.owner.shape[0]):
        work.score[r] = np.float32(-np.inf)
        if position.owner[r] == player:
            score = _ZERO
            for j in range(UNITS):
                score += work.embeddings[r, j] * net.main[j]
            work.score[r] = score


@kernel
def embed_main(context: Context, work: TurnNetworkBuffers, main: Int, out: Floats) -> None:
    """Write the main deploy region's part of the hidden layer for deploy weights to out float32[H].

    The hidden layer gives the logits of the deploy weights of all regions except the main deploy region.
    """
    net = context.turns
    copy_floats(net.beside_bias, out, UNITS)
    _add(work.embeddings[main], net.chosen, out, UNITS)


@kernel
def weight_logits(
    context: Context, work: TurnNetworkBuffers, region: Int, main: Int, of_main: Floats, out: Floats
) -> None:
    """Write the logits of a region's deploy weight to out float32[V], given the main deploy region.

    Args:
        of_main: the result of `embed_main`.
    """
    hidden = stack_singles()
    weight_units(context, work, region, main, of_main, hidden)
    write_deploy_weight_logits(context, region, main, hidden, out)


@inline_kernel
def weight_units(
    context: Context, work: TurnNetworkBuffers, region: Int, main: Int, of_main: Floats, hidden: Floats
) -> None:
    """Write the hidden units float32[H] of a region's deploy weight, see `weight_logits`."""
    net, board = context.turns, context.board
    copy_floats(of_main, hidden, UNITS)
    if board.edge_index[main, region] >= 0:
        _add_row(_ONE, net.link[0], hidden)
    if board.super_region[main] == board.super_region[region]:
        _add_row(_ONE, net.link[1], hidden)
    _add(work.embeddings[region], net.beside, hidden, UNITS)
    _gate(hidden, hidden, hidden)


@inline_kernel
def write_deploy_weight_logits(context: Context, region: Int, main: Int, hidden: Floats, out: Floats) -> None:
    """Write the logits of a region's deploy weight to out float32[V].

    A region with a lower number than the main deploy region cannot have the highest weight, because the main deploy
    region is the first region with this weight.
    """
    _read(hidden, context.turns.weight, context.turns.weight_bias, out)
    if region < main:
        out[VALUES - 1] = np.float32(-np.inf)


@kernel
def embed_ends(context: Context, position: Position, player: Int, work: TurnNetworkBuffers) -> None:
    """Write the parts of the borders' hidden units that depend on only one region; `embed_regions` must run first.

    `work.mean` gets the parts that depend on the source of a border, for all regions of the player. `work.target_units`
    gets the parts that depend on the target of a border, for all neighbours of the player's regions.
    """
    net, board = context.turns, context.board
    for r in range(position.owner.shape[0]):
        source, target = work.mean[r], work.target_units[r]
        copy_floats(net.edge_bias, source, UNITS)
        clear_floats(target, UNITS)
        if position.owner[r] == player:
            _add(work.embeddings[r], net.source, source, UNITS)
        for e in range(board.neighbor_start[r], board.neighbor_start[r + 1]):
            if position.owner[board.edge_target[e]] == player:  # each border has an edge in both directions
                _add(work.embeddings[r], net.target, target, UNITS)
                break


@kernel
def edge_logits(
    context: Context, position: Position, player: Int, source: Int, target: Int, deployed: Int,
    work: TurnNetworkBuffers, shares: Floats, priorities: Floats,
) -> None:  # fmt: skip
    """Write the logits of a border's fraction of armies and priority to shares and priorities, float32[V] each.

    `embed_ends` must run first.
    """
    numbers, hidden = stack_singles(), stack_singles()
    edge_units(context, position, player, source, target, deployed, work, numbers, hidden)
    read_share(context, hidden, shares)
    read_priority(context, hidden, priorities)


@inline_kernel
def edge_units(
    context: Context, position: Position, player: Int, source: Int, target: Int, deployed: Int,
    work: TurnNetworkBuffers, numbers: Floats, hidden: Floats,
) -> None:  # fmt: skip
    """Write a border's features to numbers float32[N_EDGE], and the hidden units of its logits to hidden float32[H]."""
    net = context.turns
    write_edge(context, position, player, source, target, deployed, numbers)
    copy_floats(work.mean[source], hidden, UNITS)
    _add_row(_ONE, work.target_units[target], hidden)
    _add_columns(numbers, net.edge_columns, net.edge, hidden)
    _gate(hidden, hidden, hidden)


@inline_kernel
def read_share(context: Context, hidden: Floats, out: Floats) -> None:
    """Write the logits of the fraction of armies that is sent over a border to out float32[V]."""
    _read(hidden, context.turns.share, context.turns.share_bias, out)


@inline_kernel
def read_priority(context: Context, hidden: Floats, out: Floats) -> None:
    """Write the logits of an attack's priority in the order of attacks to out float32[V]."""
    _read(hidden, context.turns.priority, context.turns.priority_bias, out)


@kernel
def player_scores(context: Context, position: Position, player: Int, work: TurnNetworkBuffers, scores: Shares) -> None:
    """Write the players' scores, from a player's view, to scores float64[P]; -inf for eliminated players.

    `embed_regions` must run first. The softmax of the scores gives the win probabilities.
    """
    base, hidden = stack_singles(), stack_singles()
    whole_units(context, work.embeddings, base)
    for p in range(context.players):
        count = player_units(context, position, player, p, work.embeddings, base, hidden)
        scores[p] = read_score(context, hidden) if count > 0 else -np.inf


@inline_kernel
def mean_of_all(embeddings: Floats, out: Floats) -> None:
    """Write the mean embedding of all regions to out float32[H]."""
    part = np.float32(1.0) / np.float32(embeddings.shape[0])
    clear_floats(out, UNITS)
    for r in range(embeddings.shape[0]):
        _add_row(part, embeddings[r], out)


@inline_kernel
def sums_of_player(position: Position, p: Int, embeddings: Floats, mean: Floats, total: Floats) -> Int:
    """Write the mean embedding of a player's regions to mean float32[H], and 0.1 times their sum to total float32[H].

    Returns the number of the player's regions.
    """
    count = np.int64(0)
    clear_floats(total, UNITS)
    for r in range(embeddings.shape[0]):
        if position.owner[r] == p:
            count += 1
            _add_row(_ONE, embeddings[r], total)
    for j in range(UNITS):
        mean[j] = total[j] / np.float32(max(np.int64(1), count))
        total[j] *= TENTH
    return count


@inline_kernel
def whole_units(context: Context, embeddings: Floats, base: Floats) -> None:
    """Write to base float32[H] the part of the scores' hidden units that is the same for all players."""
    map_mean = stack_singles()
    copy_floats(context.turns.value_bias, base, UNITS)
    mean_of_all(embeddings, map_mean)
    _add(map_mean, context.turns.whole, base, UNITS)


@inline_kernel
def player_units(
    context: Context, position: Position, player: Int, p: Int, embeddings: Floats, base: Floats, hidden: Floats
) -> Int:
    """Write the hidden units of the score of player p to hidden float32[H]; return the number of regions of p."""
    net, own_mean, total = context.turns, stack_singles(), stack_singles()
    copy_floats(base, hidden, UNITS)
    if p == player:
        _add_row(_ONE, net.player, hidden)
    count = sums_of_player(position, p, embeddings, own_mean, total)
    if count > 0:
        _add(own_mean, net.held, hidden, UNITS)
        _add(total, net.total, hidden, UNITS)
    _gate(hidden, hidden, hidden)
    return count


@inline_kernel
def read_score(context: Context, hidden: Floats) -> Real:
    """Return a player's score, computed from the hidden units."""
    score = _ZERO
    for j in range(UNITS):
        score += context.turns.value[j] * hidden[j]
    return score
