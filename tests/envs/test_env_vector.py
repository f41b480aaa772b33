"""Vector environments: equal to single environments; Gymnasium's methods to create and reset them."""

from __future__ import annotations

import functools

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from env_helpers import SMALL, equal
from warlight_env import Orders
from warlight_env.envs import ActionEncoding, WarlightEnv, WarlightVectorEnv
from warlight_env.envs.conformance import vector_conformance_test

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
def test_a_batch_is_its_single_environments(case):
    arguments = {"map": SMALL, "max_cycles": 25, **CASES[case]}
    ended = vector_conformance_test(
        lambda count, mode: WarlightVectorEnv(count, autoreset_mode=mode, **arguments),
        lambda: WarlightEnv(**arguments),
        steps=45,
    )
    assert ended > 5


def test_the_conformance_test_takes_gymnasium_s_own_batches():
    arguments = {"map": SMALL, "action": "strategies", "max_cycles": 15}
    ended = vector_conformance_test(
        lambda count, mode: SyncVectorEnv([lambda: WarlightEnv(**arguments)] * count, autoreset_mode=mode),
        lambda: WarlightEnv(**arguments),
        steps=40,
    )
    assert ended > 10


class Spoiled(WarlightVectorEnv):
    """Wrong in one place."""

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
def test_the_conformance_test_finds_what_is_wrong(what):
    arguments = {"map": SMALL, "action": "strategies", "opponent": "aggressive", "max_cycles": 40}

    def spoiled(count, mode):
        env = Spoiled(count, autoreset_mode=mode, **arguments)
        env.spoil = what
        return env

    with pytest.raises(AssertionError, match=f"step [0-9]+, game [0-9].*{what}"):
        vector_conformance_test(spoiled, lambda: WarlightEnv(**arguments), steps=60)


def test_make_vec():
    env = gymnasium.make_vec(
        "warlight/Warlight-v0", num_envs=3, vectorization_mode="vector_entry_point", map=SMALL, action="factored"
    )  # fmt: skip
    observations, infos = env.reset(seed=1)
    assert observations in env.observation_space and observations.shape[0] == 3
    assert infos["action_mask"].shape == (3, SMALL.n_regions * 5 + env.unwrapped.episodes.core.board.n_edges * 5)
    assert env.unwrapped.metadata["autoreset_mode"] == AutoresetMode.NEXT_STEP


def test_returned_arrays_are_the_caller_s():
    env = WarlightVectorEnv(4, map=SMALL, action="factored")
    observations, infos = env.reset(seed=1)
    kept, mask = observations.copy(), infos["action_mask"].copy()
    env.step(np.zeros((4, env.single_action_space.shape[0]), dtype=np.int64))
    assert np.array_equal(observations, kept) and np.array_equal(infos["action_mask"], mask)


def test_what_cannot_be():
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
    """A user's encoding with a nested space: a region and how much of the income it gets, and whether to attack."""

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


def test_nested_spaces_of_a_user_s_encoding():
    arguments = {"map": SMALL, "action": OneFront, "opponent": "aggressive", "max_cycles": 12}
    ended = vector_conformance_test(
        lambda count, mode: WarlightVectorEnv(count, autoreset_mode=mode, **arguments), lambda: WarlightEnv(**arguments)
    )
    assert ended > 10


def test_actions_of_games_that_only_begin_anew_do_not_matter():
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


def test_max_episode_steps_as_make_vec_hands_it_on():
    env = gymnasium.make_vec(
        "warlight/Warlight-v0", num_envs=2, vectorization_mode="vector_entry_point", max_episode_steps=3, map=SMALL,
        action="factored",
    )  # fmt: skip
    env.reset(seed=1)
    ends = [env.step(np.zeros(env.action_space.shape, dtype=np.int64))[3].all() for _ in range(3)]
    assert ends == [False, False, True]


def test_all_games_begin_before_some_of_them_begin_anew():
    env = WarlightVectorEnv(2, map=SMALL, action="factored")
    with pytest.raises(ValueError, match="reset all games first"):
        env.reset(options={"reset_mask": np.array([True, False])})
