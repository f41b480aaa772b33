"""Many maps in one environment: games equal those of single-map environments, and padding carries no information."""

from __future__ import annotations

import copy
import functools
import gc
import pickle
import subprocess
import sys
import weakref
from typing import Any, ClassVar

import gymnasium
import numpy as np
import pytest
from gymnasium.utils import seeding
from gymnasium.utils.env_checker import check_env
from sb3_contrib import MaskablePPO
from stable_baselines3 import PPO
from stable_baselines3.common.env_checker import check_env as check_for_sb3

import warlight_env.envs  # noqa: F401 -- the ids
from env_helpers import BreakingReward, equal
from warlight_env import Game, Orders, maps, warlight_v0
from warlight_env.agents import make_agent
from warlight_env.arena import Match
from warlight_env.bench.subject import make_subject
from warlight_env.engine.rules import RulesError
from warlight_env.envs import (
    GeneratedMaps,
    OpponentPool,
    WarlightEnv,
    WarlightMapsEnv,
    WarlightMapsVectorEnv,
    WarlightVectorEnv,
    parts,
)
from warlight_env.envs.conformance import vector_conformance_test
from warlight_env.envs.map_sets import map_set
from warlight_env.envs.sb3 import SavePolicyCallback, make_vec_env
from warlight_env.errors import InputError
from warlight_env.maps import MapError
from warlight_env.train.sb3_ppo.masked_policy import MaskedFactoredPolicy

SETS = ["small", "world", "generated:20:7"]
ROOM = (50, 200)
ACTIONS = ("factored", "continuous", "strategies", "steps")


@pytest.mark.filterwarnings("ignore:.*unconventional shape")
@pytest.mark.parametrize(
    ("action", "mask"), [("factored", "observation"), ("continuous", "info"), ("strategies", "info"), ("steps", "info")]
)  # fmt: skip
def test_the_checks_of_others(action, mask):
    env = WarlightMapsEnv(["small", "generated:20:7"], action=action, mask=mask)
    check_env(env, skip_render_check=True)
    check_for_sb3(env)


def _alone(action, name, n, e):
    """The action without padding, as the class's text says it."""
    regions, edges = ROOM
    if name == "strategies":
        return action
    if name == "steps":
        if action == 3 * regions + 4 * edges:
            return 3 * n + 4 * e
        return action if action < 3 * regions else action - 3 * regions + 3 * n
    return np.concatenate((action[:n], action[regions : regions + e]))


@pytest.mark.parametrize("name", ACTIONS)
def test_a_game_is_that_of_the_map_alone(name):
    settings = {"action": name, "opponent": "aggressive", "max_cycles": 60}
    env = WarlightMapsEnv(SETS, map_limits=ROOM, **settings)
    for seed in range(3):
        observation, _ = env.reset(seed=seed)
        drawn = seeding.np_random(seed)[0]
        plain = WarlightEnv(map_set(SETS).draw(drawn), observation="graph", **settings)
        plain.reset()
        plain.episodes.reset([plain.episodes.draw(drawn)], [0])
        expected = plain.episodes.observe(0)
        (_, n), e = plain.episodes.core.state.owner.shape, plain.edge_index.shape[1]
        assert observation["region_mask"].sum() == n and observation["edge_mask"].sum() == e
        np.testing.assert_array_equal(observation["edge_index"][:, :e], plain.edge_index)
        over, rng = False, np.random.default_rng(seed)
        while not over:
            np.testing.assert_array_equal(observation["nodes"][:n], expected["nodes"])
            np.testing.assert_array_equal(observation["globals"], expected["globals"])
            assert not observation["nodes"][n:].any() and not observation["edge_index"][:, e:].any()
            if name == "continuous":
                action = rng.uniform(-1, 1, sum(ROOM)).astype(np.float32)
            elif name == "factored":
                rows = env.action_masks().reshape(-1, 5)
                assert (rows[n : ROOM[0]] == [1, 0, 0, 0, 0]).all() and (rows[ROOM[0] + e :] == [1, 0, 0, 0, 0]).all()
                action = (rng.random(rows.shape) * rows).argmax(1)
            else:
                action = int(rng.choice(np.flatnonzero(env.action_masks())))
            observation, reward, terminated, truncated, info = env.step(action)
            expected, *known, plain_info = plain.step(_alone(action, name, n, e))
            assert [reward, terminated, truncated] == known and info["illegal"] == plain_info["illegal"]
            over = terminated or truncated


