"""Build a tree search from your own functions: python examples/my_search.py [GAMES]

The selection rule visits the child with the fewest visits, so all turns receive equally many visits. The leaf
evaluation receives batches of positions, as a network would. A match compares this search with the standard search.
"""

import functools
import sys

import numba
import numpy as np

from warlight_env.agents.players.mcts import MctsAgent
from warlight_env.agents.players.mcts.selection import SELECTIONS
from warlight_env.arena import Match
from warlight_env.engine.jit import kernel


@kernel
def least_tried(tree, settings, work, state, node, level, rng):
    """Return the child with the fewest visits; see `agents.players.mcts.selection.selection_signature`."""
    first = np.int64(tree.first[node])
    best = first
    for child in range(first, first + tree.children[node]):
        if tree.visits[child] + tree.pending[child] < tree.visits[best] + tree.pending[best]:
            best = child
    return np.int64(best)


@numba.njit
def by_regions_and_armies(context, positions, count, shares):
    """Store each player's share of each position k < count. A region counts 3 plus its armies for its owner."""
    for k in range(count):
        total = 0.0
        for p in range(context.players):
            shares[k, p] = 0.0
        for r in range(positions.owner.shape[1]):
            owner = positions.owner[k, r]
            if owner >= 0:
                strength = 3.0 + positions.army[k, r]
                shares[k, owner] += strength
                total += strength
        for p in range(context.players):
            shares[k, p] /= total


if __name__ == "__main__":
    SELECTIONS.add("least_tried", least_tried)
    plain = functools.partial(MctsAgent, sims=100, local_search=0.0)
    custom = functools.partial(
        plain, selection="least_tried", final_move="max", rounds=2, leaf_batch=8, leaf=by_regions_and_armies
    )
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    print(Match([custom, plain], games=games).run(lambda games: print(".", end="", flush=True)))
