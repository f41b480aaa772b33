"""The tests of PettingZoo for each encoding and number of players, and the registration of the environment."""

from __future__ import annotations

import functools
import subprocess
import sys
import time
import types
import warnings

import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import (
    api_test,
    max_cycles_test,
    parallel_api_test,
    parallel_seed_test,
    performance_benchmark,
    render_test,
    seed_test,
    state_test,
)
from pettingzoo.test.save_obs_test import test_save_obs as save_obs_test

from env_helpers import ENCODINGS, LONG, SMALL
from warlight_env import warlight_v0

pytestmark = pytest.mark.filterwarnings("ignore")
CASES = [(encoding, players) for encoding in ENCODINGS for players in (2, 3, 6)]


def arguments(encoding: str, players: int, **more) -> dict:
    rules = {"picks": 1} if players == 6 else "thesis"
    return {"map": SMALL, "action": ENCODINGS[encoding], "players": players, "rules": rules, **more}


@pytest.mark.parametrize("encoding, players", CASES)
def test_parallel_api(encoding, players):
    parallel_api_test(warlight_v0.parallel_env(**arguments(encoding, players)), num_cycles=60)


@pytest.mark.parametrize("encoding, players", CASES)
def test_api(encoding, players):
    api_test(warlight_v0.env(**arguments(encoding, players)), num_cycles=40)


@pytest.mark.parametrize("observation", ["flat", "raw"])
@pytest.mark.parametrize("mask", ["observation", "info"])
def test_api_of_all_observations(observation, mask):
    api_test(warlight_v0.env(**arguments("factored", 2, observation=observation, mask=mask)), num_cycles=40)
    env = warlight_v0.parallel_env(**arguments("orders", 3, observation=observation, mask=mask))
    parallel_api_test(env, num_cycles=30)


@pytest.mark.parametrize("encoding, players", CASES)
def test_seeds(encoding, players):
    parallel_seed_test(functools.partial(warlight_v0.parallel_env, **arguments(encoding, players)), num_cycles=20)
    seed_test(functools.partial(warlight_v0.env, **arguments(encoding, players)), num_cycles=12)


@pytest.mark.parametrize("encoding, players", CASES)
def test_max_cycles(encoding, players):
    env_arguments = {
        "map": LONG,
        "action": ENCODINGS[encoding],
        "players": players,
    }  # no player is eliminated before the limit
    module = types.SimpleNamespace(
        parallel_env=functools.partial(warlight_v0.parallel_env, **env_arguments),
        env=functools.partial(warlight_v0.env, **env_arguments),
    )
    max_cycles_test(module)


def test_max_cycles_of_the_module():
    """The library plays random, unseeded actions; on this map, no game is won before the cycle limit."""
    on_long = {name: functools.partial(getattr(warlight_v0, name), map=LONG) for name in ("parallel_env", "env")}
    max_cycles_test(types.SimpleNamespace(**on_long))


@pytest.mark.parametrize("encoding, players", CASES)
def test_state(encoding, players):
    env_arguments = arguments(encoding, players)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        state_test(warlight_v0.env(**env_arguments), warlight_v0.parallel_env(**env_arguments), num_cycles=30)


@pytest.mark.parametrize("encoding, players", [("factored", 2), ("orders", 3), ("priority", 6)])
def test_render(encoding, players, capsys):
    env_arguments = {**arguments(encoding, players), "map": "world"}  # this map has outlines
    render_test(functools.partial(warlight_v0.env, **env_arguments))
    assert capsys.readouterr().out.count("\n") > 10


@pytest.mark.parametrize("encoding, players", CASES)
def test_save_obs(encoding, players, capsys):
    save_obs_test(
        warlight_v0.env(**arguments(encoding, players))
    )  # saves observations that are images, and prints that these are not
    assert "did not save" in capsys.readouterr().out


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_performance_benchmark_runs(encoding, capsys, monkeypatch):
    fast = types.SimpleNamespace(time=lambda: 10 * time.time())  # the benchmark's five seconds take half a second
    monkeypatch.setitem(performance_benchmark.__globals__, "time", fast)
    performance_benchmark(warlight_v0.env(**arguments(encoding, 3, mask="info")))
    assert "turns per second" in capsys.readouterr().out


def test_masked_samples_are_legal_on_the_world_map():
    env = warlight_v0.parallel_env(max_cycles=5)
    observations, infos = env.reset(seed=1)
    assert env.edge_index.shape == (2, 164)
    assert env.action_space("player_0").shape == (42 + 164,)
    while env.agents:
        actions = {a: env.action_space(a).sample(observations[a]["action_mask"]) for a in env.agents}
        observations, _, _, truncations, infos = env.step(actions)
        assert all(info["illegal"] == 0 for info in infos.values())
        for agent, observation in observations.items():
            assert env.observation_space(agent).contains(observation)
    assert all(truncations.values())


def test_action_spaces_of_agents_have_independent_seeds():
    env = warlight_v0.parallel_env(map=SMALL)
    for p, agent in enumerate(env.possible_agents):
        env.action_space(agent).seed(p)
    first, second = (env.action_space(agent).sample() for agent in env.possible_agents)
    assert not np.array_equal(first, second)


@pytest.mark.parametrize("kind", ["parallel", "aec"])
def test_environment_is_registered_with_pettingzoo(kind):
    env = pettingzoo.make(kind, "warlight/warlight_v0", map=SMALL, players=3)
    env.reset(seed=1)
    assert env.metadata["name"] == "warlight_v0"
    assert len(env.agents) == 3


def test_package_import_loads_no_heavy_libraries():
    code = "import sys, warlight_env; print([m for m in ('gymnasium', 'pettingzoo', 'torch') if m in sys.modules])"
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert process.stdout.strip() == "[]"
