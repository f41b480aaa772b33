"""Objects of the public interface, with methods, arguments that are right, and what a refused call must not change."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

import warlight_env
from env_helpers import equal
from fuzz import boards
from warlight_env import Game, Map, Orders, Rules, TurnDraft, battle_odds
from warlight_env.agents import Budget, make_agent
from warlight_env.arena import (
    Clock,
    Match,
    Sprt,
    elo_of,
    expected_score,
    play_game,
    play_on,
    unit_interval,
    wilson_interval,
)
from warlight_env.engine.board import make_board
from warlight_env.envs import (
    EnvCore,
    GeneratedMaps,
    OpponentPool,
    Reward,
    WarlightEnv,
    WarlightMapsEnv,
    WarlightMapsVectorEnv,
    WarlightParallelEnv,
    WarlightVectorEnv,
    load_policy,
    make_opponent,
)  # fmt: skip
from warlight_env.envs.policy_settings import PolicySettings
from warlight_env.envs.sb3 import WarlightVecEnv, make_vec_env
from warlight_env.features import Describer
from warlight_env.record import GameLog, MemoryRecorder, describe, game_at
from warlight_env.turn import Step

RULES = {"name": "thesis", "picks": 1}
LADDER = boards.ladder(6)
#: Arguments by name, all of them right.
Arguments = dict[str, Any]


class Subject(ABC):
    """An object. `methods` gives for each the arguments of a call that is taken."""

    methods: Mapping[str, Callable[[], Arguments]]

    @abstractmethod
    def begin(self) -> None:
        """Bring the object into the state from which every input starts."""

    @abstractmethod
    def call(self, method: str, arguments: Arguments) -> Any:
        """Call a method."""

    def state(self) -> Any:
        """Whatever a refused call must leave as it is; compared by `equal`."""
        return None

    def go_on(self) -> None:
        """Use the object after the call."""


class Functions(Subject):
    """Functions and constructors, which keep no state."""

    def __init__(self) -> None:
        log, agents = MemoryRecorder([describe("random"), describe("aggressive")]), ["random", "aggressive"]
        play_game([make_agent(name, 0) for name in agents], LADDER, RULES, max_rounds=3, observer=log)
        core: Arguments = {
            "map": LADDER,
            "rules": RULES,
            "players": 2,
            "picking": "random",
            "reward": "win",
            "fog": None,
        }
        env: Arguments = {**core, "opponent": "random", "max_cycles": 9, "seat": 0, "mask": "info", "render_mode": None}
        several: Arguments = {
            "map": [LADDER], "rules": RULES, "opponent": "random", "room": (12, 60), "action": "factored", "seat": 0,
            "players": 2, "mask": "info", "max_cycles": 9,
        }  # fmt: skip
        board = make_board(LADDER)
        self._all: dict[str, tuple[Callable[..., Any], Arguments]] = {
            "Game": (Game, {"map": LADDER, "rules": RULES, "players": 2, "seed": 1, "picks": "random"}),
            "Game.from_dict": (Game.from_dict, {"data": Game(LADDER, RULES).to_dict()}),
            "Rules": (Rules, Rules.of("challenge2").to_dict()),
            "Rules.of": (Rules.of, {"rules": RULES, "fog": True, "luck": 0.5}),
            "Rules.round_limit": (Rules.of("challenge2").round_limit, {"n_regions": 5}),
            "battle_odds": (battle_odds, {"attackers": 5, "defenders": 3, "rules": "thesis"}),
            "TurnDraft": (TurnDraft, {"game": Game(LADDER, RULES, picks="random"), "player": 0}),
            "EnvCore": (EnvCore, {**core, "batch": 2, "action": "factored", "observation": "flat", "max_cycles": 9, "slots": 1}),
            "WarlightEnv": (WarlightEnv, {**env, "action": "factored", "observation": "flat"}),
            "WarlightVectorEnv": (WarlightVectorEnv, {**env, "num_envs": 2, "autoreset_mode": "NextStep", "max_episode_steps": 9, "action": "steps"}),
            "WarlightParallelEnv": (WarlightParallelEnv, {**core, "action": "factored", "observation": "flat", "max_cycles": 9, "mask": "info", "render_mode": None}),
            "WarlightMapsEnv": (WarlightMapsEnv, {**several, "render_mode": None}),
            "WarlightMapsVectorEnv": (WarlightMapsVectorEnv, {**several, "num_envs": 2}),
            "make_vec_env": (make_vec_env, {"n_envs": 2, "seed": 1, "map": LADDER, "rules": RULES, "render_mode": None}),
            "GeneratedMaps": (GeneratedMaps, {"least": 10, "most": 20, "count": 5, "seed": 0}),
            "Reward": (Reward, {"shaping": "regions", "scale": 1.0, "gamma": 0.9}),
            "Describer": (Describer, {"board": board, "rules": Rules(), "players": 2, "max_cycles": 9}),
            "OpponentPool": (OpponentPool, {"weights": {"random": 1.0}}),
            "make_opponent": (make_opponent, {"source": "random"}),
            "load_policy": (load_policy, {"path": "none.zip", "deterministic": False, "trust": True}),
            "PolicySettings.load": (PolicySettings.load, {"model": "none.zip"}),
            "make_agent": (make_agent, {"spec": "random", "seed": 0}),
            "warlight_env.maps.load": (warlight_env.maps.load, {"name_or_path": "small"}),
            "play_game": (_play, {"agents": agents, "map": LADDER, "rules": RULES, "seed": 1, "picks": "random", "max_rounds": 2, "budget": None, "on_crash": "raise", "on_late": "report", "clocks": None, "seats": (0, 1)}),
            "Match": (_match, {"agents": agents, "games": 2, "seed": 1, "map": LADDER, "rules": RULES, "paired": True, "picks": "random", "max_rounds": 2, "jobs": 1, "budget": Budget(5), "stop": None, "clocks": None, "on_crash": "raise", "on_late": "report", "log": None, "insight": False}),
            "Budget": (_budget, {"simulations": 5, "seconds": 1.0, "bank": 1.0, "increment": 0.5}),
            "Clock": (Clock, {"simulations": 5, "seconds": 1.0}),
            "Clock.parse": (Clock.parse, {"text": "1s"}),
            "Sprt": (Sprt, {"elo0": 0.0, "elo1": 5.0, "alpha": 0.05, "beta": 0.05}),
            "Sprt.parse": (Sprt.parse, {"text": "0,5"}),
            "elo_of": (elo_of, {"score": 0.4}),
            "expected_score": (expected_score, {"elo": 40.0}),
            "wilson_interval": (wilson_interval, {"wins": 3, "games": 5, "confidence": 0.9}),
            "unit_interval": (unit_interval, {"shares": [0.5, 1.0], "confidence": 0.9}),
            "GameLog.load": (GameLog.load, {"path": "none.jsonl"}),
            "game_at": (game_at, {"log": log.log, "round": 2}),
            "play_on": (play_on, {"log": log.log, "round": 1, "agents": agents, "seed": 1, "max_rounds": 3, "budget": None}),
        }  # fmt: skip
        self.methods = {name: lambda given=given: _copied(given) for name, (_, given) in self._all.items()}

    def begin(self) -> None:
        return None

    def call(self, method: str, arguments: Arguments) -> Any:
        return self._all[method][0](**arguments)


def _play(agents: Any, **arguments: Any) -> Any:
    made = [make_agent(agent, 0) for agent in agents] if isinstance(agents, list) else agents
    return play_game(made, **arguments)


def _match(**arguments: Any) -> Any:
    match = Match(**arguments)
    return match.setup() if match.games == 2 else None


def _budget(**arguments: Any) -> Any:
    game = Game(LADDER, RULES, picks="random")
    return make_agent("mcts:sims=3", 0).act(game.view(0), Budget(**arguments))


class OfGame(Subject):
    """A `Game`, in play or with regions to pick, and what is made of it."""

    def __init__(self, picks: str) -> None:
        self._first, self._picking = Game(LADDER, RULES, 2, 3, picks=picks), picks == "play"  # type: ignore[arg-type]
        player: Callable[[], Arguments] = lambda: {"player": 1}  # noqa: E731
        self.methods = {"view": player, "alive": player, "income": player, "offers": player}
        if self._picking:
            wishes = {p: list(self._first.offers(p)[:1]) for p in range(2)}
            self.methods |= {"pick": lambda: {"wishes": _copied(wishes), "on_illegal": "raise"}}
            return
        turns = [make_agent("random", p).act(self._first.view(p)) for p in range(2)]
        script = np.array([0, *range(50)], dtype=np.int64)
        self.methods |= {
            "check": lambda: {"player": 0, "orders": _copied(turns[0])},
            "play_round": lambda: {"orders": _copied(turns), "on_illegal": "skip", "script": script.copy()},
            "result.seen_by": lambda: {"player": 0},
            "draft.deploy": lambda: {"region": self._own(), "armies": 2},
            "draft.attack": lambda: {"source": self._own(), "target": LADDER.neighbors[self._own()][0], "armies": 1},
            "agent.act": lambda: {"view": self.game.view(0), "budget": None},
        }
        self._turns = turns

    def _own(self) -> int:
        return int(np.flatnonzero(self.game.owner == 0)[0])

    def begin(self) -> None:
        self.game = self._first.clone()
        if not self._picking:
            self.draft, self.agent = TurnDraft(self.game, 0), make_agent("random", 0)
            self.result = self._first.clone().play_round(_copied(self._turns))

    def call(self, method: str, arguments: Arguments) -> Any:
        of, _, name = method.rpartition(".")
        return getattr(getattr(self, of or "game"), name)(**arguments)

    def state(self) -> Any:
        drafted = None if self._picking else (self.draft.orders, self.draft.phase)
        return self.game.hash(), self.game.can_undo, drafted

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
            "reset": lambda: {"seeds": [1, 2], "which": [0, 1]},
            "set_dice": lambda: {"seeds": [1, 2], "which": [0, 1]},
            "step": lambda: {"actions": rows.copy(), "dropped": np.zeros((2, 2), np.int32)},
            "hand_in": lambda: {
                "actions": rows.copy(), "dropped": np.zeros((2, 2), np.int32), "acting": np.ones((2, 2), np.int8)
            },
            "hand_in_choice": lambda: {"b": 0, "player": 1, "choice": Orders()},
            "resolve": lambda: {"which": np.ones(2, np.int8), "numbers": np.arange(2)},
            "look": lambda: {"turns_only": False, "whole": True},
            "seen": lambda: {"slot": 0, "games": games.copy()},
            "flat_masks": lambda: {"slot": 0, "games": games.copy()},
            "view": lambda: {"player": 0, "b": 1},
            "render": lambda: {"mode": "ansi", "b": 1},
            "mask": lambda: {"slot": 1, "b": 1},
            "shaped_mask": lambda: {"slot": 1, "b": 1},
            "read_rows": lambda: {
                "actions": self._actions(), "games": games.copy(), "slot": 0, "out": np.zeros((2, core.row_size), np.int64)
            },
            "check_start": lambda: {"game": game},
            "start_from": lambda: {"game": game, "which": [0, 1]},
            "restore": lambda: {"snapshot": saved},
            "set_slots": lambda: {"slots": 2},
            "another": lambda: {"batch": 2},
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
    """An environment for one learner, alone or as a batch: of Gymnasium or Stable-Baselines3."""

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
                "reset": lambda: {"seed": 1, "options": _copied(options)},
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
        cores = [episodes.core_of(b)[0] for b in range(episodes.batch)] if "maps" in self.kind else [episodes.core]
        random = env.np_random.bit_generator.state if self.kind in ("single", "maps") else None
        seats = (
            None if "maps" in self.kind else (episodes.learner.copy(), episodes.seeds.copy(), episodes.chosen.copy())
        )
        return [core.snapshot() for core in cores], random, seats

    def go_on(self) -> None:
        if self.kind == "vector" or self.kind == "maps vector":
            self.env.reset(options={"reset_mask": np.ones(2, np.bool_)})
        elif self.kind != "sb3":
            self.env.reset()
        self.env.step(self._action())


class OfParallel(Subject):
    """The environment of PettingZoo."""

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
    """A `Describer` and an `OpponentPool`."""

    def __init__(self) -> None:
        self._describer = Describer(make_board(LADDER), Rules.of(RULES), 2, 9)
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


def subjects() -> dict[str, Subject]:
    """All subjects by name."""
    made: dict[str, Subject] = {
        "functions": Functions(), "game": OfGame("random"), "picks": OfGame("play"), "parallel": OfParallel(),
        "features": OfFeatures(),
    }  # fmt: skip
    made |= {f"core {action}": OfCore(action) for action in ("factored", "steps", "continuous", "orders")}
    made |= {f"single {action}": OfEnv("single", action) for action in ("factored", "continuous", "orders")}
    made |= {kind: OfEnv(kind, "factored") for kind in ("vector", "sb3", "maps", "maps vector")}
    return made


def _copied(value: Any) -> Any:
    """A copy of lists, dicts, orders and arrays; everything else as it is."""
    if isinstance(value, dict):
        return {key: _copied(item) for key, item in value.items()}
    if isinstance(value, list):
        return list(map(_copied, value))
    if isinstance(value, Orders):
        return Orders(list(value.deploys), list(value.attacks))
    return value.copy() if isinstance(value, np.ndarray) else value


__all__ = ["Arguments", "Map", "Step", "Subject", "equal", "subjects"]
