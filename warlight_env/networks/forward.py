"""The forward pass of trained networks in NumPy, so that agents can play without PyTorch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from warlight_env.engine.board import Board
from warlight_env.features.columns import observed_features, opponent_columns
from warlight_env.features.definitions import GLOBALS, NODES, SOFT_ARMIES

Floats = npt.NDArray[np.float32]
Arrays = Mapping[str, npt.NDArray[Any]]

#: The logit of a value that the mask forbids.
_CLOSED: Final = np.float32(-1e8)


class RegionNet:
    """Base class of networks that compute an embedding of each region from the observation "flat", in float32.

    Args:
        arrays: the network's weights by name, as `train.sb3_ppo` exports them: linear layers ``….weight`` [out, in] and
            ``….bias`` [out].
        board: the board of the games. players: the number of players.
        nodes, overall: names of the region features and position features that are the network's input, in order.

    Raises:
        FeatureNameError: a feature is unknown, or occurs twice in `nodes` or `overall`.
    """

    def __init__(
        self, arrays: Arrays, board: Board, players: int, nodes: Sequence[str], overall: Sequence[str]
    ) -> None:  # fmt: skip
        self._arrays = arrays
        self._read = NODES.places(nodes, players), GLOBALS.places(overall, players)
        features = observed_features("flat", board.n_regions, players)
        self._nodes, self._globals = features["nodes"], features["globals"]
        self._neutral, self._mine, self._army = (self._nodes.column(name) for name in ("neutral", "mine", "army_soft"))
        self._enemies = opponent_columns(players)
        self._edge_ends = board.edge_source.astype(np.int64), board.edge_target.astype(np.int64)
        mean = np.zeros((board.n_regions, board.n_regions), dtype=np.float32)
        mean[self._edge_ends] = 1.0
        self._mean = mean / np.maximum(mean.sum(1, keepdims=True), 1.0)

    def parts(self, flat: Floats) -> tuple[Floats, Floats]:
        """Split observations float32[B, N * F + G] into nodes float32[B, N, F] and globals float32[B, G]."""
        return self._nodes.cut(flat), self._globals.cut(flat)

    def linear(self, name: str, x: Floats) -> Floats:
        """Apply the linear layer with the name `name` to x."""
        product: Floats = x @ self._arrays[f"{name}.weight"].T
        bias = self._arrays.get(f"{name}.bias")
        return product if bias is None else product + bias

    def described(self, nodes: Floats, overall: Floats) -> Floats:
        """Return an embedding of every region, float32[B, N, W], see `train.sb3_ppo.region_encoder.RegionEncoder`."""
        node_columns, global_columns = self._read
        first = self.linear("encoder.first", nodes[..., node_columns])
        overall = self.linear("encoder.first_globals", overall[..., global_columns])
        described = _relu(first + overall[:, None])
        layer = 0
        while f"encoder.own.{layer}.weight" in self._arrays:
            neighbors = self.linear(f"encoder.around.{layer}", self._mean @ described)
            described = described + _relu(self.linear(f"encoder.own.{layer}", described) + neighbors)
            layer += 1
        return described

    def pooled(self, nodes: Floats, overall: Floats, described: Floats) -> Floats:
        """Return an embedding of the whole position, float32[B, 4 * W + G].

        The result consists of the mean embedding of the regions of each side (player, neutral, opponents), the maximum
        over all regions, and the position features that are the network's input.
        """
        sides = np.stack(
            [nodes[:, :, self._mine], nodes[:, :, self._neutral], nodes[:, :, self._enemies].sum(2)], axis=1
        )
        means = sides @ described / np.maximum(sides.sum(2, keepdims=True), 1.0)
        return np.concatenate([means.reshape(len(nodes), -1), described.max(1), overall[..., self._read[1]]], axis=1)


class PolicyNet(RegionNet):
    """A network that computes logits from the observation "flat".

    Args: the arguments of `RegionNet`; action: "strategies" (`train.sb3_ppo.set_policy.SetNetwork`) or "factored"
        (`train.sb3_ppo.board_policy.BoardNetwork`).
    """

    def __init__(
        self, arrays: Arrays, action: str, board: Board, players: int, nodes: Sequence[str], overall: Sequence[str]
    ) -> None:  # fmt: skip
        super().__init__(arrays, board, players, nodes, overall)
        self._rows = {"strategies": self._strategies, "factored": self._factored}[action]

    def logits(self, flat: Floats) -> Floats:
        """Return float32[B, R, V] for observations float32[B, N * F + G]: V logits for each of R choices."""
        nodes, overall = self.parts(flat)
        return self._rows(nodes, overall, self.described(nodes, overall))

    def _strategies(self, nodes: Floats, overall: Floats, described: Floats) -> Floats:
        pooled = self.pooled(nodes, overall, described)
        return self.linear("action", _relu(self.linear("actor", pooled)))[:, None]

    def _factored(self, nodes: Floats, overall: Floats, described: Floats) -> Floats:
        source, target = self._edge_ends
        regions = self.linear("region_head", described)
        edges = np.zeros((len(nodes), len(source), regions.shape[2]), dtype=np.float32)
        b, e = np.nonzero(nodes[:, source, self._mine])
        soft = nodes[:, :, self._army]
        source_armies, target_armies = (
            SOFT_ARMIES * x / (np.float32(1.001) - x) for x in (soft[b, source[e]], soft[b, target[e]])
        )
        armies = np.stack(
            [
                source_armies / (source_armies + target_armies + 1),
                np.tanh((np.float32(0.6) * (source_armies - 1) - target_armies) / 3),
            ],
            axis=1,
        )
        hidden = self.linear("source", described)[b, source[e]] + self.linear("target", described)[b, target[e]]
        edges[b, e] = self.linear("edge_head", _relu(hidden + self.linear("armies", armies)))
        return np.concatenate([regions, edges], axis=1)


def choose(logits: Floats, masks: npt.NDArray[np.int8], seed: int | None) -> npt.NDArray[np.int64]:
    """Return an allowed value for each choice, int64[B, R]: the most likely one (seed None), or a random one.

    Args:
        logits: float32[B, R, V]. masks: int8[B, R * V], 0 for forbidden values.
        seed: the seed of the random draws, which use the softmax of the logits of allowed values as probabilities.
    """
    open_values = masks.reshape(logits.shape) != 0
    if seed is not None:
        logits = logits + np.random.default_rng(seed).gumbel(size=logits.shape).astype(np.float32)
    return np.where(open_values, logits, _CLOSED).argmax(2)


def _relu(x: Floats) -> Floats:
    return np.maximum(x, 0)


def expected_shapes(
    action: str, features: int, overall: int, width: int, layers: int, hidden: int, values: int
) -> dict[str, tuple[int, ...]]:
    """Return the names and shapes of a network's arrays.

    features, overall: the numbers of region features and of position features.
    """
    shapes: dict[str, tuple[int, ...]] = {}

    def linear(name: str, inputs: int, outputs: int, bias: bool = True) -> None:
        shapes[f"{name}.weight"] = (outputs, inputs)
        if bias:
            shapes[f"{name}.bias"] = (outputs,)

    linear("encoder.first", features, width)
    linear("encoder.first_globals", overall, width)
    for layer in range(layers):
        linear(f"encoder.own.{layer}", width, width)
        linear(f"encoder.around.{layer}", width, width, bias=False)
    if action == "strategies":
        linear("actor", 4 * width + overall, hidden)
        linear("action", hidden, values)
    else:
        linear("region_head", width, values)
        linear("source", width, width)
        linear("target", width, width, bias=False)
        linear("armies", 2, width, bias=False)
        linear("edge_head", width, values)
    return shapes
