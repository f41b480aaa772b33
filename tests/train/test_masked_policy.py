"""The masked policy for Stable-Baselines3: it equals separate distributions for the rows, without masked actions."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from gymnasium import spaces
from scipy import stats
from stable_baselines3 import PPO

from env_helpers import SMALL
from warlight_env.envs import load_policy
from warlight_env.envs.sb3 import make_vec_env
from warlight_env.train.sb3_ppo.masked_policy import MASK_KEY, MaskedFactoredPolicy, MaskedRowsDistribution

BATCH, ROWS, VALUES = 3, 7, 5


def random_rows() -> tuple[torch.Tensor, torch.Tensor]:
    """Return logits and masks; in game 0, the only open value of the first row is not 0."""
    generator = torch.Generator().manual_seed(1)
    logits = 3 * torch.randn(BATCH, ROWS, VALUES, generator=generator)
    mask = torch.rand(BATCH, ROWS, VALUES, generator=generator) < 0.5
    mask[..., 0] = True
    mask[0, 0] = torch.tensor([False, False, True, False, False])
    return logits, mask


def distribution(logits: torch.Tensor, mask: torch.Tensor | None) -> MaskedRowsDistribution:
    return MaskedRowsDistribution(*logits.shape[1:]).proba_distribution(logits, mask)


def reference(logits: torch.Tensor, mask: torch.Tensor) -> list[list[torch.distributions.Categorical]]:
    """Return a distribution over the open values of each row; the open values are numbered in order."""
    return [
        [torch.distributions.Categorical(logits=logits[b, r][mask[b, r]]) for r in range(ROWS)] for b in range(BATCH)
    ]


def make_env(n: int = 4, **arguments):
    defaults = {"map": SMALL, "action": "factored", "mask": "observation", "max_cycles": 20}
    return make_vec_env(n, seed=1, **{**defaults, **arguments})


def make_model(env=None, **arguments) -> PPO:
    settings = {"n_steps": 16, "batch_size": 32, "n_epochs": 2, "device": "cpu", "seed": 1, **arguments}
    return PPO(MaskedFactoredPolicy, env or make_env(), **settings)


def allows(actions: np.ndarray, mask: np.ndarray) -> bool:
    rows = mask.reshape(*actions.shape, VALUES)
    return bool(np.take_along_axis(rows, actions[..., None], axis=-1).all())


@pytest.fixture(autouse=True)
def one_thread():
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    torch.manual_seed(1)
    yield
    torch.set_num_threads(threads)


# The distribution


def test_log_probabilities_and_entropies_match_independent_rows():
    logits, mask = random_rows()
    ours, rows = distribution(logits, mask), reference(logits, mask)
    actions = ours.sample()
    places = mask.long().cumsum(dim=-1).gather(-1, actions[..., None])[..., 0] - 1  # index among the open values
    for b in range(BATCH):
        expected = sum(rows[b][r].log_prob(places[b, r]) for r in range(ROWS))
        torch.testing.assert_close(ours.log_prob(actions)[b], expected)
        torch.testing.assert_close(ours.entropy()[b], sum(row.entropy() for row in rows[b]))


def test_the_mode_is_the_open_value_with_the_largest_logit():
    logits, mask = random_rows()
    expected = torch.where(mask, logits, -torch.inf).argmax(dim=-1)
    assert torch.equal(distribution(logits, mask).mode(), expected)


def test_samples_follow_the_softmax_of_open_values():
    logits, mask = random_rows()
    n = 20_000
    many = distribution(logits[:1].expand(n, -1, -1), mask[:1].expand(n, -1, -1)).sample()
    for r, row in enumerate(reference(logits, mask)[0]):
        counts = torch.bincount(many[:, r], minlength=VALUES)
        assert counts[~mask[0, r]].sum() == 0
        if mask[0, r].sum() > 1:
            expected = n * row.probs.double()
            assert stats.chisquare(counts[mask[0, r]], expected * (n / expected.sum())).pvalue > 1e-4


def test_rows_without_a_choice_contribute_nothing():
    logits, mask = random_rows()
    mask[:] = False
    mask[..., 0] = True
    ours = distribution(100 * logits, mask)
    actions = ours.sample()
    assert torch.equal(actions, torch.zeros(BATCH, ROWS, dtype=torch.int64))
    assert (ours.log_prob(actions) == 0).all()
    assert (ours.entropy() == 0).all()


def test_all_values_are_open_without_a_mask():
    logits, _ = random_rows()
    open_mask = torch.ones_like(logits, dtype=torch.bool)
    assert torch.equal(distribution(logits, None).log_probs, distribution(logits, open_mask).log_probs)


def test_gradients_are_finite_and_zero_for_closed_values():
    logits, mask = random_rows()
    logits = (50 * logits).requires_grad_()
    ours = distribution(logits, mask)
    (ours.log_prob(ours.sample()) + ours.entropy()).sum().backward()
    assert torch.isfinite(logits.grad).all()
    assert (logits.grad[~mask] == 0).all()
    assert (logits.grad[mask] != 0).any()


# The policy


def test_closed_values_are_never_played():
    env = make_env(100)
    model = make_model(env)
    observations = env.reset()
    for step in range(20):
        actions, _ = model.predict(observations, deterministic=step % 4 == 0)
        assert allows(actions, observations[MASK_KEY])
        observations, *_ = env.step(actions)


def test_an_observation_without_a_batch_dimension_is_accepted():
    env = make_env()
    one = {key: value[0] for key, value in env.reset().items()}
    action, _ = make_model(env).predict(one)
    assert action.shape == env.action_space.shape
    assert allows(action, one[MASK_KEY])


def test_learning_changes_the_policy_and_keeps_it_finite():
    model = make_model()
    before = [parameter.detach().clone() for parameter in model.policy.parameters()]
    model.learn(2 * 4 * 16)
    after = list(model.policy.parameters())
    assert all(torch.isfinite(parameter).all() for parameter in after)
    assert all((old != new).any() for old, new in zip(before, after, strict=True))


def test_evaluate_actions_returns_the_log_probabilities_of_the_samples():
    env = make_env()
    policy = make_model(env).policy
    observations, _ = policy.obs_to_tensor(env.reset())
    actions, values, log_prob = policy(observations)
    values_again, log_prob_again, entropy = policy.evaluate_actions(observations, actions.float())
    torch.testing.assert_close(log_prob_again, log_prob)
    torch.testing.assert_close(values_again, values)
    torch.testing.assert_close(policy.predict_values(observations), values)
    torch.testing.assert_close(entropy, policy.get_distribution(observations).entropy())
    assert (log_prob < 0).all()


@pytest.mark.parametrize("shared", (True, False))
def test_networks_do_not_receive_the_mask(shared):
    env = make_env()
    policy = make_model(env, policy_kwargs={"share_features_extractor": shared}).policy
    size = env.observation_space["observation"].shape[0]
    assert policy.features_extractor.features_dim == size
    observations, _ = policy.obs_to_tensor(env.reset())
    closed = {**observations, MASK_KEY: torch.zeros_like(observations[MASK_KEY])}
    closed[MASK_KEY][:, ::VALUES] = 1
    assert torch.equal(policy(observations)[1], policy(closed)[1])
    assert (policy(closed)[0] == 0).all()


def test_observations_with_several_parts_are_accepted():
    env = make_env(observation="graph")
    model = make_model(env).learn(4 * 16)
    assert set(model.policy.features_extractor.extractors) == {"nodes", "globals"}


def test_a_saved_model_predicts_the_same_and_plays_as_an_opponent(tmp_path):
    env = make_env()
    model = make_model(env).learn(4 * 16)
    model.save(tmp_path / "model.zip")
    model.policy.save(tmp_path / "policy.pt")
    observations = env.reset()
    expected, _ = model.predict(observations, deterministic=True)
    for loaded in (
        PPO.load(tmp_path / "model.zip", device="cpu"), MaskedFactoredPolicy.load(tmp_path / "policy.pt", device="cpu")
    ):  # fmt: skip
        actions, _ = loaded.predict(observations, deterministic=True)
        assert np.array_equal(actions, expected)
    against = make_env(opponent=load_policy(tmp_path / "model.zip", trust=True))
    observation = against.reset()
    for _ in range(5):
        observation, *_ = against.step(model.predict(observation)[0])


# Errors


@pytest.mark.parametrize("arguments, named", (
    ({"action": "steps"}, "action space Discrete"),
    ({"mask": "info"}, "must be a Dict with the key 'action_mask'"),
    ({"mask": "info", "observation": "graph"}, "must be a Dict with the key 'action_mask'"),
))  # fmt: skip
def test_environments_without_a_mask_or_factored_actions_are_refused(arguments, named):
    with pytest.raises(ValueError, match=named):
        make_model(make_env(**arguments))


@pytest.mark.parametrize("observations, actions, named", (
    ({MASK_KEY: 10, "observation": 3}, [5, 4], "all rows must have equally many values"),
    ({MASK_KEY: 9, "observation": 3}, [5, 5], r"has the shape \(9,\), must be \(10,\)"),
    ({MASK_KEY: 10}, [5, 5], "must have keys in addition to 'action_mask'"),
))  # fmt: skip
def test_spaces_of_another_shape_are_refused(observations, actions, named):
    observation_space = spaces.Dict({key: spaces.Box(0, 1, (size,)) for key, size in observations.items()})
    with pytest.raises(ValueError, match=named):
        MaskedFactoredPolicy(observation_space, spaces.MultiDiscrete(actions), lambda _: 1e-3)


def test_an_observation_without_a_mask_is_refused():
    env = make_env()
    model, observations = make_model(env), env.reset()
    for bad in (observations["observation"], {"observation": observations["observation"]}):
        with pytest.raises(ValueError, match="the observation has no 'action_mask'"):
            model.predict(bad)
