"""The PPO update from a rollout of turns, with TorchRL: advantages, and passes over minibatches.

The arrays of the rollouts are converted to tensors for the losses and estimators of TorchRL. The advantages
are generalized advantage estimates (Schulman et al., arXiv:1506.02438). The loss is PPO's clipped loss
(arXiv:1707.06347), with the squared error of the critic and an entropy bonus.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from tensordict import TensorDict
from tensordict.nn import ProbabilisticTensorDictModule, ProbabilisticTensorDictSequential, TensorDictModule
from torch import Tensor
from torch.nn import functional
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value.functional import vec_generalized_advantage_estimate

from warlight_env.train.common.torch_threads import one_thread
from warlight_env.train.turn_net.batches import TurnRows
from warlight_env.train.turn_net.evaluators import TurnEvaluator
from warlight_env.train.turn_net.module import TurnModule
from warlight_env.train.turn_ppo.rollout_record import Rollout, rows_of
from warlight_env.train.turn_ppo.settings import TurnPpoSettings

#: The largest norm of the gradient in a step; a longer gradient is scaled down.
_LONGEST: Final = 0.5


class _Played(torch.distributions.Distribution):
    """A distribution of M turns for TorchRL's loss, with known log-probabilities and entropies.

    Args:
        log_probs: float32[M], the log-probabilities of the turns.
        entropies: float32[M], the entropies.
    """

    arg_constraints: dict[str, Any] = {}  # noqa: RUF012 -- as in the base class

    def __init__(self, log_probs: Tensor, entropies: Tensor) -> None:
        super().__init__(log_probs.shape, validate_args=False)
        self._log_probs, self._entropies = log_probs, entropies

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the log-probabilities of the turns; `value` is not used."""
        return self._log_probs

    def entropy(self) -> Tensor:
        """Return the entropies of the turns: sums of the entropies of choices, each given the earlier choices."""
        return self._entropies


def _loss(settings: TurnPpoSettings) -> ClipPPOLoss:
    """Return TorchRL's loss for outputs that the network has already computed."""
    outputs = TensorDictModule(_Pass(), ["turn_log_prob", "turn_entropy"], ["log_probs", "entropies"])
    distribution = ProbabilisticTensorDictModule(["log_probs", "entropies"], ["action"], distribution_class=_Played)
    actor = ProbabilisticTensorDictSequential(outputs, distribution)
    critic = TensorDictModule(_Pass(), ["predicted"], ["state_value"])
    return ClipPPOLoss(
        actor, critic, clip_epsilon=settings.clip_range, entropy_coeff=settings.ent_coef, critic_coeff=settings.vf_coef,
        loss_critic_type="l2", normalize_advantage=True,
    )  # fmt: skip


class _Pass(torch.nn.Module):
    def forward(self, *tensors: Tensor) -> Any:
        return tensors if len(tensors) > 1 else tensors[0]


class Update(NamedTuple):
    """Metrics of an iteration (means over the minibatches) under the names that Stable-Baselines3 uses."""

    loss: float
    policy_gradient_loss: float
    value_loss: float  #: mean squared error of the critic
    entropy_loss: float  #: negative entropy of a turn, in nats
    approx_kl: float  #: KL divergence from the policy that played the rollout, in nats
    clip_fraction: float  #: fraction of turns with a ratio outside the clip range
    explained_variance: float  #: fraction of the variance of returns that the critic explained before the update
    passes: float  #: number of passes over the rollout


