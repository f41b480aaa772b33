"""The turn network as a NamedTuple of arrays for kernels, and its working memory."""

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
from warlight_env.features.definitions import EDGES, MEMORY, OVERALL, REGIONS
from warlight_env.features.registry import Columns, FeatureNameError

Floats = npt.NDArray[np.float32]

#: Numbers of features of a region, of the whole position, and of a border. `turn_net.features` writes them; a network
#: uses some of them as its input.
N_NODE: Final = REGIONS.width
N_OVERALL: Final = OVERALL.width
N_EDGE: Final = EDGES.width
#: The number of features of a region that come from a player's memory under fog, and the column of the first of them.
N_MEMORY: Final = MEMORY.width
FIRST_MEMORY: Final = REGIONS.names.index(MEMORY.names[0])
#: Number of units of each layer; a constant, so that the compiler can vectorize loops over units.
UNITS: Final = 32
#: The usual and the largest number of message-passing layers, which combine a region with its neighbours and its super
#: region. A network's number of layers is the length of its arrays `LAYERED`.
LAYERS: Final = 2
MAX_LAYERS: Final = 8


class TurnNetworkError(InputError):
    """Error: arrays or a file are not a turn network. The error message names the file or the source of the arrays."""


@shared
class TurnNetwork(NamedTuple):
    """The weights of the network, float32, and the columns of its input features, uint32, as read-only arrays.

    Sizes of the arrays are H = UNITS, V = VALUES, and the numbers of layers (L) and of features of regions (F), of the
    position (G) and of borders (K). The main deploy region is the region that gets the most armies. A deploy weight is
    a number from 0 to 4; the income is divided among the regions in proportion to their deploy weights.
    """

    first: Floats  #: [F, H] weights of a region's features
    overall: Floats  #: [G, H] weights of the position's features
    first_bias: Floats  #: [H]
    own: Floats  #: [L, H, H] weights of a region's own embedding
    around: Floats  #: [L, H, H] weights of the mean embedding of a region's neighbours
    among: Floats  #: [L, H, H] weights of the mean embedding of a region's super region
    layer_bias: Floats  #: [L, H]
    main: Floats  #: [H] weights for a region's score as the main deploy region
    beside: Floats  #: [H, H] weights of another region's embedding, for its deploy weight
    chosen: Floats  #: [H, H] weights of the main deploy region's embedding, for deploy weights of other regions
    link: Floats  #: [2, H] added for regions adjacent to the main deploy region, and for regions of its super region
    beside_bias: Floats  #: [H]
    weight: Floats  #: [H, V] output weights for the deploy weight
    weight_bias: Floats  #: [V]
    source: Floats  #: [H, H] weights of the embedding of a border's source
    target: Floats  #: [H, H] weights of the embedding of a border's target
    edge: Floats  #: [K, H] weights of a border's features
    edge_bias: Floats  #: [H]
    share: Floats  #: [H, V] output weights for the fraction of armies that is sent over a border
    share_bias: Floats  #: [V]
    priority: Floats  #: [H, V] output weights for an attack's priority in the order of attacks
    priority_bias: Floats  #: [V]
    held: Floats  #: [H, H] weights of the mean embedding of a player's regions
    total: Floats  #: [H, H] weights of the sum of the embeddings of a player's regions
    whole: Floats  #: [H, H] weights of the mean embedding of all regions
    player: Floats  #: [H] added in the score of the player from whose view the features are computed
    value_bias: Floats  #: [H]
    value: Floats  #: [H] output weights for a player's score
    pick: Floats  #: [H] weights for an offered region's score as a start region; all 0: the network does not pick
    node_columns: Columns  #: [F]
    overall_columns: Columns  #: [G]
    edge_columns: Columns  #: [K]


#: The shapes of the arrays of a network with LAYERS layers that uses all features as its input.
SHAPES: Final[dict[str, tuple[int, ...]]] = {
    "first": (N_NODE, UNITS), "overall": (N_OVERALL, UNITS), "first_bias": (UNITS,),
    "own": (LAYERS, UNITS, UNITS), "around": (LAYERS, UNITS, UNITS), "among": (LAYERS, UNITS, UNITS),
    "layer_bias": (LAYERS, UNITS), "main": (UNITS,), "beside": (UNITS, UNITS), "chosen": (UNITS, UNITS),
    "link": (2, UNITS), "beside_bias": (UNITS,), "weight": (UNITS, VALUES), "weight_bias": (VALUES,),
    "source": (UNITS, UNITS), "target": (UNITS, UNITS), "edge": (N_EDGE, UNITS), "edge_bias": (UNITS,),
    "share": (UNITS, VALUES), "share_bias": (VALUES,), "priority": (UNITS, VALUES), "priority_bias": (VALUES,),
    "held": (UNITS, UNITS), "total": (UNITS, UNITS), "whole": (UNITS, UNITS), "player": (UNITS,),
    "value_bias": (UNITS,), "value": (UNITS,), "pick": (UNITS,),
}  # fmt: skip
#: The arrays that have one matrix or row for each layer.
LAYERED: Final = ("own", "around", "among", "layer_bias")


