"""Arguments of a wrong type or form, as plain data, and the objects to which their names refer."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import datetime
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import numpy as np

from fuzz import arrays, values
from fuzz.target import Data


class FailingError(Exception):
    """The error that methods of adversarial objects raise."""


class Failing:
    """An object with conversions that all fail."""

    def __index__(self) -> int:
        raise FailingError("index")

    def __int__(self) -> int:
        raise FailingError("int")

    def __float__(self) -> float:
        raise FailingError("float")

    def __len__(self) -> int:
        raise FailingError("len")

    def __iter__(self) -> Any:
        raise FailingError("iter")

    def __getitem__(self, key: Any) -> Any:
        raise FailingError("item")

    def __array__(self, *arguments: Any, **names: Any) -> Any:
        raise FailingError("array")

    def __bool__(self) -> bool:
        raise FailingError("bool")

    def __eq__(self, other: object) -> bool:
        raise FailingError("equal")

    def __hash__(self) -> int:
        raise FailingError("hash")


class Liar:
    """A sequence that is shorter than its length."""

    def __len__(self) -> int:
        return 2

    def __getitem__(self, key: Any) -> Any:
        raise IndexError(key)


class Index:
    """An object that converts to an integer."""

    def __index__(self) -> int:
        return 1


def _read_only() -> np.ndarray:
    made = np.zeros((2, 1), np.int64)
    made.flags.writeable = False
    return made


#: Functions that make a new object for each input, because some objects can be read only once.
NAMED: Final[dict[str, Callable[[], Any]]] = {
    "failing": Failing, "liar": Liar, "index": Index, "generator": lambda: (i for i in range(2)), "class": lambda: int,
    "iterator": lambda: iter([0, 1]), "function": lambda: len, "object": object, "set": lambda: {0, 1},
    "frozenset": lambda: frozenset({0}), "bytearray": lambda: bytearray(b"\0\1"), "view": lambda: memoryview(b"\0\1"),
    "range": lambda: range(2), "slice": lambda: slice(None), "odd slice": lambda: slice("a", None, 0.5),
    "zero step": lambda: slice(0, 2, 0), "ellipsis": lambda: ..., "complex": lambda: 1j,
    "decimal": lambda: Decimal("NaN"),
    "fraction": lambda: Fraction(1, 2), "path": lambda: Path("none/there"), "folder": lambda: Path("/"),
    "date": lambda: datetime(2020, 1, 1), "int32": lambda: np.int32(1), "uint64": lambda: np.uint64(2**64 - 1),
    "float32": lambda: np.float32("nan"), "numpy bool": lambda: np.True_, "numpy text": lambda: np.str_("a"),
    "time": lambda: np.datetime64("NaT"), "masked": lambda: np.ma.masked, "masked array": lambda: np.ma.ones(2, int),
    "read-only": _read_only, "fortran": lambda: np.zeros((2, 3), np.int64, order="F"),
    "strided": lambda: np.zeros((2, 4), np.int64)[:, ::2], "reversed": lambda: np.arange(2)[::-1],
    "swapped": lambda: np.zeros((2, 1), ">i8"), "scalar array": lambda: np.array(1), "void": lambda: np.void(b"ab"),
    "record": lambda: np.zeros(2, [("a", int)]), "objects": lambda: np.array([None, Failing], object),
    "ragged": lambda: [[0, 1], [2]], "huge": lambda: 10**5000, "recursive": lambda: _recursive(),
    "broadcast": lambda: np.broadcast_to(np.int64(0), (2, 2, 3)), "exception": lambda: ValueError("x"),
    "generator of numbers": lambda: np.random.default_rng(0),
}  # fmt: skip


def _recursive() -> list[Any]:
    made: list[Any] = []
    made.append(made)
    return made


def value(rng: random.Random) -> Data:
    """Return an adversarial value as plain data."""
    draw = rng.random()
    if draw < 0.35:
        return ("named", rng.choice(list(NAMED)))
    if draw < 0.6:
        shape = tuple(rng.choice((0, 1, 1, 2, 2, 3, 6)) for _ in range(rng.choice((0, 1, 1, 2, 2, 3))))
        numbers = [_entry(rng) for _ in range(int(np.prod(shape)))]
        return ("array", rng.choice(arrays.DTYPES), shape, numbers)
    if draw < 0.65:
        return b"" if rng.random() < 0.5 else b"\x00\xff"
    return values.anything(rng)


def _entry(rng: random.Random) -> Any:
    return rng.choice((0, 0, 1, 1, -1, 2, 127, -128))


def real(data: Data) -> Any:
    """Convert plain data to the value that it represents."""
    if isinstance(data, tuple) and len(data) == 2 and data[0] == "named":
        return NAMED[data[1]]()
    if isinstance(data, tuple) and len(data) == 4 and data[0] == "array":
        return arrays.real(data)
    if isinstance(data, dict):
        return {key: real(item) for key, item in data.items()}
    return type(data)(map(real, data)) if isinstance(data, list | tuple) else data
