"""Users' functions as kernels take them: what they return is checked, and what they raise ends the kernel.

A function gets copies of the position, and those that give turns are not asked for players without regions. Where one
fails, `engine.raised` keeps the exception, and the kernel gets something harmless until it comes to an end.
"""

from __future__ import annotations

import contextlib
import dis
import operator
from collections.abc import Callable, Iterator
from typing import Any, Final

import numba
import numpy as np
import numpy.typing as npt
from numba.core import types
from numba.core.cpu_options import FastMathOptions
from numba.core.errors import NumbaError
from numba.extending import intrinsic

from warlight_env.agents.context import Context
from warlight_env.agents.generator_work import TurnSet
from warlight_env.agents.standing import holds_regions
from warlight_env.agents.turn_faults import TEXTS, turn_fault
from warlight_env.engine.jit import JIT_DISABLED, kernel, pointer, pointer_options, protected
from warlight_env.engine.kernel_types import Int, Marks, Regions
from warlight_env.engine.position import Position, Positions, copied, copy_position, laid_out
from warlight_env.engine.raised import attempt_3, attempt_4, attempt_5, attempt_6, attempt_7, failed
from warlight_env.engine.stack import stack_armies, stack_owners
from warlight_env.errors import InputError

#: Faults of a function's answer, beside those of `turn_faults`.
_SHARE: Final = -1
_TURNS: Final = -2
_WISHES: Final = -3
_WISH: Final = -4
_CLOSED: Final = -5
_TWICE: Final = -6
_PART: Final = -7
_SUM: Final = -8
_LIKELY: Final = -9

#: By how much rounding may bring a share out of [0, 1], and by how much the sum of float32 shares away from 1.
_SLACK: Final = 1e-9
_SUM_SLACK: Final = 1e-3

#: The most that a prior may say of a turn: sums of such are numbers.
_MOST_LIKELY: Final = 1e300


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
    _PART: "position {place}: {value} for player {bound}, and a share lies in 0 .. 1",
    _SUM: "position {place}: the shares of {bound} players add up to {value}, not to 1",
    _LIKELY: "turn {place}: {value}, and how likely it is must be a number from 0 up",
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
def _turns_fault(context: Context, position: Position, player: Int, turns: TurnSet, count: Int) -> Any:
    """(fault, turn, place, value, bound) of a generator's turns; 0 where there is none."""
    none, most = np.int64(-1), np.int64(turns.counts.shape[0])
    if not 1 <= count <= most:
        return np.int64(_TURNS), none, none, np.float64(count), most
    for t in range(count):
        fault, place, value, bound = turn_fault(
            context, position, player, turns.deploy[t], turns.attacks[t], turns.counts[t]
        )
        if fault != 0:
            return fault, np.int64(t), place, np.float64(value), bound
    return np.int64(0), none, none, 0.0, none


@kernel
def _wishes_fault(free: Marks, wishes: Regions, count: Int) -> Any:
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


@kernel
def _clear_turns(turns: TurnSet, count: Int) -> None:
    """Make something harmless of turns."""
    for t in range(count):
        turns.counts[t] = 0
        for r in range(turns.deploy.shape[1]):
            turns.deploy[t, r] = 0


@kernel
def _shares_fault(players: Int, count: Int, shares: npt.NDArray[np.float64]) -> Any:
    """(fault, place, value, bound) of shares, float64[L, P], of the first `count` positions; 0 where there is none."""
    none = np.int64(0)
    for k in range(count):
        total = 0.0
        for p in range(players):
            if not -_SLACK <= shares[k, p] <= 1.0 + _SLACK:
                return np.int64(_PART), np.int64(k), shares[k, p], np.int64(p)
            total += shares[k, p]
        if abs(total - 1.0) > _SUM_SLACK:
            return np.int64(_SUM), np.int64(k), total, np.int64(players)
    return none, none, 0.0, none


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
    def guarded(context, position, player):
        if not failed():
            own = laid_out(position.owner.shape[0], stack_owners(), stack_armies())
            copy_position(position, own)
            well, answer = attempt_3(label, ask, context, own, player)
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
    def guarded(context, position, player, rng, work, turns):
        n = position.owner.shape[0]
        if holds_regions(position.owner, player) and not failed():
            own = laid_out(n, stack_owners(), stack_armies())
            copy_position(position, own)
            well, answer = attempt_6(label, ask, context, own, player, rng, work, turns)
            if well:
                count = _number(answer)
                fault, turn, place, value, bound = _turns_fault(context, position, player, turns, count)
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
    def guarded(context, position, player, rng, work, deploy, attacks):
        n = position.owner.shape[0]
        if holds_regions(position.owner, player) and not failed():
            own = laid_out(n, stack_owners(), stack_armies())
            copy_position(position, own)
            well, answer = attempt_7(label, ask, context, own, player, rng, work, deploy, attacks)
            if well:
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
    refuse, none = _refusing(label), np.int64(-1)

    @_uncounted
    def guarded(context, position, free, player, rng, wishes):
        if not failed():
            n = position.owner.shape[0]
            own, own_free = laid_out(n, stack_owners(), stack_armies()), stack_owners()[:n]
            copy_position(position, own)
            for r in range(n):
                own_free[r] = free[r]
            well, answer = attempt_6(label, ask, context, own, own_free, player, rng, wishes)
            if well:
                count = _number(answer)
                fault, place, value, bound = _wishes_fault(free, wishes, count)
                if fault == 0:
                    return count
                attempt_5(label, refuse, fault, none, place, np.float64(value), bound)
        return np.int64(0)

    return guarded


