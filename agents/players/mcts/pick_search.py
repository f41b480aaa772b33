"""The picking phase as a tree search: the nodes of the first levels are sets of starting regions.

The first level of the tree contains the searching player's sets. Each further level of the tree contains the sets of
one enemy. If each player has its own offer, a player does not see the enemies' offers. The search then draws several
random offers for an enemy, and adds the enemy's best set from each random offer. The random offers are drawn from the
regions that are not offered to the searching player.
"""

from __future__ import annotations

import numpy as np

from warlight_env.agents.context import Context
from warlight_env.agents.evaluation.static_evaluation import rank_picks
from warlight_env.agents.generators.picks import pick_sets
from warlight_env.agents.players.mcts.tree import NODES, STATES, Tree
from warlight_env.engine.position import pack
from warlight_env.engine.rng import below, make_rng
from warlight_env.engine.setup import OWN_OFFER, resolve_picks
from warlight_env.engine.state import NEUTRAL, PICK, make_scratch, make_state
from warlight_env.engine.view import View

#: Number of sets of starting regions for each player, and largest number of combinations of the enemies' sets.
PICK_SETS = 9
JOINT_ANSWERS = 81


def answers_of_each(players: int) -> int:
    """Return the number of sets of starting regions that the tree contains for each enemy."""
    count = PICK_SETS
    while count > 2 and count ** (players - 1) > JOINT_ANSWERS:
        count -= 1
    return count


def plant_picks(view: View, context: Context, tree: Tree, seed: int) -> list[list[int]]:
    """Add the players' sets of starting regions to an empty tree, and store the positions after the picking phase.

    Returns the player's preferred regions, best first, one list for each child of the root. The tree needs room for ``2
    * PICK_SETS * JOINT_ANSWERS`` nodes.
    """
    rng = make_rng(seed)
    me, players, count = view.player, view.players, answers_of_each(view.players)
    offered = list(view.offers)
    levels = [[(offered, preferences) for preferences in _preferences(view, context, me, offered, PICK_SETS)]]
    for k in range(1, players):
        offers = [_sampled_offer(view, rng) for _ in range(count if view.params.picking == OWN_OFFER else 1)]
        levels.append(
            [
                (offer, preferences)
                for offer in offers
                for preferences in _preferences(view, context, (me + k) % players, offer, count // len(offers))
            ]
        )
    parents: list[tuple[int, list[tuple[list[int], list[int]]]]] = [(0, [])]
    node = 1
    for level, choices in enumerate(levels):
        children = []
        for parent, path in parents:
            tree.first[parent], tree.children[parent] = node, len(choices)
            for j, choice in enumerate(choices):
                tree.turn[node] = j
                if len(tree.prior) > 1:
                    tree.prior[node] = 1.0 / len(choices)
                children.append((node, [*path, choice]))
                if level == players - 1:
                    place = int(tree.counters[STATES])
                    pack(
                        view.position._replace(owner=_owners_after_picks(view, [*path, choice], rng)),
                        tree.states[place],
                    )
                    tree.state[node] = place
                    tree.counters[STATES] += 1
                node += 1
        parents = children
    tree.counters[NODES] = node
    return [preferences for _, preferences in levels[0]]


def _preferences(view: View, context: Context, player: int, offer: list[int], count: int) -> list[list[int]]:
    """Return up to `count` lists of preferred regions, best first.

    Each list begins with one set from `pick_sets`; the remaining offered regions follow in descending order of value.
    """
    own_regions = np.flatnonzero(view.owner == player).tolist()
    lists = []
    for picks in pick_sets(context.board, context.evaluation, offer, own_regions, _picks_left(view, player))[:count]:
        unpicked = [r for r in offer if r not in picks]
        lists.append([*picks, *rank_picks(context, unpicked, [*own_regions, *picks])])
    return lists


def _picks_left(view: View, player: int) -> int:
    """Return the number of starting regions that a player will still get.

    The result is the number of starting regions that each player gets, minus the number of regions that `player` owns
    now.
    """
    own_count = int((view.owner == view.player).sum())
    return view.picks_left + own_count - int((view.owner == player).sum())


def _sampled_offer(view: View, rng: np.ndarray) -> list[int]:
    """Return a possible offer of an enemy.

    If all players have the same offer, the result is the searching player's offer. If each player has its own offer,
    the enemy's offer is drawn from the remaining regions.
    """
    if view.params.picking != OWN_OFFER:
        return list(view.offers)
    board = view.board
    free = (view.owner == NEUTRAL) & (view.army == board.starting_army)
    free[list(view.offers)] = False
    offer = []
    for s in range(board.n_super_regions):
        candidates = [r for r in board.members[board.member_start[s] : board.member_start[s + 1]].tolist() if free[r]]
        for _ in range(min(view.params.offers or len(candidates), len(candidates))):
            offer.append(candidates.pop(int(below(rng, len(candidates)))))
    return offer


def _owners_after_picks(view: View, choices: list[tuple[list[int], list[int]]], rng: np.ndarray) -> np.ndarray:
    """Return the owner of each region, int8[N], after all players have picked according to the rules.

    choices: (offer, list of preferred regions) in seat order, beginning with the searching player.
    """
    board, players = view.board, view.players
    state = make_state(1, board.n_regions, players)
    state.owner[0], state.army[0], state.phase[0] = view.owner, view.army, PICK
    state.turn[0] = view.pick_turn
    state.rng[0] = rng
    preferences = np.full((players, board.n_regions), -1, dtype=np.int32)
    counts = np.zeros(players, dtype=np.int32)
    for k, (offer, preferred) in enumerate(choices):
        player = (view.player + k) % players
        state.offers[0, offer] |= 1 << player
        preferences[player, : len(preferred)], counts[player] = preferred, len(preferred)
    scratch = make_scratch(board.n_regions, players)
    while state.phase[0] == PICK:
        resolve_picks(view.params, state, 0, preferences, counts, scratch)
    rng[:] = state.rng[0]
    return state.owner[0]
