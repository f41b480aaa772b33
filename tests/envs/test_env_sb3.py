"""The vector environment for Stable-Baselines3: equal to the library's `DummyVecEnv`, and usable by its algorithms."""

from __future__ import annotations

import subprocess
import sys
import threading

import gymnasium
import numpy as np
import pytest
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3 import PPO
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, VecMonitor, VecNormalize

from env_helpers import SMALL, equal
from warlight_env.envs import OpponentError, OpponentPool, WarlightEnv, load_policy
from warlight_env.envs.sb3 import WarlightVecEnv, make_vec_env
from warlight_env.errors import InputError
from warlight_env.thread_ownership import ConcurrentUseError

CASES = {
    "strategies": {"action": "strategies", "opponent": "aggressive"},
    "steps": {"action": "steps", "opponent": "random", "max_cycles": 60},
    "factored": {"action": "factored", "opponent": "smart_random", "mask": "observation"},
}


@pytest.mark.parametrize("case", CASES)
def test_vector_env_equals_the_dummy_vec_env_of_sb3(case):
    arguments = {"map": SMALL, "max_cycles": 20, **CASES[case]}
    ours = make_vec_env(3, seed=5, **arguments)
    theirs = DummyVecEnv([lambda: Monitor(WarlightEnv(**arguments))] * 3)
    theirs.seed(5)
    assert equal(ours.reset(), theirs.reset())
    rng, ends = np.random.default_rng(0), 0
    for _ in range(80):
        masks = get_action_masks(ours)
        assert np.array_equal(masks, get_action_masks(theirs))
        if case == "factored":
            rows = masks.reshape(3, -1, 5)
            actions = rng.integers(0, 5, rows.shape[:2]) * rows[:, :, 1]
        else:
            actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])
        got, expected = ours.step(actions), theirs.step(actions)
        for mine, other in zip(got[:3], expected[:3], strict=True):
            assert equal(mine, other)
        for mine, other in zip(got[3], expected[3], strict=True):
            episode, wanted = mine.pop("episode", None), other.pop("episode", None)
            other.pop("action_mask")
            assert equal(mine, other), "infos in the middle of a game and at its end"
            assert (episode is None) == (wanted is None)
            if episode:
                ends += 1
                assert episode["l"] == wanted["l"] and episode["r"] == pytest.approx(wanted["r"])
    assert ends > 2


@pytest.mark.filterwarnings("ignore:The environment is already wrapped")
def test_vector_env_supports_the_sb3_interface():
    env = make_vec_env(4, map=SMALL, action="strategies")
    assert is_masking_supported(env) and env.env_is_wrapped(Monitor) == [True] * 4
    assert env.get_attr("render_mode") == [None] * 4 and len(env.env_method("action_masks", indices=[1, 3])) == 2
    env.env_method("set_opponent", "aggressive")
    env.reset()
    assert len(env.reset_infos) == 4
    with pytest.raises(ValueError, match="one batch"):
        env.set_attr("render_mode", "ansi", indices=[0])
    wrapped = VecNormalize(VecMonitor(env), norm_obs=False)
    wrapped.reset()
    wrapped.step(np.zeros(4, dtype=np.int64))


@pytest.mark.parametrize("map_", [SMALL, ["small", "generated:12:1"]])
def test_env_spec_creates_an_equal_single_environment(map_):
    env = make_vec_env(2, seed=3, map=map_, action="strategies", opponent="aggressive")
    specs = env.get_attr("spec")
    assert len(specs) == 2
    single = gymnasium.make(specs[0])
    assert single.observation_space == env.observation_space and single.action_space == env.action_space
    if map_ is SMALL:
        assert np.array_equal(single.reset(seed=3)[0], env.reset()[0])


#: Registers the environments only in the main process, like a notebook or `python -c`: child processes do not import
#: that code. The fork server preloads only the library, because its import is slow.
SUBPROCESSES = """
import multiprocessing
multiprocessing.set_forkserver_preload(["stable_baselines3"])
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.vec_env import SubprocVecEnv
import warlight_env.envs
named = "warlight_env.envs:warlight/WarlightSmallStrategies-v0"
for chosen in named, warlight_env.envs.WarlightEnv:
    arguments = {} if isinstance(chosen, str) else {"map": "small", "action": "strategies"}
    env = make_vec_env(
        chosen, 1, seed=1, env_kwargs=arguments, vec_env_cls=SubprocVecEnv,
        vec_env_kwargs={"start_method": "forkserver"},
    )
    print(env.reset().shape[0], env.get_attr("spec")[0])
    env.close()
"""


