"""Users' functions inside the search that do what a table says: right, wrong, out of range, or not at all.

There is one function of each kind, compiled once each way: a table says from which call on it writes what where, and
what it returns or raises. Others, which are no functions or take other arguments, are given as they are.
"""

from __future__ import annotations

import gc
import random
import traceback
import warnings
from collections.abc import Iterator
from math import inf, nan
from pathlib import Path
from typing import Any, Final

import llvmlite.binding
import numba
import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from fuzz import boards, values
from fuzz.target import Data, Finding, Target, expect, refused
from fuzz.targets.states import plain
from warlight_env.agents.guarded import PlugInError
from warlight_env.agents.mcts import MctsAgent, MctsSettings
from warlight_env.agents.plug_ins import plug_in
from warlight_env.engine.guard import watched
from warlight_env.engine.orders import Orders
from warlight_env.engine.round import income
from warlight_env.envs import EnvCore
from warlight_env.game import Game

#: Writes in a table, at most.
WRITES: Final = 6
#: A table: calls so far, the call from which on it holds, whether it answers, the answer, what is raised, the number
#: of writes; then (array, place, place, number) of each. Whole numbers of 53 bits, and floats.
CALLS, FROM, ANSWERS, ANSWER, RAISES, COUNT, HEAD = range(7)
TABLE: Final = np.zeros(HEAD + 4 * WRITES)
llvmlite.binding.add_symbol("warlight_fuzz_table", TABLE.ctypes.data)
#: Arrays that compiled functions write to, by kind.
OWNER, ARMY, RNG, COUNTS, DEPLOY, ATTACKS, VALUE, FREE, WISHES = range(9)
ARRAYS: Final = {
    "evaluation": (OWNER, ARMY),
    "generator": (OWNER, ARMY, RNG, COUNTS, COUNTS, DEPLOY, DEPLOY, ATTACKS, ATTACKS, ATTACKS, VALUE, FREE),
    "policy": (OWNER, ARMY, RNG, DEPLOY, DEPLOY, ATTACKS, ATTACKS, ATTACKS, VALUE, FREE),
    "picker": (OWNER, FREE, RNG, WISHES, WISHES, WISHES),
}
#: How functions are given: compiled, as something that is called like one, or others in their place.
WAYS: Final = ("compiled", "called", "given")
#: How the search goes about it; what several threads draw from one tree depends on chance.
FORMS: Final[dict[str, dict[str, Any]]] = {
    "one thread": {},
    "with local search": {"refine": 0.5, "scenarios": 4, "horizon": 1},
    "one tree": {"threads": 2},
    "trees side by side": {"threads": 2, "parallel": "root"},
    "leaves": {"threads": 2, "parallel": "leaf"},
    "flat": {"sampling": "flat", "final": "median", "rounds": 2},
    "playouts that look ahead": {"playout": "one_ply", "tries": 1},
    "the best turns": {"top": 2, "tries": 1},
}
BY_CHANCE: Final = ("one tree", "leaves")


class ToldError(Exception):
    """What compiled functions raise where their table says so."""


class Nasty:
    """An answer that resists being looked at."""

    def __repr__(self) -> str:
        raise ToldError("no name")

    def __array__(self, *arguments: Any, **names: Any) -> Any:
        raise ToldError("no array")

    def __index__(self) -> int:
        raise ToldError("no index")

    def __float__(self) -> float:
        raise ToldError("no float")


class Loud:
    """An answer with a name that is not for terminals, and an index that is none."""

    def __repr__(self) -> str:
        return "\x1b[31m\n" * 5000

    def __index__(self) -> Any:
        return "5"


class MuteError(Exception):
    """An exception that cannot be printed."""

    def __str__(self) -> str:
        raise ToldError("no words")

    __repr__ = __str__


class StubbornError(Exception):
    """An exception that takes no notes."""

    def add_note(self, note: str) -> None:
        raise ToldError("no notes")