def test_equal_seeds_give_equal_games_on_equal_maps():
    def played(seed: int) -> list[object]:
        env = WarlightMapsEnv(GeneratedMaps(8, 16, count=4), action="strategies", opponent="random")
        told: list[object] = []
        env.reset(seed=seed)
        for _ in range(3):
            over = False
            while not over:
                observation, reward, terminated, truncated, _ = env.step(int(np.flatnonzero(env.action_masks())[0]))
                told.append((env.map.name, reward, float(observation["nodes"].sum())))
                over = terminated or truncated
            env.reset()
        return told

    first = played(5)
    assert first == played(5) != played(6)
    assert len({name for name, _, _ in first}) > 1


def test_maps_are_drawn_by_their_weights():
    env = WarlightMapsEnv({"small": 3.0, "generated:12:1": 1.0, "generated:14:1": 0.0}, action="strategies")
    env.reset(seed=1)
    names = []
    for _ in range(200):
        env.reset()
        names.append(env.map.name)
    assert 120 < names.count("small") < 180 and len(set(names)) == 2


def test_a_curriculum_and_its_limits():
    env = WarlightMapsEnv("small", map_limits=(42, 164), action="strategies")
    shape = env.observation_space["nodes"].shape
    env.set_maps("world")
    observation, _ = env.reset(seed=1)
    assert env.map.digest() == maps.load("world").digest() and observation["nodes"].shape == shape
    with pytest.raises(InputError, match="128 regions and 618 directed edges: the limits are 42 and 164"):
        env.set_maps(["small", "large"])
    env.reset(seed=2)
    assert env.map.digest() == maps.load("world").digest()


def test_a_game_on_a_map_of_choice():
    env = WarlightMapsEnv(SETS, action="strategies")
    env.reset(seed=1, options={"map": "small", "seat": 1})
    assert env.map.digest() == maps.load("small").digest()
    with pytest.raises(InputError, match=r"option 'map': the map has 128 regions"):
        env.reset(options={"map": "large"})
    assert env.map.digest() == maps.load("small").digest()


def test_what_a_map_lacks_is_dropped_and_counted():
    env = WarlightMapsEnv(SETS, action="factored")
    env.reset(seed=1, options={"map": "small"})
    action = np.zeros(env.action_space.shape, np.int64)
    action[20] = action[41] = 4
    assert env.step(action)[4]["illegal"] == 2
    steps = WarlightMapsEnv(SETS, action="steps")
    steps.reset(seed=1, options={"map": "small"})
    assert steps.step(3 * 30)[4]["illegal"] >= 1


@pytest.mark.parametrize(
    ("told", "message"),
    [
        ([], "must have at least one map"), ({"small": -1.0}, "weights from 0 up"), (["wrld"], "no map 'wrld'"),
    ],
)  # fmt: skip
def test_sets_that_there_are_not(told, message):
    with pytest.raises(InputError, match=message):
        map_set(told)


def test_forms_that_there_are_not():
    with pytest.raises(InputError, match="must be one of factored"):
        WarlightMapsEnv(SETS, action="orders")
    with pytest.raises(InputError, match="environments of many maps have a fixed observation"):
        WarlightMapsEnv(SETS, observation="flat")
    with pytest.raises(InputError, match="with min_regions <= max_regions"):
        GeneratedMaps(40, 10)


def test_vectors_hold_different_maps():
    envs = gymnasium.make_vec("warlight/WarlightMaps-v0", 4, vectorization_mode="sync", map=SETS, action="strategies")
    observations, _ = envs.reset(seed=1)
    assert len(set(observations["region_mask"].sum(1).tolist())) > 1
    for _ in range(30):
        observations, *_ = envs.step(np.zeros(4, dtype=np.int64))
    envs.close()


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
def test_a_batch_is_its_single_environments(case):
    arguments = {
        "map": ["small", "generated:14:1", "generated:20:7"],
        "map_limits": (22, 90),
        "max_cycles": 25,
        **CASES[case],
    }
    ended = vector_conformance_test(
        lambda count, mode: WarlightMapsVectorEnv(count, autoreset_mode=mode, **arguments),
        lambda: WarlightMapsEnv(**arguments),
        steps=40,
    )
    assert ended > 4


def test_a_batch_by_its_id_on_generated_maps():
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


