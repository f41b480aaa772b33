"""Memory that threads write."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

_LINE: Final = 128


def private_zeros(shape: int | tuple[int, ...], dtype: Any) -> npt.NDArray[Any]:
    """Zeros that share no cache line with any other memory, for arrays that one thread writes all the time."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    block = np.zeros(size + 2 * _LINE, dtype=np.uint8)
    start = -block.ctypes.data % _LINE
    return block[start : start + size].view(dtype).reshape(shape)
