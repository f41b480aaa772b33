"""User functions with selectable faults. Each is compiled once; two weights of the evaluation select its fault.

`case(rng)` draws a function, a way to pass it, a fault and a number; `Case.outcome()` runs a search with it.
"""

from __future__ import annotations

import functools
import random
import warnings
from typing import Any, NamedTuple

import numba
import numpy as np

from plain_turns import plain_turn
from warlight_env import Game
from warlight_env.agents.context import bare_context
from warlight_env.agents.players.mcts import MctsSettings, TreeSearch
from warlight_env.agents.plug_ins.functions import Functions, plug_in
from warlight_env.agents.weights import THESIS, Weights
from warlight_env.engine.callback_errors import raise_callback_errors
from warlight_env.engine.rng import make_rng

#: The faults of each kind of function, by number. Some entries are correct answers instead of faults.
FAULTS = {
    "evaluation": ("none", "answer", "raise", "index"),
    "generator": (
        "none", "answer", "raise", "index", "attacks", "source", "target", "armies", "deploy", "foreign deploy",
        "repeated", "position",
    ),
    "policy": (
        "none", "answer", "raise", "index", "attacks", "source", "target", "armies", "deploy", "foreign deploy",
        "repeated", "position",
    ),
    "picker": ("none", "answer", "raise", "index", "preference", "preference twice"),
}  # fmt: skip
NUMBERS = (-(2**31), -100_000, -1, 0, 1, 2, 3, 9, 10, 41, 42, 1000, 100_000, 2**31 - 1)
SHARES = (-1e300, -1.0, -1e-3, 0.0, 0.25, 1.0, 1.0 + 1e-3, 1e300, float("inf"), float("-inf"), float("nan"))


class FaultyError(Exception):
    """The error that these functions raise with the fault "raise"."""


@numba.njit
def _fault_of(context):
    """Return the number of the fault, and the number that the fault uses."""
    return int(context.evaluation.pick_distance), context.evaluation.pick_super


@numba.njit
def evaluation(context, position, shares):
    fault, number = _fault_of(context)
    for p in range(shares.shape[0]):
        shares[p] = (1.0 - number) / (shares.shape[0] - 1) if p else number
    if fault == 1:
        return
    if fault == 2:
        raise FaultyError("an evaluation of a test")
    if fault == 3:
        shares[int(number)] = 0.5
    for p in range(shares.shape[0]):
        shares[p] = (position.owner == p).sum() / (position.owner >= 0).sum()


@numba.njit(boundscheck=True)
def _write(fault, number, context, position, player, deploy, attacks):
    """Write a plain turn with the fault; return the number of attacks."""
    owner, army = position.owner, position.army
    count, home = plain_turn(context, position, player, deploy, attacks), attacks[0, 0]
    if fault == 2:
        raise FaultyError("a turn of a test")
    elif fault == 3:
        attacks[int(number), 0] = home
    elif fault == 5:
        attacks[0, 0] = int(number)
    elif fault == 6:
        attacks[0, 1] = int(number)
    elif fault == 7:
        attacks[0, 2] = int(number)
    elif fault == 8:
        deploy[home] = int(number)
    elif fault == 9:
        for r in range(owner.shape[0]):
            if owner[r] != player:
                deploy[r] = 1
                deploy[home] = 0
                break
    elif fault == 10:
        for k in range(3):
            attacks[1, k] = attacks[0, k]
        count = 2
    elif fault == 11:
        for r in range(owner.shape[0]):
            owner[r] = 100
            army[r] = -5
        position.round[0] = 99_999
    return count


@numba.njit
def generator(context, position, player, rng, work, turns):
    fault, number = _fault_of(context)
    turns.counts[0] = _write(fault, number, context, position, player, turns.deploy[0], turns.attacks[0])
    if fault == 4:
        turns.counts[0] = int(number)
    return int(number) if fault == 1 else 1


@numba.njit
def policy(context, position, player, rng, work, deploy, attacks):
    fault, number = _fault_of(context)
    count = _write(fault, number, context, position, player, deploy, attacks)
    return int(number) if fault in (1, 4) else count


