"""The single-agent environment: checks of Gymnasium and Stable-Baselines3; its opponents compared with real games."""

from __future__ import annotations

import pickle
import traceback
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from hypothesis import given, settings
from hypothesis import strategies as st
from stable_baselines3.common.env_checker import check_env as check_sb3_env

from env_helpers import equal, idle
from env_helpers import make_single as make
from env_helpers import play_episode as episode
from warlight_env.envs import ENCODINGS, WarlightMapsEnv
from warlight_env.envs.core import ActionError
from warlight_env.envs.registration import VARIANTS
from warlight_env.errors import InputError

KINDS = ("flat", "graph", "raw")


@pytest.mark.parametrize("action", ENCODINGS)
@pytest.mark.parametrize("arguments", [{}, {"mask": "observation"}, {"observation": "graph"}, {"observation": "raw"}])
def test_gymnasium_env_checker_passes(action, arguments, capsys):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gymnasium.make("warlight/Warlight-v0", action=action, opponent="aggressive", **arguments).unwrapped)


@pytest.mark.parametrize("action", [name for name in ENCODINGS if name != "orders"])
@pytest.mark.parametrize("mask", ["info", "observation"])
def test_sb3_env_checker_passes(action, mask):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_sb3_env(gymnasium.make("warlight/Warlight-v0", action=action, mask=mask).unwrapped)


def test_registration_needs_one_import(starts):
    code = "import gymnasium, warlight_env.envs; print(gymnasium.make('warlight/Warlight-v0').reset(seed=1)[0].shape)"
    process = starts.run(code)
    assert process.stdout.startswith("("), process.stderr


@pytest.mark.parametrize("variant", VARIANTS)
def test_environment_id_selects_map_and_encoding(variant):
    """A script that accepts only an id can create the environment or a batch; both have equal results."""
    env = gymnasium.make(variant)
    check_env(env.unwrapped, skip_render_check=True)
    variant_name = variant.removeprefix("warlight/Warlight").removesuffix("-v0")
    assert env.unwrapped.episodes.core.map.name == ("small" if variant_name.startswith("Small") else "world")
    assert env.unwrapped.encoding.name == (variant_name.removeprefix("Small").lower() or "steps")
    batch = gymnasium.make_vec(f"warlight_env.envs:{variant}", 2, vectorization_mode="vector_entry_point")
    assert batch.single_observation_space == env.observation_space and batch.single_action_space == env.action_space
    seen, _ = batch.reset(seed=5)
    assert equal(seen[0], env.reset(seed=5)[0])
    assert gymnasium.make(variant, map="large").unwrapped.episodes.core.map.name == "large", "arguments are stronger"


@pytest.mark.parametrize("action", ENCODINGS)
def test_masked_actions_are_legal_and_equal_seeds_give_equal_episodes(action):
    first, again = (episode(make(action=action, opponent="smart_random"), 7) for _ in range(2))
    assert equal(first, again) and not equal(first, episode(make(action=action, opponent="smart_random"), 8))
    if action != "orders":  # these masks do not limit the sum of the deploys
        assert all(result[4]["illegal"] == 0 for result in first[1:])


# The learner's seat


def test_seat_argument_sets_the_seat_of_the_learner():
    env = make(seat="random", players=3, rules={"picks": 1})
    seats = []
    for seed in range(40):
        env.reset(seed=seed)
        seats.append(int(env.episodes.learner[0]))
    assert set(seats) == {0, 1, 2}
    fixed = make(seat=2, players=3, rules={"picks": 1})
    fixed.reset(seed=0)
    assert fixed.view().player == 2


# Rewards, ends, errors


def test_reward_and_is_success_match_the_result():
    wins, losses = 0, 0
    for seed in range(30):
        env = make(opponent=[idle, "aggressive"][seed % 2], max_cycles=100)
        _, reward, terminated, truncated, info = episode(env, seed, seed)[-1]
        assert terminated != truncated
        assert info["is_success"] == (reward == 1.0) and (terminated or reward == 0.0)
        wins, losses = wins + (reward == 1.0), losses + (reward == -1.0)
    assert wins and losses


