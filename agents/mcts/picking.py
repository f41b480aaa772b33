"""The picking phase as a search: sets of starting regions, ours and then the enemy's, are the tree's first two levels.

A player does not see what the others are offered where each has its own offer. There each of the enemy's answers is
its best set out of another offer, drawn from the regions that are not offered to us.
"""

from __future__ import annotations

import numpy as np

from warlight_env.agents.evaluation import Evaluation, rank_picks
from warlight_env.agents.generators.picks import pick_sets
from warlight_env.agents.mcts.tree import NODES, STATES, Tree
from warlight_env.engine.rng import below, make_rng
from warlight_env.engine.setup import OWN_OFFER, resolve_picks
from warlight_env.engine.state import NEUTRAL, PICK, make_scratch, make_state, pack
from warlight_env.engine.view import View

#: Sets of regions that each side chooses from.
PICK_SETS = 9


def plant_picks(view: View, evaluation: Evaluation, tree: Tree, seed: int) -> list[list[int]]:
    """Give a cleared tree its first two levels, with the positions that our and the enemy's picks lead to.

    Returns our wishes, the best regions first, one list for each of the root's children; the tree needs room for
    ``PICK_SETS * (PICK_SETS + 1)`` nodes.
    """
    rng = make_rng(seed)
    me = view.player
    offers = [_imagined_offer(view, rng) for _ in range(PICK_SETS if view.params.picking == OWN_OFFER else 1)]
    ours = _wishes(view, evaluation, me, list(view.offers), PICK_SETS)
    theirs = [
        (offer, wishes)
        for offer in offers
        for wishes in _wishes(view, evaluation, 1 - me, offer, PICK_SETS // len(offers))
    ]
    tree.first[0], tree.children[0] = 1, len(ours)
    used = 1 + len(ours)
    for i, mine in enumerate(ours):
        tree.turn[1 + i] = i
        tree.first[1 + i], tree.children[1 + i] = used, len(theirs)
        for j, (offer, wishes) in enumerate(theirs):
            owner = _picked(view, mine, offer, wishes, rng)
            place = int(tree.used[STATES])
            pack(owner, view.army, 0, tree.states[place])
            tree.turn[used + j], tree.state[used + j] = j, place
            tree.used[STATES] += 1
        used += len(theirs)
    tree.used[NODES] = used
    return ours


def _wishes(view: View, evaluation: Evaluation, player: int, offer: list[int], count: int) -> list[list[int]]:
    """Up to `count` orders of wishing, each a set of the generator's, then the rest of the offer by value."""
    board = view.board
    own = np.flatnonzero(view.owner == player).tolist()
    found = []
    for chosen in pick_sets(board, evaluation, offer, own, _picks_left(view, player))[:count]:
        rest = [r for r in offer if r not in chosen]
        found.append([*chosen, *rank_picks(board, evaluation, rest, [*own, *chosen])])
    return found


def _picks_left(view: View, player: int) -> int:
    """How many regions a player will still get: what we shall own in all, but for what it owns."""
    mine = int((view.owner == view.player).sum())
    return view.picks_left + mine - int((view.owner == player).sum())


def _imagined_offer(view: View, rng: np.ndarray) -> list[int]:
    """What the enemy may be offered: the same as we, or, where each has its own offer, a draw from the rest."""
    if view.params.picking != OWN_OFFER:
        return list(view.offers)
    board = view.board
    free = (view.owner == NEUTRAL) & (view.army == board.starting_army)
    free[list(view.offers)] = False
    drawn = []
    for s in range(board.n_super_regions):
        rest = [r for r in board.members[board.member_start[s] : board.member_start[s + 1]].tolist() if free[r]]
        for _ in range(min(view.params.offers or len(rest), len(rest))):
            drawn.append(rest.pop(int(below(rng, len(rest)))))
    return drawn


def _picked(view: View, mine: list[int], offer: list[int], theirs: list[int], rng: np.ndarray) -> np.ndarray:
    """Who owns what, int8[N], once both have picked by their wishes, by the rules' own way of picking."""
    board, me = view.board, view.player
    state = make_state(1, board.n_regions, 2)
    state.owner[0], state.army[0], state.phase[0] = view.owner, view.army, PICK
    state.turn[0] = int((view.owner != NEUTRAL).sum())
    state.rng[0] = rng
    state.offers[0, list(view.offers)] |= 1 << me
    state.offers[0, offer] |= 1 << (1 - me)
    wishes = np.full((2, board.n_regions), -1, dtype=np.int32)
    counts = np.zeros(2, dtype=np.int32)
    for player, wished in ((me, mine), (1 - me, theirs)):
        wishes[player, : len(wished)], counts[player] = wished, len(wished)
    scratch = make_scratch(board.n_regions, 2)
    while state.phase[0] == PICK:
        resolve_picks(board, view.params, state, 0, wishes, counts, scratch)
    rng[:] = state.rng[0]
    return state.owner[0]
