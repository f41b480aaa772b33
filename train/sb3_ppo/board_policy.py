"""A masked policy for the action encoding `factored`, with a graph network whose weights all regions share."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from gymnasium import spaces
from stable_baselines3.common.type_aliases import Schedule
from torch import Tensor, nn

from warlight_env.engine.board import Board
from warlight_env.features.columns import node_features, observed_features
from warlight_env.features.definitions import SOFT_ARMIES
from warlight_env.train.sb3_ppo.masked_policy import MASK_KEY, MaskedFactoredPolicy, MaskedRowsDistribution
from warlight_env.train.sb3_ppo.region_encoder import RegionEncoder


class _FinishedLogits(MaskedRowsDistribution):
    """A distribution whose logits are the output of the policy network, without a further linear layer."""

    def proba_distribution_net(self, latent_dim: int) -> nn.Module:
        return nn.Identity()


class BoardNetwork(nn.Module):
    """Computes the logits for the encoding `factored`, and the input of the value head, from the observation "flat".

    The encoding has a row of logits for each region and for each directed edge. A `RegionEncoder` computes an embedding
    of each region. The row of a region depends on the region's embedding. The row of an edge depends on the embeddings
    and armies of the two regions that it connects. The weights are the same for all regions and for all edges, so the
    network generalizes over borders. The network computes rows only for edges that leave the player's regions, about a
    fifth of all edges. The action mask forbids actions on all edges that leave regions of other owners.

    Args:
        n_regions: N, the number of regions; the observation has length N * F + G.
        n_globals: G, the number of features of the whole position.
        players: number of players of the observation; it determines F, the number of features of a region.
        edge_index: int64[2, E], the source and the target of each edge.
        width: length of a region's embedding.
        layers: number of message-passing layers.
        values: number of possible values of the choice in a row.
    """

    def __init__(
        self, n_regions: int, n_globals: int, players: int, edge_index: npt.NDArray[np.int64], width: int = 64,
        layers: int = 2, values: int = 5,
    ) -> None:  # fmt: skip
        super().__init__()
        names = node_features(players)
        self.own_column, self.army = names.index("mine"), names.index("army_soft")
        self.n_edges, self.values = edge_index.shape[1], values
        self.latent_dim_pi = (n_regions + self.n_edges) * values
        self.latent_dim_vf = width
        self.encoder = RegionEncoder(n_regions, players, edge_index, width, layers)
        self.ends: Tensor
        self.register_buffer("ends", torch.as_tensor(np.array(edge_index)), persistent=False)
        self.region_head = nn.Linear(width, values)
        self.source, self.target = nn.Linear(width, width), nn.Linear(width, width, bias=False)
        self.armies = nn.Linear(2, width, bias=False)
        self.edge_head = nn.Linear(width, values)
        self.pooled = nn.Sequential(nn.Linear(width + n_globals, width), nn.ReLU())
        # Initially "do nothing" is the most likely choice of most regions and edges. If all regions act in each step,
        # the policy cannot learn which action caused a result.
        with torch.no_grad():
            self.region_head.bias[0] += 1.5
            self.edge_head.bias[0] += 2.5

    def _logits(self, nodes: Tensor, embeddings: Tensor) -> Tensor:
        batch, n = len(nodes), nodes.shape[1]
        games, edges = torch.nonzero(nodes[:, self.ends[0], self.own_column], as_tuple=True)
        source, target = games * n + self.ends[0][edges], games * n + self.ends[1][edges]
        soft = nodes[:, :, self.army].flatten()
        attack, defense = (SOFT_ARMIES * x / (1.001 - x) for x in (soft[source], soft[target]))
        armies = torch.stack([attack / (attack + defense + 1), torch.tanh((0.6 * (attack - 1) - defense) / 3)], dim=1)
        hidden = torch.relu(
            self.source(embeddings).flatten(0, 1).index_select(0, source)
            + self.target(embeddings).flatten(0, 1).index_select(0, target)
            + self.armies(armies)
        )
        rows = embeddings.new_zeros(batch * self.n_edges, self.values)
        rows = rows.index_copy(0, games * self.n_edges + edges, self.edge_head(hidden))
        return torch.cat([self.region_head(embeddings), rows.view(batch, self.n_edges, self.values)], dim=1).flatten(1)

    def _value(self, embeddings: Tensor, overall: Tensor) -> Tensor:
        return self.pooled(torch.cat([embeddings.mean(1), overall], dim=1))

    def forward(self, flat: Tensor) -> tuple[Tensor, Tensor]:
        """Return logits float[B, rows * values], and the input of the value head, float[B, width]."""
        nodes, overall = self.encoder.parts(flat)
        embeddings = self.encoder(nodes, overall)
        return self._logits(nodes, embeddings), self._value(embeddings, overall)

    def forward_actor(self, flat: Tensor) -> Tensor:
        """Return the logits, float[B, rows * values]."""
        nodes, overall = self.encoder.parts(flat)
        return self._logits(nodes, self.encoder(nodes, overall))

    def forward_critic(self, flat: Tensor) -> Tensor:
        """Return the input of the value head, float[B, width]."""
        nodes, overall = self.encoder.parts(flat)
        return self._value(self.encoder(nodes, overall), overall)


class BoardPolicy(MaskedFactoredPolicy):
    """`MaskedFactoredPolicy` with a `BoardNetwork`, for ``observation="flat"``.

    ```python
    env = make_vec_env(64, action="factored", mask="observation")
    model = PPO(BoardPolicy, env, policy_kwargs=board_kwargs(env.episodes.core.board))
    ```

    Args:
        n_regions, edge_index, players: data of the map and the number of players, see `board_kwargs`.
        width, layers: see `BoardNetwork`.
        arguments: further arguments of `MaskedFactoredPolicy`.
    """

    distribution_class = _FinishedLogits

    def __init__(
        self, observation_space: spaces.Space[Any], action_space: spaces.Space[Any], lr_schedule: Schedule,
        *args: Any, n_regions: int, edge_index: list[list[int]], players: int, width: int = 64, layers: int = 2,
        **arguments: Any,
    ) -> None:  # fmt: skip
        self._network: dict[str, Any] = {
            "n_regions": n_regions, "players": players, "edge_index": np.array(edge_index, dtype=np.int64),
            "width": width, "layers": layers,
        }  # fmt: skip
        super().__init__(observation_space, action_space, lr_schedule, *args, ortho_init=False, **arguments)

    def _build_mlp_extractor(self) -> None:
        assert isinstance(self.observation_space, spaces.Dict)
        size = sum(spaces.flatdim(s) for key, s in self.observation_space.spaces.items() if key != MASK_KEY)
        network = self._network
        features = observed_features("flat", network["n_regions"], network["players"])
        if size != features.size:
            raise ValueError(
                f"an observation of {size} values does not fit the board and players; use observation='flat'"
            )
        self.mlp_extractor = BoardNetwork(  # type: ignore[assignment]
            n_globals=features["globals"].size, values=self._values, **network
        )


def board_kwargs(board: Board, players: int = 2, **arguments: Any) -> dict[str, Any]:
    """Return the policy_kwargs of `BoardPolicy` for a board and a number of players, together with `arguments`."""
    edges = [board.edge_source.astype(int).tolist(), board.edge_target.astype(int).tolist()]
    return {"n_regions": board.n_regions, "edge_index": edges, "players": players, **arguments}
