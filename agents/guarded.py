"""Users' functions as kernels take them: what they return is checked, and what they raise ends the kernel.

A function gets copies of the position, and those that give turns are not asked for players without regions. Where one
fails, `engine.raised` keeps the exception, and the kernel gets something harmless until it comes to an end.
"""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Callable, Iterator
from typing import Any, Final

import numba
import numpy as np
from numba.core import types
from numba.core.cpu_options import FastMathOptions
from numba.core.errors import NumbaError
from numba.extending import intrinsic

from warlight_env.agents.generators.work import TurnSet
from warlight_env.agents.standing import holds_regions
from warlight_env.agents.turn_faults import TEXTS, turn_fault
from warlight_env.engine.jit import JIT_DISABLED, kernel, pointer, pointer_options, protected
from warlight_env.engine.raised import attempt_5, attempt_6, attempt_7, attempt_10, attempt_11, failed
from warlight_env.engine.stack import stack_armies, stack_owners
from warlight_env.errors import InputError

#: Faults of a function's answer, beside those of `turn_faults`.
_SHARE: Final = -1
_TURNS: Final = -2
_WISHES: Final = -3
_WISH: Final = -4
_CLOSED: Final = -5
_TWICE: Final = -6

#: By how much rounding may bring a share out of [0, 1].
_SLACK: Final = 1e-9


class PlugInError(InputError):
    """A function that does not fit its kind, or whose answer is none; the message names it, the place and the value."""


class AnswerError(PlugInError):
    """What a function of a user's returned or wrote cannot be."""

    def __init__(self, label: str, fault: int, turn: int, place: int, value: float, bound: int) -> None:
        where = f"turn {turn}: " if turn >= 0 else ""
        super().__init__(f"{label}: {where}{_TEXTS[fault].format(place=place, value=value, bound=bound)}")

    def __reduce__(self) -> tuple[type[PlugInError], tuple[str]]:
        return PlugInError, (str(self),)


_TEXTS: Final = TEXTS | {
    _SHARE: "returned {value}, and a share lies in 0 .. 1",
    _TURNS: "returned {value:.0f}, and the number of turns is 1 .. {bound}",
    _WISHES: "returned {value:.0f}, and the number of wishes is 0 .. {bound}",
    _WISH: "wish {place}: region {value:.0f}, and regions are 0 .. {bound}",
    _CLOSED: "wish {place}: region {value:.0f} is not free",
    _TWICE: "wish {place}: region {value:.0f} is wished for twice",
}


#: Fast mathematics that does not take for granted that there are no NaN and no infinity.
_SOUND_FLAGS: Final = {"nsz", "arcp", "contract", "afn", "reassoc"}

#: What Numba may find that a function returns.
_NUMBERS: Final = (types.Float, types.Integer, types.Boolean)

if JIT_DISABLED:
    _share: Any = float
    _number: Any = operator.index
else:

    @intrinsic
    def _share(_, answer):
        """What an evaluation returned, as a float."""

        def generate(context, builder, signature, arguments):
            return context.cast(builder, arguments[0], signature.args[0], types.float64)

        return (types.float64(answer), generate) if isinstance(answer, _NUMBERS) else None

    @intrinsic
    def _number(_, answer):
        """What another function returned, if that is a whole number."""

        def generate(context, builder, signature, arguments):
            return context.cast(builder, arguments[0], signature.args[0], types.int64)

        return (types.int64(answer), generate) if isinstance(answer, types.Integer) else None


@kernel
def _copied(owner, army, owner_copy, army_copy):
    for r in range(owner.shape[0]):
        owner_copy[r], army_copy[r] = owner[r], army[r]


@kernel
def _turns_fault(board, params, owner, army, player, turns, count):
    """(fault, turn, place, value, bound) of a generator's turns; 0 where there is none."""
    none, most = np.int64(-1), np.int64(turns.counts.shape[0])
    if not 1 <= count <= most:
        return np.int64(_TURNS), none, none, np.float64(count), most
    for t in range(count):
        fault, place, value, bound = turn_fault(
            board, params, owner, army, player, turns.deploy[t], turns.attacks[t], turns.counts[t]
        )
        if fault != 0:
            return fault, np.int64(t), place, np.float64(value), bound
    return np.int64(0), none, none, 0.0, none


@kernel
def _wishes_fault(free, wishes, count):
    """(fault, place, value, bound) of wishes, int32[N], for regions with free[r] != 0; 0 where there is none."""
    none, n = np.int64(0), np.int64(free.shape[0])
    if not 0 <= count <= n:
        return np.int64(_WISHES), none, np.int64(count), n
    for i in range(count):
        region, place = np.int64(wishes[i]), np.int64(i)
        if not 0 <= region < n:
            return np.int64(_WISH), place, region, n - 1
        if free[region] == 0:
            return np.int64(_CLOSED), place, region, none
        for k in range(i):
            if wishes[k] == region:
                return np.int64(_TWICE), place, region, none
    return np.int64(0), none, none, none


