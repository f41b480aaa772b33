"""Positions with what they are worth, many in a few arrays, and as files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from warlight_env.engine.position import Position
from warlight_env.engine.rules import MAX_PLAYERS
from warlight_env.networks.npz import read_arrays, write_arrays


class ValuedPosition(NamedTuple):
    """A position with what it is worth."""

    place: int  #: see `places.Places`
    game: int  #: its number in the iteration
    position: Position
    value: npt.NDArray[np.float64]  #: [P] each player's share


class ValuedPositions(NamedTuple):
    """M of them; the regions of all positions stand one after the other."""

    place: npt.NDArray[np.int32]  #: [M]
    game: npt.NDArray[np.int32]  #: [M]
    round: npt.NDArray[np.int32]  #: [M]
    end: npt.NDArray[np.int64]  #: [M] where its regions end
    owner: npt.NDArray[np.int8]  #: [T]
    army: npt.NDArray[np.int32]  #: [T]
    value: npt.NDArray[np.float32]  #: [M, MAX_PLAYERS]

    @classmethod
    def of(cls, samples: Sequence[ValuedPosition]) -> ValuedPositions:
        """These, in their order."""
        value = np.zeros((len(samples), MAX_PLAYERS), dtype=np.float32)
        for row, sample in zip(value, samples, strict=True):
            row[: len(sample.value)] = sample.value
        positions = [sample.position for sample in samples]
        return cls(
            np.array([sample.place for sample in samples], dtype=np.int32),
            np.array([sample.game for sample in samples], dtype=np.int32),
            np.array([position.round[0] for position in positions], dtype=np.int32),
            np.cumsum([len(position.owner) for position in positions], dtype=np.int64),
            np.concatenate([np.zeros(0, dtype=np.int8), *(position.owner for position in positions)]),
            np.concatenate([np.zeros(0, dtype=np.int32), *(position.army for position in positions)]),
            value,
        )

    @classmethod
    def joined(cls, parts: Sequence[ValuedPositions]) -> ValuedPositions:
        """All of them, one after the other."""
        ends, before = [], 0
        for part in parts:
            ends.append(part.end + before)
            before += len(part.owner)
        columns = {name: np.concatenate([getattr(part, name) for part in parts]) for name in cls._fields}
        return cls(**{**columns, "end": np.concatenate(ends)})

    @classmethod
    def from_bytes(cls, content: bytes) -> ValuedPositions:
        """What `to_bytes` wrote; the caller has seen to it that it is that."""
        return cls(**read_arrays(content))

    def to_bytes(self) -> bytes:
        """A file: .npz."""
        return write_arrays(self._asdict())

    def position(self, number: int) -> Position:
        """A position, as views."""
        part = slice(self.end[number - 1] if number else 0, self.end[number])
        return Position(self.owner[part], self.army[part], self.round[number : number + 1])
