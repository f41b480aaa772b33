"""Padding of observations, masks and actions to one size, so that games on many maps have the same spaces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from warlight_env.agents.records.factored_turns import VALUES
from warlight_env.arguments import short_repr
from warlight_env.engine.board import Board
from warlight_env.envs.actions.maskable import MaskableChoices
from warlight_env.envs.actions.step_kernels import DEPLOYS, SHARES
from warlight_env.envs.actions.strategies import STRATEGIES
from warlight_env.envs.arrays import box_of, fixed
from warlight_env.envs.map_sets import MapLimits
from warlight_env.envs.step_many import PaddingLayout, pad_mask
from warlight_env.errors import InputError

I64 = npt.NDArray[np.int64]

#: The names of the action encodings whose actions can be padded for many maps.
PADDED: Final = ("factored", "continuous", "strategies", "steps")


@dataclass(frozen=True)
class Padding:
    """Methods that pad observations and masks to a maximum number of regions and edges, and convert padded actions.

    Args:
        map_limits: the maximum numbers of regions and directed edges. action: the name of the action encoding.

    Raises:
        InputError: the actions of the encoding cannot be padded, or the limits are not positive integers below 2**20.
    """

    map_limits: MapLimits
    action: Literal["factored", "continuous", "strategies", "steps"]

    def __post_init__(self) -> None:
        if not isinstance(self.action, str) or self.action not in PADDED:
            raise InputError(f"action = {short_repr(self.action)}: must be one of {', '.join(PADDED)} for many maps")
        if not all(type(size) is int and 0 < size < 2**20 for size in self.map_limits):
            raise InputError(
                f"map_limits = {short_repr(tuple(self.map_limits))}: must be two numbers in "
                f"1 .. {2**20 - 1}, regions and directed edges"
            )

    @property
    def mask_size(self) -> int:
        """The length of a padded flat mask; 0 if the encoding has no mask."""
        n, e = self.map_limits
        sizes = {"factored": VALUES * (n + e), "strategies": len(STRATEGIES), "steps": DEPLOYS * n + SHARES * e + 1}
        return sizes.get(self.action, 0)

    def action_space(self, inner: spaces.Space[Any]) -> spaces.Space[Any]:
        """Return the padded action space; `inner` is the action space of one map."""
        n, e = self.map_limits
        if isinstance(inner, spaces.MultiDiscrete):
            return MaskableChoices([int(inner.nvec[0])] * (n + e))
        if self.action == "continuous":
            return spaces.Box(-1.0, 1.0, (n + e,), np.float32)
        return inner if self.action == "strategies" else spaces.Discrete(self.mask_size)

    def observation_space(self, inner: spaces.Space[Any], with_mask: bool) -> spaces.Dict:
        """Return the padded observation space; `inner` is the space of one map with the observation "graph"."""
        n, e = self.map_limits
        assert isinstance(inner, spaces.Dict)
        nodes = inner["nodes"]
        assert isinstance(nodes, spaces.Box)
        low, high = (np.broadcast_to(bound[:1], (n, nodes.shape[1])) for bound in (nodes.low, nodes.high))
        subspaces: dict[str, spaces.Space[Any]] = {
            "nodes": box_of(np.minimum(low, 0), np.maximum(high, 0)),  # rows of regions that do not exist are 0
            "globals": inner["globals"],
            "region_mask": spaces.MultiBinary(n),
            "edge_mask": spaces.MultiBinary(e),
            "edge_index": spaces.Box(0, n - 1, (2, e), np.int64),
            "super_region": spaces.Box(0, n - 1, (n,), np.int64),
        }
        if with_mask and self.mask_size:
            subspaces["action_mask"] = spaces.MultiBinary(self.mask_size)
        return fixed(spaces.Dict(subspaces))

    @property
    def kernel_layout(self) -> PaddingLayout:
        """The layout of padded actions and masks, as an argument of kernels."""
        return PaddingLayout(self.map_limits.regions, self.action == "factored")

    def own_action(self, action: Any, board: Board) -> tuple[Any, int]:
        """Convert a padded action to an action on a map.

        Return the action, and the number of its entries for regions and edges that do not exist on the map. For the
        encoding "continuous", the returned number is always 0.
        """
        n, e = board.n_regions, board.n_edges
        if self.action == "strategies":
            return action, 0
        if self.action == "steps":
            map_action, missing = self.own_steps(np.array([int(action)]), np.array([(n, e)]))
            return int(map_action[0]), int(missing[0])
        values, regions = np.asarray(action), self.map_limits.regions
        map_action = np.concatenate((values[:n], values[regions : regions + e]))
        if self.action == "continuous":
            return map_action, 0
        return map_action, int(np.count_nonzero(values)) - int(np.count_nonzero(map_action))

    def own_steps(self, numbers: I64, sizes: I64) -> tuple[I64, I64]:
        """Convert the padded actions of several games to actions on their maps, for the encoding "steps".

        Args:
            numbers: int64[M], the padded actions.
            sizes: int64[M, 2], the numbers of regions and edges of each game's map.

        Returns int64[M], the actions on the maps, and int64[M], 1 for an action whose region or edge does not exist.
        An action whose region or edge does not exist becomes the action that ends the turn.
        """
        (n, e), shares = sizes.T, numbers - DEPLOYS * self.map_limits.regions
        map_actions = np.where(shares < 0, numbers, DEPLOYS * n + shares)
        exists = np.where(shares < 0, numbers < DEPLOYS * n, shares < SHARES * e)
        ends_turn = numbers == self.mask_size - 1
        return np.where(exists & ~ends_turn, map_actions, DEPLOYS * n + SHARES * e), (~exists & ~ends_turn).astype(
            np.int64
        )

    def mask(self, flat: npt.NDArray[np.int8], board: Board) -> npt.NDArray[np.int8]:
        """Pad the flat mask of a map. The result forbids actions for regions and edges that do not exist."""
        padded = np.empty(self.mask_size, np.int8)
        pad_mask(flat, padded, board.n_regions, self.kernel_layout)
        return padded

    def board_arrays(self, board: Board) -> dict[str, npt.NDArray[Any]]:
        """Return the arrays of an observation that depend only on the map: region_mask, edge_mask and the graph."""
        n, e = self.map_limits
        arrays: dict[str, npt.NDArray[Any]] = {
            "region_mask": np.zeros(n, np.int8),
            "edge_mask": np.zeros(e, np.int8),
            "edge_index": np.zeros((2, e), np.int64),
            "super_region": np.zeros(n, np.int64),
        }
        arrays["region_mask"][: board.n_regions], arrays["edge_mask"][: board.n_edges] = 1, 1
        arrays["edge_index"][:, : board.n_edges] = board.edge_source, board.edge_target
        arrays["super_region"][: board.n_regions] = board.super_region
        return arrays

    def observation(self, graph: dict[str, Any], board: Board) -> dict[str, Any]:
        """Pad an observation with the format "graph" of a game on the map of `board`."""
        nodes = np.zeros((self.map_limits.regions, graph["nodes"].shape[-1]), np.float32)
        nodes[: board.n_regions] = graph["nodes"]
        return {"nodes": nodes, "globals": graph["globals"], **self.board_arrays(board)}
