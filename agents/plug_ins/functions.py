"""Plug-in functions: built-in or users' functions with fixed signatures, which kernels call through pointers."""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType
from typing import Any, Final

from numba.core.errors import NumbaError, UnsupportedBytecodeError

from warlight_env.agents.context import (
    Context,
    evaluation_signature,
    generator_signature,
    leaf_signature,
    picker_signature,
    policy_signature,
    prior_signature,
)
from warlight_env.agents.evaluation.income_forecast import forecast_share
from warlight_env.agents.evaluation.static_evaluation import (
    evaluated_shares,
    extended_share,
    position_share,
    write_best_picks,
)
from warlight_env.agents.generators.turns import generate_turns, random_turn
from warlight_env.agents.plug_ins.guarded import PlugInError, guarded, interpreted
from warlight_env.agents.records.army_requirements import make_army_requirements
from warlight_env.agents.records.generator_work import ALL_GENERATORS, MAX_TURNS
from warlight_env.agents.records.turn_record import TurnNetwork, no_turn_network
from warlight_env.agents.records.value_record import ValueNetwork, no_network
from warlight_env.agents.value.network import network_share
from warlight_env.agents.weights import Weights, make_evaluation
from warlight_env.arguments import short_repr
from warlight_env.engine.board import Board
from warlight_env.engine.jit import JIT_DISABLED, address, kernel, pointer
from warlight_env.engine.reference import reference
from warlight_env.engine.rules import RuleParams

_SIGNATURES = {
    "evaluation": evaluation_signature,
    "generator": generator_signature,
    "policy": policy_signature,
    "picker": picker_signature,
    "leaf": leaf_signature,
    "prior": prior_signature,
}
_PARAMETERS = {
    "evaluation": "context, position, shares",
    "generator": "context, position, player, rng, work, turns",
    "policy": "context, position, player, rng, work, deploy, attacks",
    "picker": "context, position, free, player, rng, preferences",
    "leaf": "context, positions, count, shares",
    "prior": "context, position, player, turns, count, likely",
}
#: Names of arguments; a name has the same meaning in all kinds of functions. A user's function that has such a name as
#: another argument is refused.
_ARGUMENTS: Final = {name for names in _PARAMETERS.values() for name in names.split(", ")}
_BUILT_IN: dict[str, Callable[..., Any]] = {
    "evaluation": position_share,
    "generator": generate_turns,
    "policy": random_turn,
    "picker": write_best_picks,
    "leaf": evaluated_shares,
}


def plug_in(kind: str, function: Callable[..., Any] | None = None) -> Any:
    """Return a pointer to a plug-in function, as an argument for kernels.

    If `function` is None, return a pointer to the built-in function.

    The kinds are "evaluation", "generator", "policy", "picker", "leaf" and "prior"; there is no built-in prior. The
    signatures in `context` describe the arguments and the task of each kind.

    Kernels, functions under ``@njit``, and plain Python functions that Numba supports are compiled. Other Python
    functions run slowly in the interpreter, with a warning. The result of each call of a user's function is checked.

    Kernels cannot raise the exceptions of a user's function. Call kernels with users' functions inside the context
    manager `engine.callback_errors.raise_callback_errors`. The context manager raises the exceptions of users'
    functions, and an error for an invalid result.

    Raises:
        PlugInError: the function does not match the signature of its kind.
    """
    if function is None:
        return _pointer_to(kind, _BUILT_IN[kind])
    if is_ours(function):
        return _pointer_to(kind, function)
    check_parameters(kind, function)
    return _guarded_pointer(kind, _IdentityKey(function))


#: The largest number of turns that a generator may write.
MAX_CAPACITY: Final = 10_000


@dataclass(frozen=True)
class Functions:
    """Custom functions for a search; a field's name is the function's kind, see `plug_in`.

    A field that is None stands for the built-in function.

    Attributes:
        leaf: evaluates many leaves in one call.
        prior: estimates how likely a player is to choose each turn.
        capacity: the largest number of turns that the generator writes.
    """

    evaluation: Callable[..., Any] | None = None
    generator: Callable[..., Any] | None = None
    policy: Callable[..., Any] | None = None
    leaf: Callable[..., Any] | None = None
    prior: Callable[..., Any] | None = None
    capacity: int = MAX_TURNS

    def __post_init__(self) -> None:
        if (
            isinstance(self.capacity, bool)
            or not isinstance(self.capacity, int)
            or not 1 <= self.capacity <= MAX_CAPACITY
        ):
            raise PlugInError(f"capacity = {short_repr(self.capacity)}: must be an integer in 1 .. {MAX_CAPACITY}")
        if self.generator is None and self.capacity != MAX_TURNS:
            raise PlugInError(
                f"capacity = {self.capacity}: only a custom generator can have a capacity, but `generator` is None"
            )
        for kind in ("evaluation", "generator", "policy", "leaf", "prior"):
            function = getattr(self, kind)
            if function is not None and not is_ours(function):
                check_parameters(kind, function)

    @property
    def foreign(self) -> bool:
        """Whether at least one function is not a kernel of this package."""
        functions = self.evaluation, self.generator, self.policy, self.leaf, self.prior
        return not all(map(is_ours, functions))


