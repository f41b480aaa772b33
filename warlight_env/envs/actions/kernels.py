"""Arguments, results and signatures of the kernels of action encodings.

An encoding has two kernels: `submit` reads an action's row into a turn, `write_mask` writes the mask of the next
action. The step calls them through pointers, so that only the kernels of the used encoding are compiled.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numba
import numpy as np
import numpy.typing as npt
from numba import types

from warlight_env.agents.context import Context, record_types
from warlight_env.agents.records.factored_turns import AllocationWork, make_allocation_work
from warlight_env.agents.records.generator_work import GeneratorWork, make_generator_work
from warlight_env.engine.jit import function_at, kernel, pointer
from warlight_env.engine.kernel_types import Bool, Int, Marks
from warlight_env.engine.memory import private_zeros
from warlight_env.engine.position import Position, make_position
from warlight_env.engine.reference import reference

#: Possible uses of a region for a player now: none, orders on an own region, or a pick of an offered region.
CLOSED: Final = 0
OWN: Final = 1
OFFERED: Final = 2

#: Indices in `Turn.status`.
COUNT: Final = 0  #: number of attacks; while regions are picked, of preferred regions
NAMED: Final = 1  #: number of actions that deployed armies
READY: Final = 2  #: 1 once the turn is complete


class PlayerPosition(NamedTuple):
    """A position as one player sees it."""

    position: Position  #: owner -2 and army 0 for regions that the player does not see
    free: npt.NDArray[np.int8]  #: [N] CLOSED, OWN or OFFERED
    player: Int
    income: Int
    picking: Bool


class Turn(NamedTuple):
    """A player's turn in normal form, complete or not."""

    deploy: npt.NDArray[np.int32]  #: [N]
    attacks: npt.NDArray[np.int32]  #: [E, 3] (from, to, armies)
    preferences: npt.NDArray[np.int32]  #: [N] regions, best first
    status: npt.NDArray[np.int32]  #: [3] COUNT, NAMED, READY


class ActionWork(NamedTuple):
    """Working memory of the kernels of encodings."""

    places: npt.NDArray[np.int32]  #: [E + 1]
    keys: npt.NDArray[np.int64]  #: [max(N, E)]
    allocation: AllocationWork
    generator: GeneratorWork
    rng: npt.NDArray[np.uint64]  #: [2] for kernels that have a generator as a parameter but do not use it here


def make_action_work(n_regions: int, n_edges: int, players: int) -> ActionWork:
    """Make working memory for one thread."""
    return reference(
        ActionWork(
            places=private_zeros(n_edges + 1, np.int32),
            keys=private_zeros(max(n_regions, n_edges), np.int64),
            allocation=make_allocation_work(n_regions),
            generator=make_generator_work(n_regions, n_edges, players),
            rng=private_zeros(2, np.uint64),
        )
    )


def make_turn(n_regions: int, n_edges: int) -> Turn:
    """Make an empty turn."""
    return Turn(
        np.zeros(n_regions, dtype=np.int32),
        np.zeros((max(n_edges, 1), 3), dtype=np.int32),
        np.zeros(n_regions, dtype=np.int32),
        np.zeros(3, dtype=np.int32),
    )


@kernel
def clear_turn(turn: Turn) -> None:
    """Remove all orders and preferred regions from the turn."""
    for r in range(turn.deploy.shape[0]):
        turn.deploy[r] = 0
    for i in range(3):
        turn.status[i] = 0


@kernel
def no_mask(
    context: Context, seen: PlayerPosition, turn: Turn, config: npt.NDArray[np.int64], work: ActionWork, mask: Marks
) -> Int:
    """Write nothing: the `write_mask` of encodings without a mask."""
    return 0


@functools.cache
def _types() -> tuple[Any, ...]:
    seen = PlayerPosition(make_position(1), np.zeros(1, np.int8), 0, 0, False)
    records = seen, make_turn(1, 1), np.zeros(1, dtype=np.int64), make_action_work(1, 1, 2)
    return record_types()["context"], *map(numba.typeof, records)


@functools.cache
def submit_signature() -> Any:
    """Return the signature ``submit(context, seen, turn, config, work, row) -> int``.

    The kernel reads the row int64[K] of an action into the turn and sets READY when the turn is complete. The turn is
    empty, or contains the earlier actions if the encoding has several actions per turn. `config` int64[C] contains the
    encoding's own numbers. The kernel returns the number of illegal orders (or armies) dropped.
    """
    context, seen, turn, config, work = _types()
    return types.int64(context, seen, turn, config, work, config)


@functools.cache
def mask_signature() -> Any:
    """Return the signature ``write_mask(context, seen, turn, config, work, mask) -> int``.

    The kernel writes the mask of the next action to mask int8[M]: 1 for allowed. It returns 0.
    """
    context, seen, turn, config, work = _types()
    return types.int64(context, seen, turn, config, work, types.Array(types.int8, 1, "C"))


submit_at = function_at(submit_signature)
mask_at = function_at(mask_signature)


@functools.cache
def submit_pointer(function: Callable[..., Any]) -> Any:
    """Compile a kernel with the signature `submit_signature`; `submit_at` calls it from its address."""
    return pointer(submit_signature(), function)


@functools.cache
def mask_pointer(function: Callable[..., Any]) -> Any:
    """Compile a kernel with the signature `mask_signature`; `mask_at` calls it from its address."""
    return pointer(mask_signature(), function)
