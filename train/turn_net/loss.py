"""Turns under the network: the probability of each and its entropy, and the loss of turns that are taught."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from warlight_env.train.turn_net.batches import TurnBatch
from warlight_env.train.turn_net.module import BoardTensors, TurnModule


class TurnChances(NamedTuple):
    """Of M turns, in nats: logarithms of probabilities, each of all choices of a kind given those before it, and the
    entropies of these choices; and the players' scores."""

    weights: Tensor  #: float32[M]
    shares: Tensor  #: float32[M]
    priorities: Tensor  #: float32[M]
    entropy: Tensor  #: float32[M]
    scores: Tensor  #: float32[M, P], see `TurnModule.scores`

    @property
    def turn(self) -> Tensor:
        """float32[M]: of whole turns."""
        return self.weights + self.shares + self.priorities


class _Choices(NamedTuple):
    """Choices among values: whose each is, int64[K] in 0 .. M - 1, and in nats, float32[K]."""

    which: Tensor
    chance: Tensor
    entropy: Tensor

    @classmethod
    def of(cls, which: Tensor, logits: Tensor, taken: Tensor) -> _Choices:
        """Of logits float32[K, V], -inf where a value is closed, and the values that were taken, int64[K]."""
        logs = torch.log_softmax(logits, 1)
        entropy = -(logs.exp() * logs.masked_fill(torch.isneginf(logs), 0.0)).sum(1)
        return cls(which, logs.gather(1, taken[:, None])[:, 0], entropy)

    def summed(self, size: int) -> tuple[Tensor, Tensor]:
        """float32[M] each, by whose they are."""
        zeros = self.chance.new_zeros(size)
        return zeros.index_add(0, self.which, self.chance), zeros.index_add(0, self.which, self.entropy)


def _deploys(
    module: TurnModule, board: BoardTensors, described: Tensor, mine: Tensor, weights: Tensor
) -> tuple[_Choices, _Choices]:
    """The first region of the highest weight, and others' weights beside it; turns without any weight are left out."""
    highest, main = weights.max(1)
    some = highest.nonzero()[:, 0]
    described, mine, weights, main = described[some], mine[some], weights[some], main[some]
    first = _Choices.of(some, module.mains(described, mine), main)
    others = mine.clone()
    others[torch.arange(len(main), device=main.device), main] = False
    whose, where = others.nonzero(as_tuple=True)
    logits = module.weights(board, described, main, whose, where)
    return first, _Choices.of(some[whose], logits, weights[whose, where])


def turn_chances(module: TurnModule, board: BoardTensors, batch: TurnBatch) -> TurnChances:
    """What the network makes of these turns."""
    size, n = batch.owner.shape
    edges = len(board.source)
    described = module.describe(board, batch.nodes, batch.overall)
    mine = batch.owner == batch.player[:, None]
    first, others = _deploys(module, board, described, mine, batch.row[:, :n].masked_fill(~mine, 0))
    logits = module.edges(board, described, batch.which, batch.edge, batch.numbers)
    share, priority = (batch.row[batch.which, n + k * edges + batch.edge] for k in (0, 1))
    sent = share > 0
    shares = _Choices.of(batch.which, logits[:, 0], share).summed(size)
    priorities = _Choices.of(batch.which[sent], logits[sent, 1], priority[sent]).summed(size)
    of_first, of_others = first.summed(size), others.summed(size)
    entropy = of_first[1] + of_others[1] + shares[1] + priorities[1]
    scores = module.scores(described, batch.owner, batch.player, batch.value.shape[1])
    return TurnChances(of_first[0] + of_others[0], shares[0], priorities[0], entropy, scores)


class TurnLoss(NamedTuple):
    """Means over positions, in nats: of a turn's weights, shares and priorities, and of the game's result."""

    weights: Tensor
    shares: Tensor
    priorities: Tensor
    value: Tensor


def turn_loss(told: TurnChances, result: Tensor) -> TurnLoss:
    """Cross-entropies of a network with turns, of which it told so much, and with results float32[M, P], players'
    shares; all 0 where nobody won."""
    chances = torch.log_softmax(told.scores, 1).masked_fill(torch.isneginf(told.scores), 0.0)
    value = -(result * chances).sum() / result.sum().clamp(min=1.0)
    return TurnLoss(-told.weights.mean(), -told.shares.mean(), -told.priorities.mean(), value)
