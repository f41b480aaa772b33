"""The turn network as a record for kernels, and what they write."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from warlight_env.agents.records.factored_turns import VALUES
from warlight_env.engine.jit import read_only, shared
from warlight_env.engine.memory import private_zeros
from warlight_env.engine.reference import reference
from warlight_env.errors import InputError, clipped
from warlight_env.features.definitions import EDGES, OVERALL, REGIONS
from warlight_env.features.registry import Columns, FeatureNameError

Floats = npt.NDArray[np.float32]

#: Features of a region, of the whole position, and of a border: `turn_net.features` writes them, networks read some.
N_NODE: Final = REGIONS.width
N_OVERALL: Final = OVERALL.width
N_EDGE: Final = EDGES.width
#: Units of all layers, and layers in which regions hear of their neighbours and super regions; constants, so that loops
#: over them become a few wide instructions.
UNITS: Final = 32
LAYERS: Final = 2


class TurnNetworkError(InputError):
    """Arrays that are no turn network; the message says whose."""


@shared
class TurnNetwork(NamedTuple):
    """Numbers of the network, float32, H = UNITS, L = LAYERS, V = VALUES, and the columns of the features that it
    reads, uint32: F of regions, G of the position, K of borders. Read-only."""

    first: Floats  #: [F, H] of a region
    overall: Floats  #: [G, H] of the position
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
    edge: Floats  #: [K, H]
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
    node_columns: Columns  #: [F]
    overall_columns: Columns  #: [G]
    edge_columns: Columns  #: [K]


#: The shapes of the arrays of a network that reads all features.
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


class TurnReads(NamedTuple):
    """Names of the features that a network reads, in order; by default all of this version."""

    node: Sequence[str] = REGIONS.names
    overall: Sequence[str] = OVERALL.names
    edge: Sequence[str] = EDGES.names


EVERY: Final = TurnReads()

#: The array of a network that has a row for each feature of a group, by the group's field in `TurnReads`.
_ROWS: Final = {"node": "first", "overall": "overall", "edge": "edge"}
_GROUPS: Final = {"node": REGIONS, "overall": OVERALL, "edge": EDGES}


def make_turn_network(
    arrays: Mapping[str, npt.NDArray[Any]], place: str = "network", reads: TurnReads = EVERY
) -> TurnNetwork:
    """The record of arrays by name, float32, of `SHAPES` but that `first`, `overall` and `edge` have a row per feature
    that the network reads.

    Raises:
        TurnNetworkError: they are not those of a network, the message names the first that is wrong; or there is no
            such feature.
    """
    try:
        columns: dict[str, Any] = {
            f"{name}_columns": _GROUPS[name].places(names) for name, names in reads._asdict().items()
        }
    except FeatureNameError as error:
        raise TurnNetworkError(f"{place}: {error}") from None
    shapes = {**SHAPES, **{_ROWS[name]: (len(names), UNITS) for name, names in reads._asdict().items()}}
    for name in (*shapes, *arrays):
        if fault := _fault(arrays.get(name), shapes.get(name)):
            raise TurnNetworkError(f"{place}: not the arrays of a turn network: {clipped(name, 60)}: {fault}")
    made = {name: np.ascontiguousarray(arrays[name]) for name in shapes}
    network: TurnNetwork = reference(read_only(TurnNetwork(**made, **columns)))
    return network


def _fault(array: npt.NDArray[Any] | None, shape: tuple[int, ...] | None) -> str:
    """What is wrong with a network's array of that shape; nothing where it is as it must be."""
    if array is None:
        return "missing"
    if shape is None:
        return "not known"
    if array.dtype != np.float32 or array.shape != shape:
        found = clipped(str(list(array.shape)), 60)
        return f"{array.dtype} {found}, must be float32 {list(shape)}"
    if not (finite := np.isfinite(array)).all():
        at = np.argwhere(~finite)[0]
        return f"{array[tuple(at)]} at {at.tolist()}, must be finite"
    return ""


def reads_of(network: TurnNetwork) -> TurnReads:
    """The features that a network reads."""
    return TurnReads(
        *([group.names[at] for at in getattr(network, f"{name}_columns")] for name, group in _GROUPS.items())
    )


def arrays_of(network: TurnNetwork) -> dict[str, Floats]:
    """A network's arrays by name, as `make_turn_network` takes them."""
    return {name: np.array(getattr(network, name)) for name in SHAPES}


def widened(network: TurnNetwork) -> dict[str, Floats]:
    """The arrays, of `SHAPES`, of a network that reads all features and plays as this one: the others count nothing."""
    arrays = arrays_of(network)
    for name, rows in _ROWS.items():
        wide = np.zeros(SHAPES[rows], np.float32)
        wide[getattr(network, f"{name}_columns")] = arrays[rows]
        arrays[rows] = wide
    return arrays


def blank_turn_network(shapes: Mapping[str, tuple[int, ...]] = SHAPES) -> TurnNetwork:
    """A record of zeros that can be written to, one per thread, which reads all features."""
    columns: dict[str, Any] = {
        f"{name}_columns": np.arange(group.width, dtype=np.uint32) for name, group in _GROUPS.items()
    }
    made = {name: private_zeros(shape, np.float32) for name, shape in shapes.items()}
    network: TurnNetwork = reference(TurnNetwork(**made, **columns))
    return network


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
