"""Turns under the network: log-probability and entropy of each turn, and the loss of taught turns."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from warlight_env.train.turn_net.batches import TurnBatch
from warlight_env.train.turn_net.module import BoardTensors, TurnModule


class TurnChances(NamedTuple):
    """Log-probabilities and entropies of M turns, in nats, and the players' scores.

    The log-probability of a kind of choice is a sum over all choices of this kind, each given the earlier choices.
    """

    weights: Tensor  #: float32[M]
    shares: Tensor  #: float32[M]
    priorities: Tensor  #: float32[M]
    entropy: Tensor  #: float32[M]
    scores: Tensor  #: float32[M, P], see `TurnModule.scores`

    @property
    def turn(self) -> Tensor:
        """Log-probabilities of whole turns, float32[M]."""
        return self.weights + self.shares + self.priorities


class _Choices(NamedTuple):
    """K choices among values, with the turn of each.

    which: int64[K] in 0 .. M - 1; chance, entropy: float32[K], log-probabilities and entropies in nats.
    """

    which: Tensor
    chance: Tensor
    entropy: Tensor

    @classmethod
    def of(cls, which: Tensor, logits: Tensor, taken: Tensor) -> _Choices:
        """Return the choices for logits float32[K, V] and chosen values int64[K].

        A logit of -inf marks a forbidden value.
        """
        logs = torch.log_softmax(logits, 1)
        entropy = -(logs.exp() * logs.masked_fill(torch.isneginf(logs), 0.0)).sum(1)
        return cls(which, logs.gather(1, taken[:, None])[:, 0], entropy)

    def summed(self, size: int) -> tuple[Tensor, Tensor]:
        """Return the sums of log-probabilities and of entropies for each turn, float32[M] each."""
        zeros = self.chance.new_zeros(size)
        return zeros.index_add(0, self.which, self.chance), zeros.index_add(0, self.which, self.entropy)


def _deploys(
    module: TurnModule, board: BoardTensors, described: Tensor, mine: Tensor, weights: Tensor
) -> tuple[_Choices, _Choices]:
    """Return the choices of the main region, and of the other regions' weights given the main region.

    The main region is the first region with the highest weight. Turns in which all weights are 0 have no such choices.
    """
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
    """Return log-probabilities, entropies and scores of these turns."""
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
    """Means over positions, in nats: the losses of weights, shares and priorities, and of the game's result."""

    weights: Tensor
    shares: Tensor
    priorities: Tensor
    value: Tensor


def turn_loss(told: TurnChances, result: Tensor) -> TurnLoss:
    """Return the cross-entropies of a network's outputs.

    Args:
        told: log-probabilities of the turns, and players' scores.
        result: float32[M, P], players' shares; all 0 if the game has no winner.
    """
    chances = torch.log_softmax(told.scores, 1).masked_fill(torch.isneginf(told.scores), 0.0)
    value = -(result * chances).sum() / result.sum().clamp(min=1.0)
    return TurnLoss(-told.weights.mean(), -told.shares.mean(), -told.priorities.mean(), value)
