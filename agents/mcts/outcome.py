"""The next state: many plays of a round, of which one is chosen (thesis, algorithms 3.16 and 3.17)."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from warlight_env.agents.context import evaluate
from warlight_env.agents.standing import winner_of
from warlight_env.engine.jit import inline_kernel, kernel
from warlight_env.engine.memory import private_zeros
from warlight_env.engine.position import Positions, copy_position, make_positions, position_at
from warlight_env.engine.reference import reference
from warlight_env.engine.round import resolve_orders
from warlight_env.engine.state import Workspace, make_workspace

#: Which outcome of the plays of a round is the next state.
RULE: Final = 0
REALISTIC: Final = 1
PESSIMISTIC: Final = 2
OPTIMISTIC: Final = 3
SINGLE: Final = 4
CHOICES: Final = ("rule", "realistic", "pessimistic", "optimistic", "single")


class Samples(NamedTuple):
    """Plays of one round."""

    plays: Positions  #: [K, ...]
    share: npt.NDArray[np.float64]  #: [K] of the searching player
    order: npt.NDArray[np.int32]  #: [K] by share, the lowest first
    round: Workspace  #: orders of both players, and the engine's working memory


def make_samples(n_regions: int, n_edges: int, players: int, size: int) -> Samples:
    """Room for `size` plays."""
    return reference(
        Samples(
            make_positions(size, n_regions),
            private_zeros(size, np.float64),
            private_zeros(size, np.int32),
            make_workspace(n_regions, n_edges, players),
        )
    )


@inline_kernel
def _play(context, position, k, samples, rng):
    play = position_at(samples.plays, k)
    copy_position(position, play)
    resolve_orders(context.params, play, samples.round, rng, None, None)


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
def next_state(context, position, choice, player, samples, rng):
    """Play the round in `samples.round` from a position, which then holds the outcome chosen.

    `choice` of CHOICES: "realistic" takes the outcome with the median of the player's share, "pessimistic" the lowest,
    "optimistic" the highest, "single" the only one that is played; "rule" is realistic, but pessimistic where in the
    worst outcome the player loses a super region. Returns what `winner_of` says of it.
    """
    if choice == SINGLE:
        _play(context, position, 0, samples, rng)
        chosen = 0
    else:
        size = samples.share.shape[0]
        share, order = samples.share, samples.order
        for k in range(size):
            _play(context, position, k, samples, rng)
            value = evaluate(context, position_at(samples.plays, k), player)
            share[k] = value
            i = k
            while i > 0 and share[order[i - 1]] > value:
                order[i] = order[i - 1]
                i -= 1
            order[i] = k
        chosen = order[size // 2]
        if choice == OPTIMISTIC:
            chosen = order[size - 1]
        elif choice == PESSIMISTIC or (
            choice == RULE and _loses_super(context.board, position.owner, samples.plays.owner[order[0]], player)
        ):
            chosen = order[0]
    copy_position(position_at(samples.plays, chosen), position)
    return winner_of(context, position)