def test_sb3_subprocesses_can_create_the_environments():
    process = subprocess.run([sys.executable, "-c", SUBPROCESSES], capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stderr
    assert [line.split()[0] for line in process.stdout.splitlines()] == ["1", "1"]


@pytest.mark.parametrize(
    ("algorithm", "arguments"),
    [
        (MaskablePPO, {"action": "steps", "max_cycles": 60}),
        (MaskablePPO, {"action": "strategies"}),
        (PPO, {"action": "continuous"}),
        (PPO, {"action": "factored"}),
    ],
)
def test_algorithms_learn_save_and_play(algorithm, arguments, tmp_path):
    env = make_vec_env(8, seed=1, map=SMALL, **arguments)
    model = algorithm("MlpPolicy", env, n_steps=32, batch_size=64, n_epochs=1, device="cpu", seed=1)
    model.learn(512)
    assert len(model.ep_info_buffer or []) > 0 or arguments["action"] == "steps"
    model.save(tmp_path / "policy.zip")
    against = make_vec_env(2, seed=1, map=SMALL, opponent=load_policy(tmp_path / "policy.zip", trust=True), **arguments)
    if algorithm is PPO:
        evaluate_policy(model, against, n_eval_episodes=1)
    else:
        from sb3_contrib.common.maskable.evaluation import evaluate_policy as evaluate_masked

        evaluate_masked(model, against, n_eval_episodes=1)


def test_learner_trains_against_its_current_policy():
    from warlight_env.envs.saved_policies import policy_of

    env = make_vec_env(8, seed=1, map=SMALL, action="strategies")
    model = MaskablePPO("MlpPolicy", env, n_steps=32, batch_size=64, n_epochs=1, device="cpu", seed=1)
    env.set_opponent(policy_of(model))
    model.learn(512)


def test_env_method_must_be_called_for_all_environments():
    env = make_vec_env(3, map=SMALL, action="factored")
    assert env.env_method("set_opponent", "aggressive") == [None] * 3
    with pytest.raises(ValueError, match="must be called for all"):
        env.env_method("set_opponent", "aggressive", indices=[0])


THREADED = {"map": SMALL, "action": "strategies", "opponent": "aggressive"}


def allowed_actions(env):
    """Return the first and the last allowed action of each game."""
    masks = env.action_masks() != 0
    return masks.argmax(1), masks.shape[1] - 1 - masks[:, ::-1].argmax(1)


def in_another_thread(function, *arguments):
    """Call a function in another thread; return its error, or None."""
    errors = []

    def call():
        try:
            function(*arguments)
        except InputError as error:
            errors.append(error)

    thread = threading.Thread(target=call)
    thread.start()
    thread.join()
    return errors[0] if errors else None


def test_step_uses_the_actions_of_its_own_thread():
    class Interrupted(WarlightVecEnv):
        """Another thread calls methods between the two halves of a step."""

        def step_wait(self):
            errors_of_calls.extend(in_another_thread(*call) for call in calls)
            return super().step_wait()

    ours, expected = Interrupted(3, **THREADED), make_vec_env(3, seed=5, **THREADED)
    ours.seed(5)
    assert equal(ours.reset(), expected.reset())
    first, last = allowed_actions(ours)
    assert (first != last).any()
    calls = [
        (ours.step_async, last), (ours.step, last), (ours.seed, 9), (ours.set_options, {"seat": 1}),
        (ours.set_attr, "mine", 1), (ours.env_method, "action_masks"), (ours.render,), (ours.get_images,),
    ]  # fmt: skip
    errors_of_calls = []
    assert equal(ours.step(first), expected.step(first))
    assert [type(error) for error in errors_of_calls] == [ConcurrentUseError] * len(calls)
    calls = []
    assert equal(ours.reset(), expected.reset()), "neither seeds nor options were set"
    assert not hasattr(ours, "mine")


def test_step_wait_needs_the_thread_that_called_step_async():
    ours, expected = make_vec_env(3, seed=5, **THREADED), make_vec_env(3, seed=5, **THREADED)
    ours.reset(), expected.reset()
    first, last = allowed_actions(ours)
    ours.step_async(first)
    assert "call step_async first" in str(in_another_thread(ours.step_wait))
    assert equal(ours.step_wait(), expected.step(first)), "its own thread finds them"
    with pytest.raises(InputError, match="call step_async first"):
        ours.step_wait()
    first, last = allowed_actions(ours)
    ours.step_async(first)
    assert in_another_thread(ours.step, last) is None
    with pytest.raises(InputError, match="call step_async first"):
        ours.step_wait()
    expected.step(last)
    assert equal(ours.action_masks(), expected.action_masks())
    ours.step_async(first)
    assert equal(ours.reset(), expected.reset())
    with pytest.raises(InputError, match="call step_async first"):
        ours.step_wait()


def test_unknown_methods_and_fixed_attributes_raise_an_error():
    env = make_vec_env(2, **THREADED)
    for name in ("no_such_method", "num_envs"):
        with pytest.raises(InputError, match=f"method_name = '{name}': the environment has no such method"):
            env.env_method(name)
    with pytest.raises(InputError, match="'features': this attribute cannot be set"):
        env.set_attr("features", 1)
    with pytest.raises(AttributeError):
        env.get_attr("no_such_attribute")
    assert not env.has_attr("no_such_attribute")


def test_game_restarts_in_the_next_step_after_a_failed_restart():
    pool = OpponentPool({"random": 1})
    env = make_vec_env(2, seed=1, map=SMALL, action="strategies", opponent=pool, max_cycles=3)
    env.reset()
    env.episodes.core.out.cycles[0] = 2  # the first game ends two steps before the second
    pool.remove("random")
    with pytest.raises(OpponentError, match="empty"):
        env.step([0, 0])
    with pytest.raises(OpponentError, match="empty"):
        env.step([0, 0])
    pool.add("random", "random")
    _, rewards, dones, infos = env.step([0, 0])
    assert dones.tolist() == [False, True] and list(env.ended_against) == [1], "the first end is not reported again"
    assert rewards[0] == 0 and "episode" not in infos[0] and infos[0]["round"] == 0
    assert infos[1]["episode"]["l"] == 3, "steps whose results were lost count"
    assert all(type(info["is_success"]) is bool for info in infos), "a plain bool, as in the environment of one game"
    lengths = [info["episode"]["l"] for _ in range(3) for info in env.step([0, 0])[3] if "episode" in info]
    assert lengths == [3, 3]
