"""Functions with fixed signatures that kernels take as parameters, the built-in ones and users' alike."""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable
from pathlib import Path
from types import FunctionType
from typing import Any

import numba
from numba import types
from numba.core.errors import NumbaError, UnsupportedBytecodeError

from warlight_env.agents.evaluation import make_evaluation, position_share, write_best_picks
from warlight_env.agents.generators.turns import generate_turns, random_turn
from warlight_env.agents.generators.work import make_generator_work, make_turn_set
from warlight_env.agents.guarded import PlugInError, guarded, interpreted
from warlight_env.agents.weights import THESIS
from warlight_env.engine.board import make_board
from warlight_env.engine.jit import JIT_DISABLED, function_at, kernel, pointer
from warlight_env.engine.rules import Rules
from warlight_env.maps import load


@functools.cache
def record_types() -> dict[str, Any]:
    """Numba's types of the records; the same for all maps and rules."""
    board = make_board(load("small"))
    n, e = board.n_regions, board.n_edges
    return {
        "board": numba.typeof(board),
        "params": numba.typeof(Rules.of("thesis").params(n, board.n_super_regions)),
        "evaluation": numba.typeof(make_evaluation(board, THESIS)),
        "work": numba.typeof(make_generator_work(n, e, 2)),
        "turns": numba.typeof(make_turn_set(n, e)),
        "owner": types.Array(types.int8, 1, "C"),
        "army": types.Array(types.int32, 1, "C"),
        "attacks": types.Array(types.int32, 2, "C"),
        "rng": types.Array(types.uint64, 1, "C"),
    }


@functools.cache
def evaluation_signature() -> Any:
    """``evaluate(board, evaluation, owner, army, player, players) -> float``: the player's share, in [0, 1].

    owner int8[N], army int32[N]; `evaluation` is `make_evaluation`'s record.
    """
    t = record_types()
    return types.float64(t["board"], t["evaluation"], t["owner"], t["army"], types.int64, types.int64)


@functools.cache
def generator_signature() -> Any:
    """``generate(board, params, evaluation, owner, army, player, ways, rng, work, turns) -> int``.

    Writes 1 to `MAX_TURNS` turns into `turns` (a `TurnSet`) and returns how many; see `generate_turns`.
    """
    t = record_types()
    return types.int64(
        t["board"], t["params"], t["evaluation"], t["owner"], t["army"], types.int64, types.int64, t["rng"],
        t["work"], t["turns"],
    )  # fmt: skip


@functools.cache
def policy_signature() -> Any:
    """``policy(board, params, evaluation, owner, army, player, ways, rng, work, deploy, attacks) -> int``.

    Writes one turn, deploy int32[N] and attacks int32[E, 3], and returns the attacks' number; see `random_turn`.
    """
    t = record_types()
    return types.int64(
        t["board"], t["params"], t["evaluation"], t["owner"], t["army"], types.int64, types.int64, t["rng"],
        t["work"], t["army"], t["attacks"],
    )  # fmt: skip


@functools.cache
def picker_signature() -> Any:
    """``pick(board, evaluation, owner, free, player, rng, wishes) -> int``.

    Writes the regions wished for, of those where free int8[N] is not 0, best first, to wishes int32[N] and returns
    how many; see `best_picks`.
    """
    t = record_types()
    return types.int64(
        t["board"], t["evaluation"], t["owner"], t["owner"], types.int64, t["rng"], t["army"]
    )  # fmt: skip


_SIGNATURES = {
    "evaluation": evaluation_signature,
    "generator": generator_signature,
    "policy": policy_signature,
    "picker": picker_signature,
}
_PARAMETERS = {
    "evaluation": "board, evaluation, owner, army, player, players",
    "generator": "board, params, evaluation, owner, army, player, ways, rng, work, turns",
    "policy": "board, params, evaluation, owner, army, player, ways, rng, work, deploy, attacks",
    "picker": "board, evaluation, owner, free, player, rng, wishes",
}
_BUILT_IN: dict[str, Callable[..., Any]] = {
    "evaluation": position_share,
    "generator": generate_turns,
    "policy": random_turn,
    "picker": write_best_picks,
}


