"""The backward pass of the turn network in compiled code, from the activations that `forward` wrote.

Derivatives are multiplied by transposed matrices, and the gradients of parameters are sums of outer products. The
matrix products and the outer products use vector registers (`engine.simd`). The code processes one position after
another, so that the arrays of a position stay in the CPU cache.
"""

from __future__ import annotations

import numpy as np

from warlight_env.agents.context import Context
from warlight_env.agents.records.factored_turns import VALUES
from warlight_env.agents.records.turn_record import N_EDGE, N_NODE, N_OVERALL, UNITS, Floats, TurnNetwork
from warlight_env.agents.turn_net.forward import TENTH, mean_of_all, mean_of_members, mean_of_neighbors, sums_of_player
from warlight_env.engine.jit import inline_kernel, kernel
from warlight_env.engine.kernel_types import Int, Real
from warlight_env.engine.position import Position
from warlight_env.engine.simd import clear_floats, copy_floats, outer_adder, product_adder, row_adder, row_gate
from warlight_env.engine.stack import stack_singles
from warlight_env.train.turn_net.activations import WIDE, Activations, BackwardWork, TurnOutputs
from warlight_env.train.turn_net.batches import TurnRows

_ONE, _MINUS = np.float32(1.0), np.float32(-1.0)
_add, _add_row, _gate = product_adder(UNITS), row_adder(UNITS), row_gate(UNITS)
_outer = outer_adder(UNITS, UNITS)
_outer_of_nodes = outer_adder(N_NODE, UNITS)
_outer_of_edges = outer_adder(N_EDGE, UNITS)
_outer_of_values = outer_adder(UNITS, WIDE)


@inline_kernel
def _add_outer_row(row: Floats, inputs: Int, push: Floats, out: Floats) -> None:
    """Add the outer product of the vectors `row` [inputs] and `push` [H] to the matrix `out` [inputs, H]."""
    for i in range(inputs):
        _add_row(row[i], push, out[i])


@inline_kernel
def _clear(rows: Floats, count: Int) -> None:
    """Write 0 to the first `count` rows of an array."""
    for r in range(count):
        clear_floats(rows[r], UNITS)


@inline_kernel
def _mix(push: Floats, of_chance: Real, of_entropy: Real, out: Floats) -> None:
    """Write the derivatives of the loss with respect to the logits of a choice to out float32[WIDE]."""
    for v in range(VALUES):
        out[v] = of_chance * push[0, v] + of_entropy * push[1, v]


@kernel
def add_gradients(
    context: Context, transposed: TurnNetwork, rows: TurnRows, low: Int, high: Int, activations: Activations,
    derivatives: TurnOutputs, work: BackwardWork, gradient: TurnNetwork,
) -> Int:  # fmt: skip
    """Add the gradients of turns low .. high - 1 to arrays from `make_gradient`; return high - low.

    `derivatives` contains the derivatives of the loss with respect to the outputs of `forward`.
    """
    for m in range(low, high):
        position, player = Position(rows.owner[m], rows.army[m], rows.round[m : m + 1]), rows.player[m]
        _clear(work.regions, position.owner.shape[0])
        if rows.picking[m]:
            _through_pick(context, rows, m, activations, derivatives, work, gradient)
        else:
            _through_scores(context, transposed, position, player, m, activations, derivatives, work, gradient)
            if activations.main[m] >= 0:
                _through_deploys(context, transposed, position, player, m, activations, derivatives, work, gradient)
            _through_borders(context, transposed, m, activations, derivatives, work, gradient)
        for layer in range(context.turns.own.shape[0] - 1, -1, -1):
            _through_layer(context, transposed, layer, m, activations, work, gradient)
        _through_numbers(m, activations, work, gradient)
    return high - low


@kernel
def _through_pick(
    context: Context, rows: TurnRows, m: Int, activations: Activations, derivatives: TurnOutputs, work: BackwardWork,
    gradient: TurnNetwork,
) -> None:  # fmt: skip
    """Compute the derivatives of the choice of a start region."""
    net, embeddings, push = context.turns, activations.embeddings[m, -1], activations.main_push[m]
    for r in range(embeddings.shape[0]):
        if rows.row[m, r] > 0:
            of_score = derivatives.weights[m] * push[0, r] + derivatives.entropy[m] * push[1, r]
            _add_row(of_score, embeddings[r], gradient.pick)
            _add_row(of_score, net.pick, work.regions[r])


