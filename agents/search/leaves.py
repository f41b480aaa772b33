"""Leaves: the last positions of several simulations, which are evaluated together."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from warlight_env.agents.context import Context, leaf_at
from warlight_env.agents.evaluation.game_outcome import ONGOING, write_end_shares
from warlight_env.engine.jit import kernel
from warlight_env.engine.kernel_types import Int
from warlight_env.engine.memory import private_zeros
from warlight_env.engine.position import Positions, copy_position, make_positions, position_at

MAX_DEPTH: Final = 200  #: largest number of nodes on a path


class Leaves(NamedTuple):
    """L positions that are evaluated together, and the paths of their simulations."""

    positions: Positions  #: [L, ...]
    winner: npt.NDArray[np.int64]  #: [L] result of `game_outcome.winner_of`
    #: [L, P] time of a player's elimination, for placements. 0: before the search, -1: still in the game
    eliminated_at: npt.NDArray[np.int64]
    path: npt.NDArray[np.int32]  #: [L, MAX_DEPTH] the nodes on the path from the root
    length: npt.NDArray[np.int64]  #: [L] number of nodes on the path
    unfinished: Positions  #: [L, ...] the positions of unfinished games without gaps, as arguments of the leaf function
    shares: npt.NDArray[np.float64]  #: [L, P] each player's share of the position's value
    values: npt.NDArray[np.int64]  #: [L, P] the value of each leaf for each player as an integer; UNIT means 1


def make_leaves(n_regions: int, players: int, size: int) -> Leaves:
    """Return leaves with room for `size` positions."""
    return Leaves(
        positions=make_positions(size, n_regions),
        winner=private_zeros(size, np.int64),
        eliminated_at=private_zeros((size, players), np.int64),
        path=private_zeros((size, MAX_DEPTH), np.int32),
        length=private_zeros(size, np.int64),
        unfinished=make_positions(size, n_regions),
        shares=private_zeros((size, players), np.float64),
        values=private_zeros((size, players), np.int64),
    )


@kernel
def write_leaf_shares(context: Context, leaf: Int, leaves: Leaves, count: Int) -> None:
    """Evaluate the first `count` leaves: write each player's share to `leaves.shares`.

    Positions of unfinished games are evaluated in one call. leaf: the address of a function with the signature
    `context.leaf_signature`.
    """
    shares, n_unfinished = leaves.shares, np.int64(0)
    for k in range(count):
        if leaves.winner[k] == ONGOING:
            copy_position(position_at(leaves.positions, k), position_at(leaves.unfinished, n_unfinished))
            n_unfinished += 1
    if n_unfinished > 0:
        leaf_at(leaf)(context, leaves.unfinished, n_unfinished, shares)
    for i in range(count):  # from the last leaf, so that no result is overwritten before it is moved to its leaf
        k = count - 1 - i
        if leaves.winner[k] != ONGOING:
            write_end_shares(context, position_at(leaves.positions, k), leaves.winner[k], shares[k])
            continue
        n_unfinished -= 1
        for p in range(context.players):
            shares[k, p] = shares[n_unfinished, p]