def test_a_batch_of_stable_baselines_and_its_curriculum():
    env = make_vec_env(6, seed=1, map=["small"], map_limits=(42, 164), action="factored", mask="observation")
    model = PPO(MaskedFactoredPolicy, env, n_steps=8, batch_size=16, n_epochs=1, device="cpu")
    model.learn(48)
    env.set_maps({"world": 1.0})
    env.reset()
    assert {env.episodes.map_of(b).name for b in range(6)} == {"world"}
    model.set_env(env)
    model.learn(48)


def test_what_breaks_off_has_played_nothing():
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


class RaisesOnce:
    """An agent that plays nothing, and whose first turn in the third round raises."""

    name = "raises once"
    left = 0

    def __init__(self, seed):
        pass

    def pick(self, view):
        return list(view.offers)

    def act(self, view):
        if view.round == 2 and RaisesOnce.left:
            RaisesOnce.left -= 1
            raise RuntimeError("mine")
        return Orders()


def test_an_opponent_that_raises_undoes_the_step_on_all_maps(monkeypatch):
    """Also on those where bots alone play, which drew from their generators."""

    def played(times):
        monkeypatch.setattr(RaisesOnce, "left", times)
        pool = OpponentPool({"smart_random": 1.0})
        pool.add("raises", RaisesOnce)
        env = WarlightMapsVectorEnv(8, map=SETS, map_limits=ROOM, action="factored", opponent=pool, picking="random")
        env.reset(seed=2)
        rng, seen = np.random.default_rng(0), []
        for step in range(6):
            actions = rng.integers(0, 5, env.action_space.shape)
            if step == 2 and times:
                with pytest.raises(RuntimeError, match="mine"):
                    env.step(np.zeros(env.action_space.shape, np.int64))
            seen.append(env.step(actions)[0]["nodes"])
        assert RaisesOnce.left == 0
        return seen

    assert equal(played(1), played(0))


def _plays_like(env, other, steps=8):
    """Both give the same, step by step."""
    for _ in range(steps):
        found, expected = (each.step(np.zeros(each.num_envs, np.int64)) for each in (env, other))
        for name, array in expected[0].items():
            np.testing.assert_array_equal(found[0][name], array)
        np.testing.assert_array_equal(found[1:4], expected[1:4])


def test_a_reset_onto_maps_that_cannot_be_played_on_leaves_the_games_as_they_were():
    """Also where maps are not known before they are drawn."""
    maps_ = GeneratedMaps(8, 24, count=4, seed=1)
    env, other = (WarlightMapsVectorEnv(4, map=maps_, players=6, action="strategies") for _ in range(2))
    for each in (env, other):
        each.reset(seed=85)
    for seed in range(7, 11):
        with pytest.raises(RulesError, match="with 6 players"):
            env.reset(seed=seed)
    _plays_like(env, other, steps=15)  # until one ends: streams of seeds went on
    for each in (env, other):
        each.reset(seed=15)
    assert len({(id(core), c) for core, c in map(env.episodes.core_of, range(4))}) == 4
    _plays_like(env, other)


def test_a_start_without_the_learner_leaves_the_game_as_it_was():
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
    _plays_like(env, other)


def test_games_whose_opponent_did_not_begin_are_to_be_reset():
    broken = []

    def make(seed):
        if broken:
            raise RuntimeError("not today")
        return make_agent("random", seed)

    env, other = (WarlightMapsVectorEnv(3, map=SETS, action="strategies", opponent=make) for _ in range(2))
    for each in (env, other):
        each.reset(seed=1)
    broken.append(True)
    for _ in range(2):
        with pytest.raises(RuntimeError, match="not today"):
            env.reset(seed=2, options={"reset_mask": np.array([True, False, True])})
        with pytest.raises(ValueError, match="call reset"):
            env.step(np.zeros(3, np.int64))
    broken.clear()
    mask = np.array([True, False, True])
    for each in (env, other):
        each.reset(seed=[3, None, 4], options={"reset_mask": mask})
    _plays_like(env, other)


def test_more_new_maps_than_are_kept_are_each_shown_as_they_are(monkeypatch):
    monkeypatch.setattr(parts, "_KEPT", 4)
    settings = {"map": GeneratedMaps(6, 9, count=100_000), "opponent": "random", "picking": "random"}
    batch, alone = WarlightMapsVectorEnv(6, **settings), [WarlightMapsEnv(**settings) for _ in range(6)]
    seen, _ = batch.reset(seed=1)
    shown = [env.reset(seed=1 + b)[0] for b, env in enumerate(alone)]
    nothing = np.zeros(batch.single_action_space.shape, np.int64)
    for _ in range(3):
        for b, expected in enumerate(shown):
            assert equal({name: array[b] for name, array in seen.items()}, expected)
        seen = batch.step(np.stack([nothing] * 6))[0]
        shown = [env.step(nothing)[0] for env in alone]


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["copy", "pickle"])
@pytest.mark.parametrize("opponent", ["aggressive", make_agent("smart_random", 0).__class__])
def test_a_copy_goes_on_like_the_original(opponent, copied):
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


