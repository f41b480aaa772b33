"""Generators of simple turns, for tests of user functions and of searches."""

from __future__ import annotations

import numba

from warlight_env.engine.jit import kernel
from warlight_env.engine.round import income


@numba.njit(boundscheck=True)
def plain_turn(context, position, player, deploy, attacks):
    """All armies to the first own region, and from there one to a neighbour; returns the attacks' number."""
    board, owner, home = context.board, position.owner, 0
    for r in range(owner.shape[0]):
        deploy[r] = 0
    while owner[home] != player:
        home += 1
    deploy[home] = income(board, context.params.base_income, owner, player)
    attacks[0, 0], attacks[0, 1], attacks[0, 2] = home, board.edge_target[board.neighbor_start[home]], 1
    return 1


@kernel
def three_deploys(context, position, player, rng, work, turns):
    """Write three turns: turn k puts all of the income on the player's region k."""
    found = 0
    for r in range(position.owner.shape[0]):
        if position.owner[r] == player and found < 3:
            turns.counts[found] = 0
            for q in range(position.owner.shape[0]):
                turns.deploy[found, q] = 0
            turns.deploy[found, r] = 5
            found += 1
    return found
