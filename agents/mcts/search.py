"""The search itself, as a kernel that one thread or several run on one tree (thesis, algorithms 3.18 and 3.19)."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from warlight_env.agents.generators.work import GeneratorWork, TurnSet, make_generator_work, make_turn_set
from warlight_env.agents.mcts.outcome import Samples, make_samples, next_state, winner_of
from warlight_env.agents.mcts.tree import (
    COMPUTING,
    EXPANDING,
    FULL,
    LEAF,
    LOCK,
    NO_STATE,
    NODES,
    SIMULATIONS,
    STATES,
    UNIT,
    load_turn,
    store_turn,
    take,
)
from warlight_env.engine.atomic import atomic_add, atomic_load, compare_and_set
from warlight_env.engine.jit import inline_kernel, kernel
from warlight_env.engine.state import pack, private_zeros, unpack

MAX_DEPTH: Final = 200  # nodes of a path


class Settings(NamedTuple):
    """Parameters of the search, for kernels."""

    exploration: float
    root_visits: bool  #: N in the selection is the visits of the root, not of the parent
    blind: bool  #: the enemy's turn is selected by its value against all of ours, not against the one selected
    choice: int  #: of `outcome.CHOICES`
    rounds: int  #: of a playout
    ways: int  #: of generators, see `generate_turns`; the playout's policy gets the same
    locked: bool  #: one lock for the whole tree
    virtual: int  #: visits that a thread below a node pretends to have lost there; 0: none
    player: int
    players: int


class SearchWork(NamedTuple):
    """What one thread writes."""

    generator: GeneratorWork
    ours: TurnSet
    theirs: TurnSet
    samples: Samples
    owner: npt.NDArray[np.int8]  #: [N] the state that is looked at
    army: npt.NDArray[np.int32]  #: [N]
    path: npt.NDArray[np.int32]  #: [MAX_DEPTH]
    rng: npt.NDArray[np.uint64]  #: [2]


def make_search_work(n_regions: int, n_edges: int, players: int, samples: int) -> SearchWork:
    """Working memory for one thread."""
    return SearchWork(
        generator=make_generator_work(n_regions, n_edges, players),
        ours=make_turn_set(n_regions, n_edges),
        theirs=make_turn_set(n_regions, n_edges),
        samples=make_samples(n_regions, n_edges, players, samples),
        owner=private_zeros(n_regions, np.int8),
        army=private_zeros(n_regions, np.int32),
        path=private_zeros(MAX_DEPTH, np.int32),
        rng=private_zeros(2, np.uint64),
    )


@inline_kernel
def _best_child(tree, settings, parent):
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
def _best_reply(tree, settings, parent):
    """Which of the enemy's turns has the highest value over all of ours together: decoupled selection."""
    first, ours = np.int64(tree.first[parent]), np.int64(tree.children[parent])
    replies = np.int64(tree.children[first])
    log = np.log(np.float64(max(1, tree.visits[0 if settings.root_visits else parent])))
    best, highest = np.int64(0), -1.0
    for j in range(replies):
        n, total = 0.0, np.int64(0)
        for i in range(ours):
            child = tree.first[first + i] + j
            n += tree.visits[child] + settings.virtual * tree.pending[child]
            total += tree.total[child]
        if n == 0.0:
            return j
        value = total / (UNIT * n) + settings.exploration * np.sqrt(log / n)
        if value > highest:
            best, highest = j, value
    return best


@inline_kernel
def _store_state(tree, work, node, winner):
    """Put the state in `work` away as the node's; False where there is no room."""
    place = take(tree, STATES, 1, tree.states.shape[0])
    if place < 0:
        atomic_add(tree.used, FULL, 1)
        compare_and_set(tree.state, node, COMPUTING, NO_STATE)
        return False
    pack(work.owner, work.army, 0, tree.states[place])
    tree.winner[node] = winner
    compare_and_set(tree.state, node, COMPUTING, place)  # from here on others may read it
    return True


@inline_kernel
def _load_state(tree, work, node):
    unpack(tree.states[tree.state[node]], work.owner, work.army)


@inline_kernel
def _reach(board, params, evaluate, evaluation, settings, tree, work, parent, our, their):
    """Bring the state after two turns into `work`, computed at the first visit; returns its winner, or -1."""
    if atomic_load(tree.state, their) < 0 and compare_and_set(tree.state, their, NO_STATE, COMPUTING):
        _load_state(tree, work, parent)
        orders, me = work.samples.round, settings.player
        orders.counts[me] = load_turn(board, tree, tree.turn[our], orders.deploy[me], orders.attacks[me])
        orders.counts[1 - me] = load_turn(board, tree, tree.turn[their], orders.deploy[1 - me], orders.attacks[1 - me])
        winner = next_state(
            board, params, evaluate, evaluation, settings.choice, work.owner, work.army, me, settings.players,
            work.samples, work.rng,
        )  # fmt: skip
        _store_state(tree, work, their, winner)
        return winner
    while atomic_load(tree.state, their) == COMPUTING:
        pass
    if atomic_load(tree.state, their) < 0:  # no room: as good as the state before
        _load_state(tree, work, parent)
        return winner_of(work.owner, settings.players)
    _load_state(tree, work, their)
    return np.int64(tree.winner[their])