def _guarded_leaf(label: str, ask: Any) -> Any:
    refuse, none = _refusing(label), np.int64(-1)

    @_uncounted
    def guarded(context, positions, count, shares):
        if not failed():
            well, _ = attempt_4(label, ask, context, positions, count, shares)
            if well:
                fault, place, value, bound = _shares_fault(context.players, count, shares)
                if fault == 0:
                    return np.int64(0)
                attempt_5(label, refuse, fault, none, place, value, bound)
        for k in range(count):
            for p in range(context.players):
                shares[k, p] = 1.0 / context.players
        return np.int64(0)

    return guarded


def _guarded_prior(label: str, ask: Any) -> Any:
    refuse, none = _refusing(label), np.int64(-1)

    @_uncounted
    def guarded(context, position, player, turns, count, likely):
        if not failed():
            own = laid_out(position.owner.shape[0], stack_owners(), stack_armies())
            copy_position(position, own)
            well, _ = attempt_6(label, ask, context, own, player, turns, count, likely)
            if well:
                wrong = np.int64(-1)
                for j in range(count - 1, -1, -1):
                    if not 0.0 <= likely[j] <= _MOST_LIKELY:
                        wrong = np.int64(j)
                fault, turn, place, value, bound = _turns_fault(context, position, player, turns, count)
                if wrong < 0 and fault == 0:
                    return np.int64(0)
                if wrong >= 0:
                    attempt_5(label, refuse, np.int64(_LIKELY), none, wrong, likely[wrong], none)
                else:  # they are the search's own, and it may have written to them
                    attempt_5(label, refuse, fault, turn, place, value, bound)
                    _clear_turns(turns, count)
        for j in range(count):
            likely[j] = 1.0
        return np.int64(0)

    return guarded


_GUARDED: Final = {
    "evaluation": _guarded_evaluation,
    "generator": _guarded_generator,
    "policy": _guarded_policy,
    "picker": _guarded_picker,
    "leaf": _guarded_leaf,
    "prior": _guarded_prior,
}


def guarded(kind: str, signature: Any, function: Callable[..., Any], label: str) -> Any:
    """A pointer to a user's function of a kind that Numba can compile; raises Numba's errors where it cannot.

    Its own indices are checked, unless it is compiled with ``boundscheck=False``. One that always raises runs in the
    interpreter, as Numba has no type for what it returns.
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
    if kind in ("leaf", "prior"):
        raise failure
    known, wanted = (_NUMBERS, "number") if kind == "evaluation" else (types.Integer, "whole number")
    if isinstance(answer, known):
        raise failure
    if not any(step.opname in ("RETURN_VALUE", "RETURN_CONST") for step in dis.get_instructions(body)):
        return interpreted(kind, signature, body, label)
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
    def call(context, position, player):
        return _said(label, function(context, copied(position), player))

    def ask(context, position, player):
        with numba.objmode(result="float64"):
            result = call(context, position, player)
        return result

    return call if JIT_DISABLED else ask


def _interpreted_generator(label: str, function: Callable[..., Any]) -> Any:
    def call(context, position, player, rng, work, turns):
        with _lent(rng, *turns) as (rng, *own):
            answer = function(context, copied(position), player, rng, work, TurnSet(*own))
        return _counted(label, answer)

    def ask(context, position, player, rng, work, turns):
        with numba.objmode(result="int64"):
            result = call(context, position, player, rng, work, turns)
        return result

    return call if JIT_DISABLED else ask


def _interpreted_policy(label: str, function: Callable[..., Any]) -> Any:
    def call(context, position, player, rng, work, deploy, attacks):
        with _lent(rng, deploy, attacks) as (rng, deploy, attacks):
            answer = function(context, copied(position), player, rng, work, deploy, attacks)
        return _counted(label, answer)

    def ask(context, position, player, rng, work, deploy, attacks):
        with numba.objmode(result="int64"):
            result = call(context, position, player, rng, work, deploy, attacks)
        return result

    return call if JIT_DISABLED else ask


def _interpreted_picker(label: str, function: Callable[..., Any]) -> Any:
    def call(context, position, free, player, rng, wishes):
        with _lent(rng, wishes) as (rng, wishes):
            answer = function(context, copied(position), free.copy(), player, rng, wishes)
        return _counted(label, answer)

    def ask(context, position, free, player, rng, wishes):
        with numba.objmode(result="int64"):
            result = call(context, position, free, player, rng, wishes)
        return result

    return call if JIT_DISABLED else ask


def _interpreted_leaf(label: str, function: Callable[..., Any]) -> Any:
    def call(context, positions, count, shares):
        with _lent(shares) as (shares,):
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


def _interpreted_prior(label: str, function: Callable[..., Any]) -> Any:
    def call(context, position, player, turns, count, likely):
        with _lent(likely) as (likely,):
            own = TurnSet(*(array[:count].copy() for array in turns))
            function(context, copied(position), player, own, count, likely)
        return 0

    def ask(context, position, player, turns, count, likely):
        with numba.objmode(result="int64"):
            result = call(context, position, player, turns, count, likely)
        return result

    return call if JIT_DISABLED else ask


_INTERPRETED: Final = {
    "evaluation": _interpreted_evaluation,
    "generator": _interpreted_generator,
    "policy": _interpreted_policy,
    "picker": _interpreted_picker,
    "leaf": _interpreted_leaf,
    "prior": _interpreted_prior,
}
