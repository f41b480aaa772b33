"""The log-probability and entropy of turns under the network, and the loss for the expert's turns."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from warlight_env.train.turn_net.batches import TurnBatch
from warlight_env.train.turn_net.module import BoardTensors, TurnModule


class TurnLogProbs(NamedTuple):
    """The log-probabilities and entropies of M turns, in nats, and the scores of the players.

    weights, shares and priorities are the log-probabilities of three types of choices: the armies to deploy on regions,
    the fractions of armies that cross borders, and the order of attacks. For the choice of a start region, weights is
    its log-probability, shares and priorities are 0, and all players have the score 0, because the value head does not
    evaluate positions of the picking phase. Each array has one number for each turn: the
    sum of the log-probabilities of all choices of one type, each given the earlier choices of the turn.
    """

    weights: Tensor  #: float32[M]
    shares: Tensor  #: float32[M]
    priorities: Tensor  #: float32[M]
    entropy: Tensor  #: float32[M]
    scores: Tensor  #: float32[M, P], see `TurnModule.scores`

    @property
    def turn(self) -> Tensor:
        """The log-probabilities of whole turns, float32[M]."""
        return self.weights + self.shares + self.priorities


class _Choices(NamedTuple):
    """K choices among values.

    Attributes:
        batch_index: int64[K], the index of the turn to which each choice belongs, from 0 to M - 1.
        log_prob, entropy: float32[K], the log-probability of the chosen value and the entropy, in nats.
    """

    batch_index: Tensor
    log_prob: Tensor
    entropy: Tensor

    @classmethod
    def of(cls, batch_index: Tensor, logits: Tensor, taken: Tensor) -> _Choices:
        """Return the choices with logits float32[K, V] and chosen values int64[K].

        A logit of -inf marks a forbidden value.
        """
        logs = torch.log_softmax(logits, 1)
        entropy = -(logs.exp() * logs.masked_fill(torch.isneginf(logs), 0.0)).sum(1)
        return cls(batch_index, logs.gather(1, taken[:, None])[:, 0], entropy)

    def summed(self, size: int) -> tuple[Tensor, Tensor]:
        """Return the sums of log-probabilities and of entropies for each turn, float32[M] each."""
        zeros = self.log_prob.new_zeros(size)
        return zeros.index_add(0, self.batch_index, self.log_prob), zeros.index_add(0, self.batch_index, self.entropy)


def _deploys(
    module: TurnModule, board: BoardTensors, embeddings: Tensor, mine: Tensor, weights: Tensor
) -> tuple[_Choices, _Choices]:
    """Return the choices of main regions, and the choices of the deploy weights of all regions that are not main.

    The main region is the first region with the highest weight. If all weights of a turn are 0, the turn contributes no
    choice of a main region and no choices of weights.
    """
    highest, main = weights.max(1)
    some = highest.nonzero()[:, 0]
    embeddings, mine, weights, main = embeddings[some], mine[some], weights[some], main[some]
    first = _Choices.of(some, module.mains(embeddings, mine), main)
    others = mine.clone()
    others[torch.arange(len(main), device=main.device), main] = False
    whose, where = others.nonzero(as_tuple=True)
    logits = module.weights(board, embeddings, main, whose, where)
    return first, _Choices.of(some[whose], logits, weights[whose, where])


def _picks(module: TurnModule, embeddings: Tensor, offers: Tensor, picking: Tensor) -> _Choices:
    """Return the choices of start regions.

    offers: int64[M, N], rows with OFFERED and CHOSEN where `picking` bool[M] is True.
    """
    some = picking.nonzero()[:, 0]
    logits = (embeddings[some] @ module.pick).masked_fill(offers[some] == 0, -torch.inf)
    return _Choices.of(some, logits, offers[some].argmax(1))


def turn_log_probs(module: TurnModule, board: BoardTensors, batch: TurnBatch) -> TurnLogProbs:
    """Return the log-probabilities and entropies of the turns of a batch, and the scores of the players."""
    size, n = batch.owner.shape
    edges = len(board.source)
    embeddings = module.embed_regions(board, batch.nodes, batch.overall)
    mine = (batch.owner == batch.player[:, None]) & ~batch.picking[:, None]
    first, others = _deploys(module, board, embeddings, mine, batch.row[:, :n].masked_fill(~mine, 0))
    logits = module.edges(board, embeddings, batch.batch_index, batch.edge, batch.numbers)
    share, priority = (batch.row[batch.batch_index, n + k * edges + batch.edge] for k in (0, 1))
    sent = share > 0
    shares = _Choices.of(batch.batch_index, logits[:, 0], share).summed(size)
    priorities = _Choices.of(batch.batch_index[sent], logits[sent, 1], priority[sent]).summed(size)
    of_first, of_others = first.summed(size), others.summed(size)
    picks = _picks(module, embeddings, batch.row[:, :n], batch.picking).summed(size)
    entropy = of_first[1] + of_others[1] + shares[1] + priorities[1] + picks[1]
    scores = module.scores(embeddings, batch.owner, batch.player, batch.value.shape[1])
    scores = torch.where(batch.picking[:, None], torch.zeros_like(scores), scores)
    return TurnLogProbs(of_first[0] + of_others[0] + picks[0], shares[0], priorities[0], entropy, scores)


class TurnLoss(NamedTuple):
    """Mean losses over positions, in nats: for each type of choice in `TurnLogProbs`, and for the predicted winner."""

    weights: Tensor
    shares: Tensor
    priorities: Tensor
    value: Tensor


def turn_loss(told: TurnLogProbs, result: Tensor) -> TurnLoss:
    """Return the cross-entropies of a network's outputs.

    Args:
        told: the log-probabilities of the turns, and the scores of the players.
        result: float32[M, P], 1 for the winner, else 0; all 0 if the game has no winner.
    """
    chances = torch.log_softmax(told.scores, 1).masked_fill(torch.isneginf(told.scores), 0.0)
    value = -(result * chances).sum() / result.sum().clamp(min=1.0)
    return TurnLoss(-told.weights.mean(), -told.shares.mean(), -told.priorities.mean(), value)
