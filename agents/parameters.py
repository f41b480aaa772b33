"""Declarations of agents' parameters as type annotations.

Agent specifications, checks of values and help texts use the declarations.

Declare a parameter of a settings class or of an agent's `__init__` as ``name: Annotated[int, Param(…)] = default``.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import math
import textwrap
import typing
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any, Final, NamedTuple, TypeVar

from warlight_env.arguments import check_choice, short_repr
from warlight_env.errors import InputError

_Class = TypeVar("_Class", bound=Callable[..., Any])


class Range(NamedTuple):
    """The numbers from `low` to `high`. above_low: `low` is excluded. below_high: `high` is excluded."""

    low: float = -math.inf
    high: float = math.inf
    above_low: bool = False
    below_high: bool = False

    def __contains__(self, value: object) -> bool:
        if not isinstance(value, Real) or isinstance(value, bool):
            return False
        try:
            number = float(value)
        except OverflowError:  # the number is a large integer
            return False
        at_least = number > self.low if self.above_low else number >= self.low
        at_most = number < self.high if self.below_high else number <= self.high
        return math.isfinite(number) and at_least and at_most

    def __str__(self) -> str:
        if self.below_high:
            return f"must be a number of at least {self.low:g} and below {self.high:g}"
        if self.high < math.inf:
            return f"must lie in {self.low:g} .. {self.high:g}"
        if self.low > -math.inf:
            return f"must be {'above' if self.above_low else 'at least'} {self.low:g}"
        return "must be a number"


@dataclass(frozen=True)
class Param:
    """The declaration of an agent's parameter.

    Attributes:
        help: a short description for lists of parameters.
        more: additional text for the docstring.
        low, high: limits of numbers in agent specifications.
        python_range: limits of numbers in Python calls, if these limits differ from `low` and `high`.
        choices: allowed strings; more may be registered at run time. If `choices` is empty, any string is allowed.
        spec_name: the parameter's name in agent specifications, if it differs from the name in Python.
        shared: whether other agents also have this parameter; lists of parameters show shared parameters last.
    """

    help: str
    low: float | None = None
    high: float | None = None
    python_range: Range | None = None
    choices: Collection[str] = ()
    spec_name: str = ""
    more: str = ""
    shared: bool = False


@dataclass(frozen=True)
class Parameter:
    """A parameter that an agent's specification accepts."""

    kind: type
    default: Any
    help: str
    low: float | None = None
    high: float | None = None
    choices: Collection[str] = ()


#: All integers from 1, for parameters that have an upper limit only in agent specifications.
FROM_ONE: Final = Range(1)

#: The parameter for the weights of the evaluation; most bots have it.
WEIGHTS: Final = Param("weights of the evaluation: default, thesis, planning, expanding, or a .json file", shared=True)

#: The parameter for the time limit in seconds per move.
SECONDS: Final = Param(
    "time limit per move, in seconds", 0.001, 86400, python_range=Range(0, above_low=True), spec_name="secs"
)


class _Declaration(NamedTuple):
    kind: type
    optional: bool
    param: Param


def _read_hints(hints: Mapping[str, Any]) -> dict[str, _Declaration]:
    declarations: dict[str, _Declaration] = {}
    for name, hint in hints.items():
        for param in getattr(hint, "__metadata__", ()):
            if isinstance(param, Param):
                types = typing.get_args(hint.__origin__) or (hint.__origin__,)
                kind = next((kind for kind in (int, float) if kind in types), str)
                declarations[name] = _Declaration(kind, type(None) in types, param)
    return dict(sorted(declarations.items(), key=lambda item: item[1].param.shared))


@functools.cache
def _declarations_of(source: Callable[..., Any]) -> dict[str, _Declaration]:
    """Return the declarations of parameters in the fields of a settings class or in an agent's `__init__`."""
    annotated = source if dataclasses.is_dataclass(source) else inspect.unwrap(source.__init__)
    return _read_hints(typing.get_type_hints(annotated, include_extras=True))


def parameters_of(source: Callable[..., Any], **defaults: Any) -> dict[str, Parameter]:
    """Return a dictionary of the parameters that a class declares, with their names in specifications as keys.

    defaults: default values that replace the default values of the class.
    """
    class_defaults = {name: parameter.default for name, parameter in inspect.signature(source).parameters.items()}
    return {
        param.spec_name or name: Parameter(
            kind, {**class_defaults, **defaults}[name], param.help, param.low, param.high, param.choices
        )
        for name, (kind, _, param) in _declarations_of(source).items()
    }  # fmt: skip


def check_values(source: Callable[..., Any], values: Mapping[str, Any]) -> None:
    """Raise an `InputError` if a value is outside the limits or choices that a class declares for its parameter.

    This function does not check `weights`, because `Weights.load` checks them.
    """
    for name, (kind, optional, param) in _declarations_of(source).items():
        value = values.get(name)
        if value is None and optional:
            continue
        limits = param.python_range or Range(
            -math.inf if param.low is None else param.low, math.inf if param.high is None else param.high
        )
        if kind is int:
            _check_integer(name, value, limits)
        elif kind is float and value not in limits:
            raise InputError(f"{name} = {short_repr(value)}: {limits}")
        elif kind is str and len(param.choices) > 0:
            check_choice(value, name, param.choices)


def _check_integer(name: str, value: object, limits: Range) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not limits.low <= value <= limits.high:
        bounds = f" from {limits.low:g} up" if limits.high == math.inf else f" in {limits.low:g} .. {int(limits.high)}"
        raise InputError(f"{name} = {short_repr(value)}: must be an integer{bounds if limits.low > -math.inf else ''}")


def documented(source: _Class) -> _Class:
    """Decorate a class: append the declared parameters to its docstring."""
    lines = ["", "", "Parameters:"]
    for name, (_, _, param) in _declarations_of(source).items():
        is_listed = next(iter(param.choices), "") in param.help
        choices = "" if is_listed else f" One of {', '.join(param.choices)}."
        text = f"{name}: {param.help}.{choices}{param.more and ' ' + param.more}"
        lines += textwrap.wrap(text, 116, initial_indent=" " * 4, subsequent_indent=" " * 8)
    source.__doc__ = inspect.cleandoc(source.__doc__ or "") + "\n".join(lines) + "\n"
    return source
