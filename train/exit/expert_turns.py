"""The turns of the expert (a search) as training data: as arrays, and in files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from warlight_env.engine.rules import MAX_PLAYERS
from warlight_env.train.turn_net.batches import TurnRows, plain_turns


class ExpertTurn(NamedTuple):
    """A position, and the turn that the expert chose for a player."""

    config_index: int  #: see `game_configs.GameConfigs`
    game: int  #: the number of the game in the iteration
    round: int
    player: int
    owner: npt.NDArray[np.int8]  #: [N]
    army: npt.NDArray[np.int32]  #: [N]
    row: npt.NDArray[np.int8]  #: [N + 2 E]
    value: npt.NDArray[np.float32]  #: [P] 1 for the winner of the game, else 0; all 0 without a winner


class ExpertTurns(NamedTuple):
    """M expert turns. The arrays owner, army and row are the concatenated arrays of all turns."""

    config_index: npt.NDArray[np.int32]  #: [M]
    game: npt.NDArray[np.int32]  #: [M]
    round: npt.NDArray[np.int32]  #: [M]
    player: npt.NDArray[np.int8]  #: [M]
    regions: npt.NDArray[np.int32]  #: [M] number of regions of the map
    size: npt.NDArray[np.int32]  #: [M] length of the row
    owner: npt.NDArray[np.int8]
    army: npt.NDArray[np.int32]
    row: npt.NDArray[np.int8]
    value: npt.NDArray[np.float32]  #: [M, MAX_PLAYERS]

    @classmethod
    def from_turns(cls, turns: Sequence[ExpertTurn]) -> ExpertTurns:
        """Return a sequence of expert turns as arrays, in the same order."""
        value = np.zeros((len(turns), MAX_PLAYERS), dtype=np.float32)
        for row, turn in zip(value, turns, strict=True):
            row[: len(turn.value)] = turn.value
        return cls(
            np.array([turn.config_index for turn in turns], dtype=np.int32),
            np.array([turn.game for turn in turns], dtype=np.int32),
            np.array([turn.round for turn in turns], dtype=np.int32),
            np.array([turn.player for turn in turns], dtype=np.int8),
            np.array([len(turn.owner) for turn in turns], dtype=np.int32),
            np.array([len(turn.row) for turn in turns], dtype=np.int32),
            np.concatenate([np.zeros(0, dtype=np.int8), *(turn.owner for turn in turns)]),
            np.concatenate([np.zeros(0, dtype=np.int32), *(turn.army for turn in turns)]),
            np.concatenate([np.zeros(0, dtype=np.int8), *(turn.row for turn in turns)]),
            value,
        )

    @classmethod
    def joined(cls, parts: Sequence[ExpertTurns]) -> ExpertTurns:
        """Return one object with all turns of the objects `parts`, in order."""
        return cls(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))

    def of_config(self, config: int, players: int) -> tuple[TurnRows, npt.NDArray[np.int32]]:
        """Return the turns of a game config with `players` players, and the numbers of their games."""
        mask = self.config_index == config
        regions, size = (int(column[mask.argmax()]) for column in (self.regions, self.size))
        of_regions, of_row = np.repeat(mask, self.regions), np.repeat(mask, self.size)
        rows = plain_turns(
            self.owner[of_regions].reshape(-1, regions), self.army[of_regions].reshape(-1, regions), self.round[mask],
            self.player[mask].astype(np.int64), self.row[of_row].reshape(-1, size),
            np.ascontiguousarray(self.value[mask, :players]),
        )  # fmt: skip
        return rows, self.game[mask]
