"""The utility of a simulation for each player: its share of the last position's value, or a value for its place."""

from __future__ import annotations

from typing import Final

import numpy as np

from warlight_env.agents.evaluation.game_outcome import holds_regions
from warlight_env.agents.search.simulation import UNIT
from warlight_env.engine.jit import kernel
from warlight_env.engine.kernel_types import Int, Owners, PlayerNumbers, Real, Shares

#: Types of utilities of a simulation.
SHARES: Final = 0
PLACEMENTS: Final = 1
UTILITIES: Final = ("shares", "placements")


@kernel
def note_eliminations(owner: Owners, out: PlayerNumbers, time: Int) -> None:
    """Write `time` to `out`, int64[P], for newly eliminated players, and -1 for players with regions.

    In each call, `time` must be higher than in earlier calls. A player with regions is in the game, even if an earlier
    call marked it as eliminated: in the picking phase, players may have no regions yet.
    """
    for p in range(out.shape[0]):
        if holds_regions(owner, p):
            out[p] = -1
        elif out[p] < 0:
            out[p] = time


@kernel
def begin_eliminations(owner: Owners, out: PlayerNumbers) -> None:
    """Write 0 to `out`, int64[P], for players without regions in a position, and -1 for players with regions."""
    for p in range(out.shape[0]):
        out[p] = -1
    note_eliminations(owner, out, 0)


@kernel
def write_placements(shares: Shares, out: PlayerNumbers, alpha: Real, beta: Real, values: PlayerNumbers) -> None:
    """Write each player's value for its place to values int64[P]; the integer UNIT means the value 1.

    A player in the first place gets ``alpha + (1 - alpha) * share``. For the second to the last place, the range 0 ..
    beta is divided into equal intervals, one for each place; better places have higher intervals. The share determines
    a player's value inside the interval of its place. Eliminated players are placed after all other players. Players
    that were eliminated earlier have worse places. Players eliminated at the same time share a place. The method is
    from Venta (2013), who uses it for games that were played to their end.

    Args:
        shares: float64[P], each player's share of the value of the last position.
        out: int64[P], the time of each player's elimination, or -1 if the player is not eliminated.
    """
    players = shares.shape[0]
    for p in range(players):
        better, equal = 0.0, 0.0
        for q in range(players):
            if q == p:
                continue
            if out[p] >= 0 or out[q] >= 0:
                own_rank = np.inf if out[p] < 0 else np.float64(out[p])
                other_rank = np.inf if out[q] < 0 else np.float64(out[q])
            else:
                own_rank, other_rank = shares[p], shares[q]
            better += other_rank > own_rank
            equal += other_rank == own_rank
        if better == 0.0:
            value = alpha + (1.0 - alpha) * shares[p]
        else:
            place = better + 0.5 * equal  # 1 for the second place
            band = beta / (players - 1)
            value = beta - place * band + band * shares[p]
        values[p] = np.int64(value * UNIT)