#: What functions in Python raise and return beside numbers, by name.
RAISED: Final[dict[str, Any]] = {
    "told": lambda: ToldError("a plug-in of a test"), "mute": MuteError, "stubborn": lambda: StubbornError("x"),
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
    """Can be called, and cannot be a key."""

    __hash__ = None  # type: ignore[assignment]

    def __call__(self, *arguments: Any) -> int:
        return 1


class NoSignature:
    """Can be called, and does not tell with what."""

    __signature__ = "none"

    def __call__(self, *arguments: Any) -> int:
        return 1


class NoAttributes:
    """Can be called; looking for what else it has fails."""

    def __getattr__(self, name: str) -> Any:
        raise ToldError(name) if name == "py_func" else AttributeError(name)

    def __call__(self, *arguments: Any) -> int:
        return 1


async def _later(*arguments):
    return 1


def _one_by_one(*arguments):
    yield 1


def _keywords(*, board):
    return 1


def _none(*arguments):
    return None


def _words(*arguments):
    return "a word"


#: What is given in a function's place.
GIVEN: Final[dict[str, Any]] = {
    "builtin": len, "number": 5, "text": "mcts", "class": int, "no hash": NoHash(), "no signature": NoSignature(),
    "no attributes": NoAttributes(), "later": _later, "one by one": _one_by_one, "keywords": _keywords, "none": _none,
    "words": _words, "two": lambda a, b: a, "compiled two": numba.njit(lambda a, b: a), "ufunc": np.add,
    "method": [].append, "module": np, "odd name": type("\x1b[31m" * 100, (), {"__call__": _none})(),
    "vectorised": np.vectorize(lambda a: a), "list": [len],
}  # fmt: skip


# The functions


if numba.config.DISABLE_JIT:

    def _table():
        return TABLE

else:

    @intrinsic
    def _place(_):
        """Where the table lies: by name, as compiled code is kept and other processes have it elsewhere."""

        def generate(context, builder, signature, arguments):
            number = ir.DoubleType()
            return builder.bitcast(context.get_c_value(builder, number, "warlight_fuzz_table"), cgutils.voidptr_t)

        return types.voidptr(), generate

    @numba.njit
    def _table():
        return numba.carray(_place(), (HEAD + 4 * WRITES,), np.float64)


@numba.njit(boundscheck=True)
def _told(table):
    """Whether the table holds in this call; its exception, if it has one."""
    table[CALLS] += 1
    if table[CALLS] < table[FROM]:
        return False
    if table[RAISES] != 0:
        raise ToldError("a plug-in of a test")
    return True


@numba.njit(boundscheck=True)
def _put(array, i, number):
    array[int(i)] = int(number)


@numba.njit(boundscheck=True)
def _turn(board, params, owner, army, player, deploy, attacks):
    """All armies to the first own region, and from there one to a neighbour; returns the attacks' number."""
    home = 0
    for r in range(owner.shape[0]):
        deploy[r] = 0
    while owner[home] != player:
        home += 1
    deploy[home] = income(board, params.base_income, owner, player)
    attacks[0, 0], attacks[0, 1], attacks[0, 2] = home, board.edge_target[board.neighbor_start[home]], 1
    return 1


@numba.njit(boundscheck=True)
def evaluation(board, evaluation, owner, army, player, players):
    table = _table()
    mine, all_ = 0, 0
    for r in range(owner.shape[0]):
        mine += owner[r] == player
        all_ += owner[r] >= 0
    share = mine / max(1, all_)
    if _told(table):
        for at in range(HEAD, HEAD + 4 * int(table[COUNT]), 4):
            if table[at] == OWNER:
                _put(owner, table[at + 1], table[at + 3])
            else:
                _put(army, table[at + 1], table[at + 3])
        if table[ANSWERS] != 0:
            return table[ANSWER]
    return share


@numba.njit(boundscheck=True)
def _write(table, owner, army, rng, deploy, attacks, work):
    for at in range(HEAD, HEAD + 4 * int(table[COUNT]), 4):
        array, i, j, number = table[at], table[at + 1], int(table[at + 2]), table[at + 3]
        if array == OWNER:
            _put(owner, i, number)
        elif array == ARMY:
            _put(army, i, number)
        elif array == RNG:
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
def generator(board, params, evaluation, owner, army, player, ways, rng, work, turns):
    table = _table()
    turns.counts[0] = _turn(board, params, owner, army, player, turns.deploy[0], turns.attacks[0])
    if _told(table):
        _write(table, owner, army, rng, turns.deploy[0], turns.attacks[0], work)
        for at in range(HEAD, HEAD + 4 * int(table[COUNT]), 4):
            if table[at] == COUNTS:
                _put(turns.counts, table[at + 1], table[at + 3])
        if table[ANSWERS] != 0:
            return int(table[ANSWER])
    return 1


@numba.njit(boundscheck=True)
def policy(board, params, evaluation, owner, army, player, ways, rng, work, deploy, attacks):
    table = _table()
    count = _turn(board, params, owner, army, player, deploy, attacks)
    if _told(table):
        _write(table, owner, army, rng, deploy, attacks, work)
        if table[ANSWERS] != 0:
            return int(table[ANSWER])
    return count


@numba.njit(boundscheck=True)
def picker(board, evaluation, owner, free, player, rng, wishes):
    table = _table()
    count = 0
    for r in range(free.shape[0]):
        if free[r] != 0:
            wishes[count] = r
            count += 1
    if _told(table):
        for at in range(HEAD, HEAD + 4 * int(table[COUNT]), 4):
            array, i, number = table[at], table[at + 1], table[at + 3]
            if array == OWNER:
                _put(owner, i, number)
            elif array == FREE:
                _put(free, i, number)
            elif array == RNG:
                _put(rng, i, number)
            else:
                _put(wishes, i, number)
        if table[ANSWERS] != 0:
            return int(table[ANSWER])
    return count


class Called:
    """A function of a kind in Python, which is compiled only a way into the interpreter, and its plan."""

    def __init__(self, kind: str) -> None:
        self.function = COMPILED[kind].py_func
        self.rest()

    def rest(self) -> None:
        """Do as it should be."""
        self.plan({})

    def plan(self, plan: Data) -> None:
        """What to do from the call ``plan["from"]`` on: "writes", "raises", "answer", whether it "keeps" arrays."""
        self._plan, self._calls, self.kept = plan, 0, []

    def __call__(self, *arguments: Any) -> Any:
        answer = self.function(*arguments)
        plan = self._plan
        self._calls += 1
        if not plan or self._calls < plan["from"]:
            return answer
        found = list(_arrays(arguments))
        if plan["keeps"] and len(self.kept) < 200:
            self.kept += found
        for which, place, value in plan["writes"]:
            array = found[which % len(found)]
            array[place if isinstance(place, int) or len(place) <= array.ndim else place[0]] = value
        if plan["raises"] is not None:
            raise RAISED[plan["raises"]]()
        if plan["answer"] is None:
            return answer
        sort, value = plan["answer"]
        return ANSWERED[value] if sort == "named" else value


def _arrays(value: Any) -> Iterator[np.ndarray]:
    """All arrays in arguments."""
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, tuple):
        for part in value:
            yield from _arrays(part)


