"""Functions that copy all arrays of a tree (nested NamedTuples) on the GPU, or select a row of each array of a tree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

#: The value of a field that no kernel reads, in place of an array. A kernel that reads it does not compile.
UNREAD = 0


def fields_of(value: Any) -> Any:
    """Return the NamedTuple of a `Reference` or of a NamedTuple; None for arrays and numbers."""
    value = getattr(value, "record", value)
    return value if hasattr(value, "_fields") else None


def mapped(value: Any, change: Callable[[npt.NDArray[Any]], Any], names: set[str] | None = None) -> Any:
    """Return a copy of a tree without references, in which change(array) replaces each array.

    names: the fields that kernels read; `UNREAD` replaces the arrays in other fields. None: all fields.
    """
    record = fields_of(value)
    if record is None:
        return change(value) if isinstance(value, np.ndarray) else _number(value)
    parts = []
    for name, part in zip(record._fields, record, strict=True):
        read = names is None or name in names
        parts.append(mapped(part, change if read else lambda array: UNREAD, names))
    return type(record)(*parts)


def _number(value: Any) -> Any:
    """Convert a number to a Python bool, float or int; Numba has only one type for each of these."""
    if isinstance(value, bool | np.bool_):
        return bool(value)
    return float(value) if isinstance(value, float | np.floating) else int(value)


def row_reader(tree: Any) -> Callable[[Any, Any], Any]:
    """Return a Python function f(tree, i) for device code: it returns the same tree with row i of each array."""
    classes: dict[str, Any] = {}

    def text(value: Any, name: str) -> str:
        record = fields_of(value)
        if record is None:
            return name if isinstance(value, int | float) else f"{name}[i]"
        classes[type(record).__name__] = type(record)
        parts = [text(part, f"{name}.{field}") for field, part in zip(record._fields, record, strict=True)]
        return f"{type(record).__name__}({', '.join(parts)},)"

    names = dict(classes)
    source = f"def rows(tree, i):\n    return {text(tree, 'tree')}\n"
    names.update(classes)
    exec(source, names)  # the text consists of the names of fields and of classes
    rows: Callable[[Any, Any], Any] = names["rows"]
    return rows


def size_of(tree: Any) -> int:
    """Return the number of bytes of all arrays in a tree."""
    record = fields_of(tree)
    if record is not None:
        return sum(map(size_of, record))
    return tree.nbytes if isinstance(tree, np.ndarray) else 0