class TurnLearner:
    """Trains a network: it contains the network, the optimizer, and a method that updates the network in an iteration.

    Args:
        settings: settings of the run.
        module: the network.
        device: device of PyTorch.
    """

    def __init__(self, settings: TurnPpoSettings, module: TurnModule, device: str) -> None:
        self._settings, self._device = settings, torch.device(device)
        self.module = module.to(self._device)
        self.optimizer = torch.optim.AdamW(
            module.parameters(), lr=settings.learning_rate, weight_decay=settings.weight_decay, fused=True
        )  # fmt: skip
        self._loss = _loss(settings).to(self._device)

    def update(
        self, turns: TurnEvaluator, rollout: Rollout, rate: float, rng: np.random.Generator
    ) -> Update:  # fmt: skip
        """Learn from a rollout, in passes over its turns, each in a new random order.

        The method uses one thread of PyTorch, because the computations of an update are too small for several threads.

        Args:
            turns: the evaluator for the game config of the rollout, on the device.
            rollout: the rollout.
            rate: learning rate.
            rng: the generator of the random orders.
        """
        with one_thread():
            return self.update_in_threads(turns, rollout, rate, rng)

    def update_in_threads(
        self, turns: TurnEvaluator, rollout: Rollout, rate: float, rng: np.random.Generator
    ) -> Update:  # fmt: skip
        """Learn as `update` does, but with PyTorch's current number of threads; the result depends on this number."""
        s = self._settings
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        advantage, target = advantages(rollout, s.gamma, s.gae_lambda)
        rows, metrics = rows_of(rollout, turns.players), []
        size = len(rows.round)
        for indices in _minibatches(size, s.batch_size, s.n_epochs, rng):
            index = torch.from_numpy(indices).to(advantage.device)
            chance = torch.as_tensor(rollout.log_probs).reshape(-1)[index]
            batch = rows.select(indices if isinstance(rows.round, np.ndarray) else index)
            metrics.append(self._step(turns, batch, chance, advantage[index], target[index]))
            if metrics[-1]["approx_kl"] > s.target_kl:
                break
        means = {key: float(np.mean([row[key] for row in metrics])) for key in metrics[0]}
        values = torch.as_tensor(rollout.values)[:, :-1].reshape(-1, 1)
        explained = 1.0 - float(torch.var(target - values) / torch.var(target))
        return Update(**means, explained_variance=explained, passes=len(metrics) * s.batch_size / size)

    def _step(
        self, turns: TurnEvaluator, rows: TurnRows, chance: Tensor, advantage: Tensor, target: Tensor
    ) -> dict[str, float]:
        outputs = turns.log_probs(self.module, rows)
        predicted = torch.softmax(outputs.scores, 1).gather(1, torch.as_tensor(rows.player)[:, None].to(self._device))
        size = len(chance)
        data = TensorDict(
            {
                "turn_log_prob": outputs.turn, "turn_entropy": outputs.entropy, "predicted": predicted,
                "action": chance, "action_log_prob": chance, "advantage": advantage, "value_target": target,
            },
            [size], self._device,
        )  # fmt: skip
        out = self._loss(data)
        loss = out["loss_objective"] + out["loss_critic"] + out["loss_entropy"]
        self.optimizer.zero_grad()
        loss.backward()
        if self.module.pick.grad is None:  # a gradient of zeros, as on the CPU: the weight decay also changes `pick`
            self.module.pick.grad = torch.zeros_like(self.module.pick)
        torch.nn.utils.clip_grad_norm_(self.module.parameters(), _LONGEST)
        self.optimizer.step()
        figures = {
            "loss": loss, "policy_gradient_loss": out["loss_objective"], "entropy_loss": -out["entropy"],
            "value_loss": functional.mse_loss(predicted, data["value_target"]), "approx_kl": out["kl_approx"],
            "clip_fraction": out["clip_fraction"],
        }  # fmt: skip
        values = torch.stack([value.detach().reshape(()) for value in figures.values()])
        return dict(zip(figures, values.tolist(), strict=True))


def advantages(rollout: Rollout, gamma: float, gae_lambda: float) -> tuple[Tensor, Tensor]:
    """Return the advantages and the targets of the critic, float32[B T, 1] each."""
    values, reward, done = (torch.as_tensor(x)[..., None] for x in (rollout.values, rollout.reward, rollout.done))
    estimates: tuple[Tensor, Tensor] = vec_generalized_advantage_estimate(
        gamma, gae_lambda, values[:, :-1], values[:, 1:], reward, done=done
    )
    return estimates[0].reshape(-1, 1), estimates[1].reshape(-1, 1)


def _minibatches(
    size: int, batch_size: int, epochs: int, rng: np.random.Generator
) -> Iterator[npt.NDArray[np.int64]]:  # fmt: skip
    """Yield minibatches of turns, in a new random order in each pass. An incomplete minibatch is left out."""
    for _ in range(epochs):
        order = rng.permutation(size)
        for low in range(0, size - batch_size + 1, batch_size):
            yield order[low : low + batch_size]
