"""How the tree grows: turns that become children, and the states that they lead to (thesis, section 3.1.4)."""

from __future__ import annotations

import numpy as np

from warlight_env.agents.context import generate
from warlight_env.agents.generator_work import MAX_TURNS, turn_set_of
from warlight_env.agents.mcts.foresight import foresight_at
from warlight_env.agents.mcts.outcome import next_state
from warlight_env.agents.mcts.tree import (
    COMPUTING,
    EXPANDING,
    FULL,
    LEAF,
    NO_STATE,
    NODES,
    POOL,
    STATES,
    load_turn,
    store_turn,
    take,
)
from warlight_env.agents.standing import winner_of
from warlight_env.engine.atomic import atomic_add, atomic_load, compare_and_set
from warlight_env.engine.jit import inline_kernel
from warlight_env.engine.position import pack, unpack


@inline_kernel
def _store_state(tree, work, node, winner):
    """Put the state in `work` away as the node's; False where there is no room."""
    place = take(tree, STATES, 1, tree.states.shape[0])
    if place < 0:
        atomic_add(tree.used, FULL, 1)
        compare_and_set(tree.state, node, COMPUTING, NO_STATE)
        return False
    pack(work.position, tree.states[place])
    tree.winner[node] = winner
    compare_and_set(tree.state, node, COMPUTING, place)  # from here on others may read it
    return True


@inline_kernel
def load_state(tree, work, node):
    """Bring a node's state into `work`."""
    unpack(tree.states[tree.state[node]], work.position)


@inline_kernel
def reach(context, settings, tree, work, parent, node, length):
    """Bring the state after the last turns of the path into `work`, computed at the first visit; returns its winner.

    `node` ends the path, of `length` nodes; `parent` has the state before. The winner is as `winner_of` tells it.
    """
    board, players = context.board, context.players
    if atomic_load(tree.state, node) < 0 and compare_and_set(tree.state, node, NO_STATE, COMPUTING):
        load_state(tree, work, parent)
        orders = work.samples.round
        for level in range(players):
            p = (settings.player + level) % players
            turn = tree.turn[work.path[length - players + level]]
            orders.counts[p] = load_turn(board, tree, turn, orders.deploy[p], orders.attacks[p])
        winner = next_state(context, work.position, settings.choice, settings.player, work.samples, work.rng)
        _store_state(tree, work, node, winner)
        return winner
    while atomic_load(tree.state, node) == COMPUTING:
        pass
    if atomic_load(tree.state, node) < 0:  # no room: as good as the state before
        load_state(tree, work, parent)
        return winner_of(context, work.position)
    load_state(tree, work, node)
    return np.int64(tree.winner[node])


@inline_kernel
def expand(context, settings, tree, work, leaf):
    """Give a leaf, whose state is in `work`, our turns as children and each the next player's; False without room.

    The turns of the others are listed; `grow` makes their nodes where a simulation comes to them.
    """
    board, players, turns = context.board, context.players, work.turns
    for level in range(players):
        p = (settings.player + level) % players
        count = generate(context, work.position, p, work.rng, work.generator, turn_set_of(turns, level))
        work.found[level] = count
        if 0 < settings.top < count:
            work.found[level] = foresight_at(settings.foresee)(context, settings, work, p, level)
    ours, theirs = work.found[0], work.found[1]
    first = take(tree, NODES, ours * (1 + theirs), tree.visits.shape[0])
    place, size = np.int64(0), np.int64(1 + MAX_TURNS)
    if first >= 0 and players > 2:
        place = take(tree, POOL, size * (players - 2), tree.pool.shape[0])
        tree.later[leaf] = place
    if first < 0 or place < 0:
        atomic_add(tree.used, FULL, 1)
        return False
    second = first + ours
    for k in range(players):
        level = 1 - k if k < 2 else k
        for j in range(work.found[level]):
            turn = store_turn(board, tree, turns.deploy[level, j], turns.attacks[level, j], turns.counts[level, j])
            if turn < 0:
                atomic_add(tree.used, FULL, 1)
                return False
            if level == 0:
                tree.turn[first + j] = turn
                tree.first[first + j] = second + j * theirs
                tree.children[first + j] = theirs
            elif level == 1:
                for i in range(ours):
                    tree.turn[second + i * theirs + j] = turn
            else:
                tree.pool[place + 1 + j] = turn
        if level > 1:
            tree.pool[place] = work.found[level]
            place += size
    tree.first[leaf] = first
    compare_and_set(tree.children, leaf, EXPANDING, ours)
    return True


@inline_kernel
def grow(tree, state, node, level):
    """Give a node under a state its children, the turns at `level`, if it has none; False where there is no room."""
    if atomic_load(tree.children, node) <= LEAF:
        if compare_and_set(tree.children, node, LEAF, EXPANDING):
            place = np.int64(tree.later[state]) + (level - 2) * (1 + MAX_TURNS)
            count = tree.pool[place]
            first = take(tree, NODES, np.int64(count), tree.visits.shape[0])
            if first < 0:
                atomic_add(tree.used, FULL, 1)
                compare_and_set(tree.children, node, EXPANDING, LEAF)
                return False
            for j in range(count):
                tree.turn[first + j] = tree.pool[place + 1 + j]
            tree.first[node] = first
            compare_and_set(tree.children, node, EXPANDING, count)
            return True
        while atomic_load(tree.children, node) == EXPANDING:
            pass
    return atomic_load(tree.children, node) > LEAF
