"""Batches of games on many maps: they equal single environments, and a step that fails changes nothing."""

from __future__ import annotations

import copy
import functools
import pickle

import gymnasium
import numpy as np
import pytest
from stable_baselines3 import PPO

import warlight_env.envs  # noqa: F401 -- registers the ids
from env_helpers import ROOM, SETS, equal, plays_like
from warlight_env import Game, maps
from warlight_env.agents import make_agent
from warlight_env.engine.rules import RulesError
from warlight_env.envs import (
    GeneratedMaps,
    WarlightMapsEnv,
    WarlightMapsVectorEnv,
    WarlightVectorEnv,
    parts,
)
from warlight_env.envs.conformance import vector_conformance_test
from warlight_env.envs.sb3 import make_vec_env
from warlight_env.errors import InputError
from warlight_env.train.sb3_ppo.masked_policy import MaskedFactoredPolicy

CASES = {
    "factored": {"action": "factored", "opponent": "aggressive"},
    "continuous": {"action": "continuous", "opponent": "one_big_army", "reward": "regions"},
    "strategies, a pool": {"action": "strategies", "opponent": {"aggressive": 1, "random": 2}},
    "steps": {"action": "steps", "opponent": "smart_random", "max_cycles": 30},
    "three, picks, masks": {
        "action": "factored", "players": 3, "opponent": ["aggressive", "random"], "picking": "play",
        "mask": "observation", "rules": {"picks": 1},
    },
    "fog, an agent in Python": {"action": "factored", "fog": True, "opponent": "random:margin=2"},
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_batch_equals_single_environments(case):
    arguments = {
        "map": ["small", "generated:14:1", "generated:20:7"],
        "map_limits": (22, 90),
        "max_cycles": 25,
        **CASES[case],
    }
    ended = vector_conformance_test(
        lambda count, mode: WarlightMapsVectorEnv(count, autoreset_mode=mode, **arguments),
        lambda: WarlightMapsEnv(**arguments),
        steps=30,
    )
    assert ended > 4


def test_make_vec_creates_a_batch_on_generated_maps():
    maps_ = GeneratedMaps(8, 12, count=6)
    envs = gymnasium.make_vec(
        "warlight/WarlightMaps-v0", 32, vectorization_mode="vector_entry_point", map=maps_, action="strategies",
        max_cycles=20,
    )  # fmt: skip
    observations, _ = envs.reset(seed=1)
    seen = {envs.unwrapped.episodes.map_of(b).name for b in range(32)}
    for _ in range(30):
        observations, _, _, _, infos = envs.step(np.zeros(32, dtype=np.int64))
        assert observations in envs.observation_space
    assert len(seen) > 3 and infos["action_mask"].shape == (32, 9)
    envs.reset(seed=2, options={"map": "small"})
    assert {envs.unwrapped.episodes.map_of(b).digest() for b in range(32)} == {maps.load("small").digest()}


def test_sb3_batch_trains_on_after_a_change_of_maps():
    env = make_vec_env(6, seed=1, map=["small"], map_limits=(42, 164), action="factored", mask="observation")
    model = PPO(MaskedFactoredPolicy, env, n_steps=8, batch_size=16, n_epochs=1, device="cpu")
    model.learn(48)
    env.set_maps({"world": 1.0})
    env.reset()
    assert {env.episodes.map_of(b).name for b in range(6)} == {"world"}
    model.set_env(env)
    model.learn(48)


def test_reward_error_changes_no_game():
    def breaks(before, after, paid):
        if after.round.max() > 2:
            raise RuntimeError("mine")
        return paid

    env = WarlightMapsVectorEnv(4, map=SETS, action="strategies", reward=functools.partial(breaks))
    env.reset(seed=1)
    for _ in range(2):
        env.step(np.zeros(4, dtype=np.int64))

    def states():
        return [(core.state.army[c].copy(), core.state.round[c]) for core, c in map(env.episodes.core_of, range(4))]

    before = states()
    with pytest.raises(RuntimeError, match="mine"):
        env.step(np.zeros(4, dtype=np.int64))
    for (army, round_), (army_before, _) in zip(states(), before, strict=True):
        np.testing.assert_array_equal(army, army_before)
        assert round_ == 2


def test_failed_reset_onto_too_small_maps_changes_no_game():
    """The maps are generated, so the error occurs only after the draw."""
    maps_ = GeneratedMaps(8, 24, count=4, seed=1)
    env, other = (WarlightMapsVectorEnv(4, map=maps_, players=6, action="strategies") for _ in range(2))
    for each in (env, other):
        each.reset(seed=85)
    for seed in range(7, 11):
        with pytest.raises(RulesError, match="with 6 players"):
            env.reset(seed=seed)
    plays_like(env, other, steps=15)  # stop before the next game: the failed resets changed the seed streams
    for each in (env, other):
        each.reset(seed=15)
    assert len({(id(core), c) for core, c in map(env.episodes.core_of, range(4))}) == 4
    plays_like(env, other)


def test_rejected_start_without_the_learner_changes_no_game():
    settings = {"map": {"world": 0.9, "small": 0.1}, "players": 3, "action": "strategies"}
    env, other = (WarlightMapsVectorEnv(1, **settings) for _ in range(2))
    start, agents = Game("small", players=3, picks="random", seed=1), [make_agent("aggressive", p) for p in range(3)]
    while all(map(start.alive, range(3))):
        start.play_round([agent.act(start.view(p)) for p, agent in enumerate(agents)])
    assert not start.done
    for each in (env, other):
        each.reset(seed=1, options={"map": "world"})
    with pytest.raises(InputError, match="the learner's seat may be eliminated in that game"):
        env.reset(options={"start": start})
    assert env.episodes.map_of(0).name == "world"
    plays_like(env, other)


def test_observations_are_correct_when_maps_exceed_the_cache(monkeypatch):
    monkeypatch.setattr(parts, "_KEPT", 4)
    settings = {"map": GeneratedMaps(6, 9, count=100_000), "opponent": "random", "picking": "random"}
    batch, alone = WarlightMapsVectorEnv(6, **settings), [WarlightMapsEnv(**settings) for _ in range(6)]
    seen, _ = batch.reset(seed=1)
    single_observations = [env.reset(seed=1 + b)[0] for b, env in enumerate(alone)]
    nothing = np.zeros(batch.single_action_space.shape, np.int64)
    for _ in range(3):
        for b, expected in enumerate(single_observations):
            assert equal({name: array[b] for name, array in seen.items()}, expected)
        seen = batch.step(np.stack([nothing] * 6))[0]
        single_observations = [env.step(nothing)[0] for env in alone]


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["copy", "pickle"])
@pytest.mark.parametrize("opponent", ["aggressive", make_agent("smart_random", 0).__class__])
def test_copy_continues_like_the_original(opponent, copied):
    env = WarlightMapsVectorEnv(4, map=["generated:12:1", "generated:14:2"], opponent=opponent, max_cycles=9)
    env.reset(seed=1)
    nothing = np.zeros(env.action_space.shape, np.int64)
    env.step(nothing)
    other = copied(env)
    mine = [env.step(nothing) for _ in range(12)]
    theirs = [other.step(nothing) for _ in range(12)]
    for one, two in zip(mine, theirs, strict=True):
        assert equal(one[0], two[0])
        assert all(np.array_equal(x, y) for x, y in zip(one[1:4], two[1:4], strict=True))


