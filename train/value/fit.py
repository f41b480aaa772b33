"""The value network in PyTorch: fitted to labels, and exported as arrays that kernels compute the same with."""

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
from warlight_env.train.common.places import Places
from warlight_env.train.common.torch_threads import one_thread
from warlight_env.train.value.positions import ValuedPositions
from warlight_env.train.value.settings import ValueSettings

#: Standard deviations of the numbers that a fit begins with; those of biases are 0.
_SPREAD: Final = {"own": 0.15, "others": 0.15, "rules": 0.1, "second": 0.2, "last": 0.25}


class Inputs(NamedTuple):
    """What a network reads of M positions and should say of them; numbers of players that there are not are 0."""

    players: Tensor  #: float32[M, P, N_PLAYER] halves of the roots of players' numbers
    rules: Tensor  #: float32[M, N_RULES]
    present: Tensor  #: bool[M, P] who holds regions
    value: Tensor  #: float32[M, P] shares


def read_inputs(places: Places, samples: ValuedPositions) -> Inputs:
    """The inputs of samples, as the kernel of the network makes them."""
    count, most = len(samples.place), max(places[place].players for place in set(samples.place.tolist()))
    numbers, rules = np.zeros((count, most * N_PLAYER)), np.zeros((count, N_RULES))
    present = np.zeros((count, most), dtype=bool)
    contexts: dict[int, Context] = {}
    for m, place in enumerate(samples.place.tolist()):
        at, position = places[place], samples.position(m)
        if place not in contexts:
            contexts[place] = bare_context(at.board, at.params, at.players, THESIS)
        write_features(contexts[place], position, numbers[m])
        write_rules(contexts[place], position, rules[m])
        present[m, np.unique(position.owner[position.owner >= 0])] = True
    read = (0.5 * np.sqrt(numbers)).astype(np.float32).reshape(count, most, N_PLAYER)
    arrays = read, rules.astype(np.float32), present, samples.value[:, :most].copy()
    return Inputs(*map(torch.from_numpy, arrays))


class ValueModule(nn.Module):
    """The arithmetic of `agents.value.network`, for many positions at once."""

    def __init__(self, generator: torch.Generator) -> None:
        super().__init__()
        for name, shape in SHAPES.items():
            numbers = _SPREAD.get(name, 0.0) * torch.randn(shape, generator=generator)
            self.register_parameter(name, nn.Parameter(numbers))

    def forward(self, inputs: Inputs) -> Tensor:
        """Scores, float32[M, P]; -inf for who holds no regions."""
        p = dict(self.named_parameters())
        playing = inputs.players * inputs.present[:, :, None]
        others = playing.sum(dim=1, keepdim=True) - playing
        mean = others / (inputs.present.sum(dim=1) - 1).clamp(min=1)[:, None, None]
        first = inputs.players @ p["own"] + mean @ p["others"] + (inputs.rules @ p["rules"])[:, None] + p["first_bias"]
        second = leaky_relu(first, LEAK) @ p["second"] + p["second_bias"]
        return (leaky_relu(second, LEAK) @ p["last"]).masked_fill(~inputs.present, -torch.inf)

    def arrays(self) -> dict[str, npt.NDArray[np.float32]]:
        """Its numbers, as `agents.records.value_record` takes them."""
        return {name: values.detach().numpy().copy() for name, values in self.named_parameters()}


class Fit(NamedTuple):
    """What a fit came to."""

    arrays: dict[str, npt.NDArray[np.float32]]
    trained: float  #: cross-entropy above the labels' own entropy, in nats, of labels that it was fitted to
    held_out: float | None  #: … of those of games that were kept out; None: there are none


def fit_network(settings: ValueSettings, places: Places, samples: ValuedPositions, seed: int) -> Fit:
    """A network fitted to samples by cross-entropy between labels and softmax of scores.

    Raises:
        RunError: a number is none any more, or all samples are held out.
    """
    kept_out = torch.from_numpy(held_out(samples))
    training = torch.nonzero(~kept_out)[:, 0]
    if not len(training):
        raise RunError("all labels are of games that are held out; play more games")
    inputs = read_inputs(places, samples)
    with one_thread():
        generator = torch.Generator().manual_seed(derive_seed(seed) >> 1)
        module = ValueModule(generator)
        optimizer = torch.optim.AdamW(module.parameters(), lr=settings.rate, weight_decay=settings.decay)
        schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, settings.steps)
        for _ in range(settings.steps):
            chosen = training[torch.randint(len(training), (settings.batch,), generator=generator)]
            optimizer.zero_grad()
            _loss(module, _part(inputs, chosen)).mean().backward()
            optimizer.step()
            schedule.step()
        with torch.no_grad():
            excess = _loss(module, inputs) - _entropy(inputs.value)
    if not torch.isfinite(excess).all():
        raise RunError("a number of the network is none any more; a lower rate may help")
    return Fit(
        module.arrays(), float(excess[~kept_out].mean()), float(excess[kept_out].mean()) if kept_out.any() else None
    )


def held_out(samples: ValuedPositions) -> npt.NDArray[np.bool_]:
    """Which of the samples are of games that fits do not see."""
    return samples.game % HELD_OUT == 0


def _part(inputs: Inputs, rows: Tensor) -> Inputs:
    return Inputs(*(values[rows] for values in inputs))


def _loss(module: ValueModule, inputs: Inputs) -> Tensor:
    """Cross-entropy, float32[M]."""
    logs = torch.log_softmax(module(inputs), dim=1).masked_fill(~inputs.present, 0.0)
    return -(inputs.value * logs).sum(dim=1)


def _entropy(value: Tensor) -> Tensor:
    return -torch.xlogy(value, value).sum(dim=1)
