"""Random sampling of actions under action masks, for one game and for a batch."""

from __future__ import annotations

import copy

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector.utils import batch_space
from scipy.stats import chisquare

import warlight_env.envs  # noqa: F401
from warlight_env import warlight_v0
from warlight_env.envs.actions.maskable import MaskableChoices, batch_action_space
from warlight_env.errors import InputError

GAMES = 3


@pytest.mark.parametrize("action", ["factored", "steps", "strategies"])
def test_masked_samples_of_a_batch_are_legal(action):
    env = warlight_v0.vector_env(GAMES, map="small", action=action, picking="random")
    _, infos = env.reset(seed=1)
    for agent in env.agents:
        env.action_space(agent).seed(2)
    for _ in range(20):
        chosen = {agent: env.action_space(agent).sample(infos[agent]["action_mask"]) for agent in env.agents}
        *_, infos = env.step(chosen)
        assert not any(infos[agent]["illegal"].any() for agent in env.agents)


@pytest.mark.parametrize("action", ["factored", "steps", "strategies", "continuous", "orders"])
def test_batch_action_space_equals_the_gymnasium_batch_space(action):
    env = warlight_v0.vector_env(GAMES, map="small", action=action)
    space, single = env.action_space("player_0"), env.single_action_space("player_0")
    assert space == batch_space(single, GAMES) == copy.deepcopy(space)
    assert space.contains(space.sample())
    if action != "continuous":
        mask = env.reset(seed=1)[1]["player_0"]["action_mask"]
        space.seed(3)
        first = space.sample(mask)
        space.seed(3)
        assert space.contains(first) and data_equivalence(first, space.sample(mask))


def test_orders_samples_respect_the_mask_of_each_game():
    env = warlight_v0.vector_env(GAMES, map="small", action="orders", picking="random")
    masks = env.reset(seed=1)[1]["player_0"]["action_mask"]
    space, single = env.action_space("player_0"), env.single_action_space("player_0")
    space.seed(3)
    for _ in range(20):
        drawn = space.sample(masks)
        for b in range(GAMES):
            rest = masks[b]
            for key, part in single.items():
                rows, rest = np.split(rest, [part.nvec.sum()])
                ends = np.cumsum(part.nvec)[:-1]
                assert all(row[entry] for row, entry in zip(np.split(rows, ends), drawn[key][b], strict=True))


def test_each_allowed_entry_is_equally_likely():
    choices, games = MaskableChoices([4, 3, 2]), 2
    masks = np.array([[1, 0, 1, 1, 0, 1, 1, 1, 1], [0, 0, 1, 1, 1, 1, 1, 1, 1]], np.int8)
    space, count = batch_action_space(choices, games), 6000
    space.seed(5)
    drawn = np.stack([space.sample(masks) for _ in range(count)])
    for b in range(games):
        for k, row in enumerate(np.split(masks[b], [4, 7])):
            times = np.bincount(drawn[:, b, k], minlength=len(row))
            assert not times[row == 0].any()
            assert chisquare(times[row == 1]).pvalue > 1e-4


def test_sample_rejects_a_mask_of_the_wrong_shape():
    env = gymnasium.make_vec(
        "warlight/Warlight-v0", GAMES, vectorization_mode="vector_entry_point", map="small", action="factored"
    )
    _, infos = env.reset(seed=1)
    mask = infos["action_mask"]
    with pytest.raises(InputError, match=rf"the masks must have the shape \({GAMES}, {mask.shape[1]}\)"):
        env.action_space.sample(mask[:2])
    with pytest.raises(InputError, match=r"the masks must have the shape"):
        env.action_space.sample(mask.T)
    with pytest.raises(InputError, match=f"the mask must have {mask.shape[1]} entries"):
        env.single_action_space.sample(mask[0, 1:])
    for wrong in ((), (1, 2)):
        with pytest.raises(InputError, match="mask: must be a tuple of arrays, one for each choice"):
            env.single_action_space.sample(wrong)