def _uncounted(function: Callable[..., Any]) -> Any:
    """A layer between a kernel and a user's function: without reference counts, as kernels are."""
    return function if JIT_DISABLED else numba.njit(nogil=True, error_model="numpy", _nrt=False)(function)


def _refusing(label: str) -> Any:
    """Raises `AnswerError`, in compiled code."""

    def refuse(fault, turn, place, value, bound):
        if fault != 0:
            raise AnswerError(label, fault, turn, place, value, bound)
        return 0

    # An exception with values needs reference counts.
    return refuse if JIT_DISABLED else numba.njit(nogil=True, _nrt=True)(refuse)


def _guarded_evaluation(label: str, ask: Any) -> Any:
    refuse, none = _refusing(label), np.int64(-1)

    @_uncounted
    def guarded(board, evaluation, owner, army, player, players):
        if not failed():
            n = owner.shape[0]
            owner_copy, army_copy = stack_owners()[:n], stack_armies()[:n]
            _copied(owner, army, owner_copy, army_copy)
            well, answer = attempt_6(label, ask, board, evaluation, owner_copy, army_copy, player, players)
            if well:
                share = _share(answer)
                if -_SLACK <= share <= 1.0 + _SLACK:
                    return min(max(share, 0.0), 1.0)
                attempt_5(label, refuse, _SHARE, none, none, share, none)
        return 0.5

    return guarded


def _guarded_generator(label: str, ask: Any) -> Any:
    refuse = _refusing(label)

    @_uncounted
    def guarded(board, params, evaluation, owner, army, player, ways, rng, work, turns):
        n = owner.shape[0]
        if holds_regions(owner, player) and not failed():
            owner_copy, army_copy = stack_owners()[:n], stack_armies()[:n]
            _copied(owner, army, owner_copy, army_copy)
            well, answer = attempt_10(
                label, ask, board, params, evaluation, owner_copy, army_copy, player, ways, rng, work, turns
            )
            if well:
                count = _number(answer)
                fault, turn, place, value, bound = _turns_fault(board, params, owner, army, player, turns, count)
                if fault == 0:
                    return count
                attempt_5(label, refuse, fault, turn, place, value, bound)
        for r in range(n):
            turns.deploy[0, r] = 0
        turns.counts[0] = 0
        return np.int64(1)

    return guarded


def _guarded_policy(label: str, ask: Any) -> Any:
    refuse, none = _refusing(label), np.int64(-1)

    @_uncounted
    def guarded(board, params, evaluation, owner, army, player, ways, rng, work, deploy, attacks):
        n = owner.shape[0]
        if holds_regions(owner, player) and not failed():
            owner_copy, army_copy = stack_owners()[:n], stack_armies()[:n]
            _copied(owner, army, owner_copy, army_copy)
            well, answer = attempt_11(
                label, ask, board, params, evaluation, owner_copy, army_copy, player, ways, rng, work, deploy, attacks
            )
            if well:
                count = _number(answer)
                fault, place, value, bound = turn_fault(board, params, owner, army, player, deploy, attacks, count)
                if fault == 0:
                    return count
                attempt_5(label, refuse, fault, none, place, np.float64(value), bound)
        for r in range(n):
            deploy[r] = 0
        return np.int64(0)

    return guarded


def _guarded_picker(label: str, ask: Any) -> Any:
    refuse, none = _refusing(label), np.int64(-1)

    @_uncounted
    def guarded(board, evaluation, owner, free, player, rng, wishes):
        if not failed():
            n = owner.shape[0]
            owner_copy, free_copy = stack_owners()[:n], stack_owners()[:n]
            for r in range(n):
                owner_copy[r], free_copy[r] = owner[r], free[r]
            well, answer = attempt_7(label, ask, board, evaluation, owner_copy, free_copy, player, rng, wishes)
            if well:
                count = _number(answer)
                fault, place, value, bound = _wishes_fault(free, wishes, count)
                if fault == 0:
                    return count
                attempt_5(label, refuse, fault, none, place, np.float64(value), bound)
        return np.int64(0)

    return guarded


_GUARDED: Final = {
    "evaluation": _guarded_evaluation,
    "generator": _guarded_generator,
    "policy": _guarded_policy,
    "picker": _guarded_picker,
}


def guarded(kind: str, signature: Any, function: Callable[..., Any], label: str) -> Any:
    """A pointer to a user's function of a kind that Numba can compile; raises Numba's errors where it cannot.

    Its own indices are checked, unless it is compiled with ``boundscheck=False``.
    """
    body = getattr(function, "py_func", function)
    if JIT_DISABLED:
        return _GUARDED[kind](label, body)
    options = pointer_options(function)
    options["boundscheck"] = options.get("boundscheck") is not False
    options["fastmath"] = _sound(options.get("fastmath", False))
    ask = numba.njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, **options)(body)
    try:
        # Not kept: what it comes to depends on the values of its globals, and on functions in other files.
        return pointer(signature, _GUARDED[kind](label, ask), cached=False)
    except NumbaError as error:
        failure = error
    ask.compile(
        tuple(map(protected, signature.args))
    )  # where the fault is in the function itself, this says so in fewer words
    answer = ask.nopython_signatures[0].return_type
    known, wanted = (_NUMBERS, "number") if kind == "evaluation" else (types.Integer, "whole number")
    if isinstance(answer, known):
        raise failure
    raise PlugInError(f"{label}: returns {answer}, not a {wanted}")


