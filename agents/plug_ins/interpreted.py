"""Functions through which compiled code calls users' Python functions, with one function for each kind.

A Python function gets copies of the position and of the arrays that it writes. A Python function may keep a reference
to a copy, even after the original array is freed. All arguments that the function only reads, except the position, are
passed without copies.
"""

from __future__ import annotations

import contextlib
import functools
import operator
from collections.abc import Callable, Iterator
from typing import Any, Final

import numba

from warlight_env.agents.plug_ins.answer_faults import PlugInError
from warlight_env.agents.records.generator_work import TurnSet
from warlight_env.engine.position import Positions, copied


def _whole_number(label: str, answer: Any) -> int:
    """Return the result of a Python function as an integer, limited to the range of int64."""
    try:
        return min(max(operator.index(answer), -(2**63)), 2**63 - 1)
    except TypeError:
        raise PlugInError(f"{label}: returned {answer!r:.80}, not a whole number") from None


@contextlib.contextmanager
def _lend_copies(*arrays: Any) -> Iterator[list[Any]]:
    """Yield copies of arrays, and afterwards write the copies back to the arrays."""
    copies = [array.copy() for array in arrays]
    yield copies
    for array, copy in zip(arrays, copies, strict=True):
        array[...] = copy


def in_python(kind: str, label: str, function: Callable[..., Any]) -> Callable[..., int]:
    """Return a function that calls a user's function with copies of the arrays, and returns an integer."""
    return functools.partial(_CALLS[kind], label, function)


def compilable(call: Callable[..., int], n_arguments: int) -> Any:
    """Return a function that Numba can compile, and that calls a Python function in the interpreter."""

    def ask_3(a, b, c):
        with numba.objmode(result="int64"):
            result = call(a, b, c)
        return result

    def ask_4(a, b, c, d):
        with numba.objmode(result="int64"):
            result = call(a, b, c, d)
        return result

    def ask_6(a, b, c, d, e, f):
        with numba.objmode(result="int64"):
            result = call(a, b, c, d, e, f)
        return result

    def ask_7(a, b, c, d, e, f, g):
        with numba.objmode(result="int64"):
            result = call(a, b, c, d, e, f, g)
        return result

    return {3: ask_3, 4: ask_4, 6: ask_6, 7: ask_7}[n_arguments]


# The functions below call a user's function of one kind. See the signatures in `context` for the arguments.


def _evaluate(label, function, context, position, shares):
    with _lend_copies(shares) as (shares,):
        function(context, copied(position), shares)
    return 0


def _generate(label, function, context, position, player, rng, work, turns):
    with _lend_copies(rng, *turns) as (rng, *arrays):
        answer = function(context, copied(position), player, rng, work, TurnSet(*arrays))
    return _whole_number(label, answer)


def _choose_turn(label, function, context, position, player, rng, work, deploy, attacks):
    with _lend_copies(rng, deploy, attacks) as (rng, deploy, attacks):
        answer = function(context, copied(position), player, rng, work, deploy, attacks)
    return _whole_number(label, answer)


def _pick(label, function, context, position, free, player, rng, preferences):
    with _lend_copies(rng, preferences) as (rng, preferences):
        answer = function(context, copied(position), free.copy(), player, rng, preferences)
    return _whole_number(label, answer)


def _evaluate_leaves(label, function, context, positions, count, shares):
    with _lend_copies(shares) as (shares,):
        function(context, Positions._make(array[:count].copy() for array in positions), count, shares)
    return 0


def _weigh_turns(label, function, context, position, player, turns, count, likely):
    with _lend_copies(likely) as (likely,):
        turns_copy = TurnSet(*(array[:count].copy() for array in turns))
        function(context, copied(position), player, turns_copy, count, likely)
    return 0


_CALLS: Final[dict[str, Callable[..., int]]] = {
    "evaluation": _evaluate,
    "generator": _generate,
    "policy": _choose_turn,
    "picker": _pick,
    "leaf": _evaluate_leaves,
    "prior": _weigh_turns,
}
