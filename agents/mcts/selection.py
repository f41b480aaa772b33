"""Which child a simulation goes to (thesis, section 3.1.3)."""

from __future__ import annotations

import numpy as np

from warlight_env.agents.mcts.tree import UNIT
from warlight_env.engine.jit import inline_kernel


@inline_kernel
def best_child(tree, settings, parent):
    """The child with the highest w / n + c sqrt(ln N / n); one without visits comes first."""
    first, count = tree.first[parent], tree.children[parent]
    log = np.log(np.float64(max(1, tree.visits[0 if settings.root_visits else parent])))
    best, highest = first, -1.0
    for child in range(first, first + count):
        n = np.float64(tree.visits[child] + settings.virtual * tree.pending[child])
        if n == 0.0:
            return child
        value = tree.total[child] / (UNIT * n) + settings.exploration * np.sqrt(log / n)
        if value > highest:
            best, highest = child, value
    return best


@inline_kernel
def best_reply(tree, settings, work, state, node, level):
    """Which child of `node` stands for the turn of the highest value over all turns before it: decoupled selection.

    `level` counts from the state's children, 0; all nodes of the level above that have children are summed over.
    """
    replies = np.int64(tree.children[node])
    visits, totals, at = work.reply_visits, work.reply_total, work.cursor
    for j in range(replies):
        visits[j], totals[j] = 0.0, np.int64(0)
    depth = 0
    at[0] = tree.first[state]
    while depth >= 0:  # over all nodes of level - 1, at[k] being the next to look at among children at level k
        parent = state if depth == 0 else at[depth - 1] - 1
        if at[depth] >= tree.first[parent] + max(np.int32(0), tree.children[parent]):
            depth -= 1
            continue
        above = at[depth]
        at[depth] += 1
        if depth < level - 1:
            depth += 1
            at[depth] = tree.first[above]
            continue
        for j in range(min(replies, np.int64(tree.children[above]))):
            child = tree.first[above] + j
            visits[j] += tree.visits[child] + settings.virtual * tree.pending[child]
            totals[j] += tree.total[child]
    log = np.log(np.float64(max(1, tree.visits[0 if settings.root_visits else state])))
    best, highest = np.int64(0), -1.0
    for j in range(replies):
        if visits[j] == 0.0:
            return tree.first[node] + j
        value = totals[j] / (UNIT * visits[j]) + settings.exploration * np.sqrt(log / visits[j])
        if value > highest:
            best, highest = j, value
    return tree.first[node] + best