@pytest.mark.parametrize("bad", [None, "north", np.zeros(3, int), np.full(34, 9), {"deploy": 1}])
def test_invalid_actions_change_nothing(bad):
    env, other = make(), make()
    env.reset(seed=1)
    other.reset(seed=1)
    with pytest.raises(ValueError, match="no game has changed"):
        env.step(bad)
    action = np.zeros(env.action_space.shape, dtype=np.int64)
    assert equal(env.step(action), other.step(action))


def one_map(**arguments):
    return make(**arguments)


def many_maps(**arguments):
    return WarlightMapsEnv(["generated:12:1", "generated:14:2"], action="factored", **arguments)


@pytest.mark.parametrize("made", [one_map, many_maps])
def test_action_error_contains_game_player_and_reason(made):
    env = made(seat=1)
    env.reset(seed=1)
    wrong = np.zeros(env.action_space.shape, np.int64)
    wrong[3] = 9
    with pytest.raises(ActionError, match=r"^action entry 3 is 9; .*; no game has changed$") as caught:
        env.step(wrong)
    for error in (caught.value, pickle.loads(pickle.dumps(caught.value))):
        assert (error.game, error.player, str(error)) == (0, 1, str(caught.value))
        assert error.reason.startswith("entry 3 is 9")
    with pytest.raises(InputError, match="no game has changed"):
        env.step(wrong[:-1])
    with pytest.raises(InputError, match=r"action must be an array, not .*; no game has changed"):
        env.step([[1], [1, 2]])


class OwnError(InputError):
    """An error class of a user."""


@pytest.mark.parametrize("kind", [ValueError, OwnError])
@pytest.mark.parametrize("made", [one_map, many_maps])
def test_error_of_a_custom_reward_is_raised_unchanged(made, kind):
    def pay(before, after, paid):
        if after.round.max() > 0:
            raise kind("mine")
        return np.array(paid)

    env = made(reward=pay)
    env.reset(seed=1)
    with pytest.raises(kind, match=r"^mine$") as caught:
        env.step(np.zeros(env.action_space.shape, np.int64))
    assert traceback.extract_tb(caught.tb)[-1].name == "pay"


def test_step_needs_a_reset():
    env = make(max_cycles=1)
    with pytest.raises(ValueError, match="reset"):
        env.step(np.zeros(env.action_space.shape, dtype=np.int64))
    episode(env)
    with pytest.raises(ValueError, match="reset"):
        env.step(np.zeros(env.action_space.shape, dtype=np.int64))


# Fog


@pytest.mark.parametrize("action", ["factored", "steps", "strategies"])
@pytest.mark.parametrize("kind", KINDS)
@given(seed=st.integers(0, 10**6), steps=st.integers(0, 8))
@settings(max_examples=8)
def test_hidden_state_does_not_change_the_observation(action, kind, seed, steps):
    """Observations, masks and infos are equal for states that differ only in hidden regions."""
    env = make(action=action, observation=kind, fog=True, opponent="smart_random", max_cycles=60)
    _, info = env.reset(seed=seed)
    env.action_space.seed(seed)
    for _ in range(steps):
        *_, terminated, truncated, info = env.step(env.action_space.sample(info["action_mask"]))
        if terminated or truncated:
            return
    core = env.episodes.core
    before = env.episodes.observe(0), env._info(), env.action_masks()
    hidden = env.view().owner == -2
    rng = np.random.default_rng(seed)
    core.state.owner[0][hidden] = rng.choice([-1, 1 - env.view().player], hidden.sum())
    core.state.army[0][hidden] = rng.integers(1, 500, hidden.sum())
    core.state.rng[:] = rng.integers(1, 2**60, core.state.rng.shape)
    core.refresh_observations()
    assert equal((env.episodes.observe(0), env._info(), env.action_masks()), before)


def test_list_of_seats_raises_an_error():
    for seat in ([0], (0, 1), [0, 1]):
        with pytest.raises(InputError, match=r"^seat = .*: must be 'random' or 0 \.\. 1"):
            make(seat=seat)
