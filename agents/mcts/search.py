"""The search itself, as a kernel that one thread or several run on one tree (thesis, algorithms 3.18 and 3.19).

Under a state there is a level for each player, ours first and then by seats; when all have moved, a round is played.
"""

from __future__ import annotations

import numpy as np

from warlight_env.agents.mcts.expansion import expand, grow, load_state, reach
from warlight_env.agents.mcts.flat import draw_turn
from warlight_env.agents.mcts.outcome import next_state
from warlight_env.agents.mcts.playout import play_out
from warlight_env.agents.mcts.selection import best_child, best_reply
from warlight_env.agents.mcts.tree import EXPANDING, LEAF, LOCK, NODES, SIMULATIONS, keep_result
from warlight_env.agents.mcts.work import MAX_DEPTH
from warlight_env.engine.atomic import atomic_add, atomic_load, compare_and_set
from warlight_env.engine.jit import inline_kernel, kernel


@inline_kernel
def _lock(tree, settings):
    if settings.locked:
        while not compare_and_set(tree.used, LOCK, 0, 1):
            pass


@inline_kernel
def _unlock(tree, settings):
    if settings.locked:
        compare_and_set(tree.used, LOCK, 1, 0)


@inline_kernel
def _enter(tree, settings, work, length, node):
    work.path[length] = node
    if settings.virtual > 0:
        atomic_add(tree.pending, node, 1)
    return length + 1


@kernel
def descend(board, params, evaluate, generate, policy, evaluation, settings, tree, work):
    """Select a leaf, expand it, and bring the state after the first turns below it into `work`, the path into its path.

    Returns the path's length and the winner in that state, or -1.
    """
    node, winner, players = np.int64(0), np.int64(-1), settings.players
    length = _enter(tree, settings, work, 0, 0)
    while winner < 0 and length + players <= MAX_DEPTH:
        children = atomic_load(tree.children, node)
        expanded = False
        if children <= LEAF:
            load_state(tree, work, node)
            if children == EXPANDING or not compare_and_set(tree.children, node, LEAF, EXPANDING):
                break  # another thread is at it: play out from here
            if not expand(board, params, evaluate, generate, policy, evaluation, settings, tree, work, node):
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
            length = _enter(tree, settings, work, length, reached)
        if reached < 0:  # the memory is full in the middle of a round
            load_state(tree, work, node)
            break
        winner = reach(board, params, evaluate, evaluation, settings, tree, work, node, reached, length)
        if atomic_load(tree.state, reached) < 0:
            break  # the memory is full
        node = reached
        if expanded:
            break
    return length, winner


@kernel
def _draw_and_play(board, params, evaluate, generate, policy, evaluation, settings, tree, work):
    """Without a tree: play a round of one of our turns, drawn at random, with the others' by the policy.

    As `descend`, but that the path ends with our turn.
    """
    length = _enter(tree, settings, work, 0, 0)
    if compare_and_set(tree.children, 0, LEAF, EXPANDING):
        load_state(tree, work, 0)
        expand(board, params, evaluate, generate, policy, evaluation, settings, tree, work, 0)
    child = draw_turn(board, tree, settings, work)
    length = _enter(tree, settings, work, length, child)
    load_state(tree, work, 0)
    orders, players = work.samples.round, settings.players
    for p in range(players):
        if p != settings.player:
            orders.counts[p] = policy(
                board, params, evaluation, work.owner, work.army, p, settings.ways, work.rng, work.generator,
                orders.deploy[p], orders.attacks[p],
            )  # fmt: skip
    winner = next_state(
        board, params, evaluate, evaluation, settings.choice, work.owner, work.army, settings.player, players,
        work.samples, work.rng,
    )  # fmt: skip
    return length, winner


@kernel
def choose_start(board, params, evaluate, generate, policy, evaluation, settings, tree, work):
    """Where the next simulation plays out from: the position into `work`; returns the path's length and the winner."""
    if settings.flat:
        return _draw_and_play(board, params, evaluate, generate, policy, evaluation, settings, tree, work)
    return descend(board, params, evaluate, generate, policy, evaluation, settings, tree, work)


@kernel
def back_up(tree, settings, path, length, values):
    """Add the values, int64[P] in UNITs, along the path: to each node its player's; and a visit to each."""
    me, players = settings.player, settings.players
    for i in range(length):
        node = path[i]
        atomic_add(tree.total, node, values[(me + i + players - 1) % players])
        atomic_add(tree.visits, node, 1)
        if settings.virtual > 0:
            atomic_add(tree.pending, node, -1)
    if settings.flat:
        keep_result(tree, path[length - 1], values[me])
    atomic_add(tree.used, SIMULATIONS, 1)


@kernel
def search(board, params, evaluate, generate, policy, evaluation, settings, tree, work, simulations):
    """Run simulations on a tree whose root has a state; several threads may, each with its own `work`."""
    for _ in range(simulations):
        _lock(tree, settings)
        length, winner = choose_start(board, params, evaluate, generate, policy, evaluation, settings, tree, work)
        _unlock(tree, settings)
        rounds = settings.rounds - 1 if settings.flat else settings.rounds
        play_out(board, params, evaluate, generate, policy, evaluation, settings, work, winner, rounds)
        _lock(tree, settings)
        back_up(tree, settings, work.path, length, work.values)
        _unlock(tree, settings)


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
