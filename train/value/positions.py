"""Positions with their values (win probabilities) as training data: as arrays, and in files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from warlight_env.engine.position import Position
from warlight_env.engine.rules import MAX_PLAYERS


class ValuedPosition(NamedTuple):
    """A position, and its value for each player."""

    config_index: int  #: see `game_configs.GameConfigs`
    game: int  #: the number of the game in the iteration
    position: Position
    value: npt.NDArray[np.float64]  #: [P] the win probability of each player


class ValuedPositions(NamedTuple):
    """M positions with values.

    The arrays owner and army are the concatenated arrays of all positions, T regions in all.
    """

    config_index: npt.NDArray[np.int32]  #: [M]
    game: npt.NDArray[np.int32]  #: [M]
    round: npt.NDArray[np.int32]  #: [M]
    end: npt.NDArray[np.int64]  #: [M] the end of each position's regions in the concatenated arrays
    owner: npt.NDArray[np.int8]  #: [T]
    army: npt.NDArray[np.int32]  #: [T]
    value: npt.NDArray[np.float32]  #: [M, MAX_PLAYERS]

    @classmethod
    def from_positions(cls, samples: Sequence[ValuedPosition]) -> ValuedPositions:
        """Return a sequence of positions as arrays, in the same order."""
        value = np.zeros((len(samples), MAX_PLAYERS), dtype=np.float32)
        for row, sample in zip(value, samples, strict=True):
            row[: len(sample.value)] = sample.value
        positions = [sample.position for sample in samples]
        return cls(
            np.array([sample.config_index for sample in samples], dtype=np.int32),
            np.array([sample.game for sample in samples], dtype=np.int32),
            np.array([position.round[0] for position in positions], dtype=np.int32),
            np.cumsum([len(position.owner) for position in positions], dtype=np.int64),
            np.concatenate([np.zeros(0, dtype=np.int8), *(position.owner for position in positions)]),
            np.concatenate([np.zeros(0, dtype=np.int32), *(position.army for position in positions)]),
            value,
        )

    @classmethod
    def joined(cls, parts: Sequence[ValuedPositions]) -> ValuedPositions:
        """Return one object with all positions of the objects `parts`, in order."""
        ends, before = [], 0
        for part in parts:
            ends.append(part.end + before)
            before += len(part.owner)
        columns = {name: np.concatenate([getattr(part, name) for part in parts]) for name in cls._fields}
        return cls(**{**columns, "end": np.concatenate(ends)})

    def position(self, number: int) -> Position:
        """Return the position with the index `index`, as views of the arrays (not copies)."""
        part = slice(self.end[number - 1] if number else 0, self.end[number])
        return Position(self.owner[part], self.army[part], self.round[number : number + 1])
