"""Wrappers through which compiled code calls users' Python functions. Each kind of function has its own wrapper.

A Python function gets copies of the position and of the arrays that it writes. A Python function may keep a reference
to a copy, even after the original array is freed. All arguments that the function only reads, except the position, are
passed without copies.
"""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Callable, Iterator
from typing import Any

import numba

from warlight_env.agents.plug_ins.answer_faults import PlugInError
from warlight_env.agents.records.generator_work import TurnSet
from warlight_env.engine.jit import JIT_DISABLED
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


def ask_evaluation(label: str, function: Callable[..., Any]) -> Any:
    """Return the wrapper of a user's Python function that evaluates positions, see `context.evaluation_signature`."""

    def call(context, position, shares):
        with _lend_copies(shares) as (shares,):
            function(context, copied(position), shares)
        return 0

    def ask(context, position, shares):
        with numba.objmode(result="int64"):
            result = call(context, position, shares)
        return result

    return call if JIT_DISABLED else ask


def ask_generator(label: str, function: Callable[..., Any]) -> Any:
    """Return the wrapper of a user's Python function that generates turns, see `context.generator_signature`."""

    def call(context, position, player, rng, work, turns):
        with _lend_copies(rng, *turns) as (rng, *arrays):
            answer = function(context, copied(position), player, rng, work, TurnSet(*arrays))
        return _whole_number(label, answer)

    def ask(context, position, player, rng, work, turns):
        with numba.objmode(result="int64"):
            result = call(context, position, player, rng, work, turns)
        return result

    return call if JIT_DISABLED else ask


def ask_policy(label: str, function: Callable[..., Any]) -> Any:
    """Return the wrapper of a user's Python function that chooses a turn, see `context.policy_signature`."""

    def call(context, position, player, rng, work, deploy, attacks):
        with _lend_copies(rng, deploy, attacks) as (rng, deploy, attacks):
            answer = function(context, copied(position), player, rng, work, deploy, attacks)
        return _whole_number(label, answer)

    def ask(context, position, player, rng, work, deploy, attacks):
        with numba.objmode(result="int64"):
            result = call(context, position, player, rng, work, deploy, attacks)
        return result

    return call if JIT_DISABLED else ask


def ask_picker(label: str, function: Callable[..., Any]) -> Any:
    """Return the wrapper of a user's Python function that picks start regions, see `context.picker_signature`."""

    def call(context, position, free, player, rng, preferences):
        with _lend_copies(rng, preferences) as (rng, preferences):
            answer = function(context, copied(position), free.copy(), player, rng, preferences)
        return _whole_number(label, answer)

    def ask(context, position, free, player, rng, preferences):
        with numba.objmode(result="int64"):
            result = call(context, position, free, player, rng, preferences)
        return result

    return call if JIT_DISABLED else ask


def ask_leaf(label: str, function: Callable[..., Any]) -> Any:
    """Return the wrapper of a user's Python function that evaluates leaves, see `context.leaf_signature`."""

    def call(context, positions, count, shares):
        with _lend_copies(shares) as (shares,):
            function(
                context,
                Positions._make(array[:count].copy() for array in positions),
                count,
                shares,
            )
        return 0

    def ask(context, positions, count, shares):
        with numba.objmode(result="int64"):
            result = call(context, positions, count, shares)
        return result

    return call if JIT_DISABLED else ask


def ask_prior(label: str, function: Callable[..., Any]) -> Any:
    """Return the wrapper of a user's Python function that gives turns prior weights, see `context.prior_signature`."""

    def call(context, position, player, turns, count, likely):
        with _lend_copies(likely) as (likely,):
            turns_copy = TurnSet(*(array[:count].copy() for array in turns))
            function(context, copied(position), player, turns_copy, count, likely)
        return 0

    def ask(context, position, player, turns, count, likely):
        with numba.objmode(result="int64"):
            result = call(context, position, player, turns, count, likely)
        return result

    return call if JIT_DISABLED else ask
