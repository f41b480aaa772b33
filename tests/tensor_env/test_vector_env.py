"""Gymnasium's vector environment with tensors: equal to that with NumPy arrays, game by game; spaces and errors."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
import torch
from gymnasium.vector import AutoresetMode

from warlight_env.envs import WarlightVectorEnv
from warlight_env.errors import InputError
from warlight_env.tensor_env import WarlightTensorVectorEnv

GAMES = 6


def make(**arguments: Any) -> WarlightTensorVectorEnv:
    env = gymnasium.make_vec(
        "warlight_env.envs:warlight/Warlight-v0", GAMES, vectorization_mode="vector_entry_point",
        **{"map": "small", "device": "cpu", **arguments},
    )  # fmt: skip
    assert isinstance(env, WarlightTensorVectorEnv)
    return env


def flat(seen: Any) -> Any:
    """Return the numbers of an observation in one array per game."""
    parts = seen.values() if isinstance(seen, dict) else [seen]
    return np.concatenate([np.asarray(part).reshape(GAMES, -1) for part in parts], axis=1)


@pytest.mark.parametrize("arguments", [
    {"opponent": "aggressive", "action": "factored", "observation": "graph", "max_cycles": 14},
    {"opponent": ["random", "aggressive"], "players": 3, "action": "strategies", "seat": 1, "rules": "challenge2",
     "fog": True, "reward": "income", "max_cycles": 6},
    {"opponent": "smart_random", "picking": "play", "rules": "thesis_draft", "max_cycles": 70},
])  # fmt: skip
def test_each_game_equals_one_with_numpy_arrays(arguments):
    tensors = make(autoreset_mode="Disabled", **arguments)
    arrays = WarlightVectorEnv(GAMES, "Disabled", map="small", **{"seat": 0, **arguments})
    assert tensors.single_observation_space == arrays.single_observation_space
    assert tensors.observation_space == arrays.observation_space
    assert tensors.single_action_space == arrays.single_action_space
    assert tensors.action_space == arrays.action_space
    seen, infos = arrays.reset(seed=5)
    tensor_seen, tensor_infos = tensors.reset(seed=arrays.episodes.seeds.tolist())
    random, began = np.random.default_rng(1), 0
    for _ in range(150):
        np.testing.assert_array_equal(flat(tensor_seen), flat(seen))
        np.testing.assert_array_equal(tensor_infos["action_mask"].numpy(), infos["action_mask"])
        np.testing.assert_array_equal(tensor_infos["illegal"].numpy(), infos["illegal"])
        if isinstance(arrays.single_action_space, gymnasium.spaces.Discrete):
            mask = infos["action_mask"]
            actions = (mask * random.uniform(0.01, 1.0, mask.shape)).argmax(axis=1)
        else:
            actions = random.integers(0, arrays.single_action_space.nvec, (GAMES, len(tensors.games.limits)))
        seen, rewards, terminated, truncated, infos = arrays.step(actions)
        tensor_seen, paid, ended, cut, tensor_infos = tensors.step(torch.as_tensor(actions))
        assert paid.dtype == torch.float64 and ended.dtype == cut.dtype == torch.bool
        np.testing.assert_array_equal(paid.numpy(), rewards)
        np.testing.assert_array_equal(ended.numpy(), terminated)
        np.testing.assert_array_equal(cut.numpy(), truncated)
        over = terminated | truncated
        if over.any():
            began += over.sum()
            np.testing.assert_array_equal(flat(tensor_seen), flat(seen))
            options = {"reset_mask": over}
            seen, infos = arrays.reset(options=options)
            seeds = [seed if new else None for seed, new in zip(arrays.episodes.seeds.tolist(), over, strict=True)]
            tensor_seen, tensor_infos = tensors.reset(seed=seeds, options=options)
            tensor_infos["illegal"] = torch.as_tensor(np.where(over, infos["illegal"], tensor_infos["illegal"].numpy()))
    assert began >= GAMES


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_autoreset_modes_determine_the_results_after_the_end(mode):
    env = make(autoreset_mode=mode, action="strategies", max_episode_steps=2)
    assert env.metadata["autoreset_mode"] == env.autoreset_mode == mode
    assert env.spec is not None and env.spec.kwargs["device"] == "cpu"
    first, infos = env.reset(seed=1)
    first = first.clone()
    actions = torch.zeros(GAMES, dtype=torch.int64)
    env.step(actions)
    last, rewards, terminated, truncated, infos = env.step(actions)
    assert truncated.all() and not terminated.any() and not rewards.any()
    assert ("final_obs" in infos) == (mode == AutoresetMode.SAME_STEP)
    assert set(infos) - {"final_obs", "_final_obs"} == {"action_mask", "illegal"}
    if mode == AutoresetMode.SAME_STEP:
        assert infos["_final_obs"].all() and not torch.equal(infos["final_obs"], last)
    last = last.clone()
    later, _, _, truncated, _ = env.step(actions)
    assert torch.equal(last, later) == (mode == AutoresetMode.DISABLED)
    assert truncated.all() == (mode == AutoresetMode.DISABLED)
    again, _ = env.reset(seed=1)
    assert torch.equal(first, again)


def test_defaults_equal_those_with_numpy_arrays():
    arrays = gymnasium.make_vec("warlight_env.envs:warlight/WarlightSmallFactored-v0", GAMES)
    tensors = gymnasium.make_vec("warlight_env.envs:warlight/WarlightSmallFactored-v0", GAMES, device="cpu")
    assert isinstance(arrays.unwrapped, WarlightVectorEnv) and isinstance(tensors, WarlightTensorVectorEnv)
    assert tensors.observation_space == arrays.observation_space and tensors.action_space == arrays.action_space
    observations, _ = tensors.reset(seed=1)
    assert observations.numpy() in tensors.observation_space


@pytest.mark.parametrize(("change", "message"), [
    ({"device": "tpu"}, "device = 'tpu'"),
    ({"seat": "random"}, "seat = 'random': must be 0 .. 1, the same seat in all games"),
    ({"seat": 2}, "seat = 2: must be 0 .. 1"),
    ({"players": "two"}, "players = 'two': must be an integer"),
    ({"opponent": "mcts"}, "'mcts': must be one of random"),
    ({"opponent": ["random"] * 2}, "must be the name of a compiled bot, or a list of 1 names"),
    ({"opponent": {"random": 1.0}}, "must be the name of a compiled bot, or a list of 1 names"),
    ({"action": "continuous"}, "action = 'continuous': with `device`, actions must be integers"),
    ({"mask": "observation"}, "unknown arguments 'mask'"),
    ({"max_episode_steps": 0}, "max_cycles = 0"),
])  # fmt: skip
def test_errors_name_the_invalid_argument(change, message):
    with pytest.raises(InputError) as error:
        make(**change)
    assert message in str(error.value)
