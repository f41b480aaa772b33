"""Functions that allocate arrays in memory layouts suited to threads and caches."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

_LINE: Final = 128


def private_zeros(shape: int | tuple[int, ...], dtype: Any) -> npt.NDArray[Any]:
    """Return an array of zeros that shares no CPU cache line with other memory, for frequent writes of one thread."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    block = np.zeros(size + 2 * _LINE, dtype=np.uint8)
    start = -block.ctypes.data % _LINE
    return block[start : start + size].view(dtype).reshape(shape)


def in_one_block(kinds: Sequence[tuple[tuple[int, ...], np.dtype[Any]]]) -> list[npt.NDArray[Any]]:
    """Return arrays with the given shapes and dtypes in one block of memory, small arrays first.

    The arrays are uninitialized.

    The block is freed when none of the arrays is in use. The C library keeps one large freed block for the next
    request, but it returns several freed blocks of a few megabytes to the operating system.
    """
    sizes = [math.prod(shape) * dtype.itemsize for shape, dtype in kinds]
    starts, end = [0] * len(kinds), 0
    for i in sorted(range(len(kinds)), key=sizes.__getitem__):
        starts[i], end = end, end + -(-sizes[i] // 8) * 8
    block = np.empty(end // 8, dtype=np.int64).view(np.uint8)
    return [
        block[start : start + size].view(dtype).reshape(shape)
        for start, size, (shape, dtype) in zip(starts, sizes, kinds, strict=True)
    ]


def copy_to_one_block(arrays: Sequence[npt.NDArray[Any]]) -> list[npt.NDArray[Any]]:
    """Return copies of the arrays in one block of memory, because kernels read such arrays faster."""
    copies = in_one_block([(array.shape, array.dtype) for array in arrays])
    for copy, array in zip(copies, arrays, strict=True):
        copy[...] = array
    return copies
