"""Arguments that kernels receive by reference: reads and writes of a kernel reach the same arrays as in Python."""

from __future__ import annotations

import copy
import pickle
from typing import Any, NamedTuple

import numba
import numpy as np
import pytest

from warlight_env.engine.jit import JIT_DISABLED, kernel
from warlight_env.engine.reference import Reference, reference

pytestmark = pytest.mark.skipif(JIT_DISABLED, reason="records are themselves where nothing is compiled")


class Pair(NamedTuple):
    left: Any
    right: Any


class Inner(NamedTuple):
    words: Any  #: uint64[W]
    share: float


class Outer(NamedTuple):
    flag: bool
    table: Any  #: int32[A, B], of any layout
    number: int
    inner: Any  #: Inner, by value
    far: Any  #: Inner, by reference
    small: Any  #: float32
    flat: Any  #: int8[N]


def make(flag: bool = True, number: int = -(2**40)) -> Outer:
    far = reference(Inner(np.array([2**64 - 1, 7], np.uint64), -0.0))
    table = np.arange(24, dtype=np.int32).reshape(4, 6)[::2, 1::2]  # not contiguous
    inner = Inner(np.array([5], np.uint64), 1e-300)
    return reference(Outer(flag, table, number, inner, far, np.float32(0.1), np.array([-1, 0, 1], np.int8)))


@kernel
def read(record, out):
    """Write all numbers of an `Outer` to `out`; return their count."""
    out[0], out[1], out[2], out[3], out[4] = (
        record.flag, record.number, record.inner.share, record.far.share, record.small,
    )  # fmt: skip
    at = 5
    for i in range(record.table.shape[0]):
        for j in range(record.table.shape[1]):
            out[at] = record.table[i, j]
            at += 1
    for words in (record.inner.words, record.far.words):
        for i in range(words.shape[0]):
            out[at] = words[i]
            at += 1
    for r in range(record.flat.shape[0]):
        out[at] = record.flat[r]
        at += 1
    return at


@kernel
def write(record):
    record.flat[0] = 9
    record.far.words[1] += np.uint64(1)
    record.table[1, 2] = -5


@pytest.mark.parametrize("flag", [True, False])
def test_kernel_and_python_read_the_same_numbers(flag: bool):
    record, out = make(flag), np.zeros(40)
    expected = [flag, record.number, record.inner.share, record.far.share, record.small]
    expected += [*record.table.ravel().tolist(), *record.inner.words.tolist(), *record.far.words.tolist(), *record.flat]
    assert read(record, out) == len(expected)
    assert out[: len(expected)].tolist() == [float(value) for value in expected]
    assert np.signbit(out[3])


def test_python_reads_the_numbers_that_a_kernel_writes():
    record = make()
    write(record)
    assert record.flat.tolist() == [9, 0, 1]
    assert record.far.words.tolist() == [2**64 - 1, 8]
    assert record.table[1, 2] == -5


def test_only_records_of_equal_types_share_compiled_code():
    @kernel
    def first(pair):
        return pair.left[0]

    assert first(reference(Pair(np.ones(2), np.ones(3)))) == 1.0
    assert first(reference(Pair(np.full(9, 4.0), np.ones(1)))) == 4.0
    assert len(first.signatures) == 1
    assert first(reference(Pair(np.full(2, 5), np.ones(1)))) == 5
    assert len(first.signatures) == 2


def _frozen(array: Any) -> Any:
    array.flags.writeable = False
    return array


@pytest.mark.parametrize(
    "values",
    [
        (3, -(2**62)), (3, 3.0), (True, 1), (np.int32(3), 3), (np.zeros(4), np.zeros(4, np.float32)),
        (np.zeros((4, 6)), np.zeros((4, 6))[:, ::2]), (np.zeros((4, 6)), np.zeros((4, 6), order="F")),
        (np.zeros(4), _frozen(np.zeros(4))), (np.zeros(4), np.zeros((2, 2))), (Inner(1, 2.0), Inner(1, 2)),
    ],
    ids=lambda values: repr(values).split("(")[0] + str(len(repr(values))),
)  # fmt: skip
def test_a_reference_has_the_type_that_numba_gives_its_record(values: tuple[Any, Any]):
    for left in values:  # the second value must not get the type of the first
        record = Pair(left, np.zeros(2))
        assert reference(record)._numba_type_.record == numba.typeof(record)


def test_copies_are_independent_and_replace_returns_a_new_record():
    record = make()
    for other in (copy.deepcopy(record), pickle.loads(pickle.dumps(record))):
        assert isinstance(other, Reference) and isinstance(other.far, Reference)
        write(other)
        assert record.flat[0] == -1 and other.flat[0] == 9
        assert record.far.words[1] == 7 and other.far.words[1] == 8
    changed, out = record._replace(number=3), np.zeros(40)
    read(changed, out)
    assert (out[1], changed.number, record.number) == (3.0, 3, -(2**40))
    assert changed.flat is record.flat


def test_object_mode_gets_the_same_reference():
    def same(record, wanted):
        return record is wanted

    record = make()

    @numba.njit
    def round_trip(record):
        with numba.objmode(result="boolean"):
            result = same(record, wanted)
        return result

    wanted = record
    assert round_trip(record)


def test_unsupported_values_and_unknown_fields_raise_an_error():
    with pytest.raises(TypeError, match="cannot be passed by reference"):
        reference(Pair(np.ones(1), "a text"))
    with pytest.raises(numba.core.errors.TypingError, match="nothing"):
        numba.njit(lambda record: record.nothing)(make())
