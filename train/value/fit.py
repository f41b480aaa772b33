"""The value network in PyTorch: the fit to labels, and the export of the network's weights for compiled code."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn.functional import leaky_relu

from warlight_env.agents.context import Context, bare_context
from warlight_env.agents.records.value_record import N_PLAYER, N_RULES, SHAPES
from warlight_env.agents.value.features import write_features, write_rules
from warlight_env.agents.value.network import LEAK
from warlight_env.agents.weights import THESIS
from warlight_env.engine.rng import derive_seed
from warlight_env.errors import RunError
from warlight_env.train.common.expert_iteration import HELD_OUT
from warlight_env.train.common.game_configs import GameConfigs
from warlight_env.train.common.torch_threads import one_thread
from warlight_env.train.value.positions import ValuedPositions
from warlight_env.train.value.settings import ValueSettings

#: The standard deviations of the initial weights, by name. The initial biases are 0.
_SPREAD: Final = {"own": 0.15, "others": 0.15, "rules": 0.1, "second": 0.2, "last": 0.25}


class Inputs(NamedTuple):
    """The inputs and targets of a network for M positions. Rows of players that are not in the game are 0."""

    players: Tensor  #: float32[M, P, N_PLAYER] sqrt(feature) / 2, for each feature of each player
    rules: Tensor  #: float32[M, N_RULES]
    present: Tensor  #: bool[M, P] whether the player owns regions
    value: Tensor  #: float32[M, P] labels: the win probability of each player


def read_inputs(configs: GameConfigs, samples: ValuedPositions) -> Inputs:
    """Return the inputs of the network for labelled positions, and the labels as training targets.

    The inputs are exactly the inputs that the network's compiled code computes.
    """
    count, max_players = (
        len(samples.config_index),
        max(configs[config].players for config in set(samples.config_index.tolist())),
    )
    numbers, rules = np.zeros((count, max_players * N_PLAYER)), np.zeros((count, N_RULES))
    present = np.zeros((count, max_players), dtype=bool)
    contexts: dict[int, Context] = {}
    for m, config in enumerate(samples.config_index.tolist()):
        game_config, position = configs[config], samples.position(m)
        if config not in contexts:
            contexts[config] = bare_context(game_config.board, game_config.params, game_config.players, THESIS)
        write_features(contexts[config], position, numbers[m])
        write_rules(contexts[config], position, rules[m])
        present[m, np.unique(position.owner[position.owner >= 0])] = True
    player_inputs = (0.5 * np.sqrt(numbers)).astype(np.float32).reshape(count, max_players, N_PLAYER)
    arrays = player_inputs, rules.astype(np.float32), present, samples.value[:, :max_players].copy()
    return Inputs(*map(torch.from_numpy, arrays))


class ValueModule(nn.Module):
    """The value network in PyTorch, which computes the outputs of `agents.value.network` for many positions at once."""

    def __init__(self, generator: torch.Generator) -> None:
        super().__init__()
        for name, shape in SHAPES.items():
            numbers = _SPREAD.get(name, 0.0) * torch.randn(shape, generator=generator)
            self.register_parameter(name, nn.Parameter(numbers))

    def forward(self, inputs: Inputs) -> Tensor:
        """Return the scores of the players (logits), float32[M, P]; -inf for players without regions."""
        p = dict(self.named_parameters())
        playing = inputs.players * inputs.present[:, :, None]
        other_sum = playing.sum(dim=1, keepdim=True) - playing
        mean = other_sum / (inputs.present.sum(dim=1) - 1).clamp(min=1)[:, None, None]
        first = inputs.players @ p["own"] + mean @ p["others"] + (inputs.rules @ p["rules"])[:, None] + p["first_bias"]
        second = leaky_relu(first, LEAK) @ p["second"] + p["second_bias"]
        return (leaky_relu(second, LEAK) @ p["last"]).masked_fill(~inputs.present, -torch.inf)

    def arrays(self) -> dict[str, npt.NDArray[np.float32]]:
        """Return the parameters by name, as `agents.records.value_record` accepts them."""
        return {name: values.detach().numpy().copy() for name, values in self.named_parameters()}


class Fit(NamedTuple):
    """The result of a fit."""

    arrays: dict[str, npt.NDArray[np.float32]]
    trained: float  #: cross-entropy minus the entropy of the labels, in nats, on the labels of the fit
    held_out: float | None  #: the same type of loss on the labels of held-out games; None if no game is held out


def fit_network(settings: ValueSettings, configs: GameConfigs, samples: ValuedPositions, seed: int) -> Fit:
    """Fit a network to samples. The loss is the cross-entropy between the labels and the softmax of the scores.

    Raises:
        RunError: a loss is not a finite number, or all samples are held out.
    """
    kept_out = torch.from_numpy(held_out(samples))
    training = torch.nonzero(~kept_out)[:, 0]
    if not len(training):
        raise RunError("the fit has no labels, because all labels belong to held-out games; play more games")
    inputs = read_inputs(configs, samples)
    with one_thread():
        generator = torch.Generator().manual_seed(derive_seed(seed) >> 1)
        module = ValueModule(generator)
        optimizer = torch.optim.AdamW(
            module.parameters(), lr=settings.learning_rate, weight_decay=settings.weight_decay
        )
        schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, settings.steps)
        for _ in range(settings.steps):
            batch = training[torch.randint(len(training), (settings.batch_size,), generator=generator)]
            optimizer.zero_grad()
            _loss(module, _part(inputs, batch)).mean().backward()
            optimizer.step()
            schedule.step()
        with torch.no_grad():
            excess = _loss(module, inputs) - _entropy(inputs.value)
    if not torch.isfinite(excess).all():
        raise RunError("a parameter of the network is not a finite number; a lower learning rate may help")
    return Fit(
        module.arrays(), float(excess[~kept_out].mean()), float(excess[kept_out].mean()) if kept_out.any() else None
    )


def held_out(samples: ValuedPositions) -> npt.NDArray[np.bool_]:
    """Return a mask of samples, bool[M]: True for samples of held-out games, which fits do not use."""
    return samples.game % HELD_OUT == 0


def _part(inputs: Inputs, rows: Tensor) -> Inputs:
    return Inputs(*(values[rows] for values in inputs))


def _loss(module: ValueModule, inputs: Inputs) -> Tensor:
    """Return the cross-entropy for each sample, float32[M]."""
    logs = torch.log_softmax(module(inputs), dim=1).masked_fill(~inputs.present, 0.0)
    return -(inputs.value * logs).sum(dim=1)


def _entropy(value: Tensor) -> Tensor:
    return -torch.xlogy(value, value).sum(dim=1)
