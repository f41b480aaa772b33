"""Type checks of the arguments of map functions and of the parts of a map, according to their annotations."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import numbers
import operator
import types
import typing
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NoReturn, ParamSpec, TypeVar

from warlight_env.arguments import short_repr
from warlight_env.maps.errors import MapError

P = ParamSpec("P")
R = TypeVar("R")

#: The largest number of digits of an integer in arguments or parts of a map. Seeds may have more than 64 bits.
DIGITS: Final = 38


def checked(function: Callable[P, R]) -> Callable[P, R]:
    """Decorate a function: each argument is converted to the type of its annotation (see `converted`).

    The decorated function raises MapError if an argument has another type.
    """
    signature = inspect.signature(function)
    hints = functools.cache(lambda: typing.get_type_hints(function))

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        bound = signature.bind(*args, **kwargs)
        for name, value in bound.arguments.items():
            bound.arguments[name] = converted(value, hints()[name], name)
        return function(*bound.args, **bound.kwargs)

    return call


def converted(value: Any, hint: Any, place: str) -> Any:
    """Return the value if it has the type of the annotation, else an equal value of this type.

    Lists are converted to tuples, and integers of NumPy to ``int``. Integers are accepted as ``float``. A boolean is
    not accepted as a number. The fields of dataclasses that are parts of a map are converted in the same way.

    Raises:
        MapError: the value has another type; the message begins with `place`.
    """
    if hint is Any:
        return value
    if isinstance(hint, types.UnionType):
        return _of_any(value, typing.get_args(hint), place)
    if typing.get_origin(hint) is tuple:
        return _tuple(value, typing.get_args(hint), place)
    if hint is str:
        return _text(value, place)
    if hint is int:
        return _integer(value, place)
    if hint is float:
        return _number(value, place)
    if not isinstance(value, hint):
        _refuse(value, place, f"a {hint.__name__}")
    return _part(value, place) if hint.__module__ == "warlight_env.maps.parts" else value


def _refuse(value: Any, place: str, expected: str) -> NoReturn:
    raise MapError(f"{place} = {short_repr(value)}: must be {expected}")


def _of_any(value: Any, hints: tuple[Any, ...], place: str) -> Any:
    if types.NoneType in hints:
        return None if value is None else converted(value, hints[0], place)
    if not isinstance(value, hints):  # a path
        _refuse(value, place, "a string or a path")
    return value if isinstance(value, Path) else _text(value, place)


def _text(value: Any, place: str) -> str:
    if type(value) is str:
        return value
    if not isinstance(value, str):
        _refuse(value, place, "a string")
    return str.__str__(value)


def _integer(value: Any, place: str) -> int:
    if type(value) is not int:
        try:
            number = operator.index(value)
        except Exception:  # methods of an object of the caller may raise any exception
            _refuse(value, place, "an integer")
        if isinstance(value, bool):
            _refuse(value, place, "an integer")
        value = number
    if abs(value) >= 10**DIGITS:
        raise MapError(f"{place}: an integer has too many digits")
    return int(value)


def _number(value: Any, place: str) -> int | float:
    if type(value) is float:
        return value
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        _refuse(value, place, "a number")
    return _integer(value, place) if isinstance(value, numbers.Integral) else float(value)


def _tuple(value: Any, hints: tuple[Any, ...], place: str) -> tuple[Any, ...]:
    if not isinstance(value, list | tuple):
        _refuse(value, place, "a list or a tuple")
    try:
        items = tuple(value)
    except Exception:  # methods of an object of the caller may raise any exception
        _refuse(value, place, "a list or a tuple")
    if hints[1:] == (...,):
        hints = hints[:1] * len(items)
    if len(items) != len(hints):
        _refuse(value, place, f"of length {len(hints)}")
    converted_items = tuple(
        converted(item, hint, f"{place}[{i}]") for i, (item, hint) in enumerate(zip(items, hints, strict=True))
    )
    return value if type(value) is tuple and all(map(operator.is_, value, converted_items)) else converted_items


def _part(part: Any, place: str) -> Any:
    """Return a copy of a part of a map (such as a region) with the new values from `converted_fields`."""
    changes = converted_fields(part, f"{place}: ")
    return dataclasses.replace(part, **changes) if changes else part


def converted_fields(part: Any, place: str = "") -> dict[str, Any]:
    """Return the fields of a dataclass that `converted` changes, with their new values.

    Raises MapError like `converted`.
    """
    kind: type = type(part)
    hints = _hints(kind)
    fields = {name: getattr(part, name) for name in hints}
    values = {name: converted(value, hints[name], f"{place}{name}") for name, value in fields.items()}
    return {name: value for name, value in values.items() if value is not fields[name]}


@functools.cache
def _hints(kind: type) -> dict[str, Any]:
    hints = typing.get_type_hints(kind)
    return {field.name: hints[field.name] for field in dataclasses.fields(kind)}
