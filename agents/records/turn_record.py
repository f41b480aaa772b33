"""The turn network as a record for kernels, and its working memory."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from warlight_env.agents.records.factored_turns import VALUES, AllocationWork, make_allocation_work
from warlight_env.engine.jit import read_only, shared
from warlight_env.engine.memory import private_zeros
from warlight_env.engine.reference import reference
from warlight_env.errors import InputError, clipped
from warlight_env.features.definitions import EDGES, OVERALL, REGIONS
from warlight_env.features.registry import Columns, FeatureNameError

Floats = npt.NDArray[np.float32]

#: Numbers of features of a region, of the whole position, and of a border. `turn_net.features` writes them; a network
#: uses some of them as its input.
N_NODE: Final = REGIONS.width
N_OVERALL: Final = OVERALL.width
N_EDGE: Final = EDGES.width
#: UNITS: number of units of each layer. LAYERS: number of layers that combine a region with its neighbours and super
#: region. They are constants, so that the compiler can vectorize loops over them.
UNITS: Final = 32
LAYERS: Final = 2


class TurnNetworkError(InputError):
    """Error for arrays that are not a turn network; the message names their source."""


@shared
class TurnNetwork(NamedTuple):
    """The weights of the network, float32, and the columns of its input features, uint32. Read-only.

    H = UNITS, L = LAYERS, V = VALUES; F features of regions, G of the position, K of borders.
    """

    first: Floats  #: [F, H] for a region
    overall: Floats  #: [G, H] for the position
    first_bias: Floats  #: [H]
    own: Floats  #: [L, H, H] for a region's own description
    around: Floats  #: [L, H, H] for the mean description of its neighbours
    among: Floats  #: [L, H, H] for the mean description of its super region
    layer_bias: Floats  #: [L, H]
    main: Floats  #: [H] for a region's score as the main deploy region, which gets the most armies
    beside: Floats  #: [H, H] for another region, for its deploy
    chosen: Floats  #: [H, H] for the main deploy region
    link: Floats  #: [2, H] if the two regions are neighbours, and if they are in one super region
    beside_bias: Floats  #: [H]
    weight: Floats  #: [H, V] for the deploy weights
    weight_bias: Floats  #: [V]
    source: Floats  #: [H, H] for the source of a border
    target: Floats  #: [H, H]
    edge: Floats  #: [K, H]
    edge_bias: Floats  #: [H]
    share: Floats  #: [H, V] for the shares of armies
    share_bias: Floats  #: [V]
    priority: Floats  #: [H, V] for the attacks' order
    priority_bias: Floats  #: [V]
    held: Floats  #: [H, H] for the mean of a player's regions
    total: Floats  #: [H, H] for their sum
    whole: Floats  #: [H, H] for the mean of all regions
    player: Floats  #: [H] added for the player whose view it is
    value_bias: Floats  #: [H]
    value: Floats  #: [H] for a player's score
    node_columns: Columns  #: [F]
    overall_columns: Columns  #: [G]
    edge_columns: Columns  #: [K]


#: The shapes of the arrays of a network that uses all features as its input.
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


class TurnFeatureNames(NamedTuple):
    """Names of a network's input features, in order; by default all features of this version."""

    node: Sequence[str] = REGIONS.names
    overall: Sequence[str] = OVERALL.names
    edge: Sequence[str] = EDGES.names


EVERY: Final = TurnFeatureNames()

#: The array that has a row for each feature of a group, by the group's field in `TurnFeatureNames`.
_ROWS: Final = {"node": "first", "overall": "overall", "edge": "edge"}
_GROUPS: Final = {"node": REGIONS, "overall": OVERALL, "edge": EDGES}


def make_turn_network(
    arrays: Mapping[str, npt.NDArray[Any]], place: str = "network", reads: TurnFeatureNames = EVERY
) -> TurnNetwork:
    """Return the record for arrays by name, float32, with the shapes `SHAPES`.

    `first`, `overall` and `edge` have one row for each input feature of the network.

    Raises:
        TurnNetworkError: the arrays are not those of a network, or a feature does not exist. The message names the
            first wrong array.
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
    """Return the fault of a network's array, compared with its shape; an empty string if there is none."""
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


def reads_of(network: TurnNetwork) -> TurnFeatureNames:
    """Return the names of a network's input features."""
    return TurnFeatureNames(
        *([group.names[at] for at in getattr(network, f"{name}_columns")] for name, group in _GROUPS.items())
    )


def arrays_of(network: TurnNetwork) -> dict[str, Floats]:
    """Return a network's arrays by name, as `make_turn_network` expects them."""
    return {name: np.array(getattr(network, name)) for name in SHAPES}


def widened(network: TurnNetwork) -> dict[str, Floats]:
    """Return the arrays, of `SHAPES`, of a network that has all features as its input and plays like this one.

    The weights of the additional features are 0.
    """
    arrays = arrays_of(network)
    for name, rows in _ROWS.items():
        wide = np.zeros(SHAPES[rows], np.float32)
        wide[getattr(network, f"{name}_columns")] = arrays[rows]
        arrays[rows] = wide
    return arrays


def blank_turn_network(shapes: Mapping[str, tuple[int, ...]] = SHAPES) -> TurnNetwork:
    """Return a writable record of zeros, for one thread, that has all features as its input."""
    columns: dict[str, Any] = {
        f"{name}_columns": np.arange(group.width, dtype=np.uint32) for name, group in _GROUPS.items()
    }
    made = {name: private_zeros(shape, np.float32) for name, shape in shapes.items()}
    network: TurnNetwork = reference(TurnNetwork(**made, **columns))
    return network


@functools.cache
def no_turn_network() -> TurnNetwork:
    """Return a record of zeros, for use without a turn network."""
    return make_turn_network({name: np.zeros(shape, np.float32) for name, shape in SHAPES.items()})


class TurnNetworkBuffers(NamedTuple):
    """Working memory of a network's pass, one set for each thread; N regions, E directed edges, P players."""

    nodes: Floats  #: [N, N_NODE]
    overall: Floats  #: [N_OVERALL]
    embeddings: Floats  #: [N, H] descriptions of regions
    hidden: Floats  #: [N, H]
    mean: Floats  #: [N, H] of super regions, and later of regions as sources of borders
    toward: Floats  #: [N, H] of regions as targets of borders
    holding: npt.NDArray[np.float64]  #: [P, 3] income, armies, regions
    score: Floats  #: [N] scores of regions as the main deploy region
    row: npt.NDArray[np.int64]  #: [N + 2 E] a turn as small choices
    log_prob: npt.NDArray[np.float64]  #: [1] logarithm of the turn's probability
    allocation: AllocationWork


def make_turn_network_buffers(n_regions: int, n_edges: int, players: int) -> TurnNetworkBuffers:
    """Make working memory for one thread."""
    n = n_regions
    return reference(
        TurnNetworkBuffers(
            nodes=private_zeros((n, N_NODE), np.float32),
            overall=private_zeros(N_OVERALL, np.float32),
            embeddings=private_zeros((n, UNITS), np.float32),
            hidden=private_zeros((n, UNITS), np.float32),
            mean=private_zeros((n, UNITS), np.float32),
            toward=private_zeros((n, UNITS), np.float32),
            holding=private_zeros((players, 3), np.float64),
            score=private_zeros(n, np.float32),
            row=private_zeros(n + 2 * max(1, n_edges), np.int64),
            log_prob=private_zeros(1, np.float64),
            allocation=make_allocation_work(n),
        )
    )
