"""Functions and constructors of the public interface, with valid arguments."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from fuzz import small_maps
from fuzz.api_subjects import LADDER, RULES, Arguments, Subject, copied
from warlight_env import Game, Orders, Rules, battle_odds, maps
from warlight_env.agents import Budget, make_agent
from warlight_env.agents.players.mcts import MctsAgent
from warlight_env.agents.players.nash.agent import NashAgent
from warlight_env.agents.plug_ins.functions import Functions as PlugIns
from warlight_env.agents.records.value_record import load_value
from warlight_env.agents.turn_net.turn_network_file import load_turn_network
from warlight_env.agents.weights import Weights
from warlight_env.arena import (
    Clock,
    Entrant,
    Match,
    PlayOptions,
    Sprt,
    Tournament,
    continue_game,
    elo_of,
    expected_score,
    load_tournament,
    play_game,
    rate,
    unit_interval,
    wilson_interval,
)  # fmt: skip
from warlight_env.arena.policies.policy_file import PolicyFile
from warlight_env.arena.ratings.bradley_terry import GameRanking
from warlight_env.beliefs import Belief
from warlight_env.bench.score_card import score_of
from warlight_env.bench.subject import make_subject
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
    global_features,
    load_policy,
    make_opponent,
    node_features,
)  # fmt: skip
from warlight_env.envs.actions import ENCODINGS
from warlight_env.envs.policy_settings import PolicySettings
from warlight_env.envs.sb3 import make_vec_env
from warlight_env.experiments import experiment
from warlight_env.features import FeatureExtractor, observed_features
from warlight_env.features.columns import state_features
from warlight_env.notation import format_orders, parse_orders
from warlight_env.protocol import ExternalBot
from warlight_env.protocol.bot_side import BotSide
from warlight_env.record import (
    GameLog,
    LogIndex,
    LogWriter,
    MemoryRecorder,
    describe,
    game_at,
    replay,
    result_of,
    summarize,
    verify,
)  # fmt: skip
from warlight_env.render import ShownPosition, to_rgb, to_svg, to_text

AGENTS = ["random", "aggressive"]
CORE: Arguments = {"map": LADDER, "rules": RULES, "players": 2, "picking": "random", "reward": "win", "fog": None}
ENV: Arguments = {**CORE, "opponent": "random", "max_cycles": 9, "seat": 0, "mask": "info", "render_mode": None}
MAPS: Arguments = {
    "map": [LADDER], "rules": RULES, "opponent": "random", "map_limits": (12, 60), "action": "factored", "seat": 0,
    "players": 2, "mask": "info", "max_cycles": 9,
}  # fmt: skip
GAMES: Arguments = {
    "agents": AGENTS, "seed": 1, "map": LADDER, "rules": RULES, "picks": "random", "max_rounds": 2, "budget": Budget(5),
    "clocks": None, "on_crash": "stop", "on_late": "report",
}  # fmt: skip


class Functions(Subject):
    """Functions and constructors, which have no state."""

    def __init__(self, folder: Path) -> None:
        groups = (
            _of_games(), _of_maps(folder), _of_envs(), _of_agents(folder), _of_the_arena(), _of_records(folder),
            _of_others(),
        )  # fmt: skip
        self._all = {name: called for group in groups for name, called in group.items()}
        self.methods = {name: lambda given=given: copied(given) for name, (_, given) in self._all.items()}

    def begin(self) -> None:
        return None

    def call(self, method: str, arguments: Arguments) -> Any:
        return self._all[method][0](**arguments)


Calls = dict[str, tuple[Callable[..., Any], Arguments]]


def _within(folder: Path, save: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that writes a file into `folder`, because the path of an input can be anywhere."""

    def call(path: Any, **given: Any) -> Any:
        if isinstance(path, str):
            path = f"{folder}/{path.replace('/', '_')}"
        elif isinstance(path, Path):
            path = folder / path.name
        return save(path=path, **given)

    return call


def _of_games() -> Calls:
    game, orders = small_maps.new_game(LADDER, RULES), Orders([(0, 5)], [(0, 1, 3)])
    position = {"map": LADDER, "owner": game.owner, "army": game.army, "players": 2, "round": 1}
    shown = ShownPosition(**position)
    return {
        "Game": (Game, {"map": LADDER, "rules": RULES, "players": 2, "seed": 1, "picks": "random"}),
        "Game.from_dict": (Game.from_dict, {"data": Game(LADDER, RULES).to_dict()}),
        "Rules": (Rules, Rules.of("challenge2").to_dict()),
        "Rules.of": (Rules.of, {"rules": RULES, "fog": True, "luck": 0.5}),
        "Rules.round_limit": (Rules.of("challenge2").round_limit, {"n_regions": 5}),
        "battle_odds": (battle_odds, {"attackers": 5, "defenders": 3, "rules": "thesis"}),
        "maps.load": (maps.load, {"name_or_path": "small"}),
        "format_orders": (format_orders, {"map_": LADDER, "orders": orders}),
        "parse_orders": (parse_orders, {"map_": LADDER, "text": "d r0 4; a r0 r1 2"}),
        "ShownPosition": (lambda **given: to_text(ShownPosition(**given)), position),
        "to_svg": (to_svg, {"position": shown, "orders": [orders, None], "width": 300}),
        "to_text": (to_text, {"position": shown, "colour": False, "width": 60}),
        "to_rgb": (to_rgb, {"position": shown, "orders": None, "width": 200}),
    }


