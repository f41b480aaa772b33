"""A masked policy for `factored` that knows the board: one small network for all regions, one for all edges."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from gymnasium import spaces
from stable_baselines3.common.type_aliases import Schedule
from torch import Tensor, nn

from warlight_env.engine.board import Board
from warlight_env.train.masked_policy import MASK_KEY, MaskedFactoredPolicy, MaskedRowsDistribution


class _FinishedLogits(MaskedRowsDistribution):
    """The network before it gives the logits already."""

    def proba_distribution_net(self, latent_dim: int) -> nn.Module:
        return nn.Identity()


class BoardNetwork(nn.Module):
    """Logits for the rows of `factored`, and what the value is made from, out of the features `flat`.

    Every region is described by its features, the globals, and, layer after layer, by the mean of its neighbours. A
    region's row comes from its description, an edge's from those of both ends; all regions share their weights, and so
    do all edges: what is learned on one border holds on all.

    Args:
        n_regions, n_globals: N and G of the observation, which is N * F + G long.
        features: F.
        edge_index: int64[2, E].
        width: of a region's description. layers: rounds of looking at neighbours.
        values: of a row.
    """

    def __init__(
        self, n_regions: int, features: int, n_globals: int, edge_index: npt.NDArray[np.int64], width: int = 64,
        layers: int = 2, values: int = 5,
    ) -> None:  # fmt: skip
        super().__init__()
        self.n_regions, self.features = n_regions, features
        self.latent_dim_pi = (n_regions + edge_index.shape[1]) * values
        self.latent_dim_vf = width
        mean = torch.zeros(n_regions, n_regions)
        mean[edge_index[0], edge_index[1]] = 1.0
        self.mean: Tensor
        self.register_buffer("mean", mean / mean.sum(1, keepdim=True).clamp(min=1.0))
        self.ends: Tensor
        self.register_buffer("ends", torch.as_tensor(np.array(edge_index)))
        self.first = nn.Linear(features + n_globals, width)
        self.own = nn.ModuleList(nn.Linear(width, width) for _ in range(layers))
        self.around = nn.ModuleList(nn.Linear(width, width, bias=False) for _ in range(layers))
        self.region_head = nn.Linear(width, values)
        self.source, self.target = nn.Linear(width, width), nn.Linear(width, width, bias=False)
        self.edge_head = nn.Linear(width, values)
        self.pooled = nn.Sequential(nn.Linear(width + n_globals, width), nn.ReLU())

    def _describe(self, flat: Tensor) -> tuple[Tensor, Tensor]:
        size = self.n_regions * self.features
        overall = flat[:, size:]
        nodes = flat[:, :size].reshape(-1, self.n_regions, self.features)
        seen = torch.cat([nodes, overall[:, None].expand(-1, self.n_regions, -1)], dim=2)
        described = torch.relu(self.first(seen))
        for own, around in zip(self.own, self.around, strict=True):
            described = described + torch.relu(own(described) + around(self.mean @ described))
        return described, overall

    def _logits(self, described: Tensor) -> Tensor:
        source, target = self.source(described), self.target(described)
        edges = torch.relu(source[:, self.ends[0]] + target[:, self.ends[1]])
        return torch.cat([self.region_head(described), self.edge_head(edges)], dim=1).flatten(1)

    def _value(self, described: Tensor, overall: Tensor) -> Tensor:
        return self.pooled(torch.cat([described.mean(1), overall], dim=1))

    def forward(self, flat: Tensor) -> tuple[Tensor, Tensor]:
        """Logits float[B, rows * values] and what the value is made from, float[B, width]."""
        described, overall = self._describe(flat)
        return self._logits(described), self._value(described, overall)

    def forward_actor(self, flat: Tensor) -> Tensor:
        """The logits."""
        return self._logits(self._describe(flat)[0])

    def forward_critic(self, flat: Tensor) -> Tensor:
        """What the value is made from."""
        return self._value(*self._describe(flat))


class BoardPolicy(MaskedFactoredPolicy):
    """`MaskedFactoredPolicy` with a `BoardNetwork`, for ``observation="flat"``.

    ```python
    env = make_vec_env(64, action="factored", mask="observation")
    model = PPO(BoardPolicy, env, policy_kwargs=board_kwargs(env.episodes.core.board))
    ```

    Args:
        n_regions, edge_index: of the board, see `board_kwargs`.
        features: F, the features of a region; None: as many as fit.
        width, layers: of the network.
        arguments: those of `MaskedFactoredPolicy`.
    """

    distribution_class = _FinishedLogits

    def __init__(
        self, observation_space: spaces.Space[Any], action_space: spaces.Space[Any], lr_schedule: Schedule,
        *args: Any, n_regions: int, edge_index: list[list[int]], features: int, width: int = 64, layers: int = 2,
        **arguments: Any,
    ) -> None:  # fmt: skip
        self._network: dict[str, Any] = {
            "n_regions": n_regions, "features": features, "edge_index": np.array(edge_index, dtype=np.int64),
            "width": width, "layers": layers,
        }  # fmt: skip
        super().__init__(observation_space, action_space, lr_schedule, *args, ortho_init=False, **arguments)

    def _build_mlp_extractor(self) -> None:
        assert isinstance(self.observation_space, spaces.Dict)
        size = sum(spaces.flatdim(s) for key, s in self.observation_space.spaces.items() if key != MASK_KEY)
        n_globals = size - self._network["n_regions"] * self._network["features"]
        if n_globals < 0:
            raise ValueError(f"an observation of {size} values is too short for the board; use observation='flat'")
        self.mlp_extractor = BoardNetwork(n_globals=n_globals, values=self._values, **self._network)  # type: ignore[assignment]


def board_kwargs(board: Board, players: int = 2, **more: Any) -> dict[str, Any]:
    """The policy_kwargs of `BoardPolicy` for a board and a number of players; more of them may follow."""
    from warlight_env.envs import node_features

    edges = [board.edge_source.astype(int).tolist(), board.edge_target.astype(int).tolist()]
    return {"n_regions": board.n_regions, "edge_index": edges, "features": len(node_features(players)), **more}


__all__ = ["BoardNetwork", "BoardPolicy", "board_kwargs"]