UNPICKLED = """
import pickle, sys
import numpy as np

env = pickle.load(open(sys.argv[1], "rb"))
env.reset(seed=2)
print(env.step(np.zeros(env.action_space.shape, np.int64))[4]["round"])
"""


def test_pickled_environment_plays_in_another_process(tmp_path, starts):
    env = WarlightMapsEnv(["generated:12:1", "generated:14:2"], opponent="aggressive", picking="random")
    env.reset(seed=1)
    (tmp_path / "env.pkl").write_bytes(pickle.dumps(env))
    process = starts.run(UNPICKLED, str(tmp_path / "env.pkl"))
    assert process.stdout.strip() == "1", process.stderr


@pytest.mark.parametrize(
    ("action", "wrong", "message"),
    [
        ("factored", np.full((2, sum(ROOM)), 5), "game 0, .*entry 0 is 5"),
        ("factored", np.zeros((2, 3), np.int64), "must be an integer array"),
        ("strategies", np.array([0, 9]), "game 1, .*entry 0 is 9"),
        ("steps", np.array([-1, 0]), "game 0, .*entry 0 is -1"),
        ("continuous", np.full((2, sum(ROOM)), np.nan), "must be a finite number"),
    ],
)
def test_batch_rejects_invalid_actions(action, wrong, message):
    env = WarlightMapsVectorEnv(2, map=SETS, map_limits=ROOM, action=action)
    with pytest.raises(ValueError, match="call reset"):
        env.step(wrong)
    env.reset(seed=1)
    with pytest.raises(ValueError, match=message):
        env.step(wrong)
    assert not any(core.state.round[c] for core, c in map(env.episodes.core_of, range(2)))


