"""A policy for the encoding `strategies` that treats regions as a set, so its weights do not depend on the map."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from torch import Tensor, nn

from warlight_env.features.columns import global_features, node_features, opponent_columns
from warlight_env.train.sb3_ppo.region_encoder import RegionEncoder


class SetNetwork(nn.Module):
    """Computes the inputs of the actor and of the critic from the observation "flat".

    A `RegionEncoder` computes an embedding of each region. Pooling takes the mean embedding of the player's, the
    neutral and the opponents' regions, and the maximum over all regions. The pooled values and the features of the
    position are the input of one hidden layer for the actor and one for the critic.

    Args:
        n_regions, players, edge_index, width, layers: as for `RegionEncoder`.
        hidden: width of the layers after pooling.
    """

    def __init__(
        self, n_regions: int, players: int, edge_index: npt.NDArray[np.int64], width: int = 32, layers: int = 2,
        hidden: int = 64,
    ) -> None:  # fmt: skip
        super().__init__()
        names = node_features(players)
        self.neutral, self.own_column = names.index("neutral"), names.index("mine")
        self.enemies = opponent_columns(players)
        self.encoder = RegionEncoder(n_regions, players, edge_index, width, layers)
        pooled = 4 * width + len(global_features(players))
        self.actor, self.critic = nn.Linear(pooled, hidden), nn.Linear(pooled, hidden)
        self.latent_dim_pi = self.latent_dim_vf = hidden

    def _pooled(self, flat: Tensor) -> Tensor:
        nodes, overall = self.encoder.parts(flat)
        embeddings = self.encoder(nodes, overall)
        sides = torch.stack(
            [nodes[:, :, self.own_column], nodes[:, :, self.neutral], nodes[:, :, self.enemies].sum(2)], dim=1
        )
        means = sides @ embeddings / sides.sum(2, keepdim=True).clamp(min=1.0)
        return torch.cat([means.flatten(1), embeddings.amax(1), overall], dim=1)

    def forward(self, flat: Tensor) -> tuple[Tensor, Tensor]:
        """Return the inputs of actor and critic, float[B, hidden] each."""
        pooled = self._pooled(flat)
        return torch.relu(self.actor(pooled)), torch.relu(self.critic(pooled))

    def forward_actor(self, flat: Tensor) -> Tensor:
        """Return the input of the actor, float[B, hidden]."""
        return torch.relu(self.actor(self._pooled(flat)))

    def forward_critic(self, flat: Tensor) -> Tensor:
        """Return the input of the critic, float[B, hidden]."""
        return torch.relu(self.critic(self._pooled(flat)))


class SetPolicy(MaskableActorCriticPolicy):
    """MaskablePPO's policy with a `SetNetwork`, for ``action="strategies"`` and ``observation="flat"``.

    Args:
        n_regions, edge_index, players: data of the map and the number of players, see `board_policy.board_kwargs`.
        width, layers, hidden: see `SetNetwork`.
        args, arguments: the arguments of `MaskableActorCriticPolicy`.
    """

    def __init__(
        self, *args: Any, n_regions: int, edge_index: list[list[int]], players: int, width: int = 32, layers: int = 2,
        hidden: int = 64, **arguments: Any,
    ) -> None:  # fmt: skip
        self._network: dict[str, Any] = {
            "n_regions": n_regions, "players": players, "edge_index": np.array(edge_index, dtype=np.int64),
            "width": width, "layers": layers, "hidden": hidden,
        }  # fmt: skip
        arguments["ortho_init"] = False
        super().__init__(*args, **arguments)

    def _build_mlp_extractor(self) -> None:
        self.mlp_extractor = SetNetwork(**self._network)  # type: ignore[assignment]
