"""How a player's regions hang together and what the enemy threatens: terms of the evaluation beyond the thesis's."""

from __future__ import annotations

import numpy as np

from warlight_env.engine.jit import kernel
from warlight_env.engine.stack import stack_indices


@kernel
def largest_territory(board, owner, player):
    """Regions of the player's largest connected territory; owner int8[N]."""
    n = owner.shape[0]
    queue, seen = stack_indices(), stack_indices()
    for r in range(n):
        seen[r] = 0
    largest = np.int64(0)
    for start in range(n):
        if owner[start] != player or seen[start] != 0:
            continue
        seen[start] = 1
        queue[0] = start
        head, tail = np.int64(0), np.int64(1)
        while head < tail:
            r = queue[head]
            head += 1
            for e in range(board.neighbor_start[r], board.neighbor_start[r + 1]):
                q = board.edge_target[e]
                if owner[q] == player and seen[q] == 0:
                    seen[q] = 1
                    queue[tail] = q
                    tail += 1
        largest = max(largest, tail)
    return largest


@kernel
def threatened_bonus(board, owner, army, player):
    """Bonuses of the player's whole super regions in which some region has a stronger enemy region beside it."""
    total = np.int64(0)
    for s in range(board.bonus.shape[0]):
        whole, threatened = True, False
        for i in range(board.member_start[s], board.member_start[s + 1]):
            r = board.members[i]
            if owner[r] != player:
                whole = False
                break
            for e in range(board.neighbor_start[r], board.neighbor_start[r + 1]):
                q = board.edge_target[e]
                threatened |= (owner[q] >= 0) & (owner[q] != player) & (army[q] > army[r])
        if whole and threatened:
            total += board.bonus[s]
    return total
