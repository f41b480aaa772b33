"""The compact form of a position is small and loses no information."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from warlight_env.engine.army_cap import ARMY_CAP
from warlight_env.engine.position import COMPACT_ARMIES, Position, compact_size, make_position, pack, unpack


@given(
    st.integers(1, 60).flatmap(
        lambda n: st.tuples(
            hnp.arrays(np.int8, n, elements=st.integers(-1, 5)),
            hnp.arrays(np.int32, n, elements=st.integers(1, ARMY_CAP)),
        )
    ),
    st.integers(0, 65_535),
)
def test_packing_is_lossless(regions, round_number):
    owner, army = regions
    packed = np.zeros(compact_size(len(owner)), dtype=np.uint8)
    assert pack(Position(owner, army, np.array([round_number], dtype=np.int32)), packed)
    back = make_position(len(owner))
    unpack(packed, back)
    assert np.array_equal(owner, back.owner)
    assert np.array_equal(army, back.army)
    assert back.round.tolist() == [round_number]


def test_a_world_position_takes_128_bytes():
    assert compact_size(42) == 128


def test_pack_reports_values_that_do_not_fit():
    packed = np.zeros(compact_size(3), dtype=np.uint8)

    def fits(armies, round_number):
        position = make_position(3)
        position.army[:], position.round[:] = armies, round_number
        return pack(position, packed)

    assert fits(COMPACT_ARMIES, 65_535)
    assert not fits(COMPACT_ARMIES + 1, 0)
    assert not fits(1, 65_536)
    assert not fits(1, -1)