def _of_maps(folder: Path) -> Calls:
    small = maps.load("small")
    fields = {field.name: getattr(small, field.name) for field in dataclasses.fields(small)}
    return {
        "Map": (maps.Map, fields),
        "maps.from_dict": (maps.from_dict, {"d": LADDER.to_dict(), "place": "x"}),
        "maps.from_json": (maps.from_json, {"text": maps.dumps(LADDER), "place": "x"}),
        "maps.from_xml": (maps.from_xml, {"text": "<Map/>", "place": "x"}),
        "maps.from_setup_lines": (maps.from_setup_lines, {"text": "setup_map", "place": "x"}),
        "maps.from_challenge_json": (maps.from_challenge_json, {"text": "{}", "place": "x"}),
        "maps.generate": (maps.generate, {"regions": 3, "super_regions": 1, "seed": 1, "name": "x"}),
        "maps.save": (_within(folder, maps.save), {"m": LADDER, "path": folder / "m.json"}),
        "maps.dumps": (maps.dumps, {"m": LADDER}),
        "maps.to_dict": (maps.to_dict, {"m": LADDER}),
        "maps.check": (maps.check, {"name_or_path": "small"}),
        "region_index": (small.region_index, {"key": 0}),
    }


def _of_envs() -> Calls:
    return {
        "EnvCore": (
            EnvCore, {**CORE, "batch": 2, "action": "factored", "observation": "flat", "max_cycles": 9, "slots": 1}
        ),
        "WarlightEnv": (WarlightEnv, {**ENV, "action": "factored", "observation": "flat"}),
        "WarlightVectorEnv": (
            WarlightVectorEnv,
            {**ENV, "num_envs": 2, "autoreset_mode": "NextStep", "max_episode_steps": 9, "action": "steps"},
        ),
        "WarlightParallelEnv": (
            WarlightParallelEnv,
            {**CORE, "action": "factored", "observation": "flat", "max_cycles": 9, "mask": "info", "render_mode": None},
        ),
        "WarlightMapsEnv": (WarlightMapsEnv, {**MAPS, "render_mode": None}),
        "WarlightMapsVectorEnv": (WarlightMapsVectorEnv, {**MAPS, "num_envs": 2}),
        "make_vec_env": (
            make_vec_env, {"n_envs": 2, "seed": 1, "map": LADDER, "rules": RULES, "render_mode": None}
        ),
        "GeneratedMaps": (GeneratedMaps, {"min_regions": 10, "max_regions": 20, "count": 5, "seed": 0}),
        "Reward": (Reward, {"shaping": "regions", "scale": 1.0, "gamma": 0.9}),
        "FeatureExtractor": (
            FeatureExtractor,
            {"board": make_board(LADDER), "rules": Rules(), "players": 2, "max_cycles": 9},
        ),
        "node_features": (node_features, {"players": 3}),
        "global_features": (global_features, {"players": 3}),
        "OpponentPool": (OpponentPool, {"weights": {"random": 1.0}}),
        "make_opponent": (make_opponent, {"source": "random"}),
        "load_policy": (load_policy, {"path": "none.zip", "deterministic": False, "trust": False}),
        "PolicySettings.load": (PolicySettings.load, {"model": "none.zip"}),
    }  # fmt: skip


def _of_agents(folder: Path) -> Calls:
    view = small_maps.new_game(LADDER, RULES).view(0)

    def budget(**arguments: Any) -> Any:
        return make_agent("mcts:sims=3", 0).act(view, Budget(**arguments))

    return {
        "make_agent": (make_agent, {"spec": "random", "seed": 0}),
        "Budget": (budget, {"simulations": 5, "seconds": 0.01, "bank": 0.01, "increment": 0.01}),
        "NashAgent": (
            NashAgent,
            {"seed": 1, "sims": 3, "local_search": 0.0, "net": None, "value": None},
        ),
        "MctsAgent": (MctsAgent, {"seed": 1, "sims": 3, "secs": None, "c": 0.5}),
        "Functions": (PlugIns, {"evaluation": None, "generator": None, "leaf": None, "prior": None, "capacity": 30}),
        "load_value": (load_value, {"source": "learned"}),
        "load_turn_network": (load_turn_network, {"source": "none"}),
        "Weights.save": (_within(folder, Weights().save), {"path": folder / "w.json"}),
        "Weights.load": (Weights.load, {"source": "thesis"}),
        "Weights.from_array": (Weights.from_array, {"values": list(Weights())}),
        "PolicyFile.load": (PolicyFile.load, {"source": "none.npz"}),
        "PolicyFile.from_bytes": (PolicyFile.from_bytes, {"content": b"x", "name": "policy"}),
    }


