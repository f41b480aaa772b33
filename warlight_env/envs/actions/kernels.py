"""The types of the arguments of action encodings' kernels, and the signatures of these kernels.

An action encoding has two kernels: `submit` converts an action row to a turn, and `write_mask` writes the mask of the
next action. The kernels of `envs.step` call `submit` and `write_mask` through pointers, so that Numba compiles these
two kernels only for the encodings in use.
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

#: Codes for what a player can do with a region now: CLOSED: nothing, OWN: give orders on it, OFFERED: pick it.
CLOSED: Final = 0
OWN: Final = 1
OFFERED: Final = 2

#: The indices of the three entries of `Turn.status`.
COUNT: Final = 0  #: the number of attacks; while the players pick regions, the number of preferred regions
NAMED: Final = 1  #: the number of actions that have deployed armies
READY: Final = 2  #: 1 if the turn is complete, else 0


class PlayerPosition(NamedTuple):
    """A position as one player sees it under fog of war."""

    position: Position  #: regions that the player does not see have owner -2 and army 0
    free: npt.NDArray[np.int8]  #: [N] what the player can do with each region: CLOSED, OWN or OFFERED
    player: Int
    income: Int
    picking: Bool


class Turn(NamedTuple):
    """A player's turn as arrays, in the format that the game engine reads. The turn may be incomplete."""

    deploy: npt.NDArray[np.int32]  #: [N] armies that the player deploys on each region
    attacks: npt.NDArray[np.int32]  #: [E, 3] source, target and armies of each attack or transfer
    preferences: npt.NDArray[np.int32]  #: [N] preferred regions, best first
    status: npt.NDArray[np.int32]  #: [3] with the indices COUNT, NAMED and READY


class ActionWork(NamedTuple):
    """The working memory of the action encodings' kernels: arrays that these kernels overwrite."""

    places: npt.NDArray[np.int32]  #: [E + 1]
    keys: npt.NDArray[np.int64]  #: [max(N, E)]
    allocation: AllocationWork
    generator: GeneratorWork
    rng: npt.NDArray[np.uint64]  #: [2] an unused random generator, for functions that have one as a parameter


def make_action_work(n_regions: int, n_edges: int, players: int) -> ActionWork:
    """Make the working memory of one thread."""
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
    """Make the arrays of an empty turn."""
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
    context: Context, view: PlayerPosition, turn: Turn, config: npt.NDArray[np.int64], work: ActionWork, mask: Marks
) -> Int:
    """Write nothing; the kernel `write_mask` of action encodings without a mask."""
    return 0


@functools.cache
def _types() -> tuple[Any, ...]:
    view = PlayerPosition(make_position(1), np.zeros(1, np.int8), 0, 0, False)
    records = view, make_turn(1, 1), np.zeros(1, dtype=np.int64), make_action_work(1, 1, 2)
    return record_types()["context"], *map(numba.typeof, records)


@functools.cache
def submit_signature() -> Any:
    """Return the Numba signature of ``submit(context, view, turn, config, work, row) -> int``.

    The kernel `submit` adds the orders of an action row int64[K] to the turn, and sets READY when the turn is complete.
    Before the first action of a turn, the turn is empty. `config` int64[C] contains settings of the encoding. The
    kernel returns the number of illegal orders (or armies) that it dropped.
    """
    context, view, turn, config, work = _types()
    return types.int64(context, view, turn, config, work, config)


@functools.cache
def mask_signature() -> Any:
    """Return the Numba signature of ``write_mask(context, view, turn, config, work, mask) -> int``.

    The kernel `write_mask` writes the mask of the next action to mask int8[M]: 1 for allowed, 0 for forbidden. The
    kernel returns 0.
    """
    context, view, turn, config, work = _types()
    return types.int64(context, view, turn, config, work, types.Array(types.int8, 1, "C"))


submit_at = function_at(submit_signature)
mask_at = function_at(mask_signature)


@functools.cache
def kernel_pointer(signature: Callable[[], Any], function: Callable[..., Any]) -> Any:
    """Compile a kernel with the signature `submit_signature` or `mask_signature`, and return it as a pointer.

    `submit_at` and `mask_at` call the compiled kernel, given its address.
    """
    return pointer(signature(), function)
