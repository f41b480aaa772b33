"""Many maps in one environment: games equal those of single-map environments, and padding carries no information."""

from __future__ import annotations

import dataclasses

import gymnasium
import numpy as np
import pytest
from gymnasium.utils import seeding
from gymnasium.utils.env_checker import check_env
from sb3_contrib import MaskablePPO
from stable_baselines3.common.env_checker import check_env as check_for_sb3

import warlight_env.envs  # noqa: F401 -- registers the ids
from env_helpers import ROOM, SETS
from warlight_env import Game, Orders, maps, warlight_v0
from warlight_env.arena import Match
from warlight_env.bench.subject import make_subject
from warlight_env.engine.rules import RulesError
from warlight_env.envs import (
    GeneratedMaps,
    WarlightEnv,
    WarlightMapsEnv,
    WarlightMapsVectorEnv,
    WarlightVectorEnv,
)
from warlight_env.envs.map_sets import map_set
from warlight_env.envs.sb3 import SavePolicyCallback, make_vec_env
from warlight_env.errors import InputError
from warlight_env.maps import MapError

ACTIONS = ("factored", "continuous", "strategies", "steps")


@pytest.mark.filterwarnings("ignore:.*unconventional shape")
@pytest.mark.parametrize(
    ("action", "mask"), [("factored", "observation"), ("continuous", "info"), ("strategies", "info"), ("steps", "info")]
)  # fmt: skip
def test_gymnasium_and_sb3_environment_checkers_pass(action, mask):
    env = WarlightMapsEnv(["small", "generated:20:7"], action=action, mask=mask)
    check_env(env, skip_render_check=True)
    check_for_sb3(env)


def _without_padding(action, name, n, e):
    """Convert an action with padding to the action of the single-map environment."""
    regions, edges = ROOM
    if name == "strategies":
        return action
    if name == "steps":
        if action == 3 * regions + 4 * edges:
            return 3 * n + 4 * e
        return action if action < 3 * regions else action - 3 * regions + 3 * n
    return np.concatenate((action[:n], action[regions : regions + e]))


@pytest.mark.parametrize("name", ACTIONS)
def test_game_equals_that_of_a_single_map_environment(name):
    settings = {"action": name, "opponent": "aggressive", "max_cycles": 60}
    env = WarlightMapsEnv(SETS, map_limits=ROOM, **settings)
    for seed in range(3):
        observation, _ = env.reset(seed=seed)
        drawn = seeding.np_random(seed)[0]
        plain = WarlightEnv(map_set(SETS).draw(drawn), observation="graph", **settings)
        plain.reset()
        plain.episodes.reset(plain.episodes.draw([drawn]), [0])
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
            expected, *plain_results, plain_info = plain.step(_without_padding(action, name, n, e))
            assert [reward, terminated, truncated] == plain_results and info["illegal"] == plain_info["illegal"]
            over = terminated or truncated


def test_equal_seeds_give_equal_maps_and_games():
    def play(seed: int) -> list[object]:
        env = WarlightMapsEnv(GeneratedMaps(8, 16, count=4), action="strategies", opponent="random")
        steps: list[object] = []
        env.reset(seed=seed)
        for _ in range(3):
            over = False
            while not over:
                observation, reward, terminated, truncated, _ = env.step(int(np.flatnonzero(env.action_masks())[0]))
                steps.append((env.map.name, reward, float(observation["nodes"].sum())))
                over = terminated or truncated
            env.reset()
        return steps

    first = play(5)
    assert first == play(5) != play(6)
    assert len({name for name, _, _ in first}) > 1


def test_maps_are_drawn_by_their_weights():
    env = WarlightMapsEnv({"small": 3.0, "generated:12:1": 1.0, "generated:14:1": 0.0}, action="strategies")
    env.reset(seed=1)
    names = []
    for _ in range(200):
        env.reset()
        names.append(env.map.name)
    assert 120 < names.count("small") < 180 and len(set(names)) == 2


def test_set_maps_changes_the_maps_within_the_map_limits():
    env = WarlightMapsEnv("small", map_limits=(42, 164), action="strategies")
    shape = env.observation_space["nodes"].shape
    env.set_maps("world")
    observation, _ = env.reset(seed=1)
    assert env.map.digest() == maps.load("world").digest() and observation["nodes"].shape == shape
    with pytest.raises(InputError, match="128 regions and 618 directed edges: the limits are 42 and 164"):
        env.set_maps(["small", "large"])
    env.reset(seed=2)
    assert env.map.digest() == maps.load("world").digest()


def test_reset_option_map_selects_the_map():
    env = WarlightMapsEnv(SETS, action="strategies")
    env.reset(seed=1, options={"map": "small", "seat": 1})
    assert env.map.digest() == maps.load("small").digest()
    with pytest.raises(InputError, match=r"option 'map': the map has 128 regions"):
        env.reset(options={"map": "large"})
    assert env.map.digest() == maps.load("small").digest()


def test_actions_on_padding_are_dropped_and_counted_as_illegal():
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
def test_invalid_map_sets_raise_an_error(told, message):
    with pytest.raises(InputError, match=message):
        map_set(told)


def test_unsupported_encodings_and_ranges_raise_an_error():
    with pytest.raises(InputError, match="must be one of factored"):
        WarlightMapsEnv(SETS, action="orders")
    with pytest.raises(InputError, match="environments of many maps have a fixed observation"):
        WarlightMapsEnv(SETS, observation="flat")
    with pytest.raises(InputError, match="with min_regions <= max_regions"):
        GeneratedMaps(40, 10)


