"""Functions for the search that follow a script: correct or wrong, out of range, or with an error.

There is one compiled function of each kind. A table determines from which call on it changes arrays, and what it
returns or raises. Other objects, such as non-functions or functions with other parameters, are passed unchanged.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from typing import Any, Final

import llvmlite.binding
import numba
import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from fuzz.target import Data
from plain_turns import plain_turn
from warlight_env.agents.plug_ins.guarded import PlugInError

#: Maximum number of array changes in a table.
WRITES: Final = 6
#: Indices into the table: number of calls, first call for which the script is valid, whether it sets the result, the
#: result, whether it raises, number of array changes. Then follow (array, index, index, number) for each change. All
#: are floats.
CALLS, FROM, ANSWERS, ANSWER, RAISES, COUNT, HEAD = range(7)
TABLE: Final = np.zeros(HEAD + 4 * WRITES)
llvmlite.binding.add_symbol("warlight_fuzz_table", TABLE.ctypes.data)
#: Numbers of the arrays that compiled functions change, and these arrays by kind of function.
OWNER, ARMY, ROUND, RNG, COUNTS, DEPLOY, ATTACKS, VALUE, FREE, WISHES, SHARE = range(11)
ARRAYS: Final = {
    "evaluation": (OWNER, ARMY, ROUND, SHARE),
    "generator": (OWNER, ARMY, ROUND, RNG, COUNTS, COUNTS, DEPLOY, DEPLOY, ATTACKS, ATTACKS, ATTACKS, VALUE, FREE),
    "policy": (OWNER, ARMY, ROUND, RNG, DEPLOY, DEPLOY, ATTACKS, ATTACKS, ATTACKS, VALUE, FREE),
    "picker": (OWNER, ARMY, ROUND, FREE, RNG, WISHES, WISHES, WISHES),
}


class ScriptedError(Exception):
    """The error that compiled functions raise if their table says so."""


class Nasty:
    """A result with conversions and a `repr` that raise errors."""

    def __repr__(self) -> str:
        raise ScriptedError("no name")

    def __array__(self, *arguments: Any, **names: Any) -> Any:
        raise ScriptedError("no array")

    def __index__(self) -> int:
        raise ScriptedError("no index")

    def __float__(self) -> float:
        raise ScriptedError("no float")


class Loud:
    """A result with a `repr` of terminal control codes, and an invalid index."""

    def __repr__(self) -> str:
        return "\x1b[31m\n" * 5000

    def __index__(self) -> Any:
        return "5"


class MuteError(Exception):
    """An exception that cannot be printed."""

    def __str__(self) -> str:
        raise ScriptedError("no words")

    __repr__ = __str__


class StubbornError(Exception):
    """An exception that rejects notes."""

    def add_note(self, note: str) -> None:
        raise ScriptedError("no notes")


#: Errors and results of Python functions, by name.
RAISED: Final[dict[str, Any]] = {
    "told": lambda: ScriptedError("a plug-in of a test"), "mute": MuteError, "stubborn": lambda: StubbornError("x"),
    "interrupt": KeyboardInterrupt, "exit": lambda: SystemExit(3), "stop": StopIteration, "memory": MemoryError,
    "odd": lambda: OSError("\ud800\x1b[31m" * 3), "long": lambda: KeyError("x" * 10_000), "close": GeneratorExit,
    "group": lambda: ExceptionGroup("several", [ValueError(1), OSError()]), "recursion": lambda: _recursion(),
    "chained": lambda: _chained(), "system": lambda: SystemError("returned NULL"), "input": lambda: PlugInError("x"),
}  # fmt: skip
ANSWERED: Final[dict[str, Any]] = {
    "nasty": Nasty(), "loud": Loud(), "array": np.zeros(3), "one": np.ones(1, np.int64), "zero": np.array(0),
    "bool": np.True_, "complex": np.complex128(1), "date": np.datetime64("2020-01-01"), "object": np.array(None),
    "type": int, "half": np.float16(0.5), "byte": np.uint8(200), "long": np.uint64(2**64 - 1),
    "masked": np.ma.masked, "text": np.str_("1"), "empty": np.zeros(0),
}  # fmt: skip


class NoHash:
    """A callable object that cannot be a key of a dict."""

    __hash__ = None  # type: ignore[assignment]

    def __call__(self, *arguments: Any) -> int:
        return 1


class NoSignature:
    """A callable object with an invalid signature."""

    __signature__ = "none"

    def __call__(self, *arguments: Any) -> int:
        return 1


class NoAttributes:
    """A callable object for which access to one of its attributes raises an error."""

    def __getattr__(self, name: str) -> Any:
        raise ScriptedError(name) if name == "py_func" else AttributeError(name)

    def __call__(self, *arguments: Any) -> int:
        return 1


async def _later(*arguments):
    return 1


def _one_by_one(*arguments):
    yield 1


def _keywords(*, context):
    return 1


def _none(*arguments):
    return None


def _words(*arguments):
    return "a word"


#: Objects that are passed instead of a function.
GIVEN: Final[dict[str, Any]] = {
    "builtin": len, "number": 5, "text": "mcts", "class": int, "no hash": NoHash(), "no signature": NoSignature(),
    "no attributes": NoAttributes(), "later": _later, "one by one": _one_by_one, "keywords": _keywords, "none": _none,
    "words": _words, "two": lambda a, b: a, "compiled two": numba.njit(lambda a, b: a), "ufunc": np.add,
    "method": [].append, "module": np, "odd name": type("\x1b[31m" * 100, (), {"__call__": _none})(),
    "vectorised": np.vectorize(lambda a: a), "list": [len],
}  # fmt: skip


# Compiled functions


if numba.config.DISABLE_JIT:

    def _table():
        return TABLE

else:

    @intrinsic
    def _place(_):
        """Return the address of the table, by its symbol: cached code runs in other processes with other addresses."""

        def generate(context, builder, signature, arguments):
            number = ir.DoubleType()
            return builder.bitcast(context.get_c_value(builder, number, "warlight_fuzz_table"), cgutils.voidptr_t)

        return types.voidptr(), generate

    @numba.njit
    def _table():
        return numba.carray(_place(), (HEAD + 4 * WRITES,), np.float64)


@numba.njit(boundscheck=True)
def _script_applies(table):
    """Count the call; return whether the script is valid for it, or raise the script's error."""
    table[CALLS] += 1
    if table[CALLS] < table[FROM]:
        return False
    if table[RAISES] != 0:
        raise ScriptedError("a plug-in of a test")
    return True


