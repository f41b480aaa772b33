"""Draws turns from the turn network's probabilities for many positions at once, in PyTorch on any device.

`agents.turn_net.turns.network_turn` draws the same choices in compiled code, one position after another.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from warlight_env.agents.records.factored_turns import VALUES
from warlight_env.train.turn_net.device_features import TurnInputs
from warlight_env.train.turn_net.module import BoardTensors, TurnModule
from warlight_env.train.turn_net.turn_inputs import NetworkPositions


class DrawnTurns(NamedTuple):
    """M turns as action rows of the encoding `factored` with priorities."""

    rows: Tensor  #: int8[M, N + 2 E]
    log_probs: Tensor  #: float32[M] log-probabilities of the turns, in nats
    scores: Tensor  #: float32[M, P] the scores of the players, see `TurnModule.scores`


def draw_turns(
    module: TurnModule, board: BoardTensors, inputs: TurnInputs, positions: NetworkPositions, players: int,
    generator: torch.Generator,
) -> DrawnTurns:  # fmt: skip
    """Draw a turn for each position.

    The main region is drawn first, then the deploy weights of all other regions. The main region and the weights
    determine the deploys. After the deploys, the share of armies and the priority of each border are drawn. A player
    without regions gets an empty turn.

    Args:
        positions: tensors on the device of `generator`.
        players: P, the number of players.
    """
    nodes, overall = inputs.regions(positions)
    embeddings = module.embed_regions(board, nodes, overall)
    size, n, edges = len(positions.player), nodes.shape[1], len(board.source)
    own_regions = positions.owner == positions.player[:, None]
    rows = torch.zeros((size, n + 2 * edges), dtype=torch.int8, device=nodes.device)
    log_probs = torch.zeros(size, device=nodes.device)
    alive = own_regions.any(1).nonzero()[:, 0]
    alive_embeddings, other_regions = embeddings[alive], own_regions[alive]
    main, chance = _draw(module.mains(alive_embeddings, other_regions), generator)
    log_probs[alive] = chance
    rows[alive, main] = VALUES - 1
    other_regions[torch.arange(len(alive), device=main.device), main] = False
    batch_index, region = other_regions.nonzero(as_tuple=True)
    weights, chance = _draw(module.weights(board, alive_embeddings, main, batch_index, region), generator)
    batch_index = alive[batch_index]
    rows[batch_index, region] = weights.to(torch.int8)
    log_probs.index_add_(0, batch_index, chance)
    numbers, open_ = inputs.borders(positions, rows[:, :n].contiguous())
    batch_index, edge = open_.nonzero(as_tuple=True)
    logits = module.edges(board, embeddings, batch_index, edge, numbers[batch_index, edge])
    share, chance = _draw(logits[:, 0], generator)
    log_probs.index_add_(0, batch_index, chance)
    rows[batch_index, n + edge] = share.to(torch.int8)
    crossed = share.nonzero()[:, 0]
    priority, chance = _draw(logits[crossed, 1], generator)
    batch_index = batch_index[crossed]
    log_probs.index_add_(0, batch_index, chance)
    rows[batch_index, n + edges + edge[crossed]] = priority.to(torch.int8)
    scores = module.scores(embeddings, positions.owner.long(), positions.player, players)
    return DrawnTurns(rows, log_probs, scores)


def _draw(logits: Tensor, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Draw a value for each row of logits float32[K, V]; return the values int64[K] and their log-probabilities."""
    logs = torch.log_softmax(logits, 1)
    noise = torch.rand(logits.shape, generator=generator, device=logits.device).clamp_(min=1e-20)
    values = (logs - torch.log(-torch.log(noise))).argmax(1)  # Gumbel-max: exact draws from the softmax
    return values, logs.gather(1, values[:, None])[:, 0]
