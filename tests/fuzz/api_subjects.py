"""Objects of the public interface: valid arguments of their methods, and the state that a refused call keeps."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from fuzz import small_maps
from warlight_env import Game, Orders, Rules
from warlight_env.agents import make_agent
from warlight_env.engine.board import make_board
from warlight_env.envs import (
    EnvCore,
    OpponentPool,
    WarlightEnv,
    WarlightMapsEnv,
    WarlightMapsVectorEnv,
    WarlightParallelEnv,
    WarlightVectorEnv,
)  # fmt: skip
from warlight_env.envs.sb3 import WarlightVecEnv
from warlight_env.features import FeatureExtractor

RULES = {"name": "thesis", "picks": 1}
LADDER = small_maps.ladder_map(6)
#: Valid arguments by name.
Arguments = dict[str, Any]


class Subject(ABC):
    """An object. `methods` maps the name of each method to a function that returns valid arguments."""

    methods: Mapping[str, Callable[[], Arguments]]
    #: Errors other than `InputError` that a method of another library's interface may raise.
    others: Mapping[str, tuple[type[Exception], ...]] = MappingProxyType({})

    @abstractmethod
    def begin(self) -> None:
        """Reset the object to the state from which every input starts."""

    @abstractmethod
    def call(self, method: str, arguments: Arguments) -> Any:
        """Call a method."""

    def state(self) -> Any:
        """Return the state that a refused call must not change; compared by `equal`."""
        return None

    def go_on(self) -> None:  # noqa: B027 -- functions have nothing to go on with
        """Use the object after the call."""


class OfGame(Subject):
    """A `Game` in the pick phase or play phase, and objects made from it."""

    def __init__(self, picks: str) -> None:
        self._first, self._picking = Game(LADDER, RULES, 2, 3, picks=picks), picks == "play"  # type: ignore[arg-type]
        player: Callable[[], Arguments] = lambda: {"player": 1}  # noqa: E731
        seed: Callable[[], Arguments] = lambda: {"seed": 5}  # noqa: E731
        self.methods = {
            "view": player, "alive": player, "income": player, "offers": player, "reseed": seed, "clone": seed,
        }  # fmt: skip
        if self._picking:
            preferences = {p: list(self._first.offers(p)[:1]) for p in range(2)}
            self.methods |= {"pick": lambda: {"preferences": copied(preferences), "on_illegal": "raise"}}
            return
        turns = [make_agent("random", p).act(self._first.view(p)) for p in range(2)]
        script = np.array([0, *range(50)], dtype=np.int64)
        self.methods |= {
            "check": lambda: {"player": 0, "orders": copied(turns[0])},
            "play_round": lambda: {"orders": copied(turns), "on_illegal": "skip", "script": script.copy()},
            "result.seen_by": lambda: {"player": 0},
            "agent.act": lambda: {"view": self.game.view(0), "budget": None},
        }
        self._turns = turns

    def begin(self) -> None:
        self.game = self._first.clone()
        if not self._picking:
            self.agent = make_agent("random", 0)
            self.result = self._first.clone().play_round(copied(self._turns))

    def call(self, method: str, arguments: Arguments) -> Any:
        of, _, name = method.rpartition(".")
        return getattr(getattr(self, of or "game"), name)(**arguments)

    def state(self) -> Any:
        return self.game.hash(), self.game.can_undo

    def go_on(self) -> None:
        if self.game.phase == "pick":
            self.game.pick(on_illegal="skip")
        if self.game.phase == "play":
            self.game.play_round({})
        self.game.undo()


class OfCore(Subject):
    """An `EnvCore`."""

    def __init__(self, action: str) -> None:
        core = self.core = EnvCore(
            LADDER, RULES, 2, 2, action=action, observation="flat", max_cycles=9, picking="random"
        )
        self.begin()
        saved, game = core.snapshot(), Game(core.map, core.rules, 2, picks="random")
        rows = np.zeros((2, 2, core.row_size), dtype=np.int64)
        games = np.arange(2)
        self.methods = {
            "reset": lambda: {"seeds": [1, 2], "games": [0, 1]},
            "step": lambda: {"actions": rows.copy(), "dropped": np.zeros((2, 2), np.int32)},
            "submit_actions": lambda: {
                "actions": rows.copy(), "dropped": np.zeros((2, 2), np.int32), "acting": np.ones((2, 2), np.int8)
            },
            "submit_choice": lambda: {"b": 0, "player": 1, "choice": Orders()},
            "resolve": lambda: {"selected": np.ones(2, np.int8)},
            "refresh_observations": lambda: {"turns_only": False, "validate": True},
            "player_views": lambda: {"slot": 0, "games": games.copy()},
            "flat_masks": lambda: {"slot": 0, "games": games.copy()},
            "view": lambda: {"player": 0, "b": 1},
            "render": lambda: {"mode": "ansi", "b": 1},
            "mask": lambda: {"slot": 1, "b": 1},
            "shaped_mask": lambda: {"slot": 1, "b": 1},
            "read_rows": lambda: {
                "actions": self._actions(), "games": games.copy(), "slot": 0,
                "out": np.zeros((2, core.row_size), np.int64)
            },
            "check_start": lambda: {"game": game},
            "start_from": lambda: {"game": game, "games": [0, 1]},
            "restore": lambda: {"snapshot": saved},
            "set_slots": lambda: {"slots": 2},
            "new_like": lambda: {"batch": 2},
            "max_cycles": lambda: {"value": 9},
        }  # fmt: skip

    def _actions(self) -> Any:
        space = self.core.encoding.space
        space.seed(1)
        made = [space.sample() for _ in range(2)]
        return (
            {key: np.stack([m[key] for m in made]) for key in made[0]} if isinstance(made[0], dict) else np.stack(made)
        )

    def begin(self) -> None:
        self.core.set_slots(2)
        self.core.out.seat[...], self.core.out.slot[...] = np.arange(2), np.arange(2)
        self.core.max_cycles = 9
        self.core.reset([5, 6])

    def call(self, method: str, arguments: Arguments) -> Any:
        if method == "max_cycles":
            self.core.max_cycles = arguments["value"]
            return None
        return getattr(self.core, method)(**arguments)

    def state(self) -> Any:
        return self.core.snapshot(), self.core.slots, self.core.max_cycles, self.core.turns.status.copy()

    def go_on(self) -> None:
        self.core.step(np.zeros((2, self.core.slots, self.core.row_size), dtype=np.int64))


class OfEnv(Subject):
    """An environment for one learner, single or vectorized: of Gymnasium or Stable-Baselines3."""

    def __init__(self, kind: str, action: str) -> None:
        settings: Arguments = {"map": LADDER, "rules": RULES, "action": action, "max_cycles": 9, "opponent": "random"}
        self.kind, start = kind, Game(LADDER, RULES, picks="random")
        made: dict[str, Callable[[], Any]] = {
            "single": lambda: WarlightEnv(**settings, render_mode="ansi"),
            "vector": lambda: WarlightVectorEnv(2, render_mode="ansi", autoreset_mode="Disabled", **settings),
            "sb3": lambda: WarlightVecEnv(2, render_mode="ansi", **settings),
            "maps": lambda: WarlightMapsEnv(**{**settings, "map": [LADDER]}, render_mode="ansi"),
            "maps vector": lambda: WarlightMapsVectorEnv(2, **{**settings, "map": [LADDER]}, render_mode="ansi"),
        }
        self.env = made[kind]()
        single, vector = kind in ("single", "maps"), "vector" in kind
        several = "maps" in kind
        options = {"start": start, "seat": 0} | ({"reset_mask": np.ones(2, np.bool_)} if vector else {})
        if kind == "sb3":
            self.others = {"get_attr": (AttributeError,)}  # `VecEnv.has_attr` needs this error
            self.methods = {
                "seed": lambda: {"seed": 1},
                "set_options": lambda: {"options": [{"start": start, "seat": 0}, {}]},
                "step": lambda: {"actions": self._action()},
                "env_method": lambda: {"method_name": "action_masks", "indices": [0]},
                "get_attr": lambda: {"attr_name": "features", "indices": [0, 1]},
                "set_attr": lambda: {"attr_name": "mine", "value": 1, "indices": None},
                "env_is_wrapped": lambda: {"wrapper_class": int, "indices": [1]},
            }
        else:
            self.methods = {
                "reset": lambda: {"seed": 1, "options": copied(options)},
                "step": lambda: {"action" if single else "actions": self._action()},
            }
        self.methods = {**self.methods, "set_opponent": lambda: {"opponent": "aggressive"}}
        if not single:
            self.methods |= {"render_game": lambda: {"b": 1}}
        if several:
            self.methods |= {"set_maps": lambda: {"map": [LADDER]}}

    def _action(self) -> Any:
        self.env.action_space.seed(1)
        if self.kind == "sb3":
            return np.stack([self.env.action_space.sample() for _ in range(2)])
        return self.env.action_space.sample()

    def begin(self) -> None:
        self.env.set_opponent("random")
        if self.kind == "sb3":
            self.env.seed(4)
            self.env._reset_options()
            self.env.reset()
        else:
            self.env.reset(seed=4)

    def call(self, method: str, arguments: Arguments) -> Any:
        result = getattr(self.env, method)(**arguments)
        if method == "set_options" or method == "seed":
            self.env.reset()
        return result

    def state(self) -> Any:
        episodes, env = self.env.episodes, self.env
        cores = [episodes.core_of(b)[0] for b in range(episodes.batch)]
        random = env.np_random.bit_generator.state if self.kind in ("single", "maps") else None
        seats = None if "maps" in self.kind else (episodes.learner.copy(), episodes.seeds.copy())
        return [core.snapshot() for core in cores], random, seats

    def go_on(self) -> None:
        if self.kind == "vector" or self.kind == "maps vector":
            self.env.reset(options={"reset_mask": np.ones(2, np.bool_)})
        elif self.kind != "sb3":
            self.env.reset()
        self.env.step(self._action())


class OfParallel(Subject):
    """The PettingZoo environment."""

    def __init__(self) -> None:
        env = self.env = WarlightParallelEnv(LADDER, RULES, 2, max_cycles=9, render_mode="ansi", picking="random")
        self.begin()
        start, saved = Game(LADDER, RULES, picks="random"), env.get_state()
        agent: Callable[[], Arguments] = lambda: {"agent": "player_0"}  # noqa: E731
        self.methods = {
            "reset": lambda: {"seed": 1, "options": {"start": start}},
            "step": lambda: {"actions": self._actions()},
            "set_state": lambda: {"state": saved},
            "observe": agent, "action_masks": agent, "view": agent, "action_space": agent, "observation_space": agent,
            "max_cycles": lambda: {"value": 9},
        }  # fmt: skip

    def _actions(self) -> dict[str, Any]:
        return {agent: np.zeros(self.env.core.row_size, np.int64) for agent in self.env.possible_agents}

    def begin(self) -> None:
        self.env.max_cycles = 9
        self.env.reset(seed=4)

    def call(self, method: str, arguments: Arguments) -> Any:
        if method == "max_cycles":
            self.env.max_cycles = arguments["value"]
            return None
        return getattr(self.env, method)(**arguments)

    def state(self) -> Any:
        saved = self.env.get_state()
        return saved.snapshot, repr(saved.random), self.env.agents[:], self.env.max_cycles, self.env.late_actions

    def go_on(self) -> None:
        self.env.step({agent: self._actions()[agent] for agent in self.env.agents})


class OfFeatures(Subject):
    """A `FeatureExtractor` and an `OpponentPool`."""

    def __init__(self) -> None:
        self._describer = FeatureExtractor(make_board(LADDER), Rules.of(RULES), 2, 9)
        n = LADDER.n_regions
        self.methods = {
            "describe": lambda: {
                "owner": np.zeros((2, n), np.int8), "army": np.ones((2, n), np.int32), "player": np.zeros(2, np.int8),
                "rounds": np.ones(2, np.int64), "cycles": np.ones(2, np.int64), "offered": np.ones((2, n), np.bool_),
            },
            "add": lambda: {"name": "b", "opponent": "aggressive", "weight": 1.0},
            "remove": lambda: {"name": "a"},
            "set_weight": lambda: {"name": "a", "weight": 2.0},
            "draw": lambda: {"seed": 1},
        }  # fmt: skip

    def begin(self) -> None:
        self._pool = OpponentPool({"random": 1.0})
        self._pool.add("a", "aggressive", 1.0)

    def call(self, method: str, arguments: Arguments) -> Any:
        return self._describer(**arguments) if method == "describe" else getattr(self._pool, method)(**arguments)

    def state(self) -> Any:
        return self._pool.weights

    def go_on(self) -> None:
        self._describer(**self.methods["describe"]())
        self._pool.draw(1)


def objects() -> dict[str, Subject]:
    """Return all objects by name."""
    made: dict[str, Subject] = {
        "game": OfGame("random"), "picks": OfGame("play"), "parallel": OfParallel(),
        "features": OfFeatures(),
    }  # fmt: skip
    made |= {f"core {action}": OfCore(action) for action in ("factored", "steps", "continuous", "orders")}
    made |= {f"single {action}": OfEnv("single", action) for action in ("factored", "continuous", "orders")}
    made |= {kind: OfEnv(kind, "factored") for kind in ("vector", "sb3", "maps", "maps vector")}
    return made


def copied(value: Any) -> Any:
    """Copy lists, dicts, orders and arrays; return other values unchanged."""
    if isinstance(value, dict):
        return {key: copied(item) for key, item in value.items()}
    if isinstance(value, list):
        return list(map(copied, value))
    if isinstance(value, Orders):
        return Orders(list(value.deploys), list(value.attacks))
    return value.copy() if isinstance(value, np.ndarray) else value
