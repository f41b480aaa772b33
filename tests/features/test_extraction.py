"""Features without an environment: each number equals the environment's observation of the same position."""

from __future__ import annotations

import numpy as np
import pytest

from env_helpers import LONG, SMALL, make, sample
from warlight_env import Game
from warlight_env.engine.state import PICK
from warlight_env.envs import EnvCore
from warlight_env.errors import InputError
from warlight_env.features import FeatureExtractor


def extract(extractor: FeatureExtractor, core: EnvCore) -> np.ndarray:
    """The features of game 0 of a core for all players, float32[P, K], from plain arrays."""
    state, players = core.state, np.arange(core.players)
    offered = None
    if state.phase[0] == PICK:
        offered = (state.offers[0] >> players[:, None]) & 1
    return extractor(
        np.repeat(state.owner[:1], core.players, 0), np.repeat(state.army[:1], core.players, 0), players,
        np.repeat(state.round[:1], core.players), np.repeat(core.out.cycles[:1], core.players), offered,
    )  # fmt: skip


@pytest.mark.parametrize(("map", "rules", "players"), [(SMALL, "thesis", 2), (LONG, "challenge1", 3)])
def test_features_equal_the_observation_of_an_environment(map, rules, players):
    env = make(map=map, rules=rules, players=players, observation="flat")
    core = env.core
    extractor = FeatureExtractor(core.board, core.rules, players, core.max_cycles)
    rng = np.random.default_rng(3)
    env.reset(seed=5)
    phases, eliminated = set(), 0
    for _ in range(30):
        phases.add(int(core.state.phase[0]))
        eliminated += int((core.state.eliminated_at[0] != 0).any())
        assert np.array_equal(extract(extractor, core), core.out.features[0])
        if not env.agents:
            break
        env.step({agent: sample(env, rng, agent) for agent in env.agents})
    assert len(phases) > 1


def test_features_of_eliminated_players_equal_the_observation():
    core = EnvCore(LONG, "challenge1", 3, observation="flat", picking="random", slots=3)
    core.reset([1])
    core.state.owner[0][core.state.owner[0] == 2] = 0
    core.state.round[0] = core.state.eliminated_at[0, 2] = 4
    core.refresh_observations()
    assert np.array_equal(
        extract(FeatureExtractor(core.board, core.rules, 3, core.max_cycles), core), core.out.features[0]
    )


def test_hidden_regions_do_not_change_the_features():
    game = Game(SMALL, "challenge2", seed=2)
    while game.phase == "pick":
        game.pick({p: list(game.view(p).offers)[:1] for p in range(2) if game.view(p).offers})
    extractor = FeatureExtractor(game.view(0).board, game.rules, 2, 100)
    views = [game.view(p) for p in range(2)]
    assert all((view.owner == -2).any() for view in views)
    full = [game.owner] * 2, [game.army] * 2, [0, 1], [0, 0], [3, 3]
    seen = [view.owner for view in views], [view.army for view in views], [0, 1], [0, 0], [3, 3]
    assert np.array_equal(extractor(*full), extractor(*seen))


@pytest.mark.parametrize(("wrong", "message"), [
    ({"owner": np.zeros((2, 3), int)}, r"the same shape \[M, 12\]"),
    ({"player": [0, 2]}, "0 .. 1"),
    ({"player": [0]}, r"must have the shape \[2\]"),
    ({"owner": np.full((2, 12), 300)}, "0 .. 1"),
    ({"offered": np.zeros((1, 12), bool)}, r"the same shape \[M, 12\]"),
    ({"army": np.ones((2, 12))}, "army must be an array of integers"),
])  # fmt: skip
def test_invalid_arrays_raise_an_error(wrong, message):
    core = EnvCore(SMALL)
    arrays = {
        "owner": np.zeros((2, 12), int), "army": np.ones((2, 12), int), "player": [0, 1], "rounds": [0, 0],
        "cycles": [0, 0],
    }  # fmt: skip
    with pytest.raises(InputError, match=message):
        FeatureExtractor(core.board, core.rules, 2, 100)(**{**arrays, **wrong})