@inline_kernel
def _expand(board, params, generate, evaluation, settings, tree, work, leaf):
    """Give a leaf, whose state is in `work`, its children and theirs; False where there is no room."""
    me, n_nodes = settings.player, tree.visits.shape[0]
    ours = generate(
        board, params, evaluation, work.owner, work.army, me, settings.ways, work.rng, work.generator, work.ours
    )
    theirs = generate(
        board, params, evaluation, work.owner, work.army, 1 - me, settings.ways, work.rng, work.generator, work.theirs
    )
    first = take(tree, NODES, ours * (1 + theirs), n_nodes)
    if first < 0:
        atomic_add(tree.used, FULL, 1)
        return False
    second = first + ours
    for j in range(theirs):
        turn = store_turn(board, tree, work.theirs.deploy[j], work.theirs.attacks[j], work.theirs.counts[j])
        if turn < 0:
            atomic_add(tree.used, FULL, 1)
            return False
        for i in range(ours):
            tree.turn[second + i * theirs + j] = turn
    for i in range(ours):
        turn = store_turn(board, tree, work.ours.deploy[i], work.ours.attacks[i], work.ours.counts[i])
        if turn < 0:
            atomic_add(tree.used, FULL, 1)
            return False
        tree.turn[first + i] = turn
        tree.first[first + i] = second + i * theirs
        tree.children[first + i] = theirs
    tree.first[leaf] = first
    compare_and_set(tree.children, leaf, EXPANDING, ours)
    return True


@kernel
def play_out(board, params, evaluate, policy, evaluation, settings, work):
    """Some rounds from the state in `work`, both sides by the policy; returns the enemy's share, 0 or 1 at an end."""
    me, orders = settings.player, work.samples.round
    for _ in range(settings.rounds):
        for p in range(settings.players):
            orders.counts[p] = policy(
                board, params, evaluation, work.owner, work.army, p, settings.ways, work.rng, work.generator,
                orders.deploy[p], orders.attacks[p],
            )  # fmt: skip
        winner = next_state(
            board, params, evaluate, evaluation, settings.choice, work.owner, work.army, me, settings.players,
            work.samples, work.rng,
        )  # fmt: skip
        if winner >= 0:
            return 0.0 if winner == me else 1.0
    return evaluate(board, evaluation, work.owner, work.army, 1 - me, settings.players)


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
def descend(board, params, evaluate, generate, evaluation, settings, tree, work):
    """Select a leaf, expand it, and bring the state of its first grandchild into `work`, the path into `work.path`.

    Returns the path's length and the winner in that state, or -1.
    """
    node, winner = 0, np.int64(-1)
    length = _enter(tree, settings, work, 0, 0)
    while winner < 0 and length + 2 <= MAX_DEPTH:
        children = atomic_load(tree.children, node)
        expanded = False
        if children <= LEAF:
            _load_state(tree, work, node)
            if children == EXPANDING or not compare_and_set(tree.children, node, LEAF, EXPANDING):
                break  # another thread is at it: play out from here
            if not _expand(board, params, generate, evaluation, settings, tree, work, node):
                compare_and_set(tree.children, node, EXPANDING, LEAF)
                break
            expanded = True
        our = _best_child(tree, settings, node)
        if settings.blind:
            their = np.int64(tree.first[our]) + _best_reply(tree, settings, node)
        else:
            their = np.int64(_best_child(tree, settings, our))
        length = _enter(tree, settings, work, length, our)
        length = _enter(tree, settings, work, length, their)
        winner = _reach(board, params, evaluate, evaluation, settings, tree, work, node, our, their)
        if atomic_load(tree.state, their) < 0:
            break  # the memory is full
        node = their
        if expanded:
            break
    return length, winner


@kernel
def back_up(tree, settings, work, length, value):
    """Add a value, the enemy's, along the path: to enemy nodes as it is, to ours 1 - value; and a visit to each."""
    units = np.int64(value * UNIT)
    for i in range(length):
        node = work.path[i]
        atomic_add(tree.total, node, units if i % 2 == 0 else UNIT - units)
        atomic_add(tree.visits, node, 1)
        if settings.virtual > 0:
            atomic_add(tree.pending, node, -1)


@kernel
def search(board, params, evaluate, generate, policy, evaluation, settings, tree, work, simulations):
    """Run simulations on a tree whose root has a state; several threads may, each with its own `work`."""
    for _ in range(simulations):
        _lock(tree, settings)
        length, winner = descend(board, params, evaluate, generate, evaluation, settings, tree, work)
        _unlock(tree, settings)
        if winner >= 0:
            value = 0.0 if winner == settings.player else 1.0
        else:
            value = play_out(board, params, evaluate, policy, evaluation, settings, work)
        _lock(tree, settings)
        back_up(tree, settings, work, length, value)
        _unlock(tree, settings)
        atomic_add(tree.used, SIMULATIONS, 1)


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
