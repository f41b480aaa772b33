"""Positions (the owner and the armies of each region, and the round), and their compact form for search trees.

Kernels use a `Position`: three arrays, which they may write. In `Positions` and in `state.State` each row of the arrays
is one position. All code that copies, stores or makes positions uses this module, so a new field of a position needs
changes only here.
"""

from __future__ import annotations

from typing import Final, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from warlight_env.engine.jit import inline_kernel, kernel
from warlight_env.engine.kernel_types import Armies, Bool, Int, Owners
from warlight_env.engine.memory import private_zeros


class Position(NamedTuple):
    """One position of N regions."""

    owner: npt.NDArray[np.int8]  #: [N] NEUTRAL or a player
    army: npt.NDArray[np.int32]  #: [N] at least 1
    round: npt.NDArray[np.int32]  #: [1] rounds played


class Positions(NamedTuple):
    """K positions."""

    owner: npt.NDArray[np.int8]  #: [K, N]
    army: npt.NDArray[np.int32]  #: [K, N]
    round: npt.NDArray[np.int32]  #: [K]


class Rows(Protocol):
    """NamedTuples of arrays in which each row is one position."""

    @property
    def owner(self) -> npt.NDArray[np.int8]: ...

    @property
    def army(self) -> npt.NDArray[np.int32]: ...

    @property
    def round(self) -> npt.NDArray[np.int32]: ...


def make_position(n_regions: int) -> Position:
    """Make arrays of zeros for one position that a thread writes frequently."""
    return Position(private_zeros(n_regions, np.int8), private_zeros(n_regions, np.int32), private_zeros(1, np.int32))


def make_positions(size: int, n_regions: int) -> Positions:
    """Make arrays of zeros for `size` positions that a thread writes frequently."""
    return Positions(
        private_zeros((size, n_regions), np.int8), private_zeros((size, n_regions), np.int32),
        private_zeros(size, np.int32),
    )  # fmt: skip


@inline_kernel
def position_at(positions: Rows, k: Int) -> Position:
    """Return position k of `Positions` or of a `State`, as views of the arrays (not copies)."""
    return Position(positions.owner[k], positions.army[k], positions.round[k : k + 1])


@inline_kernel
def copy_position(source: Position, target: Position) -> None:
    """Copy a position into another."""
    for r in range(source.owner.shape[0]):
        target.owner[r], target.army[r] = source.owner[r], source.army[r]
    target.round[0] = source.round[0]


@inline_kernel
def with_army(position: Position, army: Armies) -> Position:
    """Return a position with other armies. The new position has the array `army` and the other arrays of `position`."""
    return Position(position.owner, army, position.round)


@inline_kernel
def laid_out(n_regions: Int, owners: Owners, armies: Armies) -> Position:
    """Return a position of n_regions regions in the first elements of two larger arrays; its values are undefined."""
    return Position(owners[:n_regions], armies[:n_regions], armies[n_regions : n_regions + 1])


def copied(position: Position) -> Position:
    """Return a copy of a position; for Python code, not for kernels."""
    return Position._make(array.copy() for array in position)


#: The maximum number of armies of a region in the compact form (21 bits), which is larger than `ARMY_CAP`.
COMPACT_ARMIES: Final = (1 << 21) - 1


def compact_size(n_regions: int) -> int:
    """Return the number of bytes of a position in the compact form: three for each region, two for the round."""
    return 3 * n_regions + 2


@kernel
def pack(position: Position, out: npt.NDArray[np.uint8]) -> Bool:
    """Write a position in the compact form to `out`, uint8[compact_size(N)].

    Return whether all values fit into the compact form.

    A region takes 24 bits: owner + 1 in the upper three bits, the army in the other 21 bits. All armies up to
    `ARMY_CAP` fit, and all rounds below 65,536.
    """
    owner, army, round_number = position.owner, position.army, position.round[0]
    fits = 0 <= round_number < 65536
    for r in range(owner.shape[0]):
        fits = fits and army[r] <= COMPACT_ARMIES
        word = ((np.int64(owner[r]) + 1) << 21) | (np.int64(army[r]) & COMPACT_ARMIES)
        out[3 * r] = word & 255
        out[3 * r + 1] = (word >> 8) & 255
        out[3 * r + 2] = word >> 16
    end = 3 * owner.shape[0]
    out[end] = round_number & 255
    out[end + 1] = (round_number >> 8) & 255
    return fits


@kernel
def unpack(packed: npt.NDArray[np.uint8], position: Position) -> None:
    """Write the position in `packed`, which `pack` has written, to the arrays of `position`."""
    owner, army = position.owner, position.army
    for r in range(owner.shape[0]):
        word = np.int64(packed[3 * r]) | (np.int64(packed[3 * r + 1]) << 8) | (np.int64(packed[3 * r + 2]) << 16)
        owner[r] = (word >> 21) - 1
        army[r] = word & COMPACT_ARMIES
    end = 3 * owner.shape[0]
    position.round[0] = np.int64(packed[end]) | (np.int64(packed[end + 1]) << 8)
