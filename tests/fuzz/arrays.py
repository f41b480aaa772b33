"""NumPy arrays as plain data, which can be written as text: ``("array", dtype, shape, numbers)``."""

from __future__ import annotations

import random
from typing import Any, Final

import numpy as np

from fuzz import values

DTYPES: Final = (
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint64",
    "float32",
    "float64",
    "bool",
    "object",
    "U3",
    "complex64",
)


def plain(array: np.ndarray) -> tuple[Any, ...]:
    """Convert an array to plain data."""
    return ("array", array.dtype.str, array.shape, array.reshape(-1).tolist())


def real(data: Any) -> Any:
    """Convert the arrays in plain data to NumPy arrays; an invalid array remains plain data."""
    if isinstance(data, tuple) and len(data) == 4 and data[0] == "array":
        try:
            return np.array(data[3], dtype=data[1]).reshape(data[2])
        except (ValueError, TypeError, OverflowError):
            return data
    if isinstance(data, dict):
        return {key: real(value) for key, value in data.items()}
    return type(data)(map(real, data)) if isinstance(data, list | tuple) else data


def damaged(array: tuple[Any, ...], rng: random.Random) -> Any:
    """Return an array with other numbers, another dtype or another shape; or a value that is not an array."""
    _, dtype, shape, numbers = array
    way = rng.randrange(10)
    if way < 6 and numbers:
        numbers = list(numbers)
        for _ in range(rng.choice((1, 1, 2, 5))):
            i = rng.randrange(len(numbers))
            draw = rng.random()
            numbers[i] = rng.choice(numbers) if draw < 0.3 else values.number(rng) if draw < 0.6 else rng.randint(-3, 8)
        kind = np.dtype(dtype)
        if kind.kind in "iu":  # wrap the numbers around to the range of the dtype
            low, size = np.iinfo(kind).min, 2 ** (8 * kind.itemsize)
            numbers = [(_whole(x) - int(low)) % size + int(low) for x in numbers]
        return ("array", dtype, shape, numbers)
    if way == 6:
        return ("array", rng.choice(DTYPES), shape, numbers)
    if way == 7:
        size = rng.choice((0, 1, len(numbers) - 1, len(numbers) + 1, 2 * len(numbers)))
        return ("array", dtype, (max(0, size),), (numbers * 2 + [0])[: max(0, size)])
    if way == 8:
        other = rng.choice((shape[::-1], (*shape, 1), (1, *shape), shape[1:] if shape[:1] == (1,) else (len(numbers),)))
        return ("array", dtype, tuple(other), numbers)
    return rng.choice((numbers, None, 0, "x", values.anything(rng)))


def _whole(x: Any) -> int:
    try:
        return int(x)
    except (ValueError, OverflowError, TypeError):
        return -1
