"""Functions with fixed signatures that kernels take as parameters, the built-in ones and users' alike."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

import numba
from numba import types
from numba.core.errors import NumbaError

from warlight_env.agents.evaluation import make_evaluation, position_share, write_best_picks
from warlight_env.agents.generators.turns import generate_turns, random_turn
from warlight_env.agents.generators.work import make_generator_work, make_turn_set
from warlight_env.agents.weights import THESIS
from warlight_env.engine.board import make_board
from warlight_env.engine.jit import function_at, pointer
from warlight_env.engine.rules import Rules
from warlight_env.errors import InputError
from warlight_env.maps import load


class PlugInError(InputError):
    """A function that does not fit the signature of its kind."""


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
_BUILT_IN: dict[str, Callable[..., Any]] = {
    "evaluation": position_share,
    "generator": generate_turns,
    "policy": random_turn,
    "picker": write_best_picks,
}


evaluation_at = function_at(evaluation_signature)
policy_at = function_at(policy_signature)
picker_at = function_at(picker_signature)


@functools.cache
def plug_in(kind: str, function: Callable[..., Any] | None = None) -> Any:
    """A function of a kind ("evaluation", "generator", "policy", "picker") as kernels take it; None: the built-in one.

    A `kernel`, a function under ``@njit`` and plain Python that Numba can compile are compiled. Other Python runs too,
    slowly, and a warning says so.
    """
    chosen = _BUILT_IN[kind] if function is None else function
    try:
        return pointer(_SIGNATURES[kind](), chosen)
    except (NumbaError, TypeError) as error:
        if hasattr(chosen, "py_func"):
            raise PlugInError(f"{kind} {chosen.__name__!r} does not fit its signature: {_first_line(error)}") from error
        warnings.warn(
            f"{kind} {chosen.__name__!r} runs as plain Python, many times slower: {_first_line(error)}",
            RuntimeWarning, stacklevel=3,
        )  # fmt: skip
        return _interpreted(kind, chosen)


def _first_line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines()]
    return next((line for line in lines if line and not line.startswith("Failed in")), type(error).__name__)


def _interpreted(kind: str, function: Callable[..., Any]) -> Any:
    """A function that Numba cannot compile, called back in the interpreter."""
    signature = _SIGNATURES[kind]()
    # Numba goes back to the interpreter in functions that it calls, not in those that become pointers: hence two.
    if kind == "evaluation":

        @numba.njit
        def ask_value(board, evaluation, owner, army, player, players):
            with numba.objmode(result="float64"):
                result = float(function(board, evaluation, owner, army, player, players))
            return result

        def evaluate(board, evaluation, owner, army, player, players):
            return ask_value(board, evaluation, owner, army, player, players)

        ask_value.compile(signature.args)
        return pointer(signature, evaluate, cached=False)
    if kind == "generator":

        @numba.njit
        def ask_count(board, params, evaluation, owner, army, player, ways, rng, work, turns):
            with numba.objmode(result="int64"):
                result = int(function(board, params, evaluation, owner, army, player, ways, rng, work, turns))
            return result

        def generate(board, params, evaluation, owner, army, player, ways, rng, work, turns):
            return ask_count(board, params, evaluation, owner, army, player, ways, rng, work, turns)

        ask_count.compile(signature.args)
        return pointer(signature, generate, cached=False)

    if kind == "picker":

        @numba.njit
        def ask_wishes(board, evaluation, owner, free, player, rng, wishes):
            with numba.objmode(result="int64"):
                result = int(function(board, evaluation, owner, free, player, rng, wishes))
            return result

        def pick(board, evaluation, owner, free, player, rng, wishes):
            return ask_wishes(board, evaluation, owner, free, player, rng, wishes)

        ask_wishes.compile(signature.args)
        return pointer(signature, pick, cached=False)

    @numba.njit
    def ask(board, params, evaluation, owner, army, player, ways, rng, work, deploy, attacks):
        with numba.objmode(result="int64"):
            result = int(function(board, params, evaluation, owner, army, player, ways, rng, work, deploy, attacks))
        return result

    def play(board, params, evaluation, owner, army, player, ways, rng, work, deploy, attacks):
        return ask(board, params, evaluation, owner, army, player, ways, rng, work, deploy, attacks)

    ask.compile(signature.args)
    return pointer(signature, play, cached=False)