@kernel
def _through_scores(
    context: Context, transposed: TurnNetwork, position: Position, player: Int, m: Int,
    activations: Activations, derivatives: TurnOutputs, work: BackwardWork, gradient: TurnNetwork,
) -> None:  # fmt: skip
    net, embeddings, owner = context.turns, activations.embeddings[m, -1], position.owner
    push, base, mean, total, back = (
        stack_singles(), stack_singles(), stack_singles(), stack_singles(), stack_singles(),
    )  # fmt: skip
    n = owner.shape[0]
    clear_floats(base, UNITS)
    for p in range(context.players):
        count = sums_of_player(position, p, embeddings, mean, total)
        if count == 0:
            continue
        of_score, units = derivatives.scores[m, p], activations.player_units[m, p]
        clear_floats(push, UNITS)
        clear_floats(back, UNITS)
        _add_row(of_score, units, gradient.value)
        _add_row(of_score, net.value, push)
        _gate(units, push, push)
        _add_row(_ONE, push, base)
        if p == player:
            _add_row(_ONE, push, gradient.player)
        _add_outer_row(mean, UNITS, push, gradient.held)
        _add_outer_row(total, UNITS, push, gradient.total)
        _add(push, transposed.held, back, UNITS)
        for j in range(UNITS):
            back[j] /= np.float32(count)
            push[j] *= TENTH
        _add(push, transposed.total, back, UNITS)
        for r in range(n):
            if owner[r] == p:
                _add_row(_ONE, back, work.regions[r])
    mean_of_all(embeddings, mean)
    _add_row(_ONE, base, gradient.value_bias)
    _add_outer_row(mean, UNITS, base, gradient.whole)
    clear_floats(back, UNITS)
    _add(base, transposed.whole, back, UNITS)
    for r in range(n):
        _add_row(_ONE / np.float32(n), back, work.regions[r])


@kernel
def _through_deploys(
    context: Context, transposed: TurnNetwork, position: Position, player: Int, m: Int,
    activations: Activations, derivatives: TurnOutputs, work: BackwardWork, gradient: TurnNetwork,
) -> None:  # fmt: skip
    net, board, embeddings, owner = context.turns, context.board, activations.embeddings[m, -1], position.owner
    main, of_chance, of_entropy, k = activations.main[m], derivatives.weights[m], derivatives.entropy[m], 0
    of_main = stack_singles()
    clear_floats(of_main, UNITS)
    for r in range(owner.shape[0]):
        if owner[r] != player:
            continue
        of_score = of_chance * activations.main_push[m, 0, r] + of_entropy * activations.main_push[m, 1, r]
        _add_row(of_score, embeddings[r], gradient.main)
        _add_row(of_score, net.main, work.regions[r])
        if r == main:
            continue
        choice, push = work.choices[k], work.units[k]
        _mix(activations.weight_push[m, k], of_chance, of_entropy, choice)
        clear_floats(push, UNITS)
        _add(choice, transposed.weight, push, VALUES)
        _gate(activations.weight_units[m, k], push, push)
        _add_row(_ONE, push, of_main)
        if board.edge_index[main, r] >= 0:
            _add_row(_ONE, push, gradient.link[0])
        if board.super_region[main] == board.super_region[r]:
            _add_row(_ONE, push, gradient.link[1])
        for v in range(VALUES):
            gradient.weight_bias[v] += choice[v]
        copy_floats(embeddings[r], work.inputs[k], UNITS)
        _add(push, transposed.beside, work.regions[r], UNITS)
        k += 1
    _outer_of_values(activations.weight_units[m], work.choices, gradient.weight, k)
    _outer(work.inputs, work.units, gradient.beside, k)
    _add_row(_ONE, of_main, gradient.beside_bias)
    _add_outer_row(embeddings[main], UNITS, of_main, gradient.chosen)
    _add(of_main, transposed.chosen, work.regions[main], UNITS)