def _recursion() -> Any:
    return _recursion()


def _chained() -> Any:
    try:
        raise MuteError
    except MuteError as error:
        raise ToldError("after another") from error


COMPILED: Final = {"evaluation": evaluation, "generator": generator, "policy": policy, "picker": picker}
CALLED: Final = {kind: Called(kind) for kind in COMPILED}


# The target


class PlugIns(Target):
    """``(kind, way, form, seed, plan)``; given is what stands in the function's place, by name."""

    share = 15

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        warnings.filterwarnings("ignore", category=RuntimeWarning)
        small = Game("small", seed=5, picks="random")
        for _ in range(2):
            small.play_round([Orders(), Orders()])
        self._games = [small, Game(boards.RING, {"picks": 1}, 3, 1, picks="random")]
        self._games.append(boards.new_game(boards.ladder(6), "challenge2", seed=2))
        self._views = [game.view(0) for game in self._games]
        self._core = EnvCore(boards.ladder(6), {"name": "challenge2", "picks": 2}, 2, 2, action="orders")
        self._answers: dict[Any, Any] = {}
        for kind in COMPILED:  # so that no input has to wait for compilers
            for way in WAYS[:2]:
                for form in FORMS:
                    self._healthy(kind, way, form, 1)

    def make(self, rng: random.Random) -> Data:
        kind, way = rng.choice(list(COMPILED)), rng.choices(WAYS, (50, 48, 2))[0]
        form, seed = rng.choice(list(FORMS)), rng.randrange(6)
        if way == "given":
            return (kind, way, form, seed, rng.choice(list(GIVEN)))
        start = rng.choice((1, 1, 2, 3, 10, 40))
        writes = [_write_of(kind, way, rng) for _ in range(rng.choice((0, 1, 1, 2, 4, WRITES)))]
        plan: dict[str, Any] = {"from": start, "writes": writes, "raises": None, "answer": None}
        if way == "compiled":
            plan["raises"] = rng.random() < 0.08 or None
            if rng.random() < 0.4:
                plan["answer"] = _number(rng) if kind != "evaluation" else rng.choice((*SHARES, _number(rng)))
        else:
            plan["keeps"] = rng.random() < 0.2
            plan["raises"] = rng.choice(list(RAISED)) if rng.random() < 0.2 else None
            if rng.random() < 0.4:
                named = ("named", rng.choice(list(ANSWERED)))
                plan["answer"] = rng.choice((named, ("value", values.anything(rng)), ("value", rng.choice(SHARES))))
        return (kind, way, form, seed, plan)

    def run(self, data: Data) -> bool:
        kind, way, form, seed, plan = data
        if way == "given":
            return self._given(kind, form, seed, plan)
        function = COMPILED[kind] if way == "compiled" else CALLED[kind]
        expected = self._healthy(kind, way, form, seed)
        before = self._shared()
        try:
            _set(kind, way, plan)
            self._use(kind, function, form, seed)
            taken = True
        except (KeyboardInterrupt, Exception, SystemExit, GeneratorExit) as error:
            taken = self._explained(error, kind, way, plan)
        finally:
            kept = CALLED[kind].kept
            _rest(kind)
        if kept:
            gc.collect()
            for array in kept:
                if array.flags.writeable:
                    array[...] = 77
        expect(self._shared() == before, "boards or positions that are not as they were")
        if not taken and form not in BY_CHANCE:
            self._answers.pop((kind, way, form, seed))
            expect(self._healthy(kind, way, form, seed) == expected, "another answer than before the failure")
        return taken

    def _healthy(self, kind: str, way: str, form: str, seed: int) -> Any:
        """What comes of a function that does as it should."""
        key = (kind, way, form, seed)
        if key not in self._answers:
            _rest(kind)
            self._answers[key] = self._use(kind, COMPILED[kind] if way == "compiled" else CALLED[kind], form, seed)
        return self._answers[key]

    def _use(self, kind: str, function: Any, form: str, seed: int) -> Any:
        """Have a function asked; returns the turn, or the games, that this leads to, and looks whether it may be."""
        if kind == "picker" or (kind == "policy" and seed == 0):
            return self._in_environment(kind, function, seed)
        game = self._games[seed % len(self._games)]
        settings = MctsSettings(**{"samples": 1, "rounds": 1, "refine": 0.0, **FORMS[form]})
        orders = MctsAgent(seed, 6, settings=settings, **{kind: function}).act(self._views[seed % len(self._games)])
        turns = {p: Orders() for p in range(game.players) if game.alive(p)}
        game.clone().play_round(turns | {0: orders})  # strict
        return orders

    def _in_environment(self, kind: str, function: Any, seed: int) -> Any:
        core = self._core
        core.reset([seed, seed + 1])
        policy = plug_in("policy", function if kind == "policy" else None)
        picker = plug_in("picker", function if kind == "picker" else None)
        chosen, after = np.array([[0, 1]] * 2, np.int16), np.zeros(2, np.int8)
        rngs = np.full((2, 2, 2), seed + 1, np.uint64)
        rows, acting = np.zeros((2, core.slots, core.row_size), np.int64), np.array([[1, 0]] * 2, np.int8)
        try:
            for _ in range(6):
                core.hand_in(rows, acting=acting)
                with watched():
                    core.hand_in_policy(policy, picker, chosen, 1, after, rngs)
                core.resolve()
        finally:
            core.restore(core.snapshot())  # raises what must not be
        return plain(core.snapshot())

    def _shared(self) -> Any:
        """All that no function may change."""
        return [
            [array.tobytes() for array in _arrays((view.board, view.params, view.owner, view.army))]
            + [game.owner.tobytes(), game.army.tobytes(), game.round]
            for game, view in zip(self._games, self._views, strict=True)
        ]

    def _explained(self, error: BaseException, kind: str, way: str, plan: Data) -> bool:
        """False; a finding unless the error says what a function did, or is what it raised."""
        name = f"{kind} '{kind}'" if way == "compiled" else f"{kind} Called"
        own = plan["raises"] if way == "called" and plan["raises"] else "told"
        if isinstance(error, PlugInError) and own != "input":
            return refused(error, name)
        last = traceback.extract_tb(error.__traceback__)[-1:]
        ours = [frame for frame in last if frame.filename == __file__]
        outside = way == "compiled" and isinstance(error, IndexError)  # which Numba raises without a place
        if not (ours or outside) or (way == "compiled" and not isinstance(error, IndexError | ToldError)):
            raise Finding("an error that is not the function's own") from error
        notes = getattr(error, "__notes__", [])
        if own not in ("stubborn", "input") and not any(name in note for note in notes):
            raise Finding("an error that does not name the function") from error
        return False

    def _given(self, kind: str, form: str, seed: int, name: str) -> bool:
        try:
            self._use(kind, GIVEN[name], form, seed)
        except PlugInError as error:
            return refused(error, kind)
        except Exception as error:
            frames = traceback.extract_tb(error.__traceback__)
            if frames[-1].filename != __file__ and not any(kind in note for note in getattr(error, "__notes__", [])):
                raise Finding("an error that is not the function's own") from error
            return False
        return True


