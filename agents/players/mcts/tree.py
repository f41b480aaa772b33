"""The search tree in preallocated arrays with a memory limit. Turns and states are stored in a compact form."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from warlight_env.agents.evaluation.game_outcome import ONGOING
from warlight_env.agents.records.generator_work import MAX_TURNS
from warlight_env.engine.atomic import atomic_add
from warlight_env.engine.board import Board
from warlight_env.engine.jit import inline_kernel, kernel
from warlight_env.engine.kernel_types import Armies, AttackRows, Int
from warlight_env.engine.memory import private_zeros
from warlight_env.engine.position import compact_size
from warlight_env.engine.reference import reference

#: Indices of the counters in `Tree.counters`.
NODES: Final = 0
STATES: Final = 16  # each counter has its own cache lines, because several threads change the counters
TURNS: Final = 32
POOL: Final = 48
FULL: Final = 64
SIMULATIONS: Final = 80
LOCK: Final = 96

#: Values of `Tree.children` for a node without children.
LEAF: Final = 0
EXPANDING: Final = -1
#: Values of `Tree.state` for a node without a state.
NO_STATE: Final = -1
COMPUTING: Final = -2

#: Smallest number of nodes of a tree. This number is enough for the sets of starting regions in the picking phase.
LEAST_NODES: Final = 1500

#: The integer that represents a prior of 1 in `Tree.pool`, which contains the priors of the third and later players.
PRIOR_UNIT: Final = 1 << 30


class Tree(NamedTuple):
    """The arrays of a search tree. Node 0 is the root. The children of a state are the searching player's turns.

    The children of a turn are the turns of the next player in seat order. The node of the last player's turn contains
    the state after the round in which the players play the turns on the path.
    """

    visits: npt.NDArray[np.int32]  #: [M]
    pending: npt.NDArray[np.int32]  #: [M] number of unfinished simulations through the node
    total: npt.NDArray[np.int64]  #: [M] sum of values for the player of the node's turn; `simulation.UNIT` means 1
    first: npt.NDArray[np.int32]  #: [M] the first child; the other children have the next indices
    children: npt.NDArray[np.int32]  #: [M] number of children; LEAF or EXPANDING
    turn: npt.NDArray[np.int32]  #: [M] the number of the node's turn
    state: npt.NDArray[np.int32]  #: [M] NO_STATE, COMPUTING, or the state after all players' turns
    winner: npt.NDArray[np.int8]  #: [M] result of `game_outcome.winner_of` for the node's state
    #: [M] for nodes with a state: the index in the pool of the turns of the third and later players.
    #: For each player: the number of turns, the turns and, in searches with priors, the priors; PRIOR_UNIT means 1.
    later_turns: npt.NDArray[np.int32]
    states: npt.NDArray[np.uint8]  #: [S, 3 N + 2] states, compressed by `engine.position.pack`
    turn_start: npt.NDArray[np.int32]  #: [T] index in the pool at which a turn starts
    #: [Q] for each turn: the numbers of deploys and attacks, then (region, armies) and (edge, armies)
    pool: npt.NDArray[np.int32]
    prior: npt.NDArray[np.float32]  #: [M] prior probability of a node's turn; [1] for searches without priors
    counters: npt.NDArray[np.int64]  #: counters at the indices NODES, STATES, TURNS, POOL, FULL, SIMULATIONS and LOCK


def nodes_per_state(players: int, capacity: int) -> int:
    """Return the largest number of nodes that one simulation adds.

    One simulation adds at most two complete levels of nodes, and in each later level the children of one node.

    capacity: the largest number of turns that a generator writes.
    """
    return capacity + capacity**2 + capacity * (players - 2)


def make_tree(
    n_regions: int, n_edges: int, nodes: int, players: int = 2, capacity: int = MAX_TURNS, priors: bool = False
) -> Tree:
    """Return an empty tree with room for `nodes` nodes, and for the states, turns and orders of these nodes."""
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
            later_turns=np.zeros(nodes if players > 2 else 1, dtype=np.int32),
            prior=np.ones(nodes if priors else 1, dtype=np.float32),
            states=np.zeros((nodes, compact_size(n_regions)), dtype=np.uint8),
            turn_start=np.zeros(nodes, dtype=np.int32),
            pool=np.zeros(max(24 * nodes, 64 * (n_regions + n_edges + 1)), dtype=np.int32),
            counters=private_zeros(128, np.int64),
        )
    )


def tree_bytes(n_regions: int, nodes: int, players: int = 2, priors: bool = False) -> int:
    """Return the approximate number of bytes that `make_tree` allocates for `nodes` nodes."""
    return nodes * (4 * 7 + 8 + 1 + compact_size(n_regions) + 4 * 24 + (4 if players > 2 else 0) + (4 if priors else 0))


@kernel
def clear(tree: Tree) -> None:
    """Delete all nodes but the root; the root has no state afterwards."""
    for i in range(min(tree.counters[NODES], tree.visits.shape[0])):
        _reset(tree, i)
    _reset(tree, 0)
    for i in range(tree.counters.shape[0]):
        tree.counters[i] = 0
    tree.counters[NODES] = 1


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
    """Add `amount` to a counter, and return its old value; if the sum would exceed `limit`, return -1 instead."""
    first = atomic_add(tree.counters, counter, amount)
    if first + amount > limit:
        atomic_add(tree.counters, counter, -amount)
        return np.int64(-1)
    return first


@kernel
def store_turn(board: Board, tree: Tree, deploy: Armies, attacks: AttackRows, count: Int) -> Int:
    """Store a turn in the tree, and return the turn's number, or -1 if the tree has no room."""
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
    offset = start + 2
    for r in range(deploy.shape[0]):
        if deploy[r] > 0:
            pool[offset], pool[offset + 1] = r, deploy[r]
            offset += 2
    for i in range(count):
        pool[offset] = board.edge_index[attacks[i, 0], attacks[i, 1]]
        pool[offset + 1] = attacks[i, 2]
        offset += 2
    return turn


@kernel
def load_turn(board: Board, tree: Tree, turn: Int, deploy: Armies, attacks: AttackRows) -> Int:
    """Write a stored turn to the arrays `deploy` and `attacks`, and return the number of attacks."""
    for r in range(deploy.shape[0]):
        deploy[r] = 0
    pool, offset = tree.pool, np.int64(tree.turn_start[turn])
    deploys, count = pool[offset], pool[offset + 1]
    offset += 2
    for _ in range(deploys):
        deploy[pool[offset]] = pool[offset + 1]
        offset += 2
    for i in range(count):
        edge = pool[offset]
        attacks[i, 0], attacks[i, 1], attacks[i, 2] = board.edge_source[edge], board.edge_target[edge], pool[offset + 1]
        offset += 2
    return count
