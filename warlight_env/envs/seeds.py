"""Functions that check seeds, and draw the seeds of games from the random generators of environments."""

from __future__ import annotations

from typing import Any

import numpy as np

from warlight_env.arguments import is_integer, short_repr
from warlight_env.errors import InputError


def checked_seed(seed: Any, name: str = "seed") -> int | None:
    """Return a seed as an int, or None for None; raise `InputError` unless it is None or an integer from 0 up."""
    if seed is None or (type(seed) is int and seed >= 0):
        return seed
    if not is_integer(seed) or seed < 0:
        raise InputError(f"{name} = {short_repr(seed)}: must be an integer from 0 up, or None")
    return int(seed)


def seeds_of(seed: Any, count: int) -> list[int | None]:
    """Return a list with the seeds of `count` environments, according to the rules of Gymnasium's vector environments.

    seed: an integer gives the seeds seed, seed + 1, …. If `seed` is None, each element of the list is None. A list
    contains an integer or None for each environment. Other values raise `InputError`.
    """
    if seed is None or is_integer(seed):
        first = checked_seed(seed)
        return [None if first is None else first + b for b in range(count)]
    try:
        seeds = list(seed)
    except Exception:  # the caller's object may have methods that raise any exception
        raise InputError(f"seed = {short_repr(seed)}: must be an integer, None, or a list of these") from None
    if len(seeds) != count:
        raise InputError(f"seed: the list has {len(seeds)} seeds for {count} environments")
    return [checked_seed(each, f"seed[{b}]") for b, each in enumerate(seeds)]


def draw_seed(stream: np.random.Generator) -> int:
    """Draw the seed of the next game from the random generator of an environment."""
    return int(stream.random() * 2.0**53)


def draw_word(stream: np.random.Generator) -> int:
    """Draw the seed of the next game from the random generator of an environment in which all seats are learners.

    The result is the same as that of ``stream.integers(0, 2**63)``, which takes six times as long. The bit generator of
    `stream` must be a PCG64, as in all generators of Gymnasium.
    """
    return int(stream.bit_generator.random_raw()) >> 1
