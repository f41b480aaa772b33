"""The next state: many plays of a round, of which one is chosen (thesis, algorithms 3.16 and 3.17)."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from warlight_env.agents.standing import winner_of
from warlight_env.engine.jit import inline_kernel, kernel
from warlight_env.engine.reference import reference
from warlight_env.engine.round import resolve_orders
from warlight_env.engine.state import Workspace, make_workspace, private_zeros

#: Which outcome of the plays of a round is the next state.
RULE: Final = 0
REALISTIC: Final = 1
PESSIMISTIC: Final = 2
OPTIMISTIC: Final = 3
SINGLE: Final = 4
CHOICES: Final = ("rule", "realistic", "pessimistic", "optimistic", "single")


class Samples(NamedTuple):
    """Plays of one round."""

    owner: npt.NDArray[np.int8]  #: [K, N]
    army: npt.NDArray[np.int32]  #: [K, N]
    share: npt.NDArray[np.float64]  #: [K] of the searching player
    order: npt.NDArray[np.int32]  #: [K] by share, the lowest first
    round: Workspace  #: orders of both players, and the engine's working memory


def make_samples(n_regions: int, n_edges: int, players: int, size: int) -> Samples:
    """Room for `size` plays."""
    return reference(
        Samples(
            private_zeros((size, n_regions), np.int8),
            private_zeros((size, n_regions), np.int32),
            private_zeros(size, np.float64),
            private_zeros(size, np.int32),
            make_workspace(n_regions, n_edges, players),
        )
    )


@inline_kernel
def _play(board, params, owner, army, k, samples, rng):
    for r in range(owner.shape[0]):
        samples.owner[k, r] = owner[r]
        samples.army[k, r] = army[r]
    orders = samples.round
    resolve_orders(
        board, params, samples.owner[k], samples.army[k], orders.deploy, orders.attacks, orders.counts,
        orders.scratch, rng, None, None,
    )  # fmt: skip


@inline_kernel
def _loses_super(board, before, after, player):
    """Whether the player owns a whole super region before and not after."""
    for s in range(board.bonus.shape[0]):
        had, has = True, True
        for i in range(board.member_start[s], board.member_start[s + 1]):
            r = board.members[i]
            had &= before[r] == player
            has &= after[r] == player
        if had and not has:
            return True
    return False


@kernel
def next_state(board, params, evaluate, evaluation, choice, owner, army, player, players, samples, rng):
    """Play the round in `samples.round` from owner int8[N], army int32[N], which then hold the outcome chosen.

    `choice` of CHOICES: "realistic" takes the outcome with the median of the player's share, "pessimistic" the lowest,
    "optimistic" the highest, "single" the only one that is played; "rule" is realistic, but pessimistic where in the
    worst outcome the player loses a super region. Returns the game's winner, or -1.
    """
    if choice == SINGLE:
        _play(board, params, owner, army, 0, samples, rng)
        chosen = 0
    else:
        size = samples.share.shape[0]
        share, order = samples.share, samples.order
        for k in range(size):
            _play(board, params, owner, army, k, samples, rng)
            value = evaluate(board, evaluation, samples.owner[k], samples.army[k], player, players)
            share[k] = value
            i = k
            while i > 0 and share[order[i - 1]] > value:
                order[i] = order[i - 1]
                i -= 1
            order[i] = k
        chosen = order[size // 2]
        if choice == OPTIMISTIC:
            chosen = order[size - 1]
        elif choice == PESSIMISTIC or (choice == RULE and _loses_super(board, owner, samples.owner[order[0]], player)):
            chosen = order[0]
    for r in range(owner.shape[0]):
        owner[r] = samples.owner[chosen, r]
        army[r] = samples.army[chosen, r]
    return winner_of(owner, players)
