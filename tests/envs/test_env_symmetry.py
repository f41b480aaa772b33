"""Symmetry: a renumbering of players or regions permutes the observation and changes nothing else."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from env_helpers import SMALL, act, equal, make, refresh
from helpers import make_map
from warlight_env.envs import WarlightParallelEnv
from warlight_env.maps import Map

KINDS = ("graph", "flat", "raw")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("fog", [False, True])
@given(seed=st.integers(0, 10**6), players=st.integers(2, 5), turn=st.integers(1, 4), steps=st.integers(0, 10))
@settings(max_examples=15)
def test_renumbered_players_have_equal_observations(kind, fog, seed, players, turn, steps):
    env = make(players=players, fog=fog, observation=kind, rules={"picks": 1})
    env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    for _ in range(steps):
        if env.agents:
            env.step(act(env, rng))
    before = [env.observe(agent) for agent in env.possible_agents]
    state = env.core.state
    owned = state.owner >= 0
    state.owner[owned] = (state.owner[owned] + turn) % players
    state.eliminated_at[:] = np.roll(state.eliminated_at, turn, axis=1)
    bits = (state.offers[0][:, None] >> np.arange(players)) & 1
    state.offers[0] = (np.roll(bits, turn, axis=1) << np.arange(players)).sum(axis=1)
    refresh(env.core)
    for p in range(players):
        assert equal(env.observe(f"player_{(p + turn) % players}"), before[p])


def renumber_map(map: Map, order: np.ndarray, groups: np.ndarray) -> Map:
    """Return a map in which region i is the old order[i] and super region g is the old groups[g]."""
    place, group_place = np.argsort(order), np.argsort(groups)
    return make_map(
        [int(group_place[map.regions[old].super_region]) for old in order],
        [(int(place[a]), int(place[b])) for a, b in map.borders],
        [map.super_regions[old].bonus for old in groups],
        "renumbered",
    )


def edge_order(env: WarlightParallelEnv, other: WarlightParallelEnv, order: np.ndarray) -> np.ndarray:
    """The number in the old map of each directed edge of the other map."""
    edges = {tuple(edge): i for i, edge in enumerate(env.edge_index.T.tolist())}
    return np.array([edges[int(order[a]), int(order[b])] for a, b in other.edge_index.T])


@pytest.mark.parametrize("action", ["factored", "steps", "strategies"])
@pytest.mark.parametrize("fog", [False, True])
@given(seed=st.integers(0, 10**6), players=st.integers(2, 4), steps=st.integers(0, 8))
@settings(max_examples=10)
def test_renumbered_regions_permute_the_observation_and_the_mask(action, fog, seed, players, steps):
    rng = np.random.default_rng(seed)
    order = rng.permutation(SMALL.n_regions)
    groups = rng.permutation(len(SMALL.super_regions))
    arguments = {"players": players, "fog": fog, "picking": "random", "rules": {"picks": 1}, "mask": "info"}
    source_env = make(**arguments)
    source_env.reset(seed=seed)
    for _ in range(steps):
        if source_env.agents:
            source_env.step(act(source_env, rng))
    env = WarlightParallelEnv(SMALL, action=action, **arguments)
    other = WarlightParallelEnv(renumber_map(SMALL, order, groups), action=action, **arguments)
    for one, by in ((env, slice(None)), (other, order)):
        one.reset(seed=0)
        for name, array in source_env.core.state._asdict().items():
            per_region = array.ndim == 2 and array.shape[1] == SMALL.n_regions
            getattr(one.core.state, name)[...] = array[:, by] if per_region else array
        refresh(one.core)
    edges, n = edge_order(env, other, order), SMALL.n_regions
    for agent in env.possible_agents:
        before, after = env.observe(agent), other.observe(agent)
        assert np.array_equal(after["nodes"], before["nodes"][order])
        assert np.allclose(after["globals"], before["globals"], atol=1e-7)
        masks, renewed = env.action_masks(agent), other.action_masks(agent)
        if action == "factored":
            rows, others = masks.reshape(-1, 5), renewed.reshape(-1, 5)
            assert np.array_equal(others, np.concatenate([rows[:n][order], rows[n:][edges]]))
        elif action == "steps":
            deploys, sends = masks[: 3 * n].reshape(-1, 3), masks[3 * n : -1].reshape(-1, 4)
            expected = [deploys[order].ravel(), sends[edges].ravel(), masks[-1:]]
            assert np.array_equal(renewed, np.concatenate(expected))
