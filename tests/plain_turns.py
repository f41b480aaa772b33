"""Generators of simple turns, for tests of user functions and of searches."""

from __future__ import annotations

import numba

from warlight_env.engine.jit import kernel
from warlight_env.engine.round import income


@numba.njit(boundscheck=True)
def plain_turn(context, position, player, deploy, attacks):
    """Deploy all armies on the first own region, and send one to a neighbour; return the number of attacks."""
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
    """Write up to three turns, and return their number: turn k deploys five armies on the player's region k."""
    count = 0
    for r in range(position.owner.shape[0]):
        if position.owner[r] == player and count < 3:
            turns.counts[count] = 0
            for q in range(position.owner.shape[0]):
                turns.deploy[count, q] = 0
            turns.deploy[count, r] = 5
            count += 1
    return count