@numba.njit(boundscheck=True)
def _put(array, i, number):
    array[int(i)] = int(number)


@numba.njit(boundscheck=True)
def _put_in(position, array, i, number):
    """Change an array of a position, if `array` is one of these."""
    if array == OWNER:
        _put(position.owner, i, number)
    elif array == ARMY:
        _put(position.army, i, number)
    elif array == ROUND:
        _put(position.round, i, number)


@numba.njit(boundscheck=True)
def evaluation(context, position, shares):
    table, players = _table(), shares.shape[0]
    owned = (position.owner >= 0).sum()
    for p in range(players):
        shares[p] = (position.owner == p).sum() / owned if owned else 1.0 / players
    if _script_applies(table):
        for at in range(HEAD, HEAD + 4 * int(table[COUNT]), 4):
            _put_in(position, table[at], table[at + 1], table[at + 3])
            if table[at] == SHARE:
                _put(shares, table[at + 1], table[at + 3])
        if table[ANSWERS] != 0:
            for p in range(players):
                shares[p] = (1.0 - table[ANSWER]) / (players - 1) if p else table[ANSWER]


@numba.njit(boundscheck=True)
def _write(table, position, rng, deploy, attacks, work):
    for at in range(HEAD, HEAD + 4 * int(table[COUNT]), 4):
        array, i, j, number = table[at], table[at + 1], int(table[at + 2]), table[at + 3]
        _put_in(position, array, i, number)
        if array == RNG:
            _put(rng, i, number)
        elif array == DEPLOY:
            _put(deploy, i, number)
        elif array == ATTACKS:
            _put(attacks[int(i)], j, number)
        elif array == VALUE:
            work.value[int(i)] = number
        elif array == FREE:
            _put(work.free, i, number)


