"""The tree in preallocated arrays, with a bound on memory; turns and states in compact form."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from warlight_env.agents.evaluation.standing import ONGOING
from warlight_env.agents.records.generator_work import MAX_TURNS
from warlight_env.engine.atomic import atomic_add
from warlight_env.engine.board import Board
from warlight_env.engine.jit import inline_kernel, kernel
from warlight_env.engine.kernel_types import Armies, AttackRows, Int
from warlight_env.engine.memory import private_zeros
from warlight_env.engine.position import compact_size
from warlight_env.engine.reference import reference

#: What `Tree.used` counts.
NODES: Final = 0
STATES: Final = 16  # apart from each other: threads change them all the time
TURNS: Final = 32
POOL: Final = 48
FULL: Final = 64
SIMULATIONS: Final = 80
LOCK: Final = 96

#: Values of `Tree.children` of a node that has none yet.
LEAF: Final = 0
EXPANDING: Final = -1
#: Values of `Tree.state` of a node that has none yet.
NO_STATE: Final = -1
COMPUTING: Final = -2

#: Places for nodes that every tree has: more than the sets of regions to pick from take.
LEAST_NODES: Final = 1500

#: How priors of players after the second stand in the pool.
PRIOR_UNIT: Final = 1 << 30


class Tree(NamedTuple):
    """Node 0 is the root. Under a state there are our turns, under each of these those of the next player, and so on
    by seats; under the last player's there is a state again.
    """

    visits: npt.NDArray[np.int32]  #: [M]
    pending: npt.NDArray[np.int32]  #: [M] threads that are below the node now
    total: npt.NDArray[np.int64]  #: [M] sum of values for the player whose turn leads here, in `playing.UNIT`s
    first: npt.NDArray[np.int32]  #: [M] the first child; children lie one after the other
    children: npt.NDArray[np.int32]  #: [M] how many; LEAF or EXPANDING
    turn: npt.NDArray[np.int32]  #: [M] the turn that leads here
    state: npt.NDArray[np.int32]  #: [M] NO_STATE, COMPUTING, or the state after both turns
    winner: npt.NDArray[np.int8]  #: [M] what `standing.winner_of` says of that state
    later: npt.NDArray[np.int32]  #: [M] of nodes with a state: where the pool lists the turns of the third player on,
    #: for each their number, the turns and, in searches with priors, those in PRIOR_UNITs
    states: npt.NDArray[np.uint8]  #: [S, 3 N + 2] as `engine.position.pack` writes them
    turn_start: npt.NDArray[np.int32]  #: [T] where a turn begins in the pool
    pool: npt.NDArray[np.int32]  #: [Q] per turn: deploys, attacks, then (region, armies) and (edge, armies)
    prior: npt.NDArray[np.float32]  #: [M] how likely a node's turn is taken to be; [1] for searches without priors
    used: npt.NDArray[np.int64]  #: counters, see above


def nodes_per_state(players: int, capacity: int) -> int:
    """Nodes that one simulation adds at most: two levels at once, and of the others one node's children each.

    capacity: turns that a generator writes at most.
    """
    return capacity + capacity**2 + capacity * (players - 2)


def make_tree(
    n_regions: int, n_edges: int, nodes: int, players: int = 2, capacity: int = MAX_TURNS, priors: bool = False
) -> Tree:
    """An empty tree with room for so many nodes, and for as many states, turns and orders as those need."""
    nodes = max(nodes, LEAST_NODES, 1 + nodes_per_state(players, capacity))
    return reference(
        Tree(
            visits=np.zeros(nodes, dtype=np.int32),
            pending=np.zeros(nodes, dtype=np.int32),
            total=np.zeros(nodes, dtype=np.int64),
            first=np.zeros(nodes, dtype=np.int32),
            children=np.zeros(nodes, dtype=np.int32),
            turn=np.zeros(nodes, dtype=np.int32),
            state=np.full(nodes, NO_STATE, dtype=np.int32),
            winner=np.full(nodes, ONGOING, dtype=np.int8),
            later=np.zeros(nodes if players > 2 else 1, dtype=np.int32),
            prior=np.ones(nodes if priors else 1, dtype=np.float32),
            states=np.zeros((nodes, compact_size(n_regions)), dtype=np.uint8),
            turn_start=np.zeros(nodes, dtype=np.int32),
            pool=np.zeros(max(24 * nodes, 64 * (n_regions + n_edges + 1)), dtype=np.int32),
            used=private_zeros(128, np.int64),
        )
    )


def tree_bytes(n_regions: int, nodes: int, players: int = 2, priors: bool = False) -> int:
    """Memory that `make_tree` takes for so many nodes, about."""
    return nodes * (4 * 7 + 8 + 1 + compact_size(n_regions) + 4 * 24 + (4 if players > 2 else 0) + (4 if priors else 0))


@kernel
def clear(tree: Tree) -> None:
    """Forget everything but a root without a state."""
    for i in range(min(tree.used[NODES], tree.visits.shape[0])):
        _reset(tree, i)
    _reset(tree, 0)
    for i in range(tree.used.shape[0]):
        tree.used[i] = 0
    tree.used[NODES] = 1


@inline_kernel
def _reset(tree: Tree, node: Int) -> None:
    tree.visits[node] = 0
    tree.pending[node] = 0
    tree.total[node] = 0
    tree.first[node] = 0
    tree.children[node] = LEAF
    tree.turn[node] = -1
    tree.state[node] = NO_STATE
    tree.winner[node] = ONGOING


@inline_kernel
def take(tree: Tree, counter: Int, amount: Int, limit: Int) -> Int:
    """Take a number of places; the first of them, or -1 where there are not enough left."""
    first = atomic_add(tree.used, counter, amount)
    if first + amount > limit:
        atomic_add(tree.used, counter, -amount)
        return np.int64(-1)
    return first


@kernel
def store_turn(board: Board, tree: Tree, deploy: Armies, attacks: AttackRows, count: Int) -> Int:
    """Put a turn away; its number, or -1 where there is no room."""
    deploys = 0
    for r in range(deploy.shape[0]):
        deploys += deploy[r] > 0
    start = take(tree, POOL, 2 + 2 * (deploys + count), tree.pool.shape[0])
    if start < 0:
        return start
    turn = take(tree, TURNS, 1, tree.turn_start.shape[0])
    if turn < 0:
        return turn
    tree.turn_start[turn] = start
    pool = tree.pool
    pool[start], pool[start + 1] = deploys, count
    at = start + 2
    for r in range(deploy.shape[0]):
        if deploy[r] > 0:
            pool[at], pool[at + 1] = r, deploy[r]
            at += 2
    for i in range(count):
        pool[at] = board.edge_index[attacks[i, 0], attacks[i, 1]]
        pool[at + 1] = attacks[i, 2]
        at += 2
    return turn


@kernel
def load_turn(board: Board, tree: Tree, turn: Int, deploy: Armies, attacks: AttackRows) -> Int:
    """Write a stored turn out; returns its number of attacks."""
    for r in range(deploy.shape[0]):
        deploy[r] = 0
    pool, at = tree.pool, np.int64(tree.turn_start[turn])
    deploys, count = pool[at], pool[at + 1]
    at += 2
    for _ in range(deploys):
        deploy[pool[at]] = pool[at + 1]
        at += 2
    for i in range(count):
        edge = pool[at]
        attacks[i, 0], attacks[i, 1], attacks[i, 2] = board.edge_source[edge], board.edge_target[edge], pool[at + 1]
        at += 2
    return count
