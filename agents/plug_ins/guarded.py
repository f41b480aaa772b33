"""Wrappers through which kernels call users' functions: they check each result, and stop after an exception.

A user's function gets a copy of the position. Functions that return turns are not called for players without regions.
If a function fails, `engine.callback_errors` stores the exception. The kernel then runs to its end with valid
placeholder values instead of the function's results.
"""

from __future__ import annotations

import dis
import functools
import operator
from collections.abc import Callable
from typing import Any, Final

import numba
import numpy as np
from numba.core import types
from numba.core.cpu_options import FastMathOptions
from numba.core.errors import NumbaError
from numba.extending import intrinsic

from warlight_env.agents.evaluation.game_outcome import holds_regions
from warlight_env.agents.plug_ins.answer_faults import (
    AnswerError,
    PlugInError,
    likely_fault,
    preferences_fault,
    shares_fault,
    turn_fault,
    turns_fault,
)
from warlight_env.agents.plug_ins.interpreted import compilable, in_python
from warlight_env.agents.records.generator_work import TurnSet
from warlight_env.engine.callback_errors import attempt_3, attempt_4, attempt_5, attempt_6, attempt_7, failed
from warlight_env.engine.jit import JIT_DISABLED, kernel, pointer, pointer_options, protected
from warlight_env.engine.kernel_types import Int
from warlight_env.engine.position import copy_position, laid_out
from warlight_env.engine.stack import stack_armies, stack_floats, stack_owners

#: The flags of fast mathematics under which checks for NaN and infinity still work.
_SOUND_FLAGS: Final = {"nsz", "arcp", "contract", "afn", "reassoc"}

if JIT_DISABLED:
    _number: Any = operator.index
else:

    @intrinsic
    def _number(_, answer):
        """Return a function's result as int64; compilation fails if the result is not a whole number."""

        def generate(context, builder, signature, arguments):
            return context.cast(builder, arguments[0], signature.args[0], types.int64)

        return (types.int64(answer), generate) if isinstance(answer, types.Integer) else None


@kernel
def _clear_turns(turns: TurnSet, count: Int) -> None:
    """Replace the first `count` turns by turns without orders."""
    for t in range(count):
        turns.counts[t] = 0
        for r in range(turns.deploy.shape[1]):
            turns.deploy[t, r] = 0


def _uncounted(function: Callable[..., Any]) -> Any:
    """Compile a wrapper with the same Numba options as kernels, without reference counting."""
    return function if JIT_DISABLED else numba.njit(nogil=True, error_model="numpy", _nrt=False)(function)


@functools.lru_cache(maxsize=64)
def _make_refuse(label: str) -> Any:
    """Return a function that raises `AnswerError` in compiled code.

    The returned functions are cached by `label`, which saves a tenth of a second of compilation for each further search
    with the same functions.
    """

    def refuse(fault, number, place, value, bound):
        if fault != 0:
            raise AnswerError(label, fault, number, place, value, bound)
        return 0

    # Compiled code needs reference counts to raise an exception with arguments.
    return refuse if JIT_DISABLED else numba.njit(nogil=True, _nrt=True)(refuse)


def _guarded_evaluation(label: str, ask: Any) -> Any:
    refuse, none = _make_refuse(label), np.int64(-1)

    @_uncounted
    def guarded(context, position, shares):
        players = context.players
        if not failed():
            position_copy = laid_out(position.owner.shape[0], stack_owners(), stack_armies())
            copy_position(position, position_copy)
            written_shares = stack_floats()[:players]
            for p in range(players):
                written_shares[p] = np.nan
            succeeded, _ = attempt_3(label, ask, context, position_copy, written_shares)
            if succeeded:
                fault, value, bound = shares_fault(players, written_shares)
                if fault == 0:
                    for p in range(players):
                        shares[p] = min(max(written_shares[p], 0.0), 1.0)
                    return np.int64(0)
                attempt_5(label, refuse, fault, none, none, value, bound)
        for p in range(players):
            shares[p] = 1.0 / players
        return np.int64(0)

    return guarded


def _guarded_generator(label: str, ask: Any) -> Any:
    refuse = _make_refuse(label)

    @_uncounted
    def guarded(context, position, player, rng, work, turns):
        n = position.owner.shape[0]
        if holds_regions(position.owner, player) and not failed():
            position_copy = laid_out(n, stack_owners(), stack_armies())
            copy_position(position, position_copy)
            succeeded, answer = attempt_6(label, ask, context, position_copy, player, rng, work, turns)
            if succeeded:
                count = _number(answer)
                fault, turn, place, value, bound = turns_fault(context, position, player, turns, count)
                if fault == 0:
                    return count
                attempt_5(label, refuse, fault, turn, place, value, bound)
        for r in range(n):
            turns.deploy[0, r] = 0
        turns.counts[0] = 0
        return np.int64(1)

    return guarded


def _guarded_policy(label: str, ask: Any) -> Any:
    refuse, none = _make_refuse(label), np.int64(-1)

    @_uncounted
    def guarded(context, position, player, rng, work, deploy, attacks):
        n = position.owner.shape[0]
        if holds_regions(position.owner, player) and not failed():
            position_copy = laid_out(n, stack_owners(), stack_armies())
            copy_position(position, position_copy)
            succeeded, answer = attempt_7(label, ask, context, position_copy, player, rng, work, deploy, attacks)
            if succeeded:
                count = _number(answer)
                fault, place, value, bound = turn_fault(context, position, player, deploy, attacks, count)
                if fault == 0:
                    return count
                attempt_5(label, refuse, fault, none, place, np.float64(value), bound)
        for r in range(n):
            deploy[r] = 0
        return np.int64(0)

    return guarded


