"""The turn network in PyTorch: it computes the outputs of `agents.turn_net` for many positions of one map at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional

from warlight_env.agents.records.factored_turns import VALUES
from warlight_env.agents.records.turn_record import (
    LAYERED,
    LAYERS,
    TurnNetwork,
    TurnNetworkError,
    layers_of,
    shapes_of,
    widened,
)
from warlight_env.engine.board import Board

#: The scale of the initial weights, relative to the usual scale for the number of inputs of a layer.
_GAIN: Final = 1.0
#: The initial bias with which "do nothing" is the most likely value of a choice.
_QUIET: Final = 3.0
#: The scale of the initial weights of a layer that `TurnModule.copy_network` adds to a network: its messages are small.
_SMALL: Final = 0.05


class BoardTensors(NamedTuple):
    """The tensors of a map that the network uses."""

    source: Tensor  #: int64[E]
    target: Tensor  #: int64[E]
    means: Tensor  #: float32[2 N, N] the matrices `neighbor_means` and `super_region_means`

    @property
    def neighbor_means(self) -> Tensor:
        """float32[N, N]: the matrix that computes means over neighbours."""
        return self.means[: self.means.shape[1]]

    @property
    def super_region_means(self) -> Tensor:
        """float32[N, N]: the matrix that computes means over the regions of a super region."""
        return self.means[self.means.shape[1] :]


def board_tensors(board: Board) -> BoardTensors:
    """Return the tensors of a map that the network uses."""
    n = board.n_regions
    source, target = (torch.from_numpy(np.asarray(x).astype(np.int64)) for x in (board.edge_source, board.edge_target))
    around = torch.zeros(n, n)
    around[source, target] = 1.0
    belongs = torch.from_numpy(np.asarray(board.super_region).astype(np.int64))
    among = (belongs[:, None] == belongs[None]).float()
    means = around / around.sum(1, keepdim=True).clamp(min=1), among / among.sum(1, keepdim=True)
    return BoardTensors(source, target, torch.cat(means))


class TurnModule(nn.Module):
    """The turn network with `layers` message-passing layers; its parameters have the shapes `turn_record.shapes_of`."""

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Tensor: ...

    def __init__(self, generator: torch.Generator, layers: int = LAYERS) -> None:
        super().__init__()
        self.layers = layers
        for name, shape in shapes_of(layers).items():
            if name.endswith("bias") or name == "pick":  # at first all offered regions have equal probabilities
                first = torch.zeros(shape)
            else:
                inputs = shape[-2] if len(shape) > 1 else shape[0]
                bound = _GAIN * (3.0 / inputs) ** 0.5
                first = (2 * torch.rand(shape, generator=generator) - 1) * bound
                if name in ("own", "around", "among", "held", "total", "whole", "beside", "chosen", "link"):
                    first = first / 3.0**0.5
                elif name in ("main", "weight", "share", "priority", "value", "player"):
                    first = first * 0.1
            setattr(self, name, nn.Parameter(first))

    def arrays(self) -> dict[str, npt.NDArray[np.float32]]:
        """Return copies of the parameters by name."""
        return {name: parameter.detach().cpu().numpy().copy() for name, parameter in self.named_parameters()}

    def quieten(self) -> None:
        """Set the biases of a new network so that it deploys little outside the main region and attacks rarely."""
        with torch.no_grad():
            self.weight_bias[0] += _QUIET
            self.share_bias[0] += _QUIET

    def copy_network(self, network: TurnNetwork) -> None:
        """Copy the parameters of `network` to this module.

        Weights of features that are not an input of `network` become 0. If the module has more layers than `network`,
        the weights of its other layers become small, so that the module plays almost like `network`.

        Raises:
            TurnNetworkError: `network` has more layers than the module.
        """
        arrays, count = widened(network), layers_of(network)
        if count > self.layers:
            raise TurnNetworkError(f"a network with {count} layers cannot become one with layers = {self.layers}")
        with torch.no_grad():
            for name, parameter in self.named_parameters():
                if name in LAYERED:
                    parameter[count:] *= _SMALL
                    parameter[:count] = torch.from_numpy(arrays[name])
                else:
                    parameter.copy_(torch.from_numpy(arrays[name]))

    def embed_regions(self, board: BoardTensors, nodes: Tensor, overall: Tensor) -> Tensor:
        """Return embeddings float32[M, N, H] for nodes float32[M, N, N_NODE] and overall float32[M, N_OVERALL]."""
        # Regions become the first dimension of the tensors, so that one matrix product computes the means of all
        # positions.
        m, n, _ = nodes.shape
        base = torch.addmm(self.first_bias, overall, self.overall).repeat(n, 1)
        x = functional.relu(torch.addmm(base, nodes.transpose(0, 1).reshape(n * m, -1), self.first))
        for layer in range(self.layers):
            around, among = (board.means @ x.view(n, -1)).view(2, n * m, -1)
            hidden = torch.addmm(self.layer_bias[layer], x, self.own[layer])
            hidden = torch.addmm(torch.addmm(hidden, around, self.around[layer]), among, self.among[layer])
            x = x + functional.relu(hidden)
        return x.view(n, m, -1).transpose(0, 1)

    def mains(self, embeddings: Tensor, own_regions: Tensor) -> Tensor:
        """Return the logits of the choice of the main region, float32[M, N]; -inf outside `own_regions` bool[M, N].

        The main region is the region with the largest deployment.
        """
        return (embeddings @ self.main).masked_fill(~own_regions, -torch.inf)

    def weights(
        self, board: BoardTensors, embeddings: Tensor, main: Tensor, batch_index: Tensor, region: Tensor
    ) -> Tensor:  # fmt: skip
        """Return the logits of the deploy weights (relative numbers of armies to deploy) of K regions, float32[K, V].

        Args:
            main: int64[M], the main region of each position.
            batch_index: int64[K], the position of each region.
            region: int64[K], the index of each region on the map.
        """
        rows, mains = torch.arange(len(main), device=main.device), main[batch_index]
        of_main = embeddings[rows, main] @ self.chosen + self.beside_bias
        neighbor, same_super = (
            (board.neighbor_means[mains, region] > 0).float(),
            (board.super_region_means[mains, region] > 0).float(),
        )
        inputs = torch.cat([embeddings[batch_index, region], neighbor[:, None], same_super[:, None]], 1)
        hidden = functional.relu(inputs @ torch.cat([self.beside, self.link]) + of_main[batch_index])
        closed = (region < mains)[:, None] & (torch.arange(VALUES, device=main.device) == VALUES - 1)
        return torch.addmm(self.weight_bias, hidden, self.weight).masked_fill(closed, -torch.inf)

    def edges(
        self, board: BoardTensors, embeddings: Tensor, batch_index: Tensor, edge: Tensor, numbers: Tensor
    ) -> Tensor:
        """Return logits for K borders, float32[K, 2, V]: for the fraction of armies that cross, and for the priority.

        Args:
            batch_index: int64[K], the position of each border.
            edge: int64[K], the index of each border on the map.
            numbers: float32[K, N_EDGE], the features of the borders.
        """
        ends = embeddings[batch_index, board.source[edge]], embeddings[batch_index, board.target[edge]]
        inputs, weights = torch.cat([*ends, numbers], 1), torch.cat([self.source, self.target, self.edge])
        hidden = functional.relu(torch.addmm(self.edge_bias, inputs, weights))
        heads = torch.cat([self.share, self.priority], 1), torch.cat([self.share_bias, self.priority_bias])
        return torch.addmm(heads[1], hidden, heads[0]).reshape(-1, 2, VALUES)

    def scores(self, embeddings: Tensor, owner: Tensor, player: Tensor, players: int) -> Tensor:
        """Return the scores of the players, the logits of the winner, float32[M, P]; -inf for players without regions.

        Args:
            embeddings: float32[M, N, H].
            owner: int64[M, N].
            player: int64[M], the player in whose view the embeddings were computed.
        """
        seats = torch.arange(players, device=owner.device)
        owned = (owner[:, None] == seats[None, :, None]).float()
        total, count = owned @ embeddings, owned.sum(2, keepdim=True)
        hidden = (embeddings.mean(1) @ self.whole + self.value_bias)[:, None]
        hidden = hidden + (total / count.clamp(min=1)) @ self.held + 0.1 * total @ self.total
        hidden = hidden + (player[:, None] == seats).float()[..., None] * self.player
        scores = functional.relu(hidden) @ self.value
        return scores.masked_fill(count[..., 0] == 0, -torch.inf)