def shapes_of(layers: int) -> dict[str, tuple[int, ...]]:
    """Return the shapes of the arrays of a network with a given number of layers that uses all features."""
    return {name: (layers, *shape[1:]) if name in LAYERED else shape for name, shape in SHAPES.items()}


def layers_of(network: TurnNetwork | None) -> int:
    """Return the number of message-passing layers of a network; for None, the usual number."""
    return LAYERS if network is None else len(network.layer_bias)


class TurnFeatureNames(NamedTuple):
    """Names of a network's input features, in order; the default is all features that this version defines."""

    node: Sequence[str] = REGIONS.names
    overall: Sequence[str] = OVERALL.names
    edge: Sequence[str] = EDGES.names


EVERY: Final = TurnFeatureNames()
#: The features of a network that does not read a player's memory.
WITHOUT_MEMORY: Final = TurnFeatureNames([name for name in REGIONS.names if name not in MEMORY.names])
#: The array that files of networks without picks do not contain.
_PICK: Final = "pick"

#: For each field of `TurnFeatureNames`: the name of the array of weights that has one row for each of its features.
_ROWS: Final = {"node": "first", "overall": "overall", "edge": "edge"}
_GROUPS: Final = {"node": REGIONS, "overall": OVERALL, "edge": EDGES}


def make_turn_network(
    arrays: Mapping[str, npt.NDArray[Any]], place: str = "network", reads: TurnFeatureNames = EVERY
) -> TurnNetwork:
    """Return the turn network with given arrays.

    Args:
        arrays: names and float32 arrays with the shapes `shapes_of(L)` for a network with L = 1 .. MAX_LAYERS layers;
            but `first`, `overall` and `edge` have one row for each input feature of the network. The array `pick` may
            be missing; then the network does not pick start regions.
        reads: the names of the input features.

    Raises:
        TurnNetworkError: the arrays are not the arrays of a turn network, or a feature does not exist. The error
            message names the first wrong array.
    """
    try:
        columns: dict[str, Any] = {
            f"{name}_columns": _GROUPS[name].places(names) for name, names in reads._asdict().items()
        }
    except FeatureNameError as error:
        raise TurnNetworkError(f"{place}: {error}") from None
    arrays = {_PICK: np.zeros(SHAPES[_PICK], np.float32), **arrays}
    counts = {name: len(arrays[name]) for name in LAYERED if name in arrays and arrays[name].ndim}
    if len(set(counts.values())) > 1:
        listing = ", ".join(f"{count} in {name}" for name, count in counts.items())
        raise TurnNetworkError(f"{place}: not a turn network: arrays differ in the number of layers: {listing}")
    layers = next(iter(counts.values()), LAYERS)
    if not 1 <= layers <= MAX_LAYERS:
        raise TurnNetworkError(f"{place}: not a turn network: {layers} layers, must be 1 to {MAX_LAYERS}")
    shapes = {**shapes_of(layers), **{_ROWS[name]: (len(names), UNITS) for name, names in reads._asdict().items()}}
    for name in (*shapes, *arrays):
        if fault := _fault(arrays.get(name), shapes.get(name)):
            raise TurnNetworkError(f"{place}: not a turn network: array {clipped(name, 60)}: {fault}")
    contiguous = {name: np.ascontiguousarray(arrays[name]) for name in shapes}
    network: TurnNetwork = reference(read_only(TurnNetwork(**contiguous, **columns)))
    return network


def _fault(array: npt.NDArray[Any] | None, shape: tuple[int, ...] | None) -> str:
    """Return a description of what is wrong with a network's array; an empty string if it has the right shape."""
    if array is None:
        return "missing"
    if shape is None:
        return "unknown name"
    if array.dtype != np.float32 or array.shape != shape:
        actual_shape = clipped(str(list(array.shape)), 60)
        return f"{array.dtype} {actual_shape}, must be float32 {list(shape)}"
    if not (finite := np.isfinite(array)).all():
        index = np.argwhere(~finite)[0]
        return f"{array[tuple(index)]} at {index.tolist()}, must be finite"
    return ""


