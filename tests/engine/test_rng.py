"""Seeds and random generators: kernels and Python derive the same values, for integers of any size."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from warlight_env.engine.jit import kernel
from warlight_env.engine.rng import derive_seed, derived, make_rng, mixed, seed_rng, splitmix64

WORDS = st.integers(0, 2**64 - 1)


@kernel
def derive(seed, first, second, out):
    """Write the seed of a path of two steps, the seed of an empty path, and its generator."""
    out[0] = derived(derived(mixed(seed), first), second)
    out[1] = mixed(seed)
    seed_rng(seed, out[2:])


@given(seed=WORDS, first=st.integers(0, 2**62), second=st.integers(0, 2**62))
def test_kernels_derive_the_same_seeds(seed: int, first: int, second: int):
    out = np.zeros(4, dtype=np.uint64)
    derive(np.uint64(seed), first, second, out)
    assert int(out[0]) == derive_seed(seed, first, second)
    assert int(out[1]) == derive_seed(seed) == splitmix64(seed)
    assert (out[2:] == make_rng(seed)).all()