#: Functions for a search that uses only built-in functions.
BUILT_IN: Final = Functions()


def make_context(
    board: Board,
    params: RuleParams,
    players: int,
    weights: Weights,
    generators: int = ALL_GENERATORS,
    functions: Functions = BUILT_IN,
    value: ValueNetwork | None = None,
    turns: TurnNetwork | None = None,
) -> Context:
    """Return the context of a player's kernels.

    If `functions` contains no evaluation, the context uses a built-in evaluation. With a value network, the built-in
    evaluation is `network_share`. Without a value network, the built-in evaluation is `position_share`, or
    `extended_share` or `forecast_share` if the weights have additional terms.
    """
    constants, evaluation = make_evaluation(board, weights), functions.evaluation
    if evaluation is None and value is not None:
        evaluation = network_share
    elif evaluation is None and constants.uses_forecast:
        evaluation = forecast_share
    elif evaluation is None and constants.extended:
        evaluation = extended_share
    functions_by_kind = ("evaluation", evaluation), ("generator", functions.generator), ("policy", functions.policy)
    addresses = (address(plug_in(kind, function)) for kind, function in functions_by_kind)
    value, turns = no_network() if value is None else value, no_turn_network() if turns is None else turns
    return reference(
        Context(
            board, params, constants, make_army_requirements(params.dice), value, turns, players, generators, *addresses
        )
    )


def is_ours(function: Callable[..., Any] | None) -> bool:
    """Return whether a function is None or a kernel of this package.

    Results of the package's own kernels are not checked.
    """
    body = _body(function)
    is_packaged = str(getattr(body, "__globals__", {}).get("__name__")).startswith("warlight_env.")
    return function is None or (is_packaged and (JIT_DISABLED or body is not function))


def check_parameters(kind: str, function: Callable[..., Any]) -> None:
    """Raise a PlugInError if a function does not have the arguments of its kind."""
    if not callable(function):
        raise PlugInError(f"{kind} {short_repr(function)}: must be a function")
    expected = _PARAMETERS[kind].split(", ")
    try:
        signature = inspect.signature(_body(function))
        signature.bind(*expected)
        for actual, name in zip(signature.parameters, expected, strict=False):
            if actual != name and actual in _ARGUMENTS:
                raise TypeError(f"parameter {actual!r} is in the place of parameter {name!r}")
    except TypeError as error:
        label = label_of(kind, function)
        raise PlugInError(f"{label}: its parameters must be ({_PARAMETERS[kind]}): {error}") from None
    except ValueError:
        pass  # some functions in C have no readable signature; errors appear at the first call


def label_of(kind: str, function: Callable[..., Any]) -> str:
    """Return a text that identifies a user's function in errors: its kind, name, file and line."""
    code = getattr(_body(function), "__code__", None)
    place = "" if code is None else f" ({Path(code.co_filename).name}, line {code.co_firstlineno})"
    name = getattr(function, "__name__", None)
    return f"{kind} {repr(name) if name else type(function).__name__}{place}"


def _body(function: Any) -> Any:
    """Return the Python function from which a compiled function was made; other functions are returned unchanged."""
    if JIT_DISABLED and getattr(function, "__globals__", None) is kernel.__globals__:
        return function.__wrapped__
    return getattr(function, "py_func", function)


@functools.cache
def _pointer_to(kind: str, function: Callable[..., Any]) -> Any:
    return pointer(_SIGNATURES[kind](), function)


class _IdentityKey:
    """A user's function as a key of a cache.

    Keys are compared by identity, because the function's own `==` and `hash` may be missing or wrong.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function

    def __hash__(self) -> int:
        return id(self.function)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _IdentityKey) and other.function is self.function


@functools.cache
def _guarded_pointer(kind: str, key: _IdentityKey) -> Any:
    function = key.function
    label = label_of(kind, function)
    if not isinstance(_body(function), FunctionType):
        return _interpreted_pointer(kind, function, "it is not a plain function")
    try:
        return guarded(kind, _SIGNATURES[kind](), function, label)
    except (NumbaError, UnsupportedBytecodeError, TypeError) as error:
        if hasattr(function, "py_func"):
            raise PlugInError(
                f"{label}: cannot be compiled for the parameters ({_PARAMETERS[kind]}): {_reason(error)}"
            ) from error
        return _interpreted_pointer(kind, function, _reason(error))


def _interpreted_pointer(kind: str, function: Callable[..., Any], reason: str) -> Any:
    label = label_of(kind, function)
    warnings.warn(f"{label} runs as plain Python, many times slower: {reason}", RuntimeWarning, stacklevel=5)
    return interpreted(kind, _SIGNATURES[kind](), function, label)


def _reason(error: Exception) -> str:
    """Return the reason why Numba does not compile a function, in one line."""
    if "Cannot modify readonly array" in str(error):
        return "it writes to a read-only array that games share"
    lines = [line.strip() for line in str(error).splitlines()]
    return next((line for line in lines if line and not line.startswith("Failed in")), type(error).__name__)
