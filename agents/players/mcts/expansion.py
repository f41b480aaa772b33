"""Expansion of the tree: turns are added as children, and states after the turns are stored (thesis, section 3.1.4)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from warlight_env.agents.context import Context, generate, prior_at
from warlight_env.agents.evaluation.game_outcome import winner_of
from warlight_env.agents.players.mcts.tree import (
    COMPUTING,
    EXPANDING,
    FULL,
    LEAF,
    NO_STATE,
    NODES,
    POOL,
    PRIOR_UNIT,
    STATES,
    Tree,
    load_turn,
    store_turn,
    take,
)
from warlight_env.agents.players.mcts.work import TreeSettings, TreeWork
from warlight_env.agents.records.generator_work import turn_set_of
from warlight_env.agents.search.playout import play_orders
from warlight_env.agents.search.rollout_policy import narrowing_at
from warlight_env.engine.atomic import atomic_add, atomic_load, compare_and_set
from warlight_env.engine.jit import inline_kernel, kernel
from warlight_env.engine.kernel_types import Bool, Int
from warlight_env.engine.position import Position, pack, unpack


@inline_kernel
def _store_state(tree: Tree, position: Position, node: Int, winner: Int) -> Bool:
    """Store a state for a node; return False if the tree has no room for another state."""
    place = take(tree, STATES, 1, tree.states.shape[0])
    if place < 0:
        atomic_add(tree.counters, FULL, 1)
        compare_and_set(tree.state, node, COMPUTING, NO_STATE)
        return False
    pack(position, tree.states[place])
    tree.winner[node] = winner
    compare_and_set(tree.state, node, COMPUTING, place)  # now other threads may read the state
    return True


@inline_kernel
def load_state(tree: Tree, position: Position, node: Int) -> None:
    """Write a node's state to a position."""
    unpack(tree.states[tree.state[node]], position)


@inline_kernel
def advance_to_state(
    context: Context,
    settings: TreeSettings,
    tree: Tree,
    work: TreeWork,
    path: npt.NDArray[np.int32],
    length: Int,
    parent: Int,
) -> Int:
    """Write the state after the last turns of a path to `work`, and return the state's winner (`winner_of`).

    The first visit computes the state and stores it; later visits load it. path: int32[MAX_DEPTH], of
    which the first `length` nodes are used. parent: the node with the previous state.
    """
    last: Int = length - 1
    players, node, position = context.players, path[last], work.play.position
    if atomic_load(tree.state, node) < 0 and compare_and_set(tree.state, node, NO_STATE, COMPUTING):
        load_state(tree, position, parent)
        orders = work.play.samples.round
        for level in range(players):
            p = (settings.play.player + level) % players
            turn = tree.turn[path[length - players + level]]
            orders.counts[p] = load_turn(context.board, tree, turn, orders.deploy[p], orders.attacks[p])
        winner = play_orders(context, settings.play, work.play)
        _store_state(tree, position, node, winner)
        return winner
    while atomic_load(tree.state, node) == COMPUTING:
        pass
    if atomic_load(tree.state, node) < 0:  # there was no room to store the state: use the previous state instead
        load_state(tree, position, parent)
        return winner_of(context, position)
    load_state(tree, position, node)
    return np.int64(tree.winner[node])


@inline_kernel
def _list_turns(context: Context, settings: TreeSettings, work: TreeWork) -> None:
    """Write all players' candidate turns in the position of `work`, and the priors of these turns, to `work`."""
    play = work.play
    for level in range(context.players):
        p, turns = (settings.play.player + level) % context.players, turn_set_of(work.turns, level)
        count = generate(context, play.position, p, play.rng, play.generator, turns)
        if 0 < settings.breadth < count:
            count = narrowing_at(settings.narrow)(context, settings.play, play, p, turns, count, settings.breadth)
        work.turn_counts[level] = count
        if settings.prior != 0:
            likely, total = work.prior[level], 0.0
            prior_at(settings.prior)(context, play.position, p, turns, count, likely)
            for j in range(count):
                total += likely[j]
            for j in range(count):
                likely[j] = likely[j] / total if total > 0.0 else 1.0 / count