def test_a_copy_plays_in_another_process(tmp_path):
    env = WarlightMapsEnv(["generated:12:1", "generated:14:2"], opponent="aggressive", picking="random")
    env.reset(seed=1)
    (tmp_path / "env.pkl").write_bytes(pickle.dumps(env))
    done = subprocess.run(
        [sys.executable, "-c", UNPICKLED, str(tmp_path / "env.pkl")], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "1"


class Onlooker:
    """Notes what views tell of the last round."""

    told: ClassVar[list] = []
    name = "onlooker"

    def __init__(self, seed):
        pass

    def pick(self, view):
        return list(view.offers)

    def act(self, view):
        last = view.last_round
        self.told.append((view.map.name, view.round, view.starts is None, last and (last.round, len(last.events))))
        return Orders()


@pytest.mark.parametrize("make", [WarlightVectorEnv, WarlightMapsVectorEnv])
def test_a_reward_that_raises_changes_nothing_of_what_opponents_are_told(make):
    """The round is played again, and they are told as if it had been played but once."""

    def told(times: int):
        pay = BreakingReward(times)
        maps_of = ["generated:12:1", "generated:14:2"]
        given = maps_of if make is WarlightMapsVectorEnv else maps_of[0]
        env = make(4, map=given, opponent=Onlooker, reward=pay, picking="random", action="factored")
        env.reset(seed=3)
        nothing = np.zeros(env.action_space.shape, np.int64)
        Onlooker.told.clear()
        for _ in range(5):
            before = len(Onlooker.told)
            try:
                env.step(nothing)
            except RuntimeError:
                del Onlooker.told[before:]
                env.step(nothing)
        assert pay.left == 0
        return list(Onlooker.told)

    assert told(1) == told(0)


def test_what_views_tell_is_kept_only_while_somebody_takes_views():
    env = WarlightMapsVectorEnv(4, map=SETS, map_limits=ROOM, opponent=Onlooker, max_cycles=3)
    env.reset(seed=1)
    cores = [env.episodes.core_of(b)[0] for b in range(4)]
    assert all(core.records_history for core in cores)
    env.set_opponent("random")
    nothing = np.zeros(env.action_space.shape, np.int64)
    for _ in range(9):
        env.step(nothing)
    assert not any(env.episodes.core_of(b)[0].records_history for b in range(4))


@pytest.mark.parametrize(
    "settings",
    [
        {"map": 5}, {"map": None}, {"map": [5]}, {"map": {"small": "a"}}, {"map": {"small": None}},
        {"map": "small", "map_limits": 5}, {"map": "small", "map_limits": (1, 2, 3)},
        {"map": "small", "map_limits": ("a", 2)},
    ],
)  # fmt: skip
def test_maps_and_limits_that_are_none_are_refused_by_name(settings):
    with pytest.raises(InputError, match=r"map|map_limits"):
        WarlightMapsEnv(**settings)


@pytest.mark.parametrize("ranges", [("a", 4), (10.5, 20), (10, 20, 1.5), (10, 20, 5, None)])
def test_ranges_of_maps_are_whole_numbers(ranges):
    with pytest.raises(InputError, match="must be an integer"):
        GeneratedMaps(*ranges)


def test_options_are_a_dict():
    env = WarlightMapsEnv("small")
    for options in ([1], {"map": 5}):
        with pytest.raises(InputError, match=r"options|map"):
            env.reset(options=options)


def test_named_maps_that_cannot_hold_the_players_are_refused_at_the_door():
    with pytest.raises(RulesError, match=r"map 'small': .* with 6 players"):
        WarlightMapsVectorEnv(4, map={"world": 0.9, "small": 0.1}, players=6)
    env = WarlightMapsEnv({"world": 1.0, "small": 0.0}, players=6, action="strategies")
    with pytest.raises(RulesError, match="map 'small'"):
        env.set_maps(["world", "small"])
    env.reset(seed=1)
    assert env.map.name == "world"


def share(before, after, paid):
    """Of all players' armies."""
    out = np.zeros(paid.shape)
    for b in range(paid.shape[0]):
        for p in range(paid.shape[1]):
            out[b, p] = after.army[b][after.owner[b] == p].sum() / after.army[b][after.owner[b] >= 0].sum()
    return out


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("compiled", [True, False])
def test_a_reward_of_ones_own_is_asked_of_games_that_are_played(compiled):
    settings = {"map": ["small", "world"], "action": "strategies", "max_cycles": 5}
    reward = share if compiled else functools.partial(share)
    env, plain = WarlightMapsVectorEnv(4, reward=reward, **settings), WarlightMapsVectorEnv(4, **settings)
    for each in (env, plain):
        each.reset(seed=1)
    for _ in range(20):
        _, rewards, terminated, truncated, _ = env.step(np.zeros(4, np.int64))
        _, _, *ends, _ = plain.step(np.zeros(4, np.int64))
        np.testing.assert_array_equal((terminated, truncated), ends)
        for b, (core, c) in enumerate(map(env.episodes.core_of, range(4))):
            if core.out.cycles[c]:
                army, owner = core.state.army[c], core.state.owner[c]
                mine = army[owner == env.episodes.learner[b]].sum()
                assert rewards[b] == pytest.approx(mine / army[owner >= 0].sum())


def test_a_reward_of_ones_own_is_told_its_game_by_the_batchs_number():
    def none_on_world(before, after, paid):
        if after.round.max() == 0 or after.owner.shape[1] < 42 or len(paid) == 1:
            return paid + 0.0
        return paid + np.where(np.arange(len(paid)) == len(paid) - 1, np.nan, 0.0)[:, None]

    env = WarlightMapsVectorEnv(8, map=["small", "world"], action="strategies", reward=functools.partial(none_on_world))
    env.reset(seed=1)
    places = [env.episodes.core_of(b) for b in range(8)]
    last = max((c, b) for b, (core, c) in enumerate(places) if core.map.name == "world" and core.batch > 1)[1]
    with pytest.raises(InputError, match=f"nan for player . of game {last}"):
        env.step(np.zeros(8, np.int64))


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
def test_actions_of_a_batch_that_are_none(action, wrong, message):
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
def test_who_acts_is_checked(make, acting):
    """An array that is short would have kernels read what lies behind it."""
    env = make(2, map=["generated:12:1"] if make is WarlightMapsVectorEnv else "small", action="strategies")
    env.reset(seed=1)
    nothing = np.zeros(2, np.int64)
    with pytest.raises(InputError, match=r"^acting must"):
        env.episodes.step([nothing], acting)
    assert not env.episodes.results().infos["round"].any()
    env.episodes.step([nothing], np.array([True, False]))
    assert env.episodes.results().infos["round"].tolist() == [1, 0]


@pytest.mark.parametrize("make", [WarlightVectorEnv, WarlightMapsVectorEnv])
def test_a_limit_of_cycles_holds_for_all_games_at_once(make):
    given = ["generated:12:1", "generated:14:2"] if make is WarlightMapsVectorEnv else "generated:12:1"
    env = make(3, map=given, action="strategies", max_cycles=5)
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


@pytest.mark.parametrize("make", [WarlightEnv, WarlightVectorEnv, warlight_v0.parallel_env])
@pytest.mark.parametrize("several", [["small", "world"], {"small": 1.0}, GeneratedMaps(8, 10)])
def test_environments_of_one_map_name_the_one_of_several(make, several):
    with pytest.raises(MapError, match="must be one map; for several maps, use warlight/WarlightMaps-v0"):
        make(map=several)


def test_a_model_of_many_maps_plays_wherever_an_agent_is_named(tmp_path):
    env = make_vec_env(4, seed=1, map=["small", "generated:14:1"], map_limits=(50, 200), action="strategies")
    model = MaskablePPO("MultiInputPolicy", env, n_steps=16, batch_size=16, n_epochs=1, device="cpu")
    path = tmp_path / "learner.zip"
    model.learn(64, callback=SavePolicyCallback(path))
    for map_ in ("small", "world", "generated:30:2"):
        match = Match([f"sb3:file={path},trust=yes", "random"], games=2, map=map_, seed=1, picks="random").run()
        assert sum(record.dropped[0] for record in match.records) == 0
    view = Game("world", seed=1, picks="random").view(0)
    assert isinstance(make_subject(str(path), trust=True)(1).act(view), Orders)  # as `warlight bench` plays it
    with pytest.raises(InputError, match="space for 50 regions"):
        Match([f"sb3:file={path},trust=yes", "random"], games=2, map="large", seed=1, picks="random").run()


class Silent:
    """An agent that plays nothing; `alive` contains all agents of this class that are in memory."""

    name = "silent"
    alive: ClassVar[weakref.WeakSet[Any]] = weakref.WeakSet()

    def __init__(self, seed):
        self.alive.add(self)

    def pick(self, view):
        return list(view.offers)

    def act(self, view):
        return Orders()


@pytest.mark.parametrize("opponent", ["random", ["random", Silent]])
def test_views_include_the_last_round_on_all_maps_after_the_first_view(opponent):
    arguments = {"players": 3} if isinstance(opponent, list) else {}
    env = WarlightMapsEnv(["small", "world"], action="strategies", opponent=opponent, **arguments)
    env.reset(seed=1, options={"map": "small"})
    assert env.view().last_round is None
    for name in ("world", "small"):
        env.reset(options={"map": name})
        env.step(0)
        assert env.view().last_round is not None


def test_views_include_the_last_round_in_games_that_move_to_a_map_later():
    env = WarlightMapsVectorEnv(3, map=["small", "world"], action="strategies")
    env.reset(seed=1, options={"map": "world"})
    env.reset(options={"map": "small", "reset_mask": np.array([True, False, False])})
    env.episodes.view(0)
    env.reset(options={"map": "small", "reset_mask": np.array([False, True, False])})
    env.step(np.zeros(3, np.int64))
    assert all(env.episodes.view(b).last_round is not None for b in range(3))


def test_agents_of_maps_without_games_are_removed():
    env = WarlightMapsVectorEnv(4, map=["small"], map_limits=(42, 164), action="strategies", opponent=Silent)
    env.reset(seed=1)
    env.step(np.zeros(4, np.int64))
    gc.collect()
    assert len(Silent.alive) == 4
    env.set_opponent("aggressive")
    env.set_maps(["world"])
    env.reset()
    gc.collect()
    assert len(Silent.alive) == 0
    other = WarlightMapsVectorEnv(4, map=["world"], map_limits=(42, 164), action="strategies", opponent="aggressive")
    env.reset(seed=5)
    other.reset(seed=5)
    _plays_like(env, other)
    env.set_maps(["small"])
    env.set_opponent(Silent)
    env.reset(seed=1)
    env.step(np.zeros(4, np.int64))
    assert len(Silent.alive) == 4


@pytest.mark.parametrize("wrong", [["small", "world"], ["small"], {"small": 1.0}, GeneratedMaps(8, 12), 5])
def test_the_option_map_is_one_map(wrong):
    env = WarlightMapsEnv(SETS, action="strategies")
    with pytest.raises(InputError, match=r"option 'map' = .*: must be one map"):
        env.reset(options={"map": wrong})
    with pytest.raises(MapError):
        env.reset(options={"map": "nowhere"})


@pytest.mark.parametrize(
    ("make_env", "name"),
    [
        (lambda: WarlightMapsEnv(["small"], batch=3), "batch"),
        (lambda: WarlightMapsVectorEnv(2, map=["small"], batch=3), "batch"),
        (lambda: WarlightVectorEnv(2, map="small", batch=3), "batch"),
        (lambda: make_vec_env(2, map=["small"], batch=3), "batch"),
        (lambda: WarlightVectorEnv(2, map="small", padded=True), "padded"),
        (lambda: WarlightMapsEnv(["small"], padded=False), "padded"),
        (lambda: make_vec_env(2, map="small", padded=True), "padded"),
    ],
)
def test_arguments_of_the_batch_are_not_those_of_environments(make_env, name):
    with pytest.raises(TypeError, match=f"'{name}'"):
        make_env()


@pytest.mark.parametrize("name", ["features", "encoding", "edge_index"])
def test_attributes_that_depend_on_the_map_name_the_method_that_has_them(name):
    for env in (WarlightMapsVectorEnv(2, map=["small"]), make_vec_env(2, map=["small"])):
        with pytest.raises(AttributeError, match="core_of"):
            getattr(env, name)
        env.reset()
        assert getattr(env.episodes.core_of(1)[0], name) is not None
    single = WarlightMapsEnv("small")
    single.reset()
    assert getattr(single, name) is not None


def test_an_environment_of_one_map_for_stable_baselines_keeps_its_map():
    with pytest.raises(InputError, match="cannot change its map"):
        make_vec_env(2, map="small").set_maps(["world"])
