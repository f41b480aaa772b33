"""Flat Monte Carlo: turns of ours at random, each result kept, and the turn answered whose results are best in the middle.

Without a tree below our turns: the enemies move as in playouts. The median over the results of a turn is what a
student's project at Palacký University Olomouc found best for THUD!; the mean and the mode are there to compare.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from warlight_env.agents.mcts.tree import LEAF, RESULTS, UNIT, Tree, load_turn
from warlight_env.engine.atomic import atomic_load
from warlight_env.engine.jit import kernel
from warlight_env.engine.rng import below

#: What a turn's results come to.
MIDDLES: Final = ("median", "mean", "mode")

#: Parts of 0 .. 1 in which results count as equal, for the mode.
MODE_BINS: Final = 20


@kernel
def draw_turn(board, tree, settings, work):
    """Load one of the root's turns, drawn at random, as ours into the orders to play; returns its node."""
    while atomic_load(tree.children, 0) < LEAF:
        pass  # another thread lists the turns
    child = np.int64(tree.first[0]) + below(work.rng, np.int64(tree.children[0]))
    orders, me = work.samples.round, settings.player
    orders.counts[me] = load_turn(board, tree, tree.turn[child], orders.deploy[me], orders.attacks[me])
    return child


def results_of(tree: Tree) -> dict[int, npt.NDArray[np.float64]]:
    """The values of the simulations that went through each of the root's children, by node, in [0, 1]."""
    kept = min(int(tree.used[RESULTS]), len(tree.result))
    nodes, values = tree.result_of[:kept], tree.result[:kept] / UNIT
    return {int(node): values[nodes == node] for node in np.unique(nodes)}


def middle(results: npt.NDArray[Any], how: str) -> float:
    """The median, mean or mode of some results in [0, 1]; without any, 0.

    The mode is the centre of the fullest of MODE_BINS equal parts, of the highest where several are as full.
    """
    if len(results) == 0:
        return 0.0
    if how == "median":
        return float(np.median(results))
    if how == "mean":
        return float(np.mean(results))
    counts = np.bincount(np.minimum(np.asarray(results) * MODE_BINS, MODE_BINS - 1).astype(int), minlength=MODE_BINS)
    return (MODE_BINS - 1 - int(counts[::-1].argmax()) + 0.5) / MODE_BINS
