"""Flat Monte Carlo: our turns at random, each result kept, and the turn answered whose results are best in the middle.

There is no tree below our turns: the enemies move as in playouts. The median over the results of a turn is what a
student's project at Palacký University Olomouc found best for THUD!; the mean and the mode are there to compare.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from warlight_env.agents.mcts.expansion import expand, load_state
from warlight_env.agents.mcts.outcome import next_state
from warlight_env.agents.mcts.playout import move, play_out
from warlight_env.agents.mcts.search import back_up, enter, lock, unlock
from warlight_env.agents.mcts.tree import EXPANDING, FULL, LEAF, RESULTS, UNIT, Tree, load_turn, take
from warlight_env.agents.mcts.worth import PLACEMENTS, begin_eliminations, note_eliminations
from warlight_env.engine.atomic import atomic_add, compare_and_set
from warlight_env.engine.jit import kernel
from warlight_env.engine.rng import below

#: What a turn's results come to.
MIDDLES: Final = ("median", "mean", "mode")

#: Parts of 0 .. 1 in which results count as equal, for the mode.
MODE_BINS: Final = 20


@kernel
def plant_turns(context, settings, tree, work):
    """Give a cleared tree's root, which has a state, our turns as children."""
    load_state(tree, work, 0)
    compare_and_set(tree.children, 0, LEAF, EXPANDING)
    expand(context, settings, tree, work, 0)


@kernel
def draw(context, settings, tree, work):
    """Play a round of one of the root's turns, drawn at random, with the others' as in playouts.

    Brings the position after it into `work`, the path into its path; returns the path's length and the winner, as
    `winner_of` tells it.
    """
    board = context.board
    length = enter(tree, settings, work, 0, 0)
    child = np.int64(tree.first[0]) + below(work.rng, np.int64(tree.children[0]))
    length = enter(tree, settings, work, length, child)
    load_state(tree, work, 0)
    placed = settings.worth == PLACEMENTS
    if placed:
        begin_eliminations(work.position.owner, work.out)
    orders, me, players = work.samples.round, settings.player, context.players
    for p in range(players):
        if p == me:
            orders.counts[p] = load_turn(board, tree, tree.turn[child], orders.deploy[p], orders.attacks[p])
        else:
            move(context, settings, work, p)
    winner = next_state(context, work.position, settings.choice, me, work.samples, work.rng)
    if placed:
        note_eliminations(work.position.owner, work.out, length)
    return length, winner


@kernel
def keep_result(tree, child, value):
    """Keep a simulation's value to us, in UNITs, and the root's child that it went through."""
    place = take(tree, RESULTS, 1, tree.result.shape[0])
    if place < 0:
        atomic_add(tree.used, FULL, 1)
        return
    tree.result_of[place], tree.result[place] = child, value


@kernel
def sample(context, settings, tree, work, simulations):
    """Run simulations on a tree that `plant_turns` has given our turns; several threads may, as for `search.search`."""
    for _ in range(simulations):
        length, winner = draw(context, settings, tree, work)
        play_out(context, settings, work, winner, settings.rounds - 1)
        lock(tree, settings)
        keep_result(tree, work.path[1], work.values[settings.player])
        back_up(context, settings, tree, work.path, length, work.values)
        unlock(tree, settings)


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