@numba.njit(boundscheck=True)
def generator(context, position, player, rng, work, turns):
    table = _table()
    turns.counts[0] = plain_turn(context, position, player, turns.deploy[0], turns.attacks[0])
    if _script_applies(table):
        _write(table, position, rng, turns.deploy[0], turns.attacks[0], work)
        for at in range(HEAD, HEAD + 4 * int(table[COUNT]), 4):
            if table[at] == COUNTS:
                _put(turns.counts, table[at + 1], table[at + 3])
        if table[ANSWERS] != 0:
            return int(table[ANSWER])
    return 1


@numba.njit(boundscheck=True)
def policy(context, position, player, rng, work, deploy, attacks):
    table = _table()
    count = plain_turn(context, position, player, deploy, attacks)
    if _script_applies(table):
        _write(table, position, rng, deploy, attacks, work)
        if table[ANSWERS] != 0:
            return int(table[ANSWER])
    return count


@numba.njit(boundscheck=True)
def picker(context, position, free, player, rng, preferences):
    table = _table()
    count = 0
    for r in range(free.shape[0]):
        if free[r] != 0:
            preferences[count] = r
            count += 1
    if _script_applies(table):
        for at in range(HEAD, HEAD + 4 * int(table[COUNT]), 4):
            array, i, number = table[at], table[at + 1], table[at + 3]
            _put_in(position, array, i, number)
            if array == FREE:
                _put(free, i, number)
            elif array == RNG:
                _put(rng, i, number)
            elif array == WISHES:
                _put(preferences, i, number)
        if table[ANSWERS] != 0:
            return int(table[ANSWER])
    return count


class Called:
    """A Python function of a kind with a script; only the call from compiled code into the interpreter is compiled."""

    def __init__(self, kind: str) -> None:
        self.function = COMPILED[kind].py_func
        self.rest()

    def rest(self) -> None:
        """Remove the script: behave correctly."""
        self.plan({})

    def plan(self, plan: Data) -> None:
        """Set the script from call ``plan["from"]`` on: "writes", "raises", "answer", whether it "keeps" arrays."""
        self._plan, self._calls, self.kept = plan, 0, []

    def __call__(self, *arguments: Any) -> Any:
        answer = self.function(*arguments)
        plan = self._plan
        self._calls += 1
        if not plan or self._calls < plan["from"]:
            return answer
        arrays = list(arrays_in(arguments))
        if plan["keeps"] and len(self.kept) < 200:
            self.kept += arrays
        for number, index, value in plan["writes"]:
            array = arrays[number % len(arrays)]
            array[index if isinstance(index, int) or len(index) <= array.ndim else index[0]] = value
        if plan["raises"] is not None:
            raise RAISED[plan["raises"]]()
        if plan["answer"] is None:
            return answer
        sort, value = plan["answer"]
        return ANSWERED[value] if sort == "named" else value


def arrays_in(value: Any) -> Iterator[np.ndarray]:
    """Yield all arrays in the arguments."""
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, tuple):
        for part in value:
            yield from arrays_in(part)


def _recursion() -> Any:
    return _recursion()


def _chained() -> Any:
    try:
        raise MuteError
    except MuteError as error:
        raise ScriptedError("after another") from error


COMPILED: Final = {"evaluation": evaluation, "generator": generator, "policy": policy, "picker": picker}
CALLED: Final = {kind: Called(kind) for kind in COMPILED}


def rest(kind: str) -> None:
    """Remove the scripts of the functions of a kind, so that they behave correctly."""
    TABLE[:] = 0
    TABLE[FROM] = inf
    CALLED[kind].rest()


def tell(kind: str, way: str, plan: Data) -> None:
    """Set the script of the function of a kind; `way`: "called" for the Python function, else the compiled one."""
    rest(kind)
    if way == "called":
        CALLED[kind].plan(plan)
        return
    TABLE[FROM], TABLE[RAISES], TABLE[COUNT] = plan["from"], bool(plan["raises"]), len(plan["writes"])
    if plan["answer"] is not None:
        TABLE[ANSWERS], TABLE[ANSWER] = 1, plan["answer"]
    for k, write in enumerate(plan["writes"]):
        TABLE[HEAD + 4 * k : HEAD + 4 * (k + 1)] = write
