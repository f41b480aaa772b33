"""Training data of the turn network as tensors: positions with turns as categorical choices (`factored_turns`)."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from warlight_env.agents.records.turn_record import FIRST_MEMORY, N_MEMORY
from warlight_env.train.turn_net.device_features import TurnInputs
from warlight_env.train.turn_net.turn_inputs import NetworkPositions

#: Values in the row of the choice of a start region: an offered region, and the chosen region.
OFFERED: Final = 1
CHOSEN: Final = 2


class TurnRows(NamedTuple):
    """M positions of one map, each with a player's turn and the result of the game.

    The row of the choice of a start region has OFFERED for each offered region, CHOSEN for the chosen region, and 0
    elsewhere.
    """

    owner: npt.NDArray[np.int8]  #: [M, N]
    army: npt.NDArray[np.int32]  #: [M, N]
    round: npt.NDArray[np.int32]  #: [M]
    player: npt.NDArray[np.int64]  #: [M]
    row: npt.NDArray[np.int8]  #: [M, N + 2 E]
    value: npt.NDArray[np.float32]  #: [M, P] 1 for the winner, else 0; all 0 if the game has no winner
    memory: npt.NDArray[np.float32]  #: [M, N, N_MEMORY] features of the player's memory; [M, N, 0] without fog
    picking: npt.NDArray[np.bool_]  #: [M] whether the row is the choice of a start region, see `OFFERED`

    def select(self, indices: npt.NDArray[np.int64] | Tensor) -> TurnRows:
        """Return the positions with these indices, int64[K], and their turns.

        indices: an array if this object contains arrays, or a tensor if this object contains tensors.
        """
        fields: Any = self
        return TurnRows(*(field[indices] for field in fields))

    def tensors(self) -> TurnRows:
        """Return the same positions and turns as tensors on the CPU, which share the memory of the arrays."""
        return TurnRows(*map(torch.from_numpy, self))  # type: ignore[arg-type]


def plain_turns(
    owner: npt.NDArray[np.int8], army: npt.NDArray[np.int32], round: npt.NDArray[np.int32],
    player: npt.NDArray[np.int64], row: npt.NDArray[np.int8], value: npt.NDArray[np.float32],
) -> TurnRows:  # fmt: skip
    """Return the rows of turns in games without fog."""
    none = np.zeros((*owner.shape, 0), np.float32)
    return TurnRows(owner, army, round, player, row, value, none, np.zeros(len(owner), np.bool_))


class TurnBatch(NamedTuple):
    """The inputs and targets of the network for M positions (`TurnRows`), which have K borders in total."""

    nodes: Tensor  #: float32[M, N, N_NODE]
    overall: Tensor  #: float32[M, N_OVERALL]
    owner: Tensor  #: int64[M, N]
    player: Tensor  #: int64[M]
    row: Tensor  #: int64[M, N + 2 E]
    batch_index: Tensor  #: int64[K]
    edge: Tensor  #: int64[K]
    numbers: Tensor  #: float32[K, N_EDGE]
    value: Tensor  #: float32[M, P]
    picking: Tensor  #: bool[M]


def make_batch(inputs: TurnInputs, rows: TurnRows) -> TurnBatch:
    """Return the network's inputs and targets for positions with turns.

    Args:
        inputs: computes the inputs. The next call with the same `inputs` overwrites the result of this call.
        rows: tensors on the device of `inputs`.
    """
    tensors: Any = rows
    positions = NetworkPositions(tensors.owner, tensors.army, tensors.round, tensors.player)
    nodes, overall = inputs.regions(positions)
    numbers, open_ = inputs.borders(positions, tensors.row[:, : nodes.shape[1]].contiguous())
    if tensors.memory.shape[2]:
        nodes[:, :, FIRST_MEMORY : FIRST_MEMORY + N_MEMORY] = tensors.memory
    batch_index, edge = (open_ & ~tensors.picking[:, None]).nonzero(as_tuple=True)
    return TurnBatch(
        nodes, overall, tensors.owner.long(), tensors.player, tensors.row.long(), batch_index, edge,
        numbers[batch_index, edge], tensors.value, tensors.picking,
    )  # fmt: skip
