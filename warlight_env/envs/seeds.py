"""The random streams from which environments get the seeds of their games."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
from gymnasium.utils import seeding

from warlight_env.arguments import is_integer, short_repr
from warlight_env.errors import InputError

T = TypeVar("T")


def checked_seed(seed: Any, what: str = "seed") -> int | None:
    """Return the seed of a stream: an integer of at least 0, or None; raise `InputError` for other values."""
    if seed is None or (type(seed) is int and seed >= 0):
        return seed
    if not is_integer(seed) or seed < 0:
        raise InputError(f"{what} = {short_repr(seed)}: must be an integer from 0 up, or None")
    return int(seed)


def seeds_of(seed: Any, count: int) -> list[int | None]:
    """Return the seeds of several streams, like Gymnasium's vector environments, or raise an `InputError`.

    seed: an integer, for the seeds seed, seed + 1, …; None; or a sequence with an integer or None for each stream.
    """
    if seed is None or is_integer(seed):
        first = checked_seed(seed)
        return [None if first is None else first + b for b in range(count)]
    try:
        seeds = list(seed)
    except Exception:  # methods of the caller's own object may raise anything
        raise InputError(f"seed = {short_repr(seed)}: must be an integer, None, or a list of these") from None
    if len(seeds) != count:
        raise InputError(f"seed has {len(seeds)} seeds for {count} environments")
    return [checked_seed(each, f"seed[{b}]") for b, each in enumerate(seeds)]


def draw_seed(stream: np.random.Generator) -> int:
    """Draw the next game's seed from an environment's stream."""
    return int(stream.random() * 2.0**53)


class Seeds:
    """The random streams for the seeds of B environments; each equals the stream of a single environment."""

    def __init__(self, count: int) -> None:
        self._streams: list[np.random.Generator | None] = [None] * count

    def seed(self, b: int, seed: int | None) -> None:
        """Restart a stream from a `checked_seed`."""
        self._streams[b], _ = seeding.np_random(seed)

    def draw(self, games: Sequence[int] | npt.NDArray[np.int64], draw: Callable[[np.random.Generator], T]) -> list[T]:
        """Return `draw(stream)`, the map and the seed of the next game, for each of these environments."""
        drawn = []
        for b in games:
            stream = self._streams[b]
            if stream is None:
                stream, _ = seeding.np_random(None)
                self._streams[b] = stream
            drawn.append(draw(stream))
        return drawn
