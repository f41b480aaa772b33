"""The turn network as a record for kernels, and what they write."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from warlight_env.agents.records.factored_turns import VALUES
from warlight_env.engine.jit import read_only, shared
from warlight_env.engine.memory import private_zeros
from warlight_env.engine.reference import reference
from warlight_env.errors import InputError, clipped

Floats = npt.NDArray[np.float32]

#: Numbers that a network reads of each region, of the whole position, and of a border: `turn_net.features` writes them.
N_NODE: Final = 28
N_OVERALL: Final = 13
N_EDGE: Final = 11
#: Units of all layers, and layers in which regions hear of their neighbours and super regions; constants, so that loops
#: over them become a few wide instructions.
UNITS: Final = 32
LAYERS: Final = 2


class TurnNetworkError(InputError):
    """Arrays that are no turn network; the message says whose."""


@shared
class TurnNetwork(NamedTuple):
    """Numbers of the network, float32, H = UNITS, L = LAYERS, V = VALUES. Read-only."""

    first: Floats  #: [N_NODE, H] of a region
    overall: Floats  #: [N_OVERALL, H] of the position
    first_bias: Floats  #: [H]
    own: Floats  #: [L, H, H] for a region's own description
    around: Floats  #: [L, H, H] for the mean of its neighbours'
    among: Floats  #: [L, H, H] for the mean of its super region's
    layer_bias: Floats  #: [L, H]
    main: Floats  #: [H] to a region's score as the one that most is deployed on
    beside: Floats  #: [H, H] of another region, for its deploy
    chosen: Floats  #: [H, H] of the one that most is deployed on
    link: Floats  #: [2, H] where the two are neighbours, and of one super region
    beside_bias: Floats  #: [H]
    weight: Floats  #: [H, V] to the deploy weights
    weight_bias: Floats  #: [V]
    source: Floats  #: [H, H] of a border
    target: Floats  #: [H, H]
    edge: Floats  #: [N_EDGE, H]
    edge_bias: Floats  #: [H]
    share: Floats  #: [H, V] to the shares of armies
    share_bias: Floats  #: [V]
    priority: Floats  #: [H, V] to the attacks' order
    priority_bias: Floats  #: [V]
    held: Floats  #: [H, H] for the mean of a player's regions
    total: Floats  #: [H, H] for their sum
    whole: Floats  #: [H, H] for the mean of all regions
    player: Floats  #: [H] where the player is the one that looks
    value_bias: Floats  #: [H]
    value: Floats  #: [H] to a player's score


#: The shapes of its arrays.
SHAPES: Final[dict[str, tuple[int, ...]]] = {
    "first": (N_NODE, UNITS), "overall": (N_OVERALL, UNITS), "first_bias": (UNITS,),
    "own": (LAYERS, UNITS, UNITS), "around": (LAYERS, UNITS, UNITS), "among": (LAYERS, UNITS, UNITS),
    "layer_bias": (LAYERS, UNITS), "main": (UNITS,), "beside": (UNITS, UNITS), "chosen": (UNITS, UNITS),
    "link": (2, UNITS), "beside_bias": (UNITS,), "weight": (UNITS, VALUES), "weight_bias": (VALUES,),
    "source": (UNITS, UNITS), "target": (UNITS, UNITS), "edge": (N_EDGE, UNITS), "edge_bias": (UNITS,),
    "share": (UNITS, VALUES), "share_bias": (VALUES,), "priority": (UNITS, VALUES), "priority_bias": (VALUES,),
    "held": (UNITS, UNITS), "total": (UNITS, UNITS), "whole": (UNITS, UNITS), "player": (UNITS,),
    "value_bias": (UNITS,), "value": (UNITS,),
}  # fmt: skip


def make_turn_network(arrays: Mapping[str, npt.NDArray[Any]], place: str = "network") -> TurnNetwork:
    """The record of arrays by name, of `SHAPES`, float32.

    Raises:
        TurnNetworkError: they are not those of a network; the message names the first that is wrong.
    """
    for name in (*SHAPES, *arrays):
        if fault := _fault(name, arrays.get(name)):
            raise TurnNetworkError(f"{place}: not the arrays of a turn network: {clipped(name, 60)}: {fault}")
    made = {name: np.ascontiguousarray(arrays[name]) for name in TurnNetwork._fields}
    network: TurnNetwork = reference(read_only(TurnNetwork(**made)))
    return network


def _fault(name: str, array: npt.NDArray[Any] | None) -> str:
    """What is wrong with a network's array; nothing where it is as it must be."""
    if array is None:
        return "missing"
    if name not in SHAPES:
        return "not known"
    if array.dtype != np.float32 or array.shape != SHAPES[name]:
        shape = clipped(str(list(array.shape)), 60)
        return f"{array.dtype} {shape}, must be float32 {list(SHAPES[name])}"
    if not (finite := np.isfinite(array)).all():
        at = np.argwhere(~finite)[0]
        return f"{array[tuple(at)]} at {at.tolist()}, must be finite"
    return ""


@functools.cache
def no_turn_network() -> TurnNetwork:
    """A record of zeros, where nobody plays by a network."""
    return make_turn_network({name: np.zeros(shape, np.float32) for name, shape in SHAPES.items()})


class TurnNetWork(NamedTuple):
    """What a pass of the network writes, one set per thread; N regions, E directed edges, P players."""

    nodes: Floats  #: [N, N_NODE]
    overall: Floats  #: [N_OVERALL]
    described: Floats  #: [N, H] descriptions of regions
    hidden: Floats  #: [N, H]
    mean: Floats  #: [N, H] of super regions, and then of regions as sources and
    toward: Floats  #: [N, H] targets of borders
    holding: npt.NDArray[np.float64]  #: [P, 3] income, armies, regions
    score: Floats  #: [N] of regions as the one that most is deployed on
    row: npt.NDArray[np.int64]  #: [N + 2 E] a turn in small choices
    chance: npt.NDArray[np.float64]  #: [1] logarithm of its probability
    own: npt.NDArray[np.int32]  #: [N]
    classes: npt.NDArray[np.int64]  #: [3, V]


def make_turn_net_work(n_regions: int, n_edges: int, players: int) -> TurnNetWork:
    """Working memory for one thread."""
    n = n_regions
    return reference(
        TurnNetWork(
            nodes=private_zeros((n, N_NODE), np.float32),
            overall=private_zeros(N_OVERALL, np.float32),
            described=private_zeros((n, UNITS), np.float32),
            hidden=private_zeros((n, UNITS), np.float32),
            mean=private_zeros((n, UNITS), np.float32),
            toward=private_zeros((n, UNITS), np.float32),
            holding=private_zeros((players, 3), np.float64),
            score=private_zeros(n, np.float32),
            row=private_zeros(n + 2 * max(1, n_edges), np.int64),
            chance=private_zeros(1, np.float64),
            own=private_zeros(n, np.int32),
            classes=private_zeros((3, VALUES), np.int64),
        )
    )
