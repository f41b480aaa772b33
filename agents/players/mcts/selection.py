"""Selection rules: a rule chooses the child that a simulation visits (thesis, section 3.1.3)."""

from __future__ import annotations

import functools
from typing import Any, Final

import numba
import numpy as np
from numba import types

from warlight_env.agents.context import record_types
from warlight_env.agents.players.mcts.tree import Tree, make_tree
from warlight_env.agents.players.mcts.work import TreeSettings, TreeWork, make_tree_work
from warlight_env.agents.search.kernel_registry import KernelRegistry
from warlight_env.agents.search.simulation import UNIT, SimulationSettings
from warlight_env.engine.jit import function_at, inline_kernel, kernel
from warlight_env.engine.kernel_types import Int, RandomState
from warlight_env.engine.reference import reference

# Below a state, the search calls the rule once for each player (level). At level 0 the rule chooses the searching
# player's turn, and `node` is the state's node. At a later level, `node` is the child selected one level above.


@inline_kernel
def _best_child(tree: Tree, settings: TreeSettings, parent: Int) -> Int:
    """Return the child with the highest w / n + c sqrt(ln N / n); a child without visits comes first."""
    first, count = tree.first[parent], tree.children[parent]
    log = np.log(np.float64(max(1, tree.visits[0 if settings.root_visits else parent])))
    best: Int = first
    highest = -1.0
    for child in range(first, first + count):
        n = np.float64(tree.visits[child] + settings.virtual * tree.pending[child])
        if n == 0.0:
            return np.int64(child)
        value = tree.total[child] / (UNIT * n) + settings.exploration * np.sqrt(log / n)
        if value > highest:
            best, highest = child, value
    return np.int64(best)


@kernel
def select_uct(
    tree: Tree, settings: TreeSettings, work: TreeWork, state: Int, node: Int, level: Int, rng: RandomState
) -> Int:
    """Select by UCT: the value of a turn is its mean over simulations with the already selected turns of this round."""
    return _best_child(tree, settings, node)


@kernel
def select_duct(
    tree: Tree, settings: TreeSettings, work: TreeWork, state: Int, node: Int, level: Int, rng: RandomState
) -> Int:
    """Select by decoupled UCT.

    Players move simultaneously, so the value of an enemy's turn is a mean over all turns of the players above it in the
    tree.
    """
    if level == 0:
        return _best_child(tree, settings, node)
    replies = np.int64(tree.children[node])
    visits, totals, cursor = work.reply_visits, work.reply_total, work.cursor
    for j in range(replies):
        visits[j], totals[j] = 0.0, np.int64(0)
    depth = 0
    cursor[0] = tree.first[state]
    while depth >= 0:  # loop over all nodes at `level` - 1; cursor[k] is the next child at level k
        parent = state if depth == 0 else cursor[depth - 1] - 1
        end: Int = tree.first[parent] + tree.children[parent]
        if cursor[depth] >= end:
            depth -= 1
            continue
        above = cursor[depth]
        cursor[depth] += 1
        if depth < level - 1:
            depth += 1
            cursor[depth] = tree.first[above]
            continue
        for j in range(min(replies, np.int64(tree.children[above]))):
            child = tree.first[above] + j
            visits[j] += tree.visits[child] + settings.virtual * tree.pending[child]
            totals[j] += tree.total[child]
    log = np.log(np.float64(max(1, tree.visits[0 if settings.root_visits else state])))
    best: Int = np.int64(0)
    highest = -1.0
    for j in range(replies):
        if visits[j] == 0.0:
            return np.int64(tree.first[node] + j)
        value = totals[j] / (UNIT * visits[j]) + settings.exploration * np.sqrt(log / visits[j])
        if value > highest:
            best, highest = j, value
    return np.int64(tree.first[node] + best)


@kernel
def select_puct(
    tree: Tree, settings: TreeSettings, work: TreeWork, state: Int, node: Int, level: Int, rng: RandomState
) -> Int:
    """Select by PUCT (Silver et al. 2017): the child with the highest w / n + c p sqrt(N) / (1 + n).

    The number p is the prior of the child's turn or, in a search without priors, 1 / (number of children). For a child
    without visits, w / n is the mean value of all siblings' visits, or 1/2 if the siblings have no visits either.
    """
    first, count = np.int64(tree.first[node]), np.int64(tree.children[node])
    visits, total = np.int64(0), np.int64(0)
    for child in range(first, first + count):
        visits += tree.visits[child] + settings.virtual * tree.pending[child]
        total += tree.total[child]
    unvisited_mean = total / (UNIT * np.float64(visits)) if visits > 0 else 0.5
    root = np.sqrt(np.float64(max(np.int64(1), visits)))
    best: Int = first
    highest = -1.0
    for child in range(first, first + count):
        n = np.float64(tree.visits[child] + settings.virtual * tree.pending[child])
        mean = tree.total[child] / (UNIT * n) if n > 0.0 else unvisited_mean
        prior = np.float64(tree.prior[child]) if tree.prior.shape[0] > 1 else 1.0 / count
        value = mean + settings.exploration * prior * root / (1.0 + n)
        if value > highest:
            best, highest = child, value
    return best


@functools.cache
def selection_signature() -> Any:
    """``select(tree, settings, work, state, node, level, rng) -> int``: a child of `node`.

    tree: a `Tree`; settings: `TreeSettings`; work: a `TreeWork`. state: the node of the state in which all players
    move. level: the number of players for whom a turn is already selected. node: at level 0 the node `state`; at a
    later level, the node that was selected for the previous player. rng: uint64[2], the thread's random generator
    (`engine.rng`), for selection rules that use random numbers. The selection rules in this module use no random
    numbers.
    """
    settings = reference(TreeSettings(reference(SimulationSettings())))
    records = make_tree(1, 1, 1), settings, make_tree_work(1, 1, 2, 1, 1)
    return types.int64(*map(numba.typeof, records), types.int64, types.int64, types.int64, record_types()["rng"])


selection_at = function_at(selection_signature)
SELECTIONS: Final = KernelRegistry(
    "selection", selection_signature, {"uct": select_uct, "duct": select_duct, "puct": select_puct}
)
