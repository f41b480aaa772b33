"""The search itself, as a kernel that one thread or several run on one tree (thesis, algorithms 3.18 and 3.19).

Under a state there is a level for each player, ours first and then by seats; when all have moved, a round is played.
"""

from __future__ import annotations

import numpy as np

from warlight_env.agents.mcts.expansion import expand, grow, load_state, reach
from warlight_env.agents.mcts.playout import play_out
from warlight_env.agents.mcts.selection import best_child, best_reply
from warlight_env.agents.mcts.tree import EXPANDING, LEAF, LOCK, NODES, SIMULATIONS
from warlight_env.agents.mcts.work import MAX_DEPTH
from warlight_env.agents.mcts.worth import PLACEMENTS, begin_eliminations, note_eliminations
from warlight_env.agents.standing import ONGOING
from warlight_env.engine.atomic import atomic_add, atomic_load, compare_and_set
from warlight_env.engine.jit import inline_kernel, kernel


@inline_kernel
def lock(tree, settings):
    """Take the tree's lock, if it has one."""
    if settings.locked:
        while not compare_and_set(tree.used, LOCK, 0, 1):
            pass


@inline_kernel
def unlock(tree, settings):
    """Let go of it."""
    if settings.locked:
        compare_and_set(tree.used, LOCK, 1, 0)


@inline_kernel
def enter(tree, settings, work, length, node):
    """Put a node at the end of the path; returns the path's new length."""
    work.path[length] = node
    if settings.virtual > 0:
        atomic_add(tree.pending, node, 1)
    return length + 1


@kernel
def descend(context, settings, tree, work):
    """Select a leaf, expand it, and bring the state after the first turns below it into `work`, the path into its path.

    Returns the path's length and the winner in that state, as `winner_of` tells it. For placements it also notes in
    `work.out` who went out on the way, by the length of the path.
    """
    node, winner, players = np.int64(0), np.int64(ONGOING), context.players
    placed = settings.worth == PLACEMENTS
    if placed:
        load_state(tree, work, 0)
        begin_eliminations(work.position.owner, work.out)
    length = enter(tree, settings, work, 0, 0)
    while winner == ONGOING and length + players <= MAX_DEPTH:
        children = atomic_load(tree.children, node)
        expanded = False
        if children <= LEAF:
            load_state(tree, work, node)
            if children == EXPANDING or not compare_and_set(tree.children, node, LEAF, EXPANDING):
                break  # another thread is at it: play out from here
            if not expand(context, settings, tree, work, node):
                compare_and_set(tree.children, node, EXPANDING, LEAF)
                break
            expanded = True
        reached = node
        for level in range(players):
            if level > 1 and not grow(tree, node, reached, level):
                reached = np.int64(-1)
                break
            if level > 0 and settings.blind:
                reached = np.int64(best_reply(tree, settings, work, node, reached, level))
            else:
                reached = np.int64(best_child(tree, settings, reached))
            length = enter(tree, settings, work, length, reached)
        if reached < 0:  # the memory is full in the middle of a round
            load_state(tree, work, node)
            break
        winner = reach(context, settings, tree, work, node, reached, length)
        if atomic_load(tree.state, reached) < 0:
            break  # the memory is full
        if placed:
            note_eliminations(work.position.owner, work.out, length)
        node = reached
        if expanded:
            break
    return length, winner


@kernel
def back_up(context, settings, tree, path, length, values):
    """Add the values, int64[P] in UNITs, along the path: to each node its player's; and a visit to each."""
    me, players = settings.player, context.players
    for i in range(length):
        node = path[i]
        atomic_add(tree.total, node, values[(me + i + players - 1) % players])
        atomic_add(tree.visits, node, 1)
        if settings.virtual > 0:
            atomic_add(tree.pending, node, -1)
    atomic_add(tree.used, SIMULATIONS, 1)


@kernel
def search(context, settings, tree, work, simulations):
    """Run simulations on a tree whose root has a state; several threads may, each with its own `work`."""
    for _ in range(simulations):
        lock(tree, settings)
        length, winner = descend(context, settings, tree, work)
        unlock(tree, settings)
        play_out(context, settings, work, winner, settings.rounds)
        lock(tree, settings)
        back_up(context, settings, tree, work.path, length, work.values)
        unlock(tree, settings)


@kernel
def leaf_depths(tree):
    """Depths of the shallowest and the deepest leaf, in turns from the root; a node without visits is a leaf too."""
    shallowest, deepest = np.int64(1 << 30), np.int64(0)
    # Children come after their parents, so that one pass suffices; `pending` is free outside of searches.
    depth, nodes = tree.pending, min(tree.used[NODES], tree.visits.shape[0])
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
