"""Sets of regions as bits, 64 regions per word, so that a few instructions compare neighbourhoods and super regions."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from warlight_env.engine.board import Board
from warlight_env.engine.jit import kernel, read_only, shared
from warlight_env.engine.kernel_types import Bool, Int, Owners
from warlight_env.engine.reference import reference

U64 = np.uint64
_ONE, _SIX, _LOW = U64(1), U64(6), U64(63)
_PAIRS, _QUADS, _BYTES, _SUM = (
    U64(0x5555555555555555),
    U64(0x3333333333333333),
    U64(0x0F0F0F0F0F0F0F0F),
    U64(0x0101010101010101),
)
_S1, _S2, _S4, _S56 = U64(1), U64(2), U64(4), U64(56)


@shared
class BitBoard(NamedTuple):
    """The neighbours of each region and the regions of each super region, as bit sets of W words. Read-only."""

    adjacent: npt.NDArray[np.uint64]  #: [N, W] neighbours of a region
    members: npt.NDArray[np.uint64]  #: [S, W] regions of a super region


def make_bits(board: Board) -> BitBoard:
    """Make the `BitBoard` of a board."""
    n = board.n_regions
    words = (n + 63) // 64
    adjacent = np.zeros((n, words), dtype=np.uint64)
    members = np.zeros((board.n_super_regions, words), dtype=np.uint64)
    for a, b in zip(board.edge_source.tolist(), board.edge_target.tolist(), strict=True):
        adjacent[a, b // 64] |= U64(1 << (b % 64))
    for r, s in enumerate(board.super_region.tolist()):
        members[s, r // 64] |= U64(1 << (r % 64))
    return reference(read_only(BitBoard(adjacent, members)))


@kernel
def count_bits(word: np.uint64) -> Int:
    """Return the number of set bits of a uint64."""
    word = word - ((word >> _S1) & _PAIRS)
    word = (word & _QUADS) + ((word >> _S2) & _QUADS)
    word = (word + (word >> _S4)) & _BYTES
    return np.int64((word * _SUM) >> _S56)


@kernel
def count_common(a: npt.NDArray[np.uint64], b: npt.NDArray[np.uint64]) -> Int:
    """Return the number of regions that are in both bit sets, uint64[W]."""
    total: Int = np.int64(0)
    for w in range(a.shape[0]):
        total += count_bits(a[w] & b[w])
    return total


@kernel
def owned_bits(owner: Owners, player: Int, out: npt.NDArray[np.uint64]) -> None:
    """Write the bit set of a player's regions to out, uint64[W]."""
    n = owner.shape[0]
    for w in range(out.shape[0]):
        word = U64(0)
        start = 64 * w
        for i in range(min(64, n - start)):
            word |= U64(owner[start + i] == player) << U64(i)
        out[w] = word


@kernel
def meets(a: npt.NDArray[np.uint64], b: npt.NDArray[np.uint64]) -> Bool:
    """Whether two bit sets have a region in common."""
    word = U64(0)
    for w in range(a.shape[0]):
        word |= a[w] & b[w]
    return word != U64(0)


@kernel
def leaves(a: npt.NDArray[np.uint64], b: npt.NDArray[np.uint64]) -> Bool:
    """Whether bit set a contains a region that bit set b does not contain."""
    word = U64(0)
    for w in range(a.shape[0]):
        word |= a[w] & ~b[w]
    return word != U64(0)


@kernel
def has(bits: npt.NDArray[np.uint64], region: Int) -> Bool:
    """Whether a region is in the bit set."""
    r = U64(region)
    return (bits[r >> _SIX] >> (r & _LOW)) & _ONE != U64(0)