@kernel
def expand(context: Context, settings: TreeSettings, tree: Tree, work: TreeWork, leaf: Int) -> Bool:
    """Add two levels below a leaf: the turns of the searching player, and below each of them the next player's turns.

    `work` contains the leaf's state. The turns of the third and later players are only stored; `grow` makes nodes for
    them when a simulation reaches them. Returns False if the tree has no room.
    """
    players, turns, priors = context.players, work.turns, settings.prior != 0
    _list_turns(context, settings, work)
    own_count, reply_count = work.turn_counts[0], work.turn_counts[1]
    first = take(tree, NODES, own_count * (1 + reply_count), tree.visits.shape[0])
    size = _list_size(tree, turns.counts.shape[1])
    place: Int = np.int64(0)
    if first >= 0 and players > 2:
        place = take(tree, POOL, size * (players - 2), tree.pool.shape[0])
        tree.later_turns[leaf] = place
    if first < 0 or place < 0:
        atomic_add(tree.counters, FULL, 1)
        return False
    second = first + own_count
    for k in range(players):
        level = 1 - k if k < 2 else k
        for j in range(work.turn_counts[level]):
            turn = store_turn(
                context.board, tree, turns.deploy[level, j], turns.attacks[level, j], turns.counts[level, j]
            )
            if turn < 0:
                atomic_add(tree.counters, FULL, 1)
                return False
            if level == 0:
                tree.turn[first + j] = turn
                tree.first[first + j] = second + j * reply_count
                tree.children[first + j] = reply_count
                if priors:
                    tree.prior[first + j] = work.prior[level, j]
            elif level == 1:
                for i in range(own_count):
                    tree.turn[second + i * reply_count + j] = turn
                    if priors:
                        tree.prior[second + i * reply_count + j] = work.prior[level, j]
            else:
                tree.pool[place + 1 + j] = turn
                if priors:
                    tree.pool[place + 1 + work.turn_counts[level] + j] = np.int64(work.prior[level, j] * PRIOR_UNIT)
        if level > 1:
            tree.pool[place] = work.turn_counts[level]
            place += size
    tree.first[leaf] = first
    compare_and_set(tree.children, leaf, EXPANDING, own_count)
    return True


@inline_kernel
def _list_size(tree: Tree, capacity: Int) -> Int:
    """Return the length of a list in the tree's `pool`, which contains the turns of the third or a later player."""
    return np.int64(1 + (2 if tree.prior.shape[0] > 1 else 1) * capacity)


@inline_kernel
def grow(tree: Tree, state: Int, node: Int, level: Int, capacity: Int) -> Bool:
    """Add the turns of the player at `level` as children of a node, unless the node has children.

    state: the node that contains the state in which the players move. Returns False if the tree has no room.
    """
    if atomic_load(tree.children, node) <= LEAF:
        if compare_and_set(tree.children, node, LEAF, EXPANDING):
            place = np.int64(tree.later_turns[state]) + (level - 2) * _list_size(tree, capacity)
            count = np.int64(tree.pool[place])
            first = take(tree, NODES, count, tree.visits.shape[0])
            if first < 0:
                atomic_add(tree.counters, FULL, 1)
                compare_and_set(tree.children, node, EXPANDING, LEAF)
                return False
            for j in range(count):
                tree.turn[first + j] = tree.pool[place + 1 + j]
                if tree.prior.shape[0] > 1:
                    tree.prior[first + j] = tree.pool[place + 1 + count + j] / PRIOR_UNIT
            tree.first[node] = first
            compare_and_set(tree.children, node, EXPANDING, count)
            return True
        while atomic_load(tree.children, node) == EXPANDING:
            pass
    return atomic_load(tree.children, node) > LEAF