@kernel
def _through_borders(
    context: Context,
    transposed: TurnNetwork,
    m: Int,
    activations: Activations,
    derivatives: TurnOutputs,
    work: BackwardWork,
    gradient: TurnNetwork,
) -> None:
    board, embeddings, n = context.board, activations.embeddings[m, -1], activations.embeddings.shape[2]
    begin, end = activations.borders[m, 0], activations.borders[m, 1]
    count, sources, last = end - begin, 0, np.int64(-1)
    for r in range(n):
        work.is_target[r] = 0
    for k in range(count):
        border, share, priority, push = begin + k, work.shares[k], work.priorities[k], work.edge_units[k]
        edge, units = activations.edge[border], activations.edge_units[border]
        source, target = np.int64(board.edge_source[edge]), board.edge_target[edge]
        _mix(activations.share_push[border], derivatives.shares[m], derivatives.entropy[m], share)
        _mix(activations.priority_push[border], derivatives.priorities[m], derivatives.entropy[m], priority)
        clear_floats(push, UNITS)
        for v in range(VALUES):
            gradient.share_bias[v] += share[v]
            gradient.priority_bias[v] += priority[v]
        _add(share, transposed.share, push, VALUES)
        _add(priority, transposed.priority, push, VALUES)
        _gate(units, push, push)
        if source != last:  # all borders of a source are adjacent in the list
            copy_floats(embeddings[source], work.inputs[sources], UNITS)
            copy_floats(push, work.units[sources], UNITS)
            last, sources = source, sources + 1
        else:
            _add_row(_ONE, push, work.units[sources - 1])
        if work.is_target[target] == 0:
            copy_floats(push, work.target_units[target], UNITS)
            work.is_target[target] = 1
        else:
            _add_row(_ONE, push, work.target_units[target])
    _outer_of_values(activations.edge_units[begin:end], work.shares, gradient.share, count)
    _outer_of_values(activations.edge_units[begin:end], work.priorities, gradient.priority, count)
    _outer_of_edges(activations.numbers[begin:end], work.edge_units, gradient.edge, count)
    _outer(work.inputs, work.units, gradient.source, sources)
    last, sources = np.int64(-1), 0
    for k in range(count):
        source = np.int64(board.edge_source[activations.edge[begin + k]])
        if source != last:
            _add_row(_ONE, work.units[sources], gradient.edge_bias)
            _add(work.units[sources], transposed.source, work.regions[source], UNITS)
            last, sources = source, sources + 1
    targets = 0
    for r in range(n):
        if work.is_target[r] != 0:
            copy_floats(embeddings[r], work.inputs[targets], UNITS)
            copy_floats(work.target_units[r], work.units[targets], UNITS)
            _add(work.target_units[r], transposed.target, work.regions[r], UNITS)
            targets += 1
    _outer(work.inputs, work.units, gradient.target, targets)


@kernel
def _through_layer(
    context: Context,
    transposed: TurnNetwork,
    layer: Int,
    m: Int,
    activations: Activations,
    work: BackwardWork,
    gradient: TurnNetwork,
) -> None:
    """Compute the derivatives with respect to a layer's input from the derivatives with respect to its output."""
    board, before, after = context.board, activations.embeddings[m, layer], activations.embeddings[m, layer + 1]
    regions, push, n, back = work.regions, work.before, activations.embeddings.shape[2], stack_singles()
    for r in range(n):
        copy_floats(after[r], back, UNITS)
        _add_row(_MINUS, before[r], back)  # now `back` is the layer's contribution, above 0 where a unit is active
        _gate(back, regions[r], push[r])
        _add_row(_ONE, push[r], gradient.layer_bias[layer])
        _add(push[r], transposed.own[layer], regions[r], UNITS)
    _outer(before, push, gradient.own[layer], n)
    for r in range(n):
        mean_of_neighbors(board, before, r, work.inputs[r])
    _outer(work.inputs, push, gradient.around[layer], n)
    _clear(work.target_units, n)
    for r in range(n):
        begin, end = board.neighbor_start[r], board.neighbor_start[r + 1]
        part = _ONE / np.float32(max(1, end - begin))
        for e in range(begin, end):
            _add_row(part, push[r], work.target_units[board.edge_target[e]])
    for r in range(n):
        _add(work.target_units[r], transposed.around[layer], regions[r], UNITS)
    super_regions = board.bonus.shape[0]
    _clear(work.units, super_regions)
    for s in range(super_regions):
        begin, end = board.member_start[s], board.member_start[s + 1]
        mean_of_members(board, before, s, work.inputs[s])
        for i in range(begin, end):
            _add_row(_ONE, push[board.members[i]], work.units[s])
        clear_floats(back, UNITS)
        _add(work.units[s], transposed.among[layer], back, UNITS)
        for i in range(begin, end):
            _add_row(_ONE / np.float32(end - begin), back, regions[board.members[i]])
    _outer(work.inputs, work.units, gradient.among[layer], super_regions)


@kernel
def _through_numbers(m: Int, activations: Activations, work: BackwardWork, gradient: TurnNetwork) -> None:
    first, regions, total = activations.embeddings[m, 0], work.regions, stack_singles()
    clear_floats(total, UNITS)
    for r in range(first.shape[0]):
        _gate(first[r], regions[r], regions[r])
        _add_row(_ONE, regions[r], total)
    _outer_of_nodes(activations.nodes[m], regions, gradient.first, first.shape[0])
    _add_row(_ONE, total, gradient.first_bias)
    _add_outer_row(activations.overall[m], N_OVERALL, total, gradient.overall)