def reads_of(network: TurnNetwork) -> TurnFeatureNames:
    """Return the names of a network's input features."""
    return TurnFeatureNames(
        *([group.names[column] for column in getattr(network, f"{name}_columns")] for name, group in _GROUPS.items())
    )


def arrays_of(network: TurnNetwork) -> dict[str, Floats]:
    """Return a network's arrays with their names, as `make_turn_network` expects them.

    The array `pick` is missing if the network does not pick start regions.
    """
    names = (name for name in SHAPES if name != _PICK or ranks_offers(network))
    return {name: np.array(getattr(network, name)) for name in names}


def ranks_offers(network: TurnNetwork) -> bool:
    """Whether a network ranks offered start regions."""
    return bool(np.asarray(network.pick).any())


def reads_memory(network: TurnNetwork) -> bool:
    """Whether a network reads a feature of a player's memory under fog."""
    columns = np.asarray(network.node_columns)
    return bool(((columns >= FIRST_MEMORY) & (columns < FIRST_MEMORY + N_MEMORY)).any())


def narrowed(arrays: Mapping[str, Floats], reads: TurnFeatureNames) -> dict[str, Floats]:
    """Return arrays with the shapes `shapes_of` without the weights of features that are not in `reads`."""
    places = {_ROWS[name]: _GROUPS[name].places(names) for name, names in reads._asdict().items()}
    return {name: array[places[name]] if name in places else array for name, array in arrays.items()}


def widened(network: TurnNetwork) -> dict[str, Floats]:
    """Return the arrays of a network that has all features as its input and plays like the given network.

    The weights of the additional features are 0. The arrays have the shapes `shapes_of`.
    """
    arrays = {_PICK: np.zeros(SHAPES[_PICK], np.float32), **arrays_of(network)}
    for name, rows in _ROWS.items():
        wide = np.zeros(SHAPES[rows], np.float32)
        wide[getattr(network, f"{name}_columns")] = arrays[rows]
        arrays[rows] = wide
    return arrays


def blank_turn_network(shapes: Mapping[str, tuple[int, ...]] = SHAPES) -> TurnNetwork:
    """Return a turn network of writable zeros for one thread. The network has all features as its input."""
    columns: dict[str, Any] = {
        f"{name}_columns": np.arange(group.width, dtype=np.uint32) for name, group in _GROUPS.items()
    }
    zeros = {name: private_zeros(shape, np.float32) for name, shape in shapes.items()}
    network: TurnNetwork = reference(TurnNetwork(**zeros, **columns))
    return network


@functools.cache
def no_turn_network() -> TurnNetwork:
    """Return a turn network of zeros, as a placeholder in contexts without a turn network."""
    return make_turn_network({name: np.zeros(shape, np.float32) for name, shape in SHAPES.items()})


class TurnNetworkBuffers(NamedTuple):
    """The working memory of a network's forward pass; each thread has its own.

    The board has N regions and E directed edges; the game has P players.
    """

    nodes: Floats  #: [N, N_NODE]
    overall: Floats  #: [N_OVERALL]
    memory: Floats  #: [N, N_MEMORY] features of the player's memory, which the caller writes; 0 without fog
    embeddings: Floats  #: [N, H] embeddings of regions
    hidden: Floats  #: [N, H]
    mean: Floats  #: [N, H] messages of super regions; later hidden units that depend on a border's source
    target_units: Floats  #: [N, H] hidden units that depend on a border's target
    holding: npt.NDArray[np.float64]  #: [P, 3] each player's income, armies and number of regions
    score: Floats  #: [N] scores of regions as the main deploy region
    row: npt.NDArray[np.int64]  #: [N + 2 E] a turn as an action row of `factored_turns`
    log_prob: npt.NDArray[np.float64]  #: [1] logarithm of the turn's probability
    allocation: AllocationWork


def make_turn_network_buffers(n_regions: int, n_edges: int, players: int) -> TurnNetworkBuffers:
    """Allocate working memory for one thread that evaluates a turn network."""
    n = n_regions
    return reference(
        TurnNetworkBuffers(
            nodes=private_zeros((n, N_NODE), np.float32),
            overall=private_zeros(N_OVERALL, np.float32),
            memory=private_zeros((n, N_MEMORY), np.float32),
            embeddings=private_zeros((n, UNITS), np.float32),
            hidden=private_zeros((n, UNITS), np.float32),
            mean=private_zeros((n, UNITS), np.float32),
            target_units=private_zeros((n, UNITS), np.float32),
            holding=private_zeros((players, 3), np.float64),
            score=private_zeros(n, np.float32),
            row=private_zeros(n + 2 * max(1, n_edges), np.int64),
            log_prob=private_zeros(1, np.float64),
            allocation=make_allocation_work(n),
        )
    )
