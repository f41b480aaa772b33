"""The environment of tensors in TorchRL: the checks of TorchRL, rollouts, and the same results as without TorchRL."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from warlight_env.errors import InputError
from warlight_env.tensor_env import WarlightTensorEnv


@pytest.fixture
def make_env() -> type[Any]:
    """The class `WarlightTorchRLEnv`. Only the process that runs these tests imports TorchRL, which takes seconds."""
    from warlight_env.tensor_env.torchrl_env import WarlightTorchRLEnv

    return WarlightTorchRLEnv


@pytest.mark.parametrize("arguments", [
    {},
    {"action": "strategies", "players": 3, "observation": "flat"},
    {"action": "steps", "opponents": {"player_1": "random"}},
])  # fmt: skip
def test_the_checks_of_torchrl_pass(arguments, make_env):
    from torchrl.envs.utils import check_env_specs

    check_env_specs(make_env(4, device="cpu", map="small", **arguments), seed=1)


def test_a_rollout_equals_the_games_without_torchrl(make_env):
    arguments = {"device": "cpu", "map": "small", "picking": "random", "max_cycles": 6}
    env = make_env(3, **arguments)
    env.set_seed(5)
    torch.manual_seed(1)
    rollout = env.rollout(20, break_when_any_done=False)
    plain = WarlightTensorEnv(3, autoreset_mode="NextStep", **arguments)
    observations, _ = plain.reset(seed=5)
    for t in range(6):
        seen = rollout["agents", "observation", "nodes"][:, t]
        expected = torch.stack([observations[agent]["nodes"] for agent in plain.agents], 1)
        assert torch.equal(seen, expected)
        chosen = rollout["agents", "action"][:, t]
        observations, rewards, *_ = plain.step({agent: chosen[:, k] for k, agent in enumerate(plain.agents)})
        paid = rollout["next", "agents", "reward"][:, t, :, 0]
        assert torch.equal(paid, torch.stack([rewards[agent] for agent in plain.agents], 1))
    assert rollout["next", "done"][:, 5].all() and rollout["next", "truncated"][:, 5].all()
    assert rollout["next", "agents", "observation", "nodes"].shape[:3] == (3, 20, 2)
    assert rollout["agents", "active"][:, 6].all()  # TorchRL has begun new games


def test_environments_without_a_seed_play_different_games(make_env):
    torch.manual_seed(3)
    games = [make_env(3, device="cpu", map="small", picking="random").reset() for _ in range(2)]
    first, second = (game["agents", "observation", "nodes"] for game in games)
    assert not torch.equal(first, second)


def test_unsupported_encodings_and_modes_raise_an_error(make_env):
    with pytest.raises(InputError, match="TorchRL needs an encoding with integers as actions"):
        make_env(2, device="cpu", map="small", action="continuous")
    with pytest.raises(InputError, match="TorchRL begins new games"):
        make_env(2, device="cpu", map="small", autoreset_mode="SameStep")
