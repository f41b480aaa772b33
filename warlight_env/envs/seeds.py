"""The streams from which environments draw the seeds of their games."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt
from gymnasium.utils import seeding

T = TypeVar("T")


def draw_seed(stream: np.random.Generator) -> int:
    """The next game's seed from an environment's stream."""
    return int(stream.random() * 2.0**53)


class Seeds:
    """The streams from which B environments draw the seeds of their games, each as a single environment would."""

    def __init__(self, count: int) -> None:
        self._streams: list[np.random.Generator | None] = [None] * count

    def seed(self, b: int, seed: int | None) -> None:
        """Begin a stream anew."""
        self._streams[b], _ = seeding.np_random(seed)

    def draw(self, which: Sequence[int] | npt.NDArray[np.int64], draw: Callable[[np.random.Generator], T]) -> list[T]:
        """What decides the next game of each of these environments: what `draw` takes from its stream."""
        drawn = []
        for b in which:
            stream = self._streams[b]
            if stream is None:
                stream, _ = seeding.np_random(None)
                self._streams[b] = stream
            drawn.append(draw(stream))
        return drawn
