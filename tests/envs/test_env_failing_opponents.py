"""Opponents and rewards that raise errors: the step or the reset changes nothing and can be repeated."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pytest

from env_helpers import SMALL, BreakingReward, equal
from env_helpers import make_single as make
from env_helpers import play_episode as episode
from warlight_env.agents.players.random import RandomAgent
from warlight_env.engine.validity import StateError
from warlight_env.envs import OpponentError, OpponentPool, WarlightMapsVectorEnv, WarlightVectorEnv


class Failing:
    """Plays like `random`; in the moves of `fails_at`, it raises an error or returns a list."""

    name = "failing"
    moves = 0
    fails_at: ClassVar[dict[int, str]] = {}

    def __init__(self, seed: int = 0) -> None:
        self.inner = RandomAgent(seed)

    def pick(self, view):
        return self.inner.pick(view)

    def act(self, view, budget=None):
        Failing.moves += 1
        failure = Failing.fails_at.get(Failing.moves)
        if failure == "raise":
            raise ZeroDivisionError("in the agent")
        return [(1, 2)] if failure == "list" else self.inner.act(view)


@pytest.mark.parametrize("action", ["factored", "steps"])
@pytest.mark.parametrize("what", ["raise", "list"])
@pytest.mark.parametrize("seats", [2, 3])
def test_opponent_error_changes_no_game_and_the_step_can_be_repeated(action, what, seats):
    """The repeated step succeeds, and the episode continues as without the error."""
    opponents = ["random"] * (seats - 2) + [Failing]
    arguments = {"action": action, "players": seats, "rules": {"picks": 1}, "max_cycles": 60, "seat": 0}
    Failing.moves, Failing.fails_at = 0, {}
    expected = episode(make(opponent=opponents, **arguments), 1)
    Failing.moves, Failing.fails_at = 0, {2: what, 5: what}
    env = make(opponent=opponents, **arguments)
    trace = [env.reset(seed=1)]
    env.action_space.seed(0)
    failures = 0
    while len(trace) < len(expected):
        act = env.action_space.sample(trace[-1][-1]["action_mask"])
        masks = env.action_masks()
        for _ in range(2):
            try:
                trace.append(env.step(act))
                break
            except (ZeroDivisionError, ValueError) as error:
                assert what == "raise" or "act returned list, not Orders; no game has changed" in str(error)
                assert np.array_equal(env.action_masks(), masks)
                failures += 1
    assert failures == 2
    # The failing agent drew random numbers for fewer moves than it was asked for, so its moves are not compared.
    assert [len(step) for step in trace] == [len(step) for step in expected]


def _play_idle_steps(env: WarlightVectorEnv, steps: int = 4) -> list[tuple[np.ndarray, ...]]:
    """Return the owners and armies of all games after each step; the learners do nothing."""
    positions = []
    for _ in range(steps):
        env.step(np.zeros(env.action_space.shape, np.int64))
        positions.append(tuple(array.copy() for array in env.episodes.core.state[:2]))
    return positions


@pytest.mark.parametrize("opponent", ["smart_random", "random"])
def test_snapshot_includes_the_random_generators_of_bots(opponent):
    env = WarlightVectorEnv(3, map="world", action="factored", opponent=opponent)
    env.reset(seed=1)
    _play_idle_steps(env, 2)
    saved = env.episodes.core.snapshot()
    once = _play_idle_steps(env)
    env.episodes.core.restore(saved)
    assert equal(_play_idle_steps(env), once)


def test_restore_rejects_invalid_bot_generators():
    core = make(opponent="smart_random").episodes.core
    core.reset([1])
    saved = core.snapshot()
    with pytest.raises(StateError, match=r"^bot_rngs must be an array of uint64"):
        core.restore(saved._replace(bot_rngs=saved.bot_rngs[:, :1]))
    with pytest.raises(StateError, match=r"^bot_rngs must be an array, not NoneType"):
        core.restore(saved._replace(bot_rngs=None))


@pytest.mark.parametrize("given", [SMALL, ["generated:12:1", "generated:14:2"]], ids=["map", "maps"])
@pytest.mark.parametrize("action", ["factored", "steps"])
def test_step_can_be_repeated_after_a_reward_error(given, action):
    """In the repeated step, bots draw the same random numbers, and the games have the same results."""

    def play(times: int) -> list[np.ndarray]:
        pay = BreakingReward(times)
        arguments = {"map": given, "opponent": "smart_random", "reward": pay, "action": action}
        if given is SMALL:
            env = WarlightVectorEnv(4, observation="graph", **arguments)
        else:
            env = WarlightMapsVectorEnv(4, **arguments)
        env.reset(seed=3)
        actions = np.zeros(env.action_space.shape, np.int64)
        if action == "steps":  # the end of the turn
            actions += env.single_action_space.n - 1
        seen = []
        for _ in range(8):
            try:
                seen.append(env.step(actions)[0]["nodes"])
            except RuntimeError:
                seen.append(env.step(actions)[0]["nodes"])
        assert pay.left == 0
        return seen

    assert equal(play(1), play(0))


class Drawing:
    """A policy of random actions, which depend only on the last call of `reseed`."""

    def reseed(self, seed):
        self.rng = np.random.default_rng(seed % 2**32)

    def __call__(self, observations, masks):
        return np.array([self.rng.choice(np.flatnonzero(mask)) for mask in masks])


@pytest.mark.parametrize("make_env", [WarlightVectorEnv, WarlightMapsVectorEnv])
@pytest.mark.parametrize("action", ["strategies", "steps"])
def test_policy_draws_the_same_actions_after_a_reward_error(make_env, action):
    def play(times: int) -> list[np.ndarray]:
        pay = BreakingReward(times)
        env = make_env(3, map="small", opponent=Drawing(), reward=pay, action=action, seat=0)
        env.reset(seed=3)
        end = np.full(3, env.single_action_space.n - 1 if action == "steps" else 0)
        armies = []
        for _ in range(6):
            try:
                env.step(end)
            except RuntimeError:
                env.step(end)
            armies += [core.state.army[c].copy() for core, c in map(env.episodes.core_of, range(3))]
        assert pay.left == 0
        return armies

    assert equal(play(1), play(0))


def test_failed_reset_does_not_change_the_game():
    pool = OpponentPool({"random": 1})
    env, other = make(opponent=pool), make(opponent="random")
    env.reset(seed=1)
    other.reset(seed=1)
    pool.remove("random")
    with pytest.raises(OpponentError):
        env.reset(seed=2)
    nothing = np.zeros(env.action_space.shape, dtype=np.int64)
    assert equal(env.step(nothing), other.step(nothing))
