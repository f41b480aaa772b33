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
        """The log-probabilities of complete turns, float32[M]."""
        return self.weights + self.shares + self.priorities


class _Choices(NamedTuple):
    """K choices among V values.

    Attributes:
        slots: int64[K], m + k * M for a choice of turn m (M turns) and of type k: 0 weights, 1 shares, 2 priorities.
        logits: float32[K, V]; -inf marks a forbidden value.
        values: int64[K], the chosen values.
    """

    slots: Tensor
    logits: Tensor
    values: Tensor

    @classmethod
    def joined(cls, *parts: _Choices) -> _Choices:
        """Return the choices of several objects with the same number of values."""
        return cls(*map(torch.cat, zip(*parts, strict=True)))

    def add_to(self, log_probs: Tensor, entropies: Tensor) -> None:
        """Add the log-probabilities to log_probs float32[3 M], and the entropies to entropies float32[M], in nats."""
        logs = torch.log_softmax(self.logits, 1)
        entropy = -(logs.exp() * logs.masked_fill(torch.isneginf(logs), 0.0)).sum(1)
        log_probs.index_add_(0, self.slots, logs.gather(1, self.values[:, None])[:, 0])
        entropies.index_add_(0, self.slots % len(entropies), entropy)


def _deploys(
    module: TurnModule, board: BoardTensors, embeddings: Tensor, own_regions: Tensor, weights: Tensor
) -> tuple[_Choices, _Choices]:
    """Return the choices of main regions, and the choices of the deploy weights of all regions that are not main.

    The main region is the first region with the highest weight. If all weights of a turn are 0, the turn contributes no
    choice of a main region and no choices of weights.
    """
    highest, main = weights.max(1)
    active = highest.nonzero()[:, 0]
    embeddings, own_regions, weights, main = embeddings[active], own_regions[active], weights[active], main[active]
    first = _Choices(active, module.mains(embeddings, own_regions), main)
    own_regions[torch.arange(len(main), device=main.device), main] = False
    turn, region = own_regions.nonzero(as_tuple=True)
    logits = module.weights(board, embeddings, main, turn, region)
    return first, _Choices(active[turn], logits, weights[turn, region])


def _picks(module: TurnModule, embeddings: Tensor, offers: Tensor, picking: Tensor) -> _Choices:
    """Return the choices of start regions.

    offers: int64[M, N], rows with OFFERED and CHOSEN in the positions `picking` int64[K].
    """
    logits = (embeddings[picking] @ module.pick).masked_fill(offers[picking] == 0, -torch.inf)
    return _Choices(picking, logits, offers[picking].argmax(1))


def turn_log_probs(module: TurnModule, board: BoardTensors, batch: TurnBatch) -> TurnLogProbs:
    """Return the log-probabilities and entropies of the turns of a batch, and the scores of the players.

    If no row of the batch is the choice of a start region, the results do not depend on the parameter `module.pick`,
    and the backward pass gives this parameter no gradient.
    """
    size, n = batch.owner.shape
    edges = len(board.source)
    embeddings = module.embed_regions(board, batch.nodes, batch.overall)
    own_regions = (batch.owner == batch.player[:, None]) & ~batch.picking[:, None]
    mains, deploy_weights = _deploys(
        module, board, embeddings, own_regions, batch.row[:, :n].masked_fill(~own_regions, 0)
    )
    logits = module.edges(board, embeddings, batch.batch_index, batch.edge, batch.numbers)
    share, priority = (batch.row[batch.batch_index, n + k * edges + batch.edge] for k in (0, 1))
    crossed = share.nonzero()[:, 0]
    shares = _Choices(batch.batch_index + size, logits[:, 0], share)
    priorities = _Choices(batch.batch_index[crossed] + 2 * size, logits[crossed, 1], priority[crossed])
    log_probs, entropy = embeddings.new_zeros(3 * size), embeddings.new_zeros(size)
    # Choices with the same number of values are evaluated together, because on a GPU each operation takes about the
    # same time, whatever its size.
    for choices in (mains, _Choices.joined(deploy_weights, shares, priorities)):
        choices.add_to(log_probs, entropy)
    scores = module.scores(embeddings, batch.owner, batch.player, batch.value.shape[1])
    picking = batch.picking.nonzero()[:, 0]
    if len(picking):
        _picks(module, embeddings, batch.row[:, :n], picking).add_to(log_probs, entropy)
        scores = torch.where(batch.picking[:, None], torch.zeros_like(scores), scores)
    weights, of_shares, of_priorities = log_probs.view(3, size)
    return TurnLogProbs(weights, of_shares, of_priorities, entropy, scores)


class TurnLoss(NamedTuple):
    """Mean losses over positions, in nats: for each type of choice in `TurnLogProbs`, and for the predicted winner."""

    weights: Tensor
    shares: Tensor
    priorities: Tensor
    value: Tensor


def turn_loss(outputs: TurnLogProbs, result: Tensor) -> TurnLoss:
    """Return the cross-entropies of a network's outputs.

    Args:
        outputs: the log-probabilities of the turns, and the scores of the players.
        result: float32[M, P], 1 for the winner, else 0; all 0 if the game has no winner.
    """
    chances = torch.log_softmax(outputs.scores, 1).masked_fill(torch.isneginf(outputs.scores), 0.0)
    value = -(result * chances).sum() / result.sum().clamp(min=1.0)
    return TurnLoss(-outputs.weights.mean(), -outputs.shares.mean(), -outputs.priorities.mean(), value)
