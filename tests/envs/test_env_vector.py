"""Vector environments: equal to single environments; Gymnasium's methods to create and reset them."""

from __future__ import annotations

import functools

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.vector.utils import batch_space

from env_helpers import SMALL, equal
from warlight_env import Orders
from warlight_env.envs import ActionEncoding, OpponentError, OpponentPool, WarlightEnv, WarlightVectorEnv
from warlight_env.envs.conformance import vector_conformance_test
from warlight_env.errors import InputError

CASES = {
    "factored": {"action": "factored", "opponent": "aggressive"},
    "steps": {"action": "steps", "opponent": "smart_random", "max_cycles": 30},
    "strategies, a pool": {"action": "strategies", "opponent": {"aggressive": 1, "random": 2}},
    "continuous, graph": {"action": "continuous", "opponent": "one_big_army", "observation": "graph"},
    "orders": {"action": "orders", "max_cycles": 12},
    "three, picks, masks": {
        "action": "factored", "players": 3, "opponent": ["aggressive", "random"], "picking": "play",
        "mask": "observation", "rules": {"picks": 1},
    },
    "fog, raw": {"action": "factored", "fog": True, "opponent": "random:margin=2", "observation": "raw"},
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_batch_equals_single_environments(case):
    arguments = {"map": SMALL, "max_cycles": 25, **CASES[case]}
    ended = vector_conformance_test(
        lambda count, mode: WarlightVectorEnv(count, autoreset_mode=mode, **arguments),
        lambda: WarlightEnv(**arguments),
        steps=45,
    )
    assert ended > 5


def test_conformance_test_accepts_gymnasium_vector_envs():
    arguments = {"map": SMALL, "action": "strategies", "max_cycles": 15}
    ended = vector_conformance_test(
        lambda count, mode: SyncVectorEnv([lambda: WarlightEnv(**arguments)] * count, autoreset_mode=mode),
        lambda: WarlightEnv(**arguments),
        steps=40,
    )
    assert ended > 10


class Spoiled(WarlightVectorEnv):
    """A vector environment with one wrong result."""

    spoil = "reward"

    def step(self, actions):
        observations, rewards, terminated, truncated, infos = super().step(actions)
        if self.spoil == "reward":
            rewards = rewards + (rewards < 0)
        elif self.spoil == "infos":
            infos["round"] = infos["round"] + 1
        elif self.spoil == "the observation":
            observations = observations * np.float32(0.999)
        return observations, rewards, terminated, truncated, infos


@pytest.mark.parametrize("what", ["reward", "infos", "the observation"])
def test_conformance_test_reports_the_wrong_result(what):
    arguments = {"map": SMALL, "action": "strategies", "opponent": "aggressive", "max_cycles": 40}

    def make_spoiled(count, mode):
        env = Spoiled(count, autoreset_mode=mode, **arguments)
        env.spoil = what
        return env

    with pytest.raises(AssertionError, match=f"step [0-9]+, game [0-9].*{what}"):
        vector_conformance_test(make_spoiled, lambda: WarlightEnv(**arguments), steps=60)


def test_make_vec_creates_a_vector_environment():
    env = gymnasium.make_vec(
        "warlight/Warlight-v0", num_envs=3, vectorization_mode="vector_entry_point", map=SMALL, action="factored"
    )  # fmt: skip
    observations, infos = env.reset(seed=1)
    assert observations in env.observation_space and observations.shape[0] == 3
    assert infos["action_mask"].shape == (3, SMALL.n_regions * 5 + env.unwrapped.episodes.core.board.n_edges * 5)
    assert env.unwrapped.metadata["autoreset_mode"] == AutoresetMode.NEXT_STEP


def test_steps_do_not_change_returned_arrays():
    env = WarlightVectorEnv(4, map=SMALL, action="factored")
    observations, infos = env.reset(seed=1)
    kept, mask = observations.copy(), infos["action_mask"].copy()
    env.step(np.zeros((4, env.single_action_space.shape[0]), dtype=np.int64))
    assert np.array_equal(observations, kept) and np.array_equal(infos["action_mask"], mask)


def test_invalid_calls_raise_an_error():
    env = WarlightVectorEnv(3, map=SMALL, action="factored", autoreset_mode="Disabled", max_cycles=1)
    zeros = np.zeros((3, env.single_action_space.shape[0]), dtype=np.int64)
    with pytest.raises(ValueError, match="reset"):
        env.step(zeros)
    env.reset(seed=[1, 2, None])
    with pytest.raises(ValueError, match="shape"):
        env.step(zeros[:2])
    with pytest.raises(ValueError, match="game 1"):
        env.step(zeros + np.array([0, 9, 0])[:, None])
    env.step(zeros)
    with pytest.raises(ValueError, match=r"\[0, 1, 2\] are over"):
        env.step(zeros)
    for mask in ([True, False], np.zeros(3, bool), np.ones(3, int)):
        with pytest.raises(ValueError, match="reset_mask"):
            env.reset(options={"reset_mask": mask})
    with pytest.raises(ValueError, match="2 seeds for 3"):
        env.reset(seed=[1, 2])
    with pytest.raises(ValueError, match="render_mode = 'cinema'"):
        WarlightVectorEnv(2, render_mode="cinema")


class OneFront(ActionEncoding):
    """A custom encoding with a nested space: a region, its share of the income, and whether to attack."""

    name = "one_front"
    mask_space = None

    @functools.cached_property
    def space(self):
        front = spaces.Dict({"region": spaces.Discrete(self.board.n_regions), "share": spaces.Box(0, 1, (1,))})
        return spaces.Tuple((front, spaces.Discrete(2)))

    def mask(self, view):
        return None

    def flat_mask(self, view):
        return np.zeros(0, dtype=np.int8)

    def decode(self, view, action):
        front, attacks = action
        region = int(front["region"])
        if view.phase == "pick":
            return [region]
        if view.owner[region] != view.player:
            return Orders()
        near = int(view.board.edge_target[view.board.neighbor_start[region]])
        return Orders([(region, round(view.income * float(front["share"][0])))], [(region, near, 5)] * int(attacks))

    def encode(self, view, turn):
        raise AssertionError("nobody asks for it")


def test_custom_encoding_may_have_a_nested_space():
    arguments = {"map": SMALL, "action": OneFront, "opponent": "aggressive", "max_cycles": 12}
    ended = vector_conformance_test(
        lambda count, mode: WarlightVectorEnv(count, autoreset_mode=mode, **arguments), lambda: WarlightEnv(**arguments)
    )
    assert ended > 10


def test_actions_of_restarting_games_are_ignored():
    envs = [WarlightVectorEnv(2, map=SMALL, action="continuous", max_cycles=2) for _ in range(2)]
    for env in envs:
        env.reset(seed=[1, 2])
        env.episodes.core.out.cycles[0] = 1  # the first game ends before the second
    zeros = np.zeros((2, envs[0].single_action_space.shape[0]), dtype=np.float32)
    spoiled = zeros.copy()
    spoiled[0] = np.nan
    assert [env.step(zeros)[3].tolist() for env in envs] == [[True, False]] * 2
    assert equal(envs[0].step(zeros), envs[1].step(spoiled))
    with pytest.raises(ValueError, match=r"finite|nan"):
        envs[1].step(spoiled)


def test_make_vec_passes_max_episode_steps():
    env = gymnasium.make_vec(
        "warlight/Warlight-v0", num_envs=2, vectorization_mode="vector_entry_point", max_episode_steps=3, map=SMALL,
        action="factored",
    )  # fmt: skip
    env.reset(seed=1)
    ends = [env.step(np.zeros(env.action_space.shape, dtype=np.int64))[3].all() for _ in range(3)]
    assert ends == [False, False, True]


def test_first_reset_must_include_all_games():
    env = WarlightVectorEnv(2, map=SMALL, action="factored")
    with pytest.raises(ValueError, match="reset all games first"):
        env.reset(options={"reset_mask": np.array([True, False])})


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_game_restarts_in_the_next_call_after_a_failed_restart(mode):
    pool = OpponentPool({"random": 1})
    env = WarlightVectorEnv(2, map=SMALL, action="factored", max_cycles=3, opponent=pool, autoreset_mode=mode, seat=0)
    env.reset(seed=[1, 2])
    env.episodes.core.out.cycles[0] = 2  # the first game ends two steps before the second
    zeros, cycles = np.zeros((2, env.single_action_space.shape[0]), dtype=np.int64), env.episodes.core.out.cycles
    if mode == "NextStep":
        assert env.step(zeros)[3].tolist() == [True, False]
    pool.remove("random")
    for _ in range(2 if mode == "NextStep" else 1):
        with pytest.raises(OpponentError, match="empty"):
            env.step(zeros)
    pool.add("random", "random")
    _, rewards, terminated, truncated, infos = env.step(zeros)
    assert not terminated.any() and not rewards[0]
    # In the mode "NextStep", the second game ended in one of the failed calls, so it also restarts.
    assert truncated.tolist() == [False, False] and infos["round"].tolist() == (
        [0, 0] if mode == "NextStep" else [0, 2]
    )
    assert cycles.tolist() == ([0, 0] if mode == "NextStep" else [0, 2])
    if mode == "SameStep":
        assert env.step(zeros)[3].tolist() == [False, True]
    else:
        assert env.step(zeros)[3].tolist() == [False, False]
    assert env.step(zeros)[3].tolist() == [False, False]


def test_custom_observation_error_loses_only_the_results_of_its_step():
    class Observation:
        failing = False

        def __call__(self, seen):
            if self.failing:
                raise RuntimeError("mine")
            return seen.army.copy()

    observation = Observation()
    env = WarlightVectorEnv(2, map=SMALL, action="factored", max_cycles=3, observation=observation)
    env.reset(seed=1)
    zeros = np.zeros((2, env.single_action_space.shape[0]), dtype=np.int64)
    observation.failing = True
    with pytest.raises(RuntimeError, match="mine"):
        env.step(zeros)
    observation.failing = False
    assert env.episodes.core.out.cycles.tolist() == [1, 1]
    assert [env.step(zeros)[3].all() for _ in range(4)] == [False, True, False, False]


def test_final_infos_mark_the_ended_games_like_those_of_gymnasium():
    arguments = {"map": SMALL, "action": "strategies", "opponent": "aggressive"}
    ours = WarlightVectorEnv(3, autoreset_mode="SameStep", **arguments)
    theirs = SyncVectorEnv([lambda: WarlightEnv(**arguments)] * 3, autoreset_mode=AutoresetMode.SAME_STEP)
    for env in (ours, theirs):
        env.reset(seed=4)
    partly = 0
    for _ in range(60):
        actions = np.array([np.flatnonzero(mask)[-1] for mask in ours.action_masks()])
        mine, other = ours.step(actions)[4], theirs.step(actions)[4]
        assert ("final_info" in mine) == ("final_info" in other)
        if "final_info" not in mine:
            continue
        partly += not mine["_final_info"].all()
        got, expected = mine["final_info"], other["final_info"]
        assert got.keys() == expected.keys() and np.array_equal(mine["_final_info"], other["_final_info"])
        for name in filter(lambda name: not name.startswith("_"), got):
            ended = got[f"_{name}"]
            assert np.array_equal(ended, expected[f"_{name}"]), name
            assert np.array_equal(got[name][ended], expected[name][ended]), name
    assert partly


class PhaseByPhase(OneFront):
    """An encoding with a `decode` that fails after the end of the game."""

    def decode(self, view, action):
        return {"pick": [], "play": Orders()}[view.phase]


def test_actions_of_ended_games_are_not_decoded():
    env = WarlightVectorEnv(2, map=SMALL, action=PhaseByPhase)
    env.reset(seed=1)
    core, actions = env.episodes.core, env.action_space.sample()
    core.state.owner[0] = env.episodes.learner[0]
    core.refresh_observations(validate=False)
    assert env.step(actions)[2].tolist() == [True, False]
    assert env.step(actions)[2].tolist() == [False, False] and core.state.round.tolist() == [0, 2]


@pytest.mark.parametrize("action", ["factored", "continuous", "steps", OneFront])
def test_step_needs_one_action_per_game_when_a_game_restarts(action):
    env = WarlightVectorEnv(2, map=SMALL, action=action, max_cycles=2)
    env.reset(seed=1)
    env.episodes.core.out.cycles[0] = 1
    three_actions = batch_space(env.single_action_space, 3).sample()
    for _ in range(2):
        with pytest.raises(InputError, match=r"shape|3 actions for 2 games"):
            env.step(three_actions)
        env.step(batch_space(env.single_action_space, 2).sample())
