"""Infos, masks and images in the forms that libraries expect: constant keys and shapes, in all environments."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.vector import SyncVectorEnv
from stable_baselines3.common.vec_env import DummyVecEnv

from env_helpers import SMALL, equal, make, make_single, play_episode
from warlight_env.envs import ENCODINGS, WarlightEnv, WarlightParallelEnv, WarlightVectorEnv
from warlight_env.envs.sb3 import make_vec_env


def shapes(info):
    """The kind and the shape of each value, by key."""
    return {key: (np.asarray(value).dtype.kind, np.shape(value)) for key, value in info.items()}


@pytest.mark.parametrize("mask", ["info", "observation"])
@pytest.mark.parametrize("action", ENCODINGS)
def test_learner_infos_keep_their_keys_types_and_shapes(action, mask):
    results = play_episode(make_single(action=action, mask=mask, opponent="aggressive", max_cycles=30), 3)
    first, *others = [shapes(result[-1]) for result in results]
    assert {"illegal", "income", "round", "phase", "is_success"} <= set(first)
    assert all(kind in "bi" for kind, _ in first.values())
    assert all(other == first for other in others)
    assert type(results[-1][-1].pop("is_success")) is bool
    assert all(hasattr(value, "dtype") for value in results[-1][-1].values())


@pytest.mark.parametrize("mask", ["info", "observation"])
@pytest.mark.parametrize("action", ENCODINGS)
def test_player_infos_keep_their_keys_types_and_shapes(action, mask):
    env = WarlightParallelEnv(SMALL, players=3, action=action, mask=mask, max_cycles=4, rules={"picks": 1})
    _, infos = env.reset(seed=2)
    first = shapes(infos["player_0"])
    assert all(kind in "bi" for kind, _ in first.values())
    while env.agents:
        actions = {}
        for agent in env.agents:
            info_mask = infos[agent].get("action_mask")
            actions[agent] = env.action_space(agent).sample(info_mask)
        *_, infos = env.step(actions)
        assert all(shapes(info) == first for info in infos.values())
        if mask == "info" and action != "orders":  # these masks do not limit the sum of the deploys
            assert all(info["illegal"] == 0 for info in infos.values())


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_infos_of_a_batch_have_the_same_keys_at_every_step(mode):
    env = WarlightVectorEnv(3, mode, map=SMALL, action="strategies", opponent="aggressive", max_cycles=8)
    keys, ended = set(env.reset(seed=1)[1]), 0
    for _ in range(30):
        *_, terminated, truncated, infos = env.step(np.zeros(3, dtype=np.int64))
        assert keys == set(infos) - {"final_obs", "_final_obs", "final_info", "_final_info"}
        ended += (terminated | truncated).sum()
        assert set(infos.get("final_info", keys)) == keys
        assert all(infos[f"_{key}"].all() for key in keys if f"_{key}" in keys)
    assert ended


def test_sync_vector_env_stores_infos_as_arrays():
    env = SyncVectorEnv([lambda: make_single(action="factored")] * 2)
    _, infos = env.reset(seed=1)
    assert {infos[key].dtype.kind for key in ("illegal", "income", "round", "phase", "action_mask")} == {"i"}
    assert infos["is_success"].dtype == np.bool_


@pytest.mark.parametrize("action", ["factored", "orders"])
def test_flat_and_nested_masks_give_the_same_samples(action):
    env = make_single(action=action)
    _, info = env.reset(seed=1)
    shaped = env.encoding.mask(env.view())
    samples = []
    for mask in (info["action_mask"], shaped):
        env.action_space.seed(4)
        samples.append([env.action_space.sample(mask) for _ in range(3)])
    assert equal(*samples)
    with pytest.raises(ValueError, match="entries"):
        env.action_space.sample(info["action_mask"][1:])


def test_constant_values_are_attributes_of_all_environments():
    arguments = {"map": SMALL, "action": "factored"}
    environments = [WarlightEnv(**arguments), WarlightVectorEnv(2, **arguments), make_vec_env(2, **arguments), make()]
    for env in environments:
        assert np.array_equal(env.edge_index, environments[0].edge_index) and env.edge_index.shape[0] == 2
        assert env.encoding.name == "factored" and env.features.size == environments[0].features.size
        env.edge_index[:] = -1  # each access returns a new array, because PyTorch accepts no read-only arrays
        assert np.array_equal(env.edge_index, environments[0].edge_index) and env.edge_index.min() >= 0


@pytest.mark.parametrize("action", ["factored", "steps", "orders"])
def test_observation_mask_is_flat_by_default_and_nested_on_request(action):
    flat, nested = (make(action=action, mask=mask) for mask in ("observation", "nested"))
    for env in (flat, nested):
        seen = env.reset(seed=2)[0]["player_1"]
        assert env.observation_spaces["player_1"].contains(seen)
        assert env.observation_spaces["player_1"] is env.observation_space("player_1")
        assert env.action_spaces["player_1"] is env.action_space("player_1")
    mask, rows = flat.observe("player_1")["action_mask"], nested.observe("player_1")["action_mask"]
    space = flat.observation_space("player_1")["action_mask"]
    assert isinstance(space, spaces.Box) and space.shape == mask.shape == flat.action_masks("player_1").shape
    parts = rows.values() if isinstance(rows, dict) else [rows]
    assert np.array_equal(mask, np.concatenate([np.concatenate(p) if isinstance(p, tuple) else p for p in parts]))


def test_the_rows_of_the_factored_mask_are_regions_then_edges():
    env = make(action="factored", picking="random")
    env.reset(seed=2)
    owned_regions = [region for region in range(env.core.board.n_regions) if env.view("player_0").owner[region] == 0]
    rows = env.action_masks("player_0").reshape(-1, 5)[:, 1].astype(bool)
    regions, edges = rows[: env.core.board.n_regions], rows[env.core.board.n_regions :]
    assert np.flatnonzero(regions).tolist() == owned_regions
    assert np.array_equal(edges, np.isin(env.edge_index[0], owned_regions))


@pytest.mark.parametrize(
    "arguments, limit",
    [({"action": "factored"}, 100), ({"action": "steps"}, 2500), ({"action": "strategies", "max_cycles": 7}, 7)],
)
def test_env_spec_contains_the_step_limit(arguments, limit):
    single = gymnasium.make("warlight/Warlight-v0", map=SMALL, **arguments)
    again = gymnasium.make(single.spec)
    batch = gymnasium.make_vec(
        "warlight/Warlight-v0", num_envs=2, vectorization_mode="vector_entry_point", map=SMALL, **arguments
    )
    assert [env.spec.max_episode_steps for env in (single, again, batch)] == [limit] * 3
    assert gymnasium.make("warlight/Warlight-v0", map=SMALL, max_episode_steps=5).spec.max_episode_steps == 5


# Rendering


@pytest.mark.parametrize("mode", ["ansi", "rgb_array"])
def test_vector_env_renders_one_game_or_all_games(mode):
    batch = gymnasium.make_vec(
        "warlight/Warlight-v0",
        num_envs=2,
        map=SMALL,
        action="strategies",
        render_mode=mode,
        vectorization_mode="vector_entry_point",
    )
    single = make_single(action="strategies", render_mode=mode)
    batch.reset(seed=6)
    single.reset(seed=7)
    images = batch.render()
    assert len(images) == 2 and equal(images[1], single.render()) and equal(batch.unwrapped.render_game(1), images[1])
    assert batch.metadata["render_fps"] == 4


def test_sb3_vector_env_tiles_images_like_dummy_vec_env(capsys):
    arguments = {"map": SMALL, "action": "strategies", "render_mode": "rgb_array"}
    ours, theirs = make_vec_env(3, seed=1, **arguments), DummyVecEnv([lambda: WarlightEnv(**arguments)] * 3)
    theirs.seed(1)
    ours.reset(), theirs.reset()
    assert np.array_equal(ours.render(), theirs.render())
    assert np.array_equal(ours.render_game(2), ours.get_images()[2])
    printed = make_vec_env(2, map=SMALL, render_mode="human")
    printed.reset()
    assert printed.render() is None and capsys.readouterr().out
    with pytest.raises(ValueError, match="render_mode = 'cinema'"):
        make_vec_env(2, render_mode="cinema")