def _of_the_arena() -> Calls:
    named = {field.name for field in dataclasses.fields(PlayOptions)}

    def play(agents: Any, **arguments: Any) -> Any:
        made = [make_agent(agent, 0) for agent in agents] if isinstance(agents, list) else agents
        options = {name: arguments.pop(name) for name in named & arguments.keys()}
        return play_game(made, options=PlayOptions(**options), **arguments)

    def match(**arguments: Any) -> Any:
        return Match(**arguments).setup()

    tournament = {
        "name": "x", "entrants": [Entrant("a", "random"), Entrant("b", "aggressive")], "format": "gauntlet",
        "challengers": ["a"], "players": 2, "games": 2, "seed": 1, "maps": [LADDER], "rules": [Rules.of(RULES)],
        "paired": True, "picks": "random", "max_rounds": 2, "clock": None, "on_crash": "stop", "on_late": "report",
        "anchor": "a", "anchor_elo": 5.0,
    }  # fmt: skip
    rated = {
        "names": ["a", "b"], "games": [GameRanking((0, 1), (1, 2), 0)], "prior": 1.0, "anchor": None, "anchor_elo": 0.0,
        "resamples": 10, "confidence": 0.9, "seed": 1,
    }  # fmt: skip
    return {
        "play_game": (play, {**GAMES, "seats": (0, 1)}),
        "Match": (match, {**GAMES, "games": 2, "paired": True, "jobs": 1, "stop": None, "log": None, "insight": False}),
        "Clock": (Clock, {"simulations": 5, "seconds": 1.0}),
        "Clock.parse": (Clock.parse, {"text": "1s"}),
        "Sprt": (Sprt, {"elo0": 0.0, "elo1": 5.0, "alpha": 0.05, "beta": 0.05}),
        "Sprt.parse": (Sprt.parse, {"text": "0,5"}),
        "Entrant": (Entrant, {"name": "a", "spec": "random", "clock": None}),
        "Tournament": (Tournament, tournament),
        "load_tournament": (load_tournament, {"path": "none.toml"}),
        "elo_of": (elo_of, {"score": 0.4}),
        "expected_score": (expected_score, {"elo": 40.0}),
        "wilson_interval": (wilson_interval, {"wins": 3, "games": 5, "confidence": 0.9}),
        "unit_interval": (unit_interval, {"shares": [0.5, 1.0], "confidence": 0.9}),
        "rate": (rate, rated),
    }


def _of_others() -> Calls:
    """Functions and constructors of beliefs, external bots, features, suites and experiments."""
    board, army = make_board(LADDER), np.full(LADDER.n_regions, 2, np.int32)
    params = Rules.of(RULES).params(LADDER.n_regions, LADDER.n_super_regions)
    belief = {"map": LADDER, "rules": Rules(), "player": 0, "army": army, "offers": [0], "preferences": [0]}
    encodings = {
        f"encoding {name}": (encoding, {"board": board, "params": params}) for name, encoding in ENCODINGS.items()
    }
    return {
        "Belief": (Belief, belief),
        "ExternalBot": (ExternalBot, {"command": ["true"], "seed": 1, "options": None}),
        "BotSide": (BotSide, {"make": lambda: make_agent("random", 0), "challenge": 2}),
        "observed_features": (observed_features, {"kind": "raw", "regions": 5, "players": 2, "stepwise": False}),
        "state_features": (state_features, {"regions": 5, "players": 2}),
        "make_subject": (make_subject, {"policy": "random", "action": None, "observation": None}),
        "score_of": (score_of, {"rows": [[0.5, 1.0], [0.0]]}),
        "experiment": (experiment, {"name": "thesis-3.2"}),
        **encodings,
    }


def _of_records(folder: Path) -> Calls:
    recorder = MemoryRecorder([describe(name) for name in AGENTS])
    agents = [make_agent(name, 0) for name in AGENTS]
    play_game(agents, LADDER, RULES, max_rounds=3, observer=recorder)
    log = recorder.log
    more = {"agents": AGENTS, "seed": 1, "max_rounds": 3, "budget": None, "insight": False}
    return {
        "GameLog.load": (GameLog.load, {"path": "none.wl.jsonl"}),
        "log.save": (log.save, {"path": folder / "game.wl.jsonl"}),
        "summarize": (summarize, {"path": "none.wl.jsonl"}),
        "describe": (describe, {"spec": "random", "seed": 1}),
        "LogWriter": (lambda **given: LogWriter(**given).close(), {"path": folder / "w.wl.jsonl", "insight": False}),
        "LogIndex": (lambda **given: LogIndex(**given).refresh(), {"folder": folder}),
        "replay": (lambda log: list(replay(log)), {"log": log}),
        "result_of": (result_of, {"log": log, "number": 1}),
        "verify": (verify, {"log": log}),
        "game_at": (game_at, {"log": log, "round": 2}),
        "continue_game": (continue_game, {"log": log, "round": 1, **more}),
    }
