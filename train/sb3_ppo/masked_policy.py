"""A policy for Stable-Baselines3's PPO that never chooses actions that the mask of the encoding `factored` forbids."""

from __future__ import annotations

from typing import Any, ClassVar, Final

import numpy as np
import torch
from gymnasium import spaces
from stable_baselines3.common.distributions import Distribution, MultiCategoricalDistribution
from stable_baselines3.common.policies import MultiInputActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.type_aliases import PyTorchObs, Schedule
from torch import Tensor

#: The key of the mask in the observation.
MASK_KEY: Final = "action_mask"
#: The logit of a forbidden value: its probability is exactly 0 in float32, without infinities or NaN.
CLOSED_LOGIT: Final = -1e8


class MaskedRowsDistribution(MultiCategoricalDistribution):
    """A distribution of R independent choices (rows) among V values each; a mask forbids some values.

    All rows are one tensor [B, R, V], so sampling, log-probabilities and entropies need few tensor operations.
    Stable-Baselines3 and sb3-contrib use a list of R distributions, which takes R times as many small operations. With
    a list of R = 206 distributions, learning spends nearly all of its time in the small operations (`python
    benchmarks/learning.py`).

    A row with only one allowed value contributes exactly 0 to log-probabilities and entropies. Every row needs at least
    one allowed value.

    Args:
        rows: R, the number of rows.
        values: V, the number of values of a row.
    """

    def __init__(self, rows: int, values: int) -> None:
        super().__init__([values] * rows)
        self.rows, self.values = rows, values
        #: float[B, V, R]: normalised log-probabilities; a forbidden value has about `CLOSED_LOGIT`. Rows are the last
        #: dimension, because PyTorch is three times slower with a short last dimension, such as V = 5.
        self.log_probs = torch.empty(0, values, rows)

    def proba_distribution(self, action_logits: Tensor, action_mask: Tensor | None = None) -> MaskedRowsDistribution:
        """Set the logits, float[B, R * V] or [B, R, V], and the mask of allowed values.

        The mask is bool and has as many elements as the logits. If `action_mask` is None, all values are allowed.
        """
        logits = action_logits.reshape(-1, self.rows, self.values)
        if action_mask is not None:
            logits = torch.where(action_mask.reshape(logits.shape), logits, CLOSED_LOGIT)
        self.log_probs = torch.log_softmax(logits.transpose(1, 2).contiguous(), dim=1)
        return self

    def sample(self) -> Tensor:
        """Return a sample, int64[B, R]: the argmax of log-probabilities plus Gumbel noise."""
        noise = torch.rand_like(self.log_probs).clamp_min_(torch.finfo(self.log_probs.dtype).tiny)
        return (self.log_probs - noise.log_().neg_().log_()).argmax(dim=1)

    def mode(self) -> Tensor:
        """Return the most probable value of each row, int64[B, R]."""
        return self.log_probs.argmax(dim=1)

    def log_prob(self, actions: Tensor) -> Tensor:
        """Return the log-probabilities of actions [B, R], summed over the rows, float[B]."""
        indices = actions.long().reshape(-1, 1, self.rows)
        return self.log_probs.gather(1, indices).sum(dim=(1, 2))

    def entropy(self) -> Tensor:
        """Return the entropies in nats, summed over the rows, float[B]."""
        # set log-probabilities of forbidden values to 0, because exp takes ten times as long if it underflows
        log_probs = self.log_probs.masked_fill(self.log_probs < CLOSED_LOGIT / 2, 0.0)
        return -(log_probs.exp() * log_probs).sum(dim=(1, 2))