evaluation_at = function_at(evaluation_signature)
policy_at = function_at(policy_signature)
picker_at = function_at(picker_signature)


def plug_in(kind: str, function: Callable[..., Any] | None = None) -> Any:
    """A function of a kind ("evaluation", "generator", "policy", "picker") as kernels take it; None: the built-in one.

    A `kernel`, a function under ``@njit`` and plain Python that Numba can compile are compiled. Other Python runs too,
    slowly, and a warning says so. What a user's function returns and writes is checked at each call; a wrong answer
    and its own exceptions are raised by `engine.raised.watched`, inside which kernels that get it are to be called.
    Raises PlugInError where it does not fit the signature of its kind.
    """
    if function is None:
        return _pointer_to(kind, _BUILT_IN[kind])
    if is_ours(function):
        return _pointer_to(kind, function)
    check_parameters(kind, function)
    return _guarded_pointer(kind, _Itself(function))


def is_ours(function: Callable[..., Any] | None) -> bool:
    """Whether a function (None: the built-in one) is part of this package and needs no checks."""
    body = _body(function)
    return function is None or str(getattr(body, "__globals__", {}).get("__name__")).startswith("warlight_env.")


def check_parameters(kind: str, function: Callable[..., Any]) -> None:
    """Raise PlugInError unless a function takes the arguments of its kind."""
    if not callable(function):
        raise PlugInError(f"{kind} {function!r:.80}: not a function")
    wanted = _PARAMETERS[kind].split(", ")
    try:
        inspect.signature(_body(function)).bind(*wanted)
    except TypeError as error:
        raise PlugInError(f"{label_of(kind, function)}: it is called with ({_PARAMETERS[kind]}): {error}") from None
    except ValueError:
        pass  # some functions in C do not tell what they take; calling them will


def label_of(kind: str, function: Callable[..., Any]) -> str:
    """What to call a user's function in errors: its kind, name and place."""
    code = getattr(_body(function), "__code__", None)
    place = "" if code is None else f" ({Path(code.co_filename).name}, line {code.co_firstlineno})"
    name = getattr(function, "__name__", None)
    return f"{kind} {repr(name) if name else type(function).__name__}{place}"


def _body(function: Any) -> Any:
    """A compiled function's Python."""
    if JIT_DISABLED and getattr(function, "__globals__", None) is kernel.__globals__:
        return function.__wrapped__
    return getattr(function, "py_func", function)


@functools.cache
def _pointer_to(kind: str, function: Callable[..., Any]) -> Any:
    return pointer(_SIGNATURES[kind](), function)


class _Itself:
    """A user's function as a key: that object and no other, whatever it says it equals; not all can be keys."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function

    def __hash__(self) -> int:
        return id(self.function)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Itself) and other.function is self.function


@functools.cache
def _guarded_pointer(kind: str, key: _Itself) -> Any:
    function = key.function
    label = label_of(kind, function)
    if not isinstance(_body(function), FunctionType):
        return _interpreted_pointer(kind, function, "it is no plain function")
    try:
        return guarded(kind, _SIGNATURES[kind](), function, label)
    except (NumbaError, UnsupportedBytecodeError, TypeError) as error:
        if hasattr(function, "py_func"):
            raise PlugInError(f"{label} does not fit its signature: {_reason(error)}") from error
        return _interpreted_pointer(kind, function, _reason(error))


def _interpreted_pointer(kind: str, function: Callable[..., Any], reason: str) -> Any:
    label = label_of(kind, function)
    warnings.warn(f"{label} runs as plain Python, many times slower: {reason}", RuntimeWarning, stacklevel=5)
    return interpreted(kind, _SIGNATURES[kind](), function, label)


def _reason(error: Exception) -> str:
    """Why Numba does not compile a function, in a line."""
    if "Cannot modify readonly array" in str(error):
        return "it writes to an array that games share"
    lines = [line.strip() for line in str(error).splitlines()]
    return next((line for line in lines if line and not line.startswith("Failed in")), type(error).__name__)