def _guarded_picker(label: str, ask: Any) -> Any:
    refuse, none = _make_refuse(label), np.int64(-1)

    @_uncounted
    def guarded(context, position, free, player, rng, preferences):
        if not failed():
            n = position.owner.shape[0]
            position_copy, free_copy = laid_out(n, stack_owners(), stack_armies()), stack_owners()[:n]
            copy_position(position, position_copy)
            for r in range(n):
                free_copy[r] = free[r]
            succeeded, answer = attempt_6(label, ask, context, position_copy, free_copy, player, rng, preferences)
            if succeeded:
                count = _number(answer)
                fault, place, value, bound = preferences_fault(free, preferences, count)
                if fault == 0:
                    return count
                attempt_5(label, refuse, fault, none, place, np.float64(value), bound)
        return np.int64(0)

    return guarded


def _guarded_leaf(label: str, ask: Any) -> Any:
    refuse, none = _make_refuse(label), np.int64(-1)

    @_uncounted
    def guarded(context, positions, count, shares):
        succeeded = not failed()
        if succeeded:
            succeeded, _ = attempt_4(label, ask, context, positions, count, shares)
        for k in range(count if succeeded else 0):
            fault, value, bound = shares_fault(context.players, shares[k])
            if fault != 0:
                attempt_5(label, refuse, fault, np.int64(k), none, value, bound)
                succeeded = False
                break
        for k in range(0 if succeeded else count):
            for p in range(context.players):
                shares[k, p] = 1.0 / context.players
        return np.int64(0)

    return guarded


def _guarded_prior(label: str, ask: Any) -> Any:
    refuse, none = _make_refuse(label), np.int64(-1)

    @_uncounted
    def guarded(context, position, player, turns, count, likely):
        if not failed():
            position_copy = laid_out(position.owner.shape[0], stack_owners(), stack_armies())
            copy_position(position, position_copy)
            succeeded, _ = attempt_6(label, ask, context, position_copy, player, turns, count, likely)
            if succeeded:
                prior_fault, place, value, bound = likely_fault(count, likely)
                fault, turn, turn_place, turn_value, turn_bound = turns_fault(context, position, player, turns, count)
                if prior_fault == 0 and fault == 0:
                    return np.int64(0)
                if prior_fault != 0:
                    attempt_5(label, refuse, prior_fault, none, place, value, bound)
                else:  # the function has damaged the search's turns
                    attempt_5(label, refuse, fault, turn, turn_place, turn_value, turn_bound)
                    _clear_turns(turns, count)
        for j in range(count):
            likely[j] = 1.0
        return np.int64(0)

    return guarded


#: For each kind of plug-in function, the function that makes its wrapper from a label and a compiled function. The
#: module `functions` lists the kinds.
_GUARDS: Final = {
    "evaluation": _guarded_evaluation,
    "generator": _guarded_generator,
    "policy": _guarded_policy,
    "picker": _guarded_picker,
    "leaf": _guarded_leaf,
    "prior": _guarded_prior,
}
#: The kinds of functions that must return a whole number; the return values of other functions are not used.
_COUNTING: Final = ("generator", "policy", "picker")


def guarded(kind: str, signature: Any, function: Callable[..., Any], label: str) -> Any:
    """Compile a user's function and its wrapper, and return a pointer to the wrapper.

    If Numba cannot compile the function, Numba's error is raised. Array indices in the function are checked, unless the
    user compiled it with ``boundscheck=False``. A function that always raises an exception runs in the interpreter,
    because Numba has no type for its result.
    """
    body = getattr(function, "py_func", function)
    if JIT_DISABLED:
        return _GUARDS[kind](label, body)
    options = pointer_options(function)
    options["boundscheck"] = options.get("boundscheck") is not False
    options["fastmath"] = _sound(options.get("fastmath", False))
    ask = numba.njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, **options)(body)
    try:
        # The code is not cached, because it depends on the values of globals and on functions in other files.
        return pointer(signature, _GUARDS[kind](label, ask), cached=False)
    except NumbaError as error:
        failure = error
    # Compile the function without its wrapper: if the fault is in the function, this error has a shorter message.
    ask.compile(tuple(map(protected, signature.args)))
    answer = ask.nopython_signatures[0].return_type
    if kind not in _COUNTING or isinstance(answer, types.Integer):
        raise failure
    if not any(step.opname in ("RETURN_VALUE", "RETURN_CONST") for step in dis.get_instructions(body)):
        return interpreted(kind, signature, body, label)
    raise PlugInError(f"{label}: returns {answer}, not a whole number")


def _sound(fastmath: Any) -> set[str]:
    """Return a function's LLVM fast-math flags without the flags that would break checks for NaN and infinity."""
    flags = FastMathOptions(fastmath).flags
    return _SOUND_FLAGS if "fast" in flags else _SOUND_FLAGS & flags


def interpreted(kind: str, signature: Any, function: Callable[..., Any], label: str) -> Any:
    """Return a pointer to the wrapper of a user's function that runs in the interpreter."""
    if JIT_DISABLED:
        return _GUARDS[kind](label, in_python(kind, label, function))
    ask = numba.njit(compilable(in_python(kind, label, function), len(signature.args)))
    ask.compile(tuple(map(protected, signature.args)))
    return pointer(signature, _GUARDS[kind](label, ask), cached=False)