def _rest(kind: str) -> None:
    """Have the functions of a kind do as they should."""
    TABLE[:] = 0
    TABLE[FROM] = inf
    CALLED[kind].rest()


def _set(kind: str, way: str, plan: Data) -> None:
    _rest(kind)
    if way == "called":
        CALLED[kind].plan(plan)
        return
    TABLE[FROM], TABLE[RAISES], TABLE[COUNT] = plan["from"], bool(plan["raises"]), len(plan["writes"])
    if plan["answer"] is not None:
        TABLE[ANSWERS], TABLE[ANSWER] = 1, plan["answer"]
    for k, write in enumerate(plan["writes"]):
        TABLE[HEAD + 4 * k : HEAD + 4 * (k + 1)] = write


#: Numbers that come out of a turn, a region, a count, and their edges.
EDGES: Final = (-(2**31), -(2**31) + 1, -100_000, -2, -1, 9, 10, 11, 12, 41, 42, 1000, 100_000, 2**31 - 1, 2**31, 2**52)
SHARES: Final = (-1e300, -1.0, -1e-3, -1e-10, 0.0, 0.25, 1.0, 1.0 + 1e-10, 1.0 + 1e-3, 1e300, inf, -inf, nan)


def _number(rng: random.Random) -> int:
    return rng.choice(EDGES) if rng.random() < 0.3 else rng.randint(-2, 14)


def _write_of(kind: str, way: str, rng: random.Random) -> Any:
    """``(array, place, place, number)``; in Python ``(array, place, value)``."""
    if way == "compiled":
        place = rng.randint(0, 11) if rng.random() < 0.9 else _number(rng)
        return (
            rng.choice(ARRAYS[kind]),
            place,
            rng.randint(0, 2) if rng.random() < 0.97 else _number(rng),
            _number(rng),
        )
    place = rng.choice((0, 1, -1, rng.randint(0, 11), (0, 0), (0, 1), (0, 0, rng.randint(0, 2)), _number(rng)))
    return (rng.randrange(64), place, _number(rng) if rng.random() < 0.8 else values.anything(rng, 1))


TARGET = PlugIns
