"""The random generator of all kernels, xoroshiro128++. Each function takes the generator's state, two 64-bit words."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from warlight_env.engine.jit import inline_kernel, kernel
from warlight_env.engine.kernel_types import Int, RandomState, Real

U64 = np.uint64
_R17, _R47, _R49, _R15, _R28, _R36, _S21 = U64(17), U64(47), U64(49), U64(15), U64(28), U64(36), U64(21)
_R32, _LOW32 = U64(32), U64(0xFFFFFFFF)
_R30, _R27, _R31 = U64(30), U64(27), U64(31)
_GOLDEN, _FIRST, _SECOND = U64(0x9E3779B97F4A7C15), U64(0xBF58476D1CE4E5B9), U64(0x94D049BB133111EB)
_PATH = U64(0x632BE59BD9B4E019)  # added to each step of the path of `derive_seed`
_MASK = (1 << 64) - 1


@inline_kernel
def next_u64(rng: RandomState) -> np.uint64:
    """Return the next 64 random bits and advance the state `rng`, uint64[2] (xoroshiro128++ of Blackman and Vigna)."""
    s0 = rng[0]
    s1 = rng[1]
    total = s0 + s1
    result = ((total << _R17) | (total >> _R47)) + s0
    s1 ^= s0
    rng[0] = ((s0 << _R49) | (s0 >> _R15)) ^ s1 ^ (s1 << _S21)
    rng[1] = (s1 << _R28) | (s1 >> _R36)
    return result


@inline_kernel
def below(rng: RandomState, n: Int) -> Int:
    """Return a uniform random integer in 0 .. n - 1, for 1 <= n < 2**31 (the bias is below n / 2**32)."""
    return np.int64(((next_u64(rng) >> _R32) * U64(n)) >> _R32)


@kernel
def uniform(rng: RandomState) -> Real:
    """Return a uniform random float64 in [0, 1) with 53 random bits."""
    return np.float64(next_u64(rng) >> U64(11)) * (1.0 / 9007199254740992.0)


@inline_kernel
def mixed(x: Int) -> Int:
    """Return the same result as `splitmix64` for a uint64; for kernels."""
    x = U64(x) + _GOLDEN
    x = (x ^ (x >> _R30)) * _FIRST
    x = (x ^ (x >> _R27)) * _SECOND
    return x ^ (x >> _R31)


@kernel
def derived(value: Int, step: Int) -> Int:
    """Compute one step of `derive_seed` in a kernel. value: `mixed` of the seed, or the result of the previous step."""
    return mixed(U64(value) ^ mixed(U64(step) + _PATH))


@kernel
def seed_rng(seed: Int, rng: RandomState) -> None:
    """Write the state that `make_rng` returns for a uint64 seed; for kernels."""
    rng[0] = mixed(U64(seed))
    rng[1] = mixed(rng[0])


#: The absolute value of a seed is below this number. Seeds are written to files, and readers accept at most 300 digits.
SEEDS: Final = 10**299


def splitmix64(x: int) -> int:
    """Compute one step of SplitMix64 as a hash of a 64-bit integer."""
    x = (x + int(_GOLDEN)) & _MASK
    x = ((x ^ (x >> 30)) * int(_FIRST)) & _MASK
    x = ((x ^ (x >> 27)) * int(_SECOND)) & _MASK
    return x ^ (x >> 31)


def derive_seed(seed: int, *path: int) -> int:
    """Derive a 64-bit seed from a seed and a path of integers (game number, seat …). Equal paths give equal seeds."""
    value = splitmix64(seed & _MASK)
    for step in path:
        value = splitmix64(value ^ splitmix64((step + int(_PATH)) & _MASK))
    return value


def make_rng(seed: int) -> npt.NDArray[np.uint64]:
    """Return the generator's state, uint64[2], for a seed (any integer; taken modulo 2**64)."""
    first = splitmix64(seed & _MASK)
    return np.array([first, splitmix64(first)], dtype=np.uint64)
