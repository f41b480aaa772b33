"""The policy `BoardPolicy` does not depend on the numbers of regions, learns, can be saved and obeys the mask."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from stable_baselines3 import PPO

from env_helpers import SMALL
from warlight_env.engine.board import make_board
from warlight_env.envs.sb3 import make_vec_env
from warlight_env.features.columns import global_features, node_features
from warlight_env.train.sb3_ppo.board_policy import BoardNetwork, BoardPolicy, board_kwargs

ARGUMENTS = {"map": SMALL, "action": "factored", "mask": "observation"}


def test_renumbered_regions_get_the_same_logits():
    board = make_board(SMALL)
    n, features, n_globals = board.n_regions, len(node_features(2)), len(global_features(2))
    edges = np.stack([board.edge_source, board.edge_target]).astype(np.int64)
    torch.manual_seed(1)
    network = BoardNetwork(n, n_globals, 2, edges)
    order = np.random.default_rng(1).permutation(n)  # the new region i is the old order[i]
    new_index = np.argsort(order)
    renumbered = BoardNetwork(n, n_globals, 2, new_index[edges])
    weights = {k: v for k, v in network.state_dict().items() if k not in ("mean", "ends")}
    renumbered.load_state_dict(weights, strict=False)
    observation = torch.rand(3, n * features + n_globals)
    nodes = observation[:, : n * features].view(3, n, features)
    nodes[:, :, node_features(2).index("mine")] = torch.rand(3, n) < 0.5
    nodes = nodes[:, order].reshape(3, -1)
    logits, value = network(observation)
    again, same = renumbered(torch.cat([nodes, observation[:, n * features :]], dim=1))
    rows, others = logits.reshape(3, -1, 5), again.reshape(3, -1, 5)
    assert torch.allclose(rows[:, :n][:, order], others[:, :n], atol=1e-6)
    assert torch.allclose(rows[:, n:], others[:, n:], atol=1e-6), "edges keep their order"
    assert torch.allclose(value, same, atol=1e-6)
    assert not torch.allclose(rows[:, :n], others[:, :n])
    assert rows[:, n:].abs().sum(2).count_nonzero() == nodes.view(3, n, -1)[:, new_index[edges[0]], 2].count_nonzero()


def test_the_policy_learns_can_be_saved_and_obeys_the_mask(tmp_path):
    env = make_vec_env(8, seed=1, **ARGUMENTS)
    kwargs = board_kwargs(env.episodes.core.board, width=16)
    model = PPO(BoardPolicy, env, n_steps=32, batch_size=64, n_epochs=1, seed=1, device="cpu", policy_kwargs=kwargs)
    model.learn(512)
    model.save(tmp_path / "policy.zip")
    again = PPO.load(tmp_path / "policy.zip", device="cpu")
    observations = env.reset()
    actions, _ = model.predict(observations, deterministic=True)
    assert np.array_equal(actions, again.predict(observations, deterministic=True)[0])
    for _ in range(30):
        actions, _ = model.predict(observations)
        closed = observations["action_mask"].reshape(8, -1, 5)[:, :, 1] == 0
        assert not actions[closed].any()
        observations, *_ = env.step(actions)
        assert not env.episodes.core.out.illegal.any()


def test_an_observation_of_another_kind_is_refused():
    env = make_vec_env(2, seed=1, **{**ARGUMENTS, "observation": "flat"})
    kwargs = board_kwargs(make_board(SMALL), players=6)
    with pytest.raises(ValueError, match="observation='flat'"):
        PPO(BoardPolicy, env, policy_kwargs=kwargs)