@numba.njit
def picker(context, position, free, player, rng, preferences):
    fault, number = _fault_of(context)
    if fault == 2:
        raise FaultyError("preferences of a test")
    count = 0
    for r in range(free.shape[0]):
        if free[r] != 0:
            preferences[count] = r
            count += 1
    if fault == 3:
        preferences[int(number)] = 0
    elif fault == 4:
        preferences[0] = int(number)
    elif fault == 5:
        preferences[1] = preferences[0]
    return int(number) if fault == 1 else count


#: The compiled functions. Numba cannot compile the functions below, which call the Python versions of these.
_PYTHON = {"evaluation": evaluation, "generator": generator, "policy": policy, "picker": picker}


def slow_evaluation(context, position, shares):
    return _PYTHON["evaluation"].py_func(context, position, shares)


def slow_generator(context, position, player, rng, work, turns):
    return _PYTHON["generator"].py_func(context, position, player, rng, work, turns)


def slow_policy(context, position, player, rng, work, deploy, attacks):
    return _PYTHON["policy"].py_func(context, position, player, rng, work, deploy, attacks)


def slow_picker(context, position, free, player, rng, preferences):
    return _PYTHON["picker"].py_func(context, position, free, player, rng, preferences)


#: The functions, by whether they are compiled and by kind.
FUNCTIONS: dict[bool, dict[str, Any]] = {
    True: _PYTHON,
    False: {
        "evaluation": slow_evaluation,
        "generator": slow_generator,
        "policy": slow_policy,
        "picker": slow_picker,
    },
}


class Asking:
    """A callable object that is not a function: it calls its attribute `function`, which a test may change.

    Numba compiles a call into the interpreter once for each object.
    """

    def __call__(self, *arguments):
        return self.function(*arguments)


#: An evaluation and a generator that call the function in their attribute `function`.
ASKING_EVALUATION, ASKING_GENERATOR = Asking(), Asking()
#: Settings of a small search.
SMALL = {"samples": 2, "rounds": 1, "local_search": 0.0}


@functools.cache
def view(players: int = 2) -> Any:
    """Return a view of a game on the small map before its first round."""
    game = Game("small", seed=5, players=players, picks="random")
    return game.view(0)


@numba.njit
def _ask_picker(pick, context, position, free, player, rng, preferences):
    return pick(context, position, free, player, rng, preferences)


class Case(NamedTuple):
    """A function with a fault."""

    kind: str
    compiled: bool
    fault: str
    number: float
    seed: int = 1

    @property
    def weights(self) -> Weights:
        """Weights that contain the fault and its number."""
        return THESIS._replace(
            pick_distance=float(FAULTS[self.kind].index(self.fault)), pick_super=self.number
        )  # fmt: skip

    @property
    def function(self) -> Any:
        return FUNCTIONS[self.compiled][self.kind]

    def run(self, simulations: int = 3, **settings: Any) -> Any:
        """Use the function in a search, or call a picker alone; return the best turn, or the preferences."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # from plain Python
            if self.kind == "picker":
                return self._pick()
            chosen = MctsSettings(
                **{"samples": 1, "rounds": 1, "local_search": 0.0, "weights": self.weights, **settings}
            )
            functions = Functions(**{self.kind: self.function})
            search = TreeSearch(view(), chosen, self.seed, functions, simulations)
            search.run(simulations)
            return search.best()

    def _pick(self) -> list[int]:
        seen = view()
        free = (seen.owner == -1).astype(np.int8)
        preferences = np.zeros(len(free), dtype=np.int32)
        pick = plug_in("picker", self.function)
        with raise_callback_errors():
            count = _ask_picker(
                pick, bare_context(seen.board, seen.params, seen.players, self.weights), seen.position, free, 0,
                make_rng(self.seed), preferences,
            )  # fmt: skip
        return preferences[:count].tolist()


def case(rng: random.Random, compiled: bool | None = None) -> Case:
    """Draw a function, a fault and a number. One of a hundred functions is Python that Numba cannot compile."""
    kind = rng.choice(list(FAULTS))
    number = rng.choice(SHARES if kind == "evaluation" else NUMBERS) if rng.random() < 0.7 else rng.randint(-5, 50)
    slow = rng.random() < 0.01 if compiled is None else not compiled
    return Case(kind, not slow, rng.choice(FAULTS[kind]), float(number), rng.getrandbits(32))
