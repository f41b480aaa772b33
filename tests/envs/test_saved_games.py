"""`get_state`, `set_state` and `clone` of the environments with opponents, many games or many maps."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from env_helpers import SMALL, equal
from warlight_env import warlight_v0
from warlight_env.envs import (
    OpponentPool,
    WarlightEnv,
    WarlightMapsEnv,
    WarlightMapsVectorEnv,
    WarlightVectorEnv,
)
from warlight_env.errors import InputError


def first_legal(seen: Any, masks: np.ndarray) -> np.ndarray:
    """A policy that chooses the value 1 in all rows of `factored` that allow orders."""
    return masks.reshape(len(masks), -1, 5)[:, :, 4].astype(np.int64)


BASE: dict[str, Any] = {"map": SMALL, "max_cycles": 12, "action": "factored", "picking": "random"}
MAPS = {**BASE, "map": ["small", SMALL]}
FORMS: dict[str, Any] = {
    "single": lambda: WarlightEnv(**BASE, opponent="aggressive"),
    "single, an agent in Python": lambda: WarlightEnv(**BASE, opponent="random:margin=2", fog=True),
    "single, many maps": lambda: WarlightMapsEnv(**MAPS, opponent="random"),
    "vector, a pool": lambda: WarlightVectorEnv(3, **BASE, opponent={"random": 1, "aggressive": 1}),
    "vector, many maps": lambda: WarlightMapsVectorEnv(3, **MAPS, opponent="random"),
    "all seats": lambda: warlight_v0.vector_env(3, **BASE, players=3, autoreset_mode="SameStep"),
    "all seats, a policy": lambda: warlight_v0.vector_env(3, **BASE, opponents={"player_0": first_legal}),
    "all seats, many maps": lambda: warlight_v0.vector_env(3, **MAPS, opponents={"player_1": "random"}),
}


def play(env: Any, rng: np.random.Generator, steps: int) -> list[Any]:
    """Play random actions; reset a single environment after each game."""
    trace = []
    for _ in range(steps):
        if isinstance(env, WarlightEnv):
            row = rng.integers(0, 5, env.action_space.shape)
            trace.append(env.step(row))
            if trace[-1][2] or trace[-1][3]:
                trace.append(env.reset())
        elif isinstance(env, WarlightVectorEnv):
            trace.append(env.step(rng.integers(0, 5, env.action_space.shape)))
        else:
            trace.append(env.step({agent: rng.integers(0, 5, env.action_space(agent).shape) for agent in env.agents}))
    return trace


@pytest.mark.parametrize("form", FORMS)
def test_restored_state_and_clone_continue_identically(form):
    env = FORMS[form]()
    env.reset(seed=3)
    play(env, np.random.default_rng(0), 5)
    state, twin = env.get_state(), env.clone()
    expected = play(env, np.random.default_rng(1), 16)
    assert equal(play(twin, np.random.default_rng(1), 16), expected)
    other = FORMS[form]()
    for one in (env, other):
        one.set_state(state)
        assert equal(play(one, np.random.default_rng(1), 16), expected)
    env.set_state(state)
    play(twin, np.random.default_rng(2), 3)
    assert equal(play(env, np.random.default_rng(1), 16), expected)


def test_a_state_can_be_pickled_and_copies_share_pools():
    pool = OpponentPool({"random": 1.0})
    env = WarlightEnv(**BASE, opponent=pool)
    env.reset(seed=1)
    state = env.get_state()
    twin = env.clone()
    assert twin.episodes.slots[0] is pool
    assert twin.action_space is env.action_space
    expected = play(env, np.random.default_rng(1), 4)
    env.set_state(pickle.loads(pickle.dumps(state)))
    assert equal(play(env, np.random.default_rng(1), 4), expected)


def test_set_state_rejects_states_of_other_environments():
    env = warlight_v0.vector_env(2, **BASE)
    env.reset(seed=1)
    before = env.get_state()
    others = [
        warlight_v0.vector_env(3, **BASE),
        warlight_v0.vector_env(2, **{**BASE, "map": "small"}),
        warlight_v0.vector_env(2, **BASE, fog=True),
        warlight_v0.vector_env(2, **BASE, opponents={"player_1": "random"}),
    ]
    for other in others:
        other.reset(seed=2)
        with pytest.raises(InputError, match=r"^the saved state belongs to an environment with other arguments"):
            env.set_state(other.get_state())
    single = WarlightEnv(**BASE)
    for wrong in (single.get_state(), None, 3):
        with pytest.raises(InputError, match=r"^a saved state must be a result of `get_state`"):
            env.set_state(wrong)
    expected = play(env, np.random.default_rng(0), 3)
    env.set_state(before)
    assert equal(play(env, np.random.default_rng(0), 3), expected)
