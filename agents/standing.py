"""Who is still in the game, and who has won."""

from __future__ import annotations

from warlight_env.engine.jit import inline_kernel, kernel
from warlight_env.engine.state import NEUTRAL


@kernel
def holds_regions(owner, player):
    """Whether a player is in the game."""
    for r in range(owner.shape[0]):
        if owner[r] == player:
            return True
    return False


@inline_kernel
def winner_of(owner, players):
    """The only player with regions; -1 where several have some."""
    last = NEUTRAL
    for r in range(owner.shape[0]):
        by = owner[r]
        if by >= 0:
            if last >= 0 and by != last:
                return NEUTRAL
            last = by
    return last
