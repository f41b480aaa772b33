"""Functions that check the type and range of arguments, and raise `InputError` with the reason.

The module `array_arguments` checks arrays.
"""

from __future__ import annotations

import inspect
import math
import numbers
import operator
import os
from collections.abc import Collection
from pathlib import Path
from typing import Any, Final

from warlight_env.errors import InputError, clipped

Error = type[InputError]


def short_repr(value: object) -> str:
    """Return `repr` of a value, cut to 80 characters.

    If `repr` fails, for example for an integer of 5000 digits, return the name of the value's type.
    """
    try:
        return clipped(repr(value), 80)
    except Exception:
        return f"an object of type {type(value).__name__}"


_WORDS: Final[dict[Any, str]] = {
    str: "a string", int: "an integer", float: "a number", bool: "true or false", list: "a list", dict: "a table",
}  # fmt: skip


def kind_in_words(kind: Any) -> str:
    """Return a type of plain data as words for error messages, for example "an integer"."""
    return _WORDS.get(kind, f"of type {getattr(kind, '__name__', kind)}")


def is_integer(value: object) -> bool:
    """Return whether a value is an integer of Python or NumPy; False for booleans."""
    return (isinstance(value, int) and not isinstance(value, bool)) or (
        isinstance(value, numbers.Integral) and _kind(value) in ("i", "u")
    )


def _kind(value: Any) -> Any:
    """Return `value.dtype.kind` of a NumPy scalar or array; None for other values. Does not import NumPy."""
    return getattr(getattr(value, "dtype", None), "kind", None)


def is_number(value: Any) -> bool:
    """Return whether a value is a Python or NumPy integer or float that is finite as a float; False for booleans."""
    if isinstance(value, bool) or not (isinstance(value, int | float) or _kind(value) in ("i", "u", "f")):
        return False
    if not isinstance(value, numbers.Real):  # a NumPy array is not a number
        return False
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def check_integer(value: Any, name: str, low: int, high: int, error: Error = InputError) -> None:
    """Raise `error` unless the value is an integer of Python or NumPy in low .. high."""
    if not is_integer(value) or not low <= value <= high:
        raise error(f"{name} = {short_repr(value)}: must be an integer in {low} .. {high}")


def index(value: Any, name: str, count: int, error: Error = InputError) -> int:
    """Return the value as an integer in 0 .. count - 1; raise `error` for any other value."""
    if type(value) is int and 0 <= value < count:
        return value
    try:
        number = operator.index(value)
    except Exception:  # a method of the caller's object may raise any exception
        number = -1
    if isinstance(value, bool) or not 0 <= number < count:
        raise error(f"{name} = {short_repr(value)}: must be an integer in 0 .. {count - 1}")
    return number


def integers_of(values: Any, name: str) -> list[int]:
    """Return the integers of a list or of another iterable; raise `InputError` if an element is not an integer."""
    try:
        return [operator.index(value) for value in values]
    except Exception as error:  # a method of the caller's object may raise any exception
        raise InputError(
            f"{name} = {short_repr(values)}: must be a list of integers: {clipped(str(error), 100)}"
        ) from None


def check_flag(value: Any, name: str, error: Error = InputError) -> None:
    """Raise `error` unless the value is True or False."""
    if not isinstance(value, bool) and not (_kind(value) == "b" and value.shape == ()):
        raise error(f"{name} = {short_repr(value)}: must be True or False")


def check_choice(value: Any, name: str, choices: Collection[str], error: Error = InputError) -> None:
    """Raise `error` unless the value is one of the strings in `choices`."""
    if not isinstance(value, str) or value not in choices:
        raise error(f"{name} = {short_repr(value)}: must be one of {', '.join(choices)}")


def seed_of(value: Any, error: Error = InputError) -> int:
    """Return the seed as a Python integer; raise `error` if the seed is not an integer."""
    if not is_integer(value):
        raise error(f"seed = {short_repr(value)}: must be an integer")
    return int(value)


def accepts_arguments(function: Any, *arguments: Any) -> bool:
    """Return whether a function can be called with these arguments; True for a built-in without a signature."""
    try:
        inspect.signature(function).bind(*arguments)
    except TypeError:
        return False
    except ValueError:
        return True
    return True


def path_of(value: Any, name: str, error: Error = InputError) -> Path:
    """Return a string or a path object as a `Path`; raise `error` for other values."""
    if not isinstance(value, str | os.PathLike):
        raise error(f"{name} = {short_repr(value)}: must be the path of a file")
    try:
        return Path(value)
    except Exception:  # a path of type bytes, or an object with an invalid path
        raise error(f"{name} = {short_repr(value)}: must be the path of a file") from None
