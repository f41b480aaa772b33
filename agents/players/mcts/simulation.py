"""Kernels for the simulations of one thread, or of several threads on one tree (thesis, algorithms 3.18 and 3.19).

A simulation has three steps. `select_leaves` walks down the tree, `evaluate_leaves` plays some rounds from the leaf,
and `backpropagate` updates the tree. Below a state, the tree has one level for each player: first the searching player,
then the other players in seat order. A path through the levels of a round chooses a turn for each player; the next
state is the position after the round with the chosen turns.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from warlight_env.agents.context import Context
from warlight_env.agents.evaluation.game_outcome import ONGOING
from warlight_env.agents.players.mcts.expansion import advance_to_state, expand, grow, load_state
from warlight_env.agents.players.mcts.selection import selection_at
from warlight_env.agents.players.mcts.tree import EXPANDING, LEAF, LOCK, NODES, SIMULATIONS, Tree
from warlight_env.agents.players.mcts.work import TreeSettings, TreeWork
from warlight_env.agents.search.leaves import MAX_DEPTH
from warlight_env.agents.search.playout import evaluate_leaves
from warlight_env.agents.search.simulation_utility import PLACEMENTS, begin_eliminations, note_eliminations
from warlight_env.engine.atomic import atomic_add, atomic_load, compare_and_set
from warlight_env.engine.jit import inline_kernel, kernel
from warlight_env.engine.kernel_types import Int, PlayerNumbers
from warlight_env.engine.position import copy_position, position_at


@inline_kernel
def _lock(tree: Tree, settings: TreeSettings) -> None:
    """Acquire the tree's lock if the settings require a lock."""
    if settings.locked:
        while not compare_and_set(tree.counters, LOCK, 0, 1):
            pass


@inline_kernel
def _unlock(tree: Tree, settings: TreeSettings) -> None:
    """Release the tree's lock if the settings require a lock."""
    if settings.locked:
        compare_and_set(tree.counters, LOCK, 1, 0)


@inline_kernel
def _enter(tree: Tree, settings: TreeSettings, path: npt.NDArray[np.int32], length: Int, node: Int) -> Int:
    """Append a node to the path, and return the path's new length."""
    path[length] = node
    if settings.virtual > 0:
        atomic_add(tree.pending, node, 1)
    return length + 1


@kernel
def _descend(
    context: Context,
    settings: TreeSettings,
    tree: Tree,
    work: TreeWork,
    path: npt.NDArray[np.int32],
    out: PlayerNumbers,
) -> Any:
    """Select a leaf, expand it, and select the first turns below it.

    Writes the nodes of the path to `path`, and the state at the path's end to `work`. Returns the path's length and the
    state's winner (`winner_of`). If the utility is PLACEMENTS, the kernel also writes the time of each player's
    elimination to `out`, as the number of nodes on the path at the elimination.
    """
    node, players = np.int64(0), context.players
    winner: Int = np.int64(ONGOING)
    position, has_placements = work.play.position, settings.play.utility == PLACEMENTS
    select, capacity = selection_at(settings.select), work.turns.counts.shape[1]
    if has_placements:
        load_state(tree, position, 0)
        begin_eliminations(position.owner, out)
    length = _enter(tree, settings, path, 0, 0)
    while winner == ONGOING and length + players <= MAX_DEPTH:
        children = atomic_load(tree.children, node)
        expanded = False
        if children <= LEAF:
            load_state(tree, position, node)
            if children == EXPANDING or not compare_and_set(tree.children, node, LEAF, EXPANDING):
                break  # another thread is expanding this node: start the playout from its state
            if not expand(context, settings, tree, work, node):
                compare_and_set(tree.children, node, EXPANDING, LEAF)
                break
            expanded = True
        child = node
        for level in range(players):
            if level > 1 and not grow(tree, node, child, level, capacity):
                child = np.int64(-1)
                break
            child = select(tree, settings, work, node, child, level, work.play.rng)
            length = _enter(tree, settings, path, length, child)
        if child < 0:  # the memory is full in the middle of a round
            load_state(tree, position, node)
            break
        winner = advance_to_state(context, settings, tree, work, path, length, node)
        if atomic_load(tree.state, child) < 0:
            break  # the memory is full
        if has_placements:
            note_eliminations(position.owner, out, length)
        node = child
        if expanded:
            break
    return length, winner


@kernel
def select_leaves(context: Context, settings: TreeSettings, tree: Tree, work: TreeWork, count: Int) -> None:
    """Walk down the tree `count` times, and store the leaves; each walk counts the earlier walks as virtual losses."""
    leaves = work.play.leaves
    _lock(tree, settings)
    for k in range(count):
        length, winner = _descend(context, settings, tree, work, leaves.path[k], leaves.eliminated_at[k])
        leaves.length[k], leaves.winner[k] = length, winner
        copy_position(work.play.position, position_at(leaves.positions, k))
    _unlock(tree, settings)


@kernel
def backpropagate(context: Context, settings: TreeSettings, tree: Tree, work: TreeWork, count: Int) -> None:
    """Update the nodes on the paths of the first `count` leaves.

    Each node gets one visit, and the leaf's value for the player who plays the node's turn.
    """
    leaves, players = work.play.leaves, context.players
    before = settings.play.player + players - 1
    _lock(tree, settings)
    for k in range(count):
        for i in range(leaves.length[k]):
            node = leaves.path[k, i]
            atomic_add(tree.total, node, leaves.values[k, (before + i) % players])
            atomic_add(tree.visits, node, 1)
            if settings.virtual > 0:
                atomic_add(tree.pending, node, -1)
        atomic_add(tree.counters, SIMULATIONS, 1)
    _unlock(tree, settings)


@kernel
def search(context: Context, settings: TreeSettings, tree: Tree, work: TreeWork, simulations: Int) -> None:
    """Run simulations on a tree with a state at its root.

    Several threads may call this kernel, each with its own `work`.
    """
    remaining = np.int64(simulations)
    while remaining > 0:
        count = min(remaining, np.int64(settings.leaf_batch))
        select_leaves(context, settings, tree, work, count)
        evaluate_leaves(context, settings.play, work.play, count, settings.play.rounds)
        backpropagate(context, settings, tree, work, count)
        remaining -= count


@kernel
def leaf_depths(tree: Tree) -> Any:
    """Return the depths of the shallowest and the deepest leaf, in turns; a node without visits is also a leaf."""
    shallowest, deepest = np.int64(1 << 30), np.int64(0)
    # Children come after their parents, so one pass is enough. `pending` is not in use outside of searches.
    depth, nodes = tree.pending, min(tree.counters[NODES], tree.visits.shape[0])
    depth[0] = 0
    for node in range(nodes):
        for child in range(tree.first[node], tree.first[node] + max(np.int32(0), tree.children[node])):
            depth[child] = depth[node] + 1
    for node in range(nodes):
        if tree.children[node] <= 0 and tree.turn[node] >= 0:
            shallowest = min(shallowest, np.int64(depth[node]))
            deepest = max(deepest, np.int64(depth[node]))
        depth[node] = 0
    return min(shallowest, deepest), deepest