def test_games_of_a_vector_env_have_different_maps():
    envs = gymnasium.make_vec("warlight/WarlightMaps-v0", 4, vectorization_mode="sync", map=SETS, action="strategies")
    observations, _ = envs.reset(seed=1)
    assert len(set(observations["region_mask"].sum(1).tolist())) > 1
    for _ in range(30):
        observations, *_ = envs.step(np.zeros(4, dtype=np.int64))
    envs.close()


@pytest.mark.parametrize(
    "settings",
    [
        {"map": 5}, {"map": None}, {"map": [5]}, {"map": {"small": "a"}}, {"map": {"small": None}},
        {"map": "small", "map_limits": 5}, {"map": "small", "map_limits": (1, 2, 3)},
        {"map": "small", "map_limits": ("a", 2)},
    ],
)  # fmt: skip
def test_errors_name_invalid_maps_and_map_limits(settings):
    with pytest.raises(InputError, match=r"map|map_limits"):
        WarlightMapsEnv(**settings)


@pytest.mark.parametrize("ranges", [("a", 4), (10.5, 20), (10, 20, 1.5), (10, 20, 5, None)])
def test_generated_map_ranges_must_be_integers(ranges):
    with pytest.raises(InputError, match="must be an integer"):
        GeneratedMaps(*ranges)


def test_reset_rejects_invalid_options():
    env = WarlightMapsEnv("small")
    for options in ([1], {"map": 5}):
        with pytest.raises(InputError, match=r"options|map"):
            env.reset(options=options)


def test_maps_too_small_for_the_players_raise_an_error_at_construction():
    with pytest.raises(RulesError, match=r"map 'small': .* with 6 players"):
        WarlightMapsVectorEnv(4, map={"world": 0.9, "small": 0.1}, players=6)
    env = WarlightMapsEnv({"world": 1.0, "small": 0.0}, players=6, action="strategies")
    with pytest.raises(RulesError, match="map 'small'"):
        env.set_maps(["world", "small"])
    env.reset(seed=1)
    assert env.map.name == "world"


@pytest.mark.parametrize("make", [WarlightEnv, WarlightVectorEnv, warlight_v0.parallel_env])
@pytest.mark.parametrize("several", [["small", "world"], {"small": 1.0}, GeneratedMaps(8, 10)])
def test_single_map_environments_refer_to_the_many_maps_environment(make, several):
    with pytest.raises(MapError, match="or a Map; for several maps, use warlight/WarlightMaps-v0"):
        make(map=several)


def test_many_maps_model_plays_in_matches_and_benchmarks(tmp_path):
    env = make_vec_env(4, seed=1, map=["small", "generated:14:1"], map_limits=(50, 200), action="strategies")
    model = MaskablePPO("MultiInputPolicy", env, n_steps=16, batch_size=16, n_epochs=1, device="cpu")
    path = tmp_path / "learner.zip"
    model.learn(64, callback=SavePolicyCallback(path))
    for map_ in ("small", "world", "generated:30:2"):
        match = Match([f"sb3:file={path},trust=yes", "random"], games=2, map=map_, seed=1, picks="random").run()
        assert sum(record.dropped[0] for record in match.records) == 0
    view = Game("world", seed=1, picks="random").view(0)
    assert isinstance(make_subject(str(path), trust=True)(1).act(view), Orders)  # as `warlight bench` loads it
    with pytest.raises(InputError, match="space for 50 regions"):
        Match([f"sb3:file={path},trust=yes", "random"], games=2, map="large", seed=1, picks="random").run()


@pytest.mark.parametrize("wrong", [["small", "world"], ["small"], {"small": 1.0}, GeneratedMaps(8, 12), 5])
def test_reset_option_map_must_be_one_map(wrong):
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
def test_environments_reject_internal_batch_and_padding_arguments(make_env, name):
    with pytest.raises(TypeError, match=f"'{name}'"):
        make_env()


@pytest.mark.parametrize("name", ["features", "encoding", "edge_index"])
def test_errors_of_map_dependent_attributes_name_core_of(name):
    for env in (WarlightMapsVectorEnv(2, map=["small"]), make_vec_env(2, map=["small"])):
        with pytest.raises(AttributeError, match="core_of"):
            getattr(env, name)
        env.reset()
        assert getattr(env.episodes.core_of(1)[0], name) is not None
    single = WarlightMapsEnv("small")
    single.reset()
    assert getattr(single, name) is not None


def test_sb3_environment_of_one_map_cannot_change_its_map():
    with pytest.raises(InputError, match="cannot change its map"):
        make_vec_env(2, map="small").set_maps(["world"])


def test_maps_that_differ_only_in_names_stay_different():
    small = maps.load("small")
    first, *others = small.regions
    renamed = dataclasses.replace(small, name="other", regions=(dataclasses.replace(first, name="Renamed"), *others))
    assert renamed.digest() == small.digest()
    env = WarlightMapsEnv(map=[small, renamed])
    for chosen in (renamed, small, renamed):
        env.reset(seed=1, options={"map": chosen})
        assert (env.map.name, env.view().map.regions[0].name) == (chosen.name, chosen.regions[0].name)
