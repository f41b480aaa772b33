"""The compact form of a position is small and loses nothing."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from warlight_env.engine.rules import ARMY_CAP
from warlight_env.engine.state import compact_size, pack, unpack


@given(
    st.integers(1, 60).flatmap(
        lambda n: st.tuples(
            hnp.arrays(np.int8, n, elements=st.integers(-1, 5)),
            hnp.arrays(np.int32, n, elements=st.integers(1, ARMY_CAP)),
        )
    ),
    st.integers(0, 65_535),
)
def test_packing_is_lossless(position, round_number):
    owner, army = position
    packed = np.zeros(compact_size(len(owner)), dtype=np.uint8)
    assert pack(owner, army, round_number, packed)
    owner_back, army_back = np.empty_like(owner), np.empty_like(army)
    assert unpack(packed, owner_back, army_back) == round_number
    assert np.array_equal(owner, owner_back)
    assert np.array_equal(army, army_back)


def test_a_world_position_takes_128_bytes():
    assert compact_size(42) == 128


def test_what_does_not_fit_is_told():
    owner, army = np.zeros(3, dtype=np.int8), np.full(3, 1 << 21, dtype=np.int32)
    packed = np.zeros(compact_size(3), dtype=np.uint8)
    assert not pack(owner, army, 0, packed)
    assert not pack(owner, np.ones(3, dtype=np.int32), 65_536, packed)
