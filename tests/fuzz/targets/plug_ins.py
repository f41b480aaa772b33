"""Users' scripted functions in a search (`fuzz.scripted_functions`): the search plays or reports an error."""

from __future__ import annotations

import gc
import random
import traceback
import warnings
from math import inf, nan
from pathlib import Path
from typing import Any, Final

import numpy as np

from fuzz import scripted_functions, small_maps, values
from fuzz.scripted_functions import ANSWERED, ARRAYS, CALLED, COMPILED, GIVEN, RAISED, WRITES, ScriptedError, arrays_in
from fuzz.target import Data, Finding, Target, expect, refused
from fuzz.targets.states import plain
from warlight_env.agents.players.flat import FlatAgent, FlatSettings
from warlight_env.agents.players.mcts import MctsAgent, MctsSettings
from warlight_env.agents.plug_ins.functions import plug_in
from warlight_env.agents.plug_ins.guarded import PlugInError
from warlight_env.engine.callback_errors import raise_callback_errors
from warlight_env.engine.orders import Orders
from warlight_env.envs import EnvCore
from warlight_env.game import Game

#: The form of the functions: compiled, called through Python, or another object in their place.
WAYS: Final = ("compiled", "called", "given")
#: Settings of the search. With several threads on one tree the results depend on chance.
FORMS: Final[dict[str, dict[str, Any]]] = {
    "one thread": {},
    "with local search": {"local_search": 0.5, "scenarios": 4, "horizon": 1},
    "one tree": {"threads": 2},
    "trees side by side": {"threads": 2, "parallel": "root"},
    "leaves": {"threads": 2, "parallel": "leaf"},
    "flat": {},
    "playouts that look ahead": {"playout": "one_ply", "lookahead_samples": 1},
    "the best turns": {"breadth": 2, "lookahead_samples": 1},
}
BY_CHANCE: Final = ("one tree", "leaves")
#: Limits of the numbers in a turn, of regions and of counts, and their neighbours.
EDGES: Final = (-(2**31), -(2**31) + 1, -100_000, -2, -1, 9, 10, 11, 12, 41, 42, 1000, 100_000, 2**31 - 1, 2**31, 2**52)
SHARES: Final = (-1e300, -1.0, -1e-3, -1e-10, 0.0, 0.25, 1.0, 1.0 + 1e-10, 1.0 + 1e-3, 1e300, inf, -inf, nan)


class PlugIns(Target):
    """``(kind, way, form, seed, plan)``; for the way "given", plan is the name of the object passed as the function."""

    share = 15

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        warnings.filterwarnings("ignore", category=RuntimeWarning)
        small = Game("small", seed=5, picks="random")
        for _ in range(2):
            small.play_round([Orders(), Orders()])
        self._games = [small, Game(small_maps.RING, {"picks": 1}, 3, 1, picks="random")]
        self._games.append(small_maps.new_game(small_maps.ladder_map(6), "challenge2", seed=2))
        self._views = [game.view(0) for game in self._games]
        self._core = EnvCore(small_maps.ladder_map(6), {"name": "challenge2", "picks": 2}, 2, 2, action="orders")
        self._answers: dict[Any, Any] = {}
        for kind in COMPILED:  # compile before the first input
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
            scripted_functions.tell(kind, way, plan)
            self._use(kind, function, form, seed)
            accepted = True
        except (KeyboardInterrupt, Exception, SystemExit, GeneratorExit) as error:
            accepted = self._explained(error, kind, way, plan)
        finally:
            kept = CALLED[kind].kept
            scripted_functions.rest(kind)
        if kept:
            gc.collect()
            for array in kept:
                if array.flags.writeable:
                    array[...] = 77
        expect(self._shared() == before, "boards or positions that are not as they were")
        if not accepted and form not in BY_CHANCE:
            self._answers.pop((kind, way, form, seed))
            expect(self._healthy(kind, way, form, seed) == expected, "another answer than before the failure")
        return accepted

    def _healthy(self, kind: str, way: str, form: str, seed: int) -> Any:
        """Return the result with a correct function."""
        key = (kind, way, form, seed)
        if key not in self._answers:
            scripted_functions.rest(kind)
            self._answers[key] = self._use(kind, COMPILED[kind] if way == "compiled" else CALLED[kind], form, seed)
        return self._answers[key]

    def _use(self, kind: str, function: Any, form: str, seed: int) -> Any:
        """Use a function in a search or environment; check the result, and return the turn or the games."""
        if kind == "picker" or (kind == "policy" and seed == 0):
            return self._in_environment(kind, function, seed)
        game = self._games[seed % len(self._games)]
        short = {"samples": 1, "rounds": 1, "local_search": 0.0, **FORMS[form]}
        agent: FlatAgent | MctsAgent
        if form == "flat":
            agent = FlatAgent(seed, 6, settings=FlatSettings(**short), **{kind: function})
        else:
            agent = MctsAgent(seed, 6, settings=MctsSettings(**short), **{kind: function})
        orders = agent.act(self._views[seed % len(self._games)])
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
                core.submit_actions(rows, acting=acting)
                with raise_callback_errors():
                    core.submit_policy(policy, picker, chosen, 1, after, rngs)
                core.resolve()
        finally:
            core.restore(core.snapshot())  # raises an error if the snapshot is invalid
        return plain(core.snapshot())

    def _shared(self) -> Any:
        """Return all data that no function may change."""
        return [
            [array.tobytes() for array in arrays_in((view.board, view.params, view.owner, view.army))]
            + [game.owner.tobytes(), game.army.tobytes(), game.round]
            for game, view in zip(self._games, self._views, strict=True)
        ]

    def _explained(self, error: BaseException, kind: str, way: str, plan: Data) -> bool:
        """Return False; raise a finding unless the error explains the fault of a function or is its own error."""
        name = f"{kind} '{kind}'" if way == "compiled" else f"{kind} Called"
        own = plan["raises"] if way == "called" and plan["raises"] else "told"
        if isinstance(error, PlugInError) and own != "input":
            return refused(error, name)
        last = traceback.extract_tb(error.__traceback__)[-1:]
        ours = [frame for frame in last if frame.filename == scripted_functions.__file__]
        outside = way == "compiled" and isinstance(error, IndexError)  # Numba raises it without a place in the code
        if not (ours or outside) or (way == "compiled" and not isinstance(error, IndexError | ScriptedError)):
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
            last, notes = traceback.extract_tb(error.__traceback__)[-1], getattr(error, "__notes__", [])
            if last.filename != scripted_functions.__file__ and not any(kind in note for note in notes):
                raise Finding("an error that is not the function's own") from error
            return False
        return True


def _number(rng: random.Random) -> int:
    return rng.choice(EDGES) if rng.random() < 0.3 else rng.randint(-2, 14)


def _write_of(kind: str, way: str, rng: random.Random) -> Any:
    """Return ``(array, index, index, number)``; for a Python function ``(array, index, value)``."""
    if way == "compiled":
        index = rng.randint(0, 11) if rng.random() < 0.9 else _number(rng)
        return (
            rng.choice(ARRAYS[kind]),
            index,
            rng.randint(0, 2) if rng.random() < 0.97 else _number(rng),
            _number(rng),
        )
    index = rng.choice((0, 1, -1, rng.randint(0, 11), (0, 0), (0, 1), (0, 0, rng.randint(0, 2)), _number(rng)))
    return (rng.randrange(64), index, _number(rng) if rng.random() < 0.8 else values.anything(rng, 1))


TARGET = PlugIns
