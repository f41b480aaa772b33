"""A player's memory under fog of war, as a NamedTuple of arrays for kernels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from warlight_env.engine.memory import private_zeros
from warlight_env.engine.reference import reference


class FogMemory(NamedTuple):
    """The memory of each of P players about the N regions of a map; see `turn_net.memory`."""

    owner: npt.NDArray[np.int8]  #: [P, N] the believed owners, never UNKNOWN
    army: npt.NDArray[np.int32]  #: [P, N] the believed armies
    #: [P, N] the round in which the player last saw the region; -1: before the first round
    last_seen: npt.NDArray[np.int32]
    moved: npt.NDArray[np.int32]  #: [P, N] armies of other players' visible orders of the last round, see `MEMORY`
    lost: npt.NDArray[np.int8]  #: [P, N] 1 if the player preferred the region to a region that it got, else 0


def make_fog_memory(n_regions: int, players: int) -> FogMemory:
    """Allocate the memory of all players of one game."""
    shape = (players, n_regions)
    return reference(
        FogMemory(
            private_zeros(shape, np.int8), private_zeros(shape, np.int32), private_zeros(shape, np.int32),
            private_zeros(shape, np.int32), private_zeros(shape, np.int8),
        )
    )  # fmt: skip
