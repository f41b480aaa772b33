"""The intermediate results of the turn network's compiled forward pass, which the backward pass needs."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from warlight_env.agents.records.factored_turns import VALUES
from warlight_env.agents.records.turn_record import (
    N_EDGE,
    N_NODE,
    N_OVERALL,
    SHAPES,
    UNITS,
    Floats,
    TurnNetwork,
    blank_turn_network,
    shapes_of,
)
from warlight_env.engine.memory import private_zeros
from warlight_env.engine.reference import reference

#: The number of columns of an array with derivatives with respect to logits. A choice has VALUES logits. The number of
#: columns is the width of a vector register, so some columns are unused and contain 0.
WIDE: Final = 8
#: The names of the arrays of network parameters that have rows of length VALUES.
_NARROW: Final = ("weight", "weight_bias", "share", "share_bias", "priority", "priority_bias")
#: The names of the matrices by whose transposes the backward pass multiplies.
_TRANSPOSED: Final = (
    "own", "around", "among", "beside", "chosen", "weight", "source", "target", "share", "priority", "held", "total",
    "whole",
)  # fmt: skip


class TurnOutputs(NamedTuple):
    """The network's outputs for M turns, as in `loss.TurnLogProbs`, or the derivatives of a loss for the outputs."""

    weights: Floats  #: [M]
    shares: Floats  #: [M]
    priorities: Floats  #: [M]
    entropy: Floats  #: [M]
    scores: Floats  #: [M, P]


class Activations(NamedTuple):
    """Intermediate results of the network for M positions. A position has N regions, up to E borders and P players.

    The arrays `…_push` contain two rows for each choice, float32[2, V]: the derivatives of the log-probability of the
    chosen value, and of the entropy, with respect to the choice's logits.
    """

    nodes: Floats  #: [M, N, N_NODE]
    overall: Floats  #: [M, N_OVERALL]
    embeddings: Floats  #: [M, L + 1, N, H] embeddings before the first layer and after each layer
    main: npt.NDArray[np.int64]  #: [M] the region with the largest deploy weight, or -1 if no weight is above 0
    main_push: Floats  #: [M, 2, N]
    weight_units: Floats  #: [M, N, H] hidden units for deploy weights, for the player's regions except the main region
    weight_push: Floats  #: [M, N, 2, V]
    borders: npt.NDArray[np.int64]  #: [M, 2] start and end of a position's borders in the arrays below
    edge: npt.NDArray[np.int64]  #: [M E]
    numbers: Floats  #: [M E, N_EDGE]
    edge_units: Floats  #: [M E, H]
    share_push: Floats  #: [M E, 2, V]
    priority_push: Floats  #: [M E, 2, V]; 0 if the share is 0
    player_units: Floats  #: [M, P, H]


def make_activations(size: int, n_regions: int, n_edges: int, players: int, layers: int) -> Activations:
    """Return uninitialized activations of a network with `layers` layers for `size` positions.

    Most of the memory for borders stays unused, because only the borders of the player's regions are stored.
    """
    n, e = n_regions, size * max(1, n_edges)

    def floats(*shape: int) -> Floats:
        return np.empty(shape, np.float32)

    return reference(
        Activations(
            floats(size, n, N_NODE), floats(size, N_OVERALL), floats(size, layers + 1, n, UNITS),
            np.empty(size, np.int64), floats(size, 2, n), floats(size, n, UNITS), floats(size, n, 2, VALUES),
            np.empty((size, 2), np.int64), np.empty(e, np.int64), floats(e, N_EDGE), floats(e, UNITS),
            floats(e, 2, VALUES), floats(e, 2, VALUES), floats(size, players, UNITS),
        )
    )  # fmt: skip


