"""Wrong arguments of agents, matches, ratings, logs and pictures raise an `InputError` that names the argument."""

from __future__ import annotations

import dataclasses
import inspect
from typing import Any

import numpy as np
import pytest

from arena_agents import Idle
from helpers import RING
from warlight_env import Game, maps
from warlight_env.agents import Budget, make_agent
from warlight_env.agents.weights import Weights
from warlight_env.arena import (
    Clock,
    Entrant,
    GameRanking,
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
)
from warlight_env.arena.games.game_setup import agent_from_source
from warlight_env.arena.policies.policy_file import PolicyFile
from warlight_env.engine.orders import Orders
from warlight_env.envs import load_policy
from warlight_env.envs.policy_settings import PolicySettings
from warlight_env.errors import InputError
from warlight_env.features import FeatureExtractor, node_features
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
)
from warlight_env.render import ShownPosition, to_svg, to_text

RULES = {"name": "thesis", "picks": 1}
THINGS: tuple[Any, ...] = (None, 3, 1.5, [], {}, np.zeros(2), b"x", object())


class WithoutAct:
    """A class that lacks the method `act`."""

    def __init__(self, seed: int) -> None:
        pass

    def pick(self, view):
        return []


class KeywordBudget(Idle):
    """A bot that does not accept a budget as a positional argument."""

    def act(self, view, *, budget=None):
        return Orders()


class PickWithoutView(Idle):
    """A bot that does not accept the argument of `pick`."""

    def pick(self):
        return []


class AnyArguments(Idle):
    """A bot with other, sufficient parameters; the signature of its `pick` cannot be read."""

    pick = staticmethod(dict)

    def act(self, *arguments, strength=1):
        return Orders()


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        (KeywordBudget, r"KeywordBudget.act must accept the arguments \(view, budget\)"),
        (PickWithoutView, r"PickWithoutView.pick must accept the arguments \(view\): write def pick\(self, view\)"),
        (WithoutAct, r"WithoutAct has no method act\(view, budget\)"),
        (int, r"int has no method pick\(view\)"),
        (lambda seed: WithoutAct, "returned the class WithoutAct; it must return an object"),
    ],
)
def test_objects_that_are_no_agents_cannot_play(source, reason):
    with pytest.raises(InputError, match=rf"agent .*: .*{reason}"):
        Match([source, "random"], games=2, map="small").run()


def test_methods_may_have_other_parameters_and_no_readable_signature():
    with pytest.raises(ValueError, match="signature"):
        inspect.signature(dict)
    agent = agent_from_source(AnyArguments, 1)
    assert agent.act(Game("small", picks="random").view(0), None) == Orders()


@pytest.mark.parametrize("path", THINGS, ids=lambda value: type(value).__name__)
def test_wrong_types_of_file_names_raise_an_error(path):
    for read in (
        maps.load, GameLog.load, summarize, LogWriter, LogIndex, load_tournament, Weights.load, PolicyFile.load,
        PolicySettings.load, load_policy, make_agent, describe,
    ):  # fmt: skip
        with pytest.raises(InputError):
            read(path, 0) if read is make_agent else read(path)


@pytest.mark.parametrize("seed", [None, "1", 1.5, np.zeros(2), True])
def test_an_invalid_seed_of_an_agent_raises_an_error(seed):
    with pytest.raises(InputError, match="seed"):
        make_agent("random", seed)


@pytest.mark.parametrize("spec", ["random", "one_ply:samples=1", "mcts:sims=5"])
def test_agents_reject_wrong_types_of_views_and_budgets(spec):
    agent, view = make_agent(spec, 1), Game(RING, RULES, picks="random").view(0)
    for arguments in ((3,), (None,), (np.zeros(2),), (view, 3), (view, "1s")):
        with pytest.raises(InputError, match=r"view|budget"):
            agent.act(*arguments)
    agent.act(view)


@pytest.mark.parametrize("spent", [
    {"simulations": "5"}, {"simulations": -1}, {"simulations": 1.5}, {"seconds": float("nan")}, {"seconds": "1"},
    {"bank": -1.0}, {"increment": None}, {"increment": np.zeros(2)},
])  # fmt: skip
def test_invalid_budgets_raise_an_error(spent):
    with pytest.raises(InputError, match=next(iter(spent))):
        Budget(**spent)


@pytest.mark.parametrize("changes", [
    {"agents": 3}, {"agents": None}, {"agents": [3, 4]}, {"seed": np.zeros(2)}, {"games": 1.5}, {"budget": 3},
    {"picks": np.zeros(2)}, {"on_crash": 3}, {"paired": "yes"}, {"clocks": 3}, {"log": 3}, {"max_rounds": "x"},
])  # fmt: skip
def test_invalid_arguments_of_matches_raise_an_error(changes):
    with pytest.raises(InputError):
        Match(**{"agents": ["random", "random"], "map": RING, "rules": RULES, **changes}).setup()