class MaskedFactoredPolicy(MultiInputActorCriticPolicy):
    """The policy of PPO (or A2C) for the encoding `factored`; it never chooses forbidden values.

    ```python
    env = make_vec_env(16, action="factored", mask="observation")
    model = PPO(MaskedFactoredPolicy, env).learn(100_000)
    ```

    Plain PPO does not support masks, so the mask is a part of the observation, and PPO stores the mask in its buffers.
    Only the distribution uses the mask, see `MaskedRowsDistribution`. The networks get the rest of the observation, and
    the features extractor is made for a Dict space without the mask.

    Args:
        observation_space: Dict of action_mask, Box[R * V], and of any other keys that `CombinedExtractor` accepts.
        action_space: MultiDiscrete of R rows of V values each.
        lr_schedule: the learning rate.
        arguments: arguments of `ActorCriticPolicy`, such as net_arch.

    Raises ValueError if `observation_space` or `action_space` does not have the form that "Args" describes.
    """

    #: The class of the distribution, which is constructed with the number of rows and the number of values.
    distribution_class: ClassVar[type[MaskedRowsDistribution]] = MaskedRowsDistribution
    action_dist: MaskedRowsDistribution

    def __init__(
        self, observation_space: spaces.Space[Any], action_space: spaces.Space[Any], lr_schedule: Schedule,
        *args: Any, **arguments: Any,
    ) -> None:  # fmt: skip
        rows, values = _check_action_space(action_space)
        checked = _check_observation_space(observation_space, rows * values)
        self._rows, self._values = rows, values
        self._open: Tensor | None = None
        super().__init__(checked, action_space, lr_schedule, *args, **arguments)

    def _build(self, lr_schedule: Schedule) -> None:
        self.action_dist = self.distribution_class(self._rows, self._values)
        super()._build(lr_schedule)

    def make_features_extractor(self) -> BaseFeaturesExtractor:
        """Return an extractor for the observation without its mask."""
        assert isinstance(self.observation_space, spaces.Dict)
        unmasked = {key: space for key, space in self.observation_space.spaces.items() if key != MASK_KEY}
        return self.features_extractor_class(spaces.Dict(unmasked), **self.features_extractor_kwargs)

    def obs_to_tensor(self, observation: Any) -> tuple[PyTorchObs, bool]:
        """Return the tensors of an observation, and whether it is a batch. Raises ValueError if there is no mask."""
        _check_observation(observation)
        return super().obs_to_tensor(observation)

    def _take_mask(self, obs: PyTorchObs) -> dict[str, Tensor]:
        """Return the observation without the mask, and store the mask for the next distribution."""
        observation = dict(_check_observation(obs))
        self._open = observation.pop(MASK_KEY) != 0
        return observation

    def _get_action_dist_from_latent(self, latent_pi: Tensor) -> Distribution:
        open_values, self._open = self._open, None
        return self.action_dist.proba_distribution(self.action_net(latent_pi), open_values)

    def forward(self, obs: PyTorchObs, deterministic: bool = False) -> tuple[Tensor, Tensor, Tensor]:
        """Return actions int64[B, R], values float[B, 1] and log-probabilities float[B]."""
        return super().forward(self._take_mask(obs), deterministic)  # type: ignore[arg-type]

    def evaluate_actions(self, obs: PyTorchObs, actions: Tensor) -> tuple[Tensor, Tensor, Tensor | None]:
        """Return values float[B, 1], and log-probabilities and entropies float[B] of actions [B, R]."""
        return super().evaluate_actions(self._take_mask(obs), actions)

    def get_distribution(self, obs: PyTorchObs) -> Distribution:
        """Return the distribution of actions for observations.

        Each call changes and returns the same distribution object.
        """
        return super().get_distribution(self._take_mask(obs))

    def predict_values(self, obs: PyTorchObs) -> Tensor:
        """Return values, float[B, 1]; they do not depend on the masks."""
        observation = dict(_check_observation(obs))
        del observation[MASK_KEY]
        return super().predict_values(observation)


def _check_observation(observation: Any) -> dict[str, Any]:
    """Return the observation if it has a mask; otherwise raise ValueError."""
    if not isinstance(observation, dict) or MASK_KEY not in observation:
        raise ValueError(f"the observation has no {MASK_KEY!r}; make the environment with mask='observation'")
    return observation


def _check_action_space(space: spaces.Space[Any]) -> tuple[int, int]:
    """Return the number of rows, and the number of values of a row.

    Raise ValueError if the space is not an action space of the encoding `factored`.
    """
    if not isinstance(space, spaces.MultiDiscrete):
        raise ValueError(f"action space {space}: must be MultiDiscrete; make the environment with action='factored'")
    sizes = np.asarray(space.nvec)
    if sizes.ndim != 1 or sizes.size == 0 or (sizes != sizes[0]).any() or np.any(space.start):
        raise ValueError(f"action space {space}: all rows must have equally many values, as with action='factored'")
    return len(sizes), int(sizes[0])


def _check_observation_space(space: spaces.Space[Any], size: int) -> spaces.Dict:
    """Return the space if it is a Dict with a mask of this size and at least one other key; else raise ValueError."""
    if not isinstance(space, spaces.Dict) or MASK_KEY not in space.spaces:
        raise ValueError(
            f"observation space {space}: must be a Dict with the key {MASK_KEY!r}; make the environment with "
            "mask='observation'"
        )
    if space[MASK_KEY].shape != (size,):
        raise ValueError(f"observation space: {MASK_KEY!r} has the shape {space[MASK_KEY].shape}, must be ({size},)")
    if len(space.spaces) == 1:
        raise ValueError(f"observation space: must have keys in addition to {MASK_KEY!r}")
    return space