def _sound(fastmath: Any) -> set[str]:
    """What is left of a function's fast mathematics, so that its answer can be looked at."""
    flags = FastMathOptions(fastmath).flags
    return _SOUND_FLAGS if "fast" in flags else _SOUND_FLAGS & flags


def interpreted(kind: str, signature: Any, function: Callable[..., Any], label: str) -> Any:
    """A pointer to a user's function that runs in the interpreter."""
    if JIT_DISABLED:
        return _GUARDED[kind](label, _INTERPRETED[kind](label, function))
    ask = numba.njit(_INTERPRETED[kind](label, function))
    ask.compile(tuple(map(protected, signature.args)))
    return pointer(signature, _GUARDED[kind](label, ask), cached=False)


def _said(label: str, answer: Any) -> float:
    """What an evaluation in Python returned."""
    try:
        value = np.asarray(answer)
    except ValueError:  # lists of several lengths, or in too many lists
        value = np.zeros(0)
    if value.ndim or value.dtype.kind not in "biuf":
        raise PlugInError(f"{label}: returned {answer!r:.80}, not a number")
    return float(value)


def _counted(label: str, answer: Any) -> int:
    """What another function in Python returned, as far as 64 bits tell."""
    try:
        return min(max(operator.index(answer), -(2**63)), 2**63 - 1)
    except TypeError:
        raise PlugInError(f"{label}: returned {answer!r:.80}, not a whole number") from None


# What a function in Python gets to read of the position and to write is in memory of its own, which it may keep: ours
# may be gone by then. The other arguments are records that Python holds as a whole.


@contextlib.contextmanager
def _lent(*arrays: Any) -> Iterator[list[Any]]:
    """Copies of arrays, whose content becomes theirs."""
    copies = [array.copy() for array in arrays]
    yield copies
    for array, copy in zip(arrays, copies, strict=True):
        array[...] = copy


def _interpreted_evaluation(label: str, function: Callable[..., Any]) -> Any:
    def call(board, evaluation, owner, army, player, players):
        return _said(label, function(board, evaluation, owner.copy(), army.copy(), player, players))

    def ask(board, evaluation, owner, army, player, players):
        with numba.objmode(result="float64"):
            result = call(board, evaluation, owner, army, player, players)
        return result

    return call if JIT_DISABLED else ask


def _interpreted_generator(label: str, function: Callable[..., Any]) -> Any:
    def call(board, params, evaluation, owner, army, player, ways, rng, work, turns):
        with _lent(rng, *turns) as (rng, *own):
            answer = function(
                board, params, evaluation, owner.copy(), army.copy(), player, ways, rng, work, TurnSet(*own)
            )  # fmt: skip
        return _counted(label, answer)

    def ask(board, params, evaluation, owner, army, player, ways, rng, work, turns):
        with numba.objmode(result="int64"):
            result = call(board, params, evaluation, owner, army, player, ways, rng, work, turns)
        return result

    return call if JIT_DISABLED else ask


def _interpreted_policy(label: str, function: Callable[..., Any]) -> Any:
    def call(board, params, evaluation, owner, army, player, ways, rng, work, deploy, attacks):
        with _lent(rng, deploy, attacks) as (rng, deploy, attacks):
            answer = function(
                board, params, evaluation, owner.copy(), army.copy(), player, ways, rng, work, deploy, attacks
            )  # fmt: skip
        return _counted(label, answer)

    def ask(board, params, evaluation, owner, army, player, ways, rng, work, deploy, attacks):
        with numba.objmode(result="int64"):
            result = call(board, params, evaluation, owner, army, player, ways, rng, work, deploy, attacks)
        return result

    return call if JIT_DISABLED else ask


def _interpreted_picker(label: str, function: Callable[..., Any]) -> Any:
    def call(board, evaluation, owner, free, player, rng, wishes):
        with _lent(rng, wishes) as (rng, wishes):
            answer = function(board, evaluation, owner.copy(), free.copy(), player, rng, wishes)
        return _counted(label, answer)

    def ask(board, evaluation, owner, free, player, rng, wishes):
        with numba.objmode(result="int64"):
            result = call(board, evaluation, owner, free, player, rng, wishes)
        return result

    return call if JIT_DISABLED else ask


_INTERPRETED: Final = {
    "evaluation": _interpreted_evaluation,
    "generator": _interpreted_generator,
    "policy": _interpreted_policy,
    "picker": _interpreted_picker,
}