@pytest.mark.parametrize("changes", [
    {"agents": 3}, {"agents": [3, 4]}, {"max_rounds": "x"}, {"max_rounds": -1}, {"picks": np.zeros(2)}, {"seed": "x"},
    {"options": None}, {"options": {"seats": (0, 1)}},
])  # fmt: skip
def test_invalid_arguments_of_games_raise_an_error(changes):
    agents = [make_agent("random", seed) for seed in range(2)]
    with pytest.raises(InputError):
        play_game(**{"agents": agents, "map": RING, "rules": RULES, "max_rounds": 1, **changes})


@pytest.mark.parametrize("changes", [
    {"budget": 3}, {"seats": (0, 0)}, {"seats": 3}, {"clocks": [3, 4]}, {"clocks": []}, {"on_late": 3},
    {"on_crash": np.zeros(2)},
])  # fmt: skip
def test_invalid_options_of_games_raise_an_error(changes):
    agents = [make_agent("random", seed) for seed in range(2)]
    with pytest.raises(InputError, match=next(iter(changes))):
        play_game(agents, RING, RULES, max_rounds=1, options=PlayOptions(**changes))


def test_invalid_arguments_of_tournaments_raise_an_error():
    good = Tournament("x", (Entrant("a", "random"), Entrant("b", "aggressive")), maps=(RING,))
    for field in dataclasses.fields(Tournament):
        for value in (object(), np.zeros(2), [object()]):
            with pytest.raises(InputError):
                dataclasses.replace(good, **{field.name: value})
    for entrant in ((3, "random"), ("a", 3), ("a", "random", 3)):
        with pytest.raises(InputError, match="agents"):
            Entrant(*entrant)


def test_invalid_numbers_raise_an_error():
    for value in (None, "x", float("nan"), np.zeros(2), [1], True, 10**400):
        for call in (
            lambda x=value: elo_of(x), lambda x=value: expected_score(x), lambda x=value: wilson_interval(x, 5),
            lambda x=value: wilson_interval(1, 5, x), lambda x=value: unit_interval([x]), lambda x=value: Sprt(x, 5),
            lambda x=value: unit_interval([0.5], x), lambda x=value: Clock(seconds="x" if x is None else x),
            lambda x=value: node_features(x),
        ):  # fmt: skip
            with pytest.raises(InputError):
                call()
    for value in THINGS[1:]:
        for call in (lambda x=value: Sprt.parse(x), lambda x=value: Clock.parse(x), lambda x=value: rate(["a"], x),
                     lambda x=value: rate(["a", "b"], [x]), lambda x=value: rate(x, []),
                     lambda x=value: FeatureExtractor(x, x, 2, 9), lambda x=value: Weights.from_array(x),
                     lambda x=value: PolicyFile.from_bytes(x)):  # fmt: skip
            with pytest.raises(InputError):
                call()
    with pytest.raises(InputError, match="resamples"):
        rate(["a", "b"], [GameRanking((0, 1), (1, 2), 0)], resamples=10**12)


def test_invalid_logs_and_rounds_raise_an_error():
    recorder = MemoryRecorder([describe("random")] * 2)
    agents = [make_agent("random", seed) for seed in range(2)]
    play_game(agents, RING, RULES, max_rounds=2, observer=recorder)
    for value in THINGS:
        for call in (
            lambda x=value: game_at(x), lambda x=value: list(replay(x)), lambda x=value: verify(x),
            lambda x=value: result_of(x, 1), lambda x=value: continue_game(x),
            lambda x=value: continue_game(recorder.log, 1, 3 if x is None else x),
        ):  # fmt: skip
            with pytest.raises(InputError):
                call()
    for round_ in ("x", 1.5, np.zeros(2), -1, 99):
        for call in (game_at, result_of, continue_game):
            with pytest.raises(InputError, match="round"):
                call(recorder.log, round_)


def test_invalid_arguments_of_pictures_raise_an_error():
    game = Game(RING, RULES, picks="random")
    good = {"map": RING, "owner": game.owner, "army": game.army, "players": 2}
    for value in (None, "x", 1.5, np.zeros((2, 2)), object()):
        for name in good:
            with pytest.raises(InputError):
                ShownPosition(**{**good, name: value})
        with pytest.raises(InputError):
            to_text(ShownPosition(**good), width=value)
        with pytest.raises(InputError):
            to_svg(value)
    with pytest.raises(InputError, match="orders"):
        to_svg(ShownPosition(**good), 3)