def fits(activations: Activations, size: int, n_regions: int, n_edges: int, players: int, layers: int) -> bool:
    """Return whether the arrays are large enough, see `make_activations`."""
    room, of_layers, n = len(activations.main), activations.embeddings.shape[1], activations.embeddings.shape[2]
    sizes = n, len(activations.edge), activations.player_units.shape[1], of_layers - 1
    return room >= size and sizes == (n_regions, room * max(1, n_edges), players, layers)


def make_outputs(size: int, players: int) -> TurnOutputs:
    """Return uninitialized arrays for the outputs of the network for `size` turns."""
    weights, shares, priorities, entropy = (np.empty(size, np.float32) for _ in range(4))
    return TurnOutputs(weights, shares, priorities, entropy, np.empty((size, players), np.float32))


def make_gradient(layers: int) -> TurnNetwork:
    """Return arrays of zeros for the gradient of a network with `layers` layers.

    Rows with VALUES numbers are padded to length WIDE. Each thread needs its own arrays.
    """
    return blank_turn_network(
        {name: (*shape[:-1], WIDE) if name in _NARROW else shape for name, shape in shapes_of(layers).items()}
    )


def total_gradient(parts: list[TurnNetwork]) -> list[Floats]:
    """Return the sum of the gradients `parts`, in the order of `turn_record.SHAPES`.

    The function also sets all arrays of `parts` to 0.
    """
    totals = []
    for name, shape in SHAPES.items():
        total = np.zeros(getattr(parts[0], name).shape, np.float32)
        for part in parts:
            total += getattr(part, name)
            getattr(part, name)[:] = 0.0
        totals.append(np.ascontiguousarray(total[..., : shape[-1]]))
    return totals


def make_transposed(layers: int) -> TurnNetwork:
    """Return arrays of zeros for the transposed matrices of a network with `layers` layers; see `transpose_weights`."""
    return blank_turn_network(
        {
            name: (*shape[:-2], shape[-1], shape[-2]) if name in _TRANSPOSED else shape
            for name, shape in shapes_of(layers).items()
        }
    )


def transpose_weights(network: TurnNetwork, out: TurnNetwork) -> None:
    """Write the transposed matrices of a network to `out`, for the backward pass; other arrays of `out` stay 0."""
    for name in _TRANSPOSED:
        np.copyto(getattr(out, name), np.swapaxes(getattr(network, name), -1, -2))


class BackwardWork(NamedTuple):
    """The working memory of the backward pass for one position with N regions and E directed edges, for one thread."""

    regions: Floats  #: [N, H] derivatives with respect to the embeddings of regions
    before: Floats  #: [N, H] derivatives with respect to the embeddings before the layer
    target_units: Floats  #: [N, H] derivatives with respect to the inputs that borders get from their target region
    is_target: npt.NDArray[np.int64]  #: [N] whether the region is the target of a border
    inputs: Floats  #: [N, H] inputs of a matrix product, row by row
    units: Floats  #: [N, H] derivatives with respect to the outputs of the matrix product
    choices: Floats  #: [N, WIDE] derivatives with respect to the logits of deploy weights (relative numbers of armies)
    edge_units: Floats  #: [E, H] derivatives with respect to hidden units of borders
    shares: Floats  #: [E, WIDE] derivatives with respect to the logits of the fractions of armies that cross borders
    priorities: Floats  #: [E, WIDE] derivatives with respect to the logits of the attacks' priorities


def make_backward_work(n_regions: int, n_edges: int) -> BackwardWork:
    """Return the working memory of the backward pass for one thread."""
    n, e = n_regions, max(1, n_edges)

    def zeros(*shape: int) -> Floats:
        return private_zeros(shape, np.float32)

    return reference(
        BackwardWork(
            zeros(n, UNITS), zeros(n, UNITS), zeros(n, UNITS), private_zeros(n, np.int64), zeros(n, UNITS),
            zeros(n, UNITS), zeros(n, WIDE), zeros(e, UNITS), zeros(e, WIDE), zeros(e, WIDE),
        )
    )  # fmt: skip