@pytest.mark.parametrize("make", [WarlightVectorEnv, WarlightMapsVectorEnv])
@pytest.mark.parametrize(
    "acting",
    [np.ones(1, bool), np.ones((2, 1), bool), np.ones(3, bool), np.ones(2), [True, True], np.full(2, 300), True],
)
def test_step_rejects_invalid_acting_arrays(make, acting):
    """With a short array, kernels would read memory beyond its end."""
    env = make(2, map=["generated:12:1"] if make is WarlightMapsVectorEnv else "small", action="strategies")
    env.reset(seed=1)
    nothing = np.zeros(2, np.int64)
    with pytest.raises(InputError, match=r"^acting must"):
        env.episodes.step([nothing], acting)
    assert not env.episodes.results().infos["round"].any()
    env.episodes.step([nothing], np.array([True, False]))
    assert env.episodes.results().infos["round"].tolist() == [1, 0]


@pytest.mark.parametrize("make", [WarlightVectorEnv, WarlightMapsVectorEnv])
def test_cycle_limit_applies_to_all_games_at_once(make):
    map_setting = ["generated:12:1", "generated:14:2"] if make is WarlightMapsVectorEnv else "generated:12:1"
    env = make(3, map=map_setting, action="strategies", max_cycles=5)
    env.reset(seed=1)
    for limit in (4, 3, 2, 1):
        env.episodes.limit_cycles(limit)
        assert env.episodes.policy_settings.max_cycles == limit
        for _ in range(7):
            env.step(np.zeros(3, np.int64))
        assert all(env.episodes.core_of(b)[0].max_cycles == limit for b in range(3))
        assert env.episodes.results().infos["round"].max() <= limit
    for wrong in (0, 2.5, True):
        with pytest.raises(InputError, match=f"max_cycles = {wrong}: must be an integer from 1"):
            env.episodes.limit_cycles(wrong)
    assert env.episodes.policy_settings.max_cycles == 1


def test_games_that_change_maps_take_the_first_unused_places(monkeypatch):
    three = ["small", "world", "generated:12:1"]
    env = gymnasium.make_vec("warlight/WarlightMaps-v0", num_envs=40, map=three)
    env.reset(seed=1)
    batch, rng = env.unwrapped.episodes, np.random.default_rng(1)

    def check(moved):
        taken = {(id(core), c) for core, c in map(batch.core_of, range(40))}
        assert len(taken) == 40
        for part in batch.parts:
            used = {c for c in range(part.core.batch) if (id(part.core), c) in taken}
            assert np.flatnonzero(part.places >= 0).tolist() == sorted(used)
            assert sorted(part.unused) == sorted(set(range(part.core.batch)) - used)
            last = max([c for core, c in map(batch.core_of, moved) if core is part.core], default=-1)
            assert all(c > last for c in part.unused)

    def move():
        mask = rng.random(40) < 0.3
        mask[rng.integers(40)] = True
        before = [batch.core_of(b) for b in range(40)]
        env.reset(options={"reset_mask": mask})
        return [b for b in range(40) if batch.core_of(b) != before[b]]

    def fail():
        """Fail a reset after some games have moved to another map."""
        before, sizes = [batch.core_of(b) for b in range(40)], iter([50])
        env.unwrapped.set_maps([f"generated:14:{seed}" for seed in rng.integers(2**20, size=2)])
        with monkeypatch.context() as patch:
            patch.setattr(parts, "_size_for", lambda count: next(sizes))
            with pytest.raises((StopIteration, RuntimeError)):
                env.reset()
        env.unwrapped.set_maps(three)
        assert [batch.core_of(b) for b in range(40)] == before
        return []

    for _ in range(8):
        check(fail())
        for _ in range(6):
            check(move())
