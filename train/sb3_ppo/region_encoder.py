"""The common part of the policy networks: it computes an embedding of each region from nearby features."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from warlight_env.features.columns import observed_features


class RegionEncoder(nn.Module):
    """Computes an embedding of every region from its features, the features of the position, and its neighbours.

    The input of each layer is the region's embedding and the mean embedding of its neighbours. All regions share
    weights, and no weight depends on the number of regions, so the network can be applied to other maps.

    Args:
        n_regions: N, the number of regions.
        players: number of players of the observation.
        edge_index: int64[2, E], the source and the target of each edge.
        width: length of an embedding.
        layers: number of message-passing layers.
    """

    def __init__(
        self, n_regions: int, players: int, edge_index: npt.NDArray[np.int64], width: int = 64, layers: int = 2
    ) -> None:
        super().__init__()
        features = observed_features("flat", n_regions, players)
        self.nodes, self.globals, self.width = features["nodes"], features["globals"], width
        mean = torch.zeros(n_regions, n_regions)
        mean[edge_index[0], edge_index[1]] = 1.0
        self.mean: Tensor
        self.register_buffer("mean", mean / mean.sum(1, keepdim=True).clamp(min=1.0), persistent=False)
        self.first = nn.Linear(len(self.nodes.features), width)
        self.first_globals = nn.Linear(len(self.globals.features), width)
        self.own = nn.ModuleList(nn.Linear(width, width) for _ in range(layers))
        self.around = nn.ModuleList(nn.Linear(width, width, bias=False) for _ in range(layers))

    def parts(self, flat: Tensor) -> tuple[Tensor, Tensor]:
        """Split observations "flat" into nodes float[B, N, F] and globals float[B, G]."""
        return self.nodes.cut(flat), self.globals.cut(flat)

    def forward(self, nodes: Tensor, overall: Tensor) -> Tensor:
        """Return the embeddings of the regions, float[B, N, width]."""
        embeddings = torch.relu(self.first(nodes) + self.first_globals(overall)[:, None])
        for own, around in zip(self.own, self.around, strict=True):
            embeddings = embeddings + torch.relu(own(embeddings) + around(self.mean @ embeddings))
        return embeddings
