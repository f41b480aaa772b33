"""What the compiled pass of the turn network keeps of positions until their gradients are asked for."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from warlight_env.agents.records.factored_turns import VALUES
from warlight_env.agents.records.turn_record import (
    LAYERS,
    N_EDGE,
    N_NODE,
    N_OVERALL,
    SHAPES,
    UNITS,
    Floats,
    TurnNetwork,
    blank_turn_network,
)
from warlight_env.engine.memory import private_zeros
from warlight_env.engine.reference import reference

#: Columns of what is taught to logits of VALUES values: one wide register's. Those that are left over are 0.
WIDE: Final = 8
#: Arrays of a network whose rows are of VALUES.
_NARROW: Final = ("weight", "weight_bias", "share", "share_bias", "priority", "priority_bias")


class ToldTurns(NamedTuple):
    """Of M turns, as `loss.TurnChances`; or, the other way round, derivatives of a loss by these."""

    weights: Floats  #: [M]
    shares: Floats  #: [M]
    priorities: Floats  #: [M]
    entropy: Floats  #: [M]
    scores: Floats  #: [M, P]


class Tape(NamedTuple):
    """Of M positions of N regions, with up to E borders each, and P players.

    The two *pushes* of a choice say how its logits are to change: float32[2, V], the derivatives of the logarithm of
    what was chosen, and of the entropy.
    """

    nodes: Floats  #: [M, N, N_NODE]
    overall: Floats  #: [M, N_OVERALL]
    described: Floats  #: [M, L + 1, N, H] before the first layer and after each
    main: npt.NDArray[np.int64]  #: [M] the region that most is deployed on; -1: no weight is above 0
    main_push: Floats  #: [M, 2, N]
    weight_units: Floats  #: [M, N, H] of the player's other regions, one behind the other
    weight_push: Floats  #: [M, N, 2, V]
    borders: npt.NDArray[np.int64]  #: [M, 2] where a position's borders begin and end below
    edge: npt.NDArray[np.int64]  #: [M E]
    numbers: Floats  #: [M E, N_EDGE]
    edge_units: Floats  #: [M E, H]
    share_push: Floats  #: [M E, 2, V]
    priority_push: Floats  #: [M E, 2, V]; 0 where nothing is sent
    player_units: Floats  #: [M, P, H]


def make_tape(size: int, n_regions: int, n_edges: int, players: int) -> Tape:
    """Room for so many positions; most of it is never touched, as few borders are one player's."""
    n, e = n_regions, size * max(1, n_edges)

    def floats(*shape: int) -> Floats:
        return np.empty(shape, np.float32)

    return reference(
        Tape(
            floats(size, n, N_NODE), floats(size, N_OVERALL), floats(size, LAYERS + 1, n, UNITS),
            np.empty(size, np.int64), floats(size, 2, n), floats(size, n, UNITS), floats(size, n, 2, VALUES),
            np.empty((size, 2), np.int64), np.empty(e, np.int64), floats(e, N_EDGE), floats(e, UNITS),
            floats(e, 2, VALUES), floats(e, 2, VALUES), floats(size, players, UNITS),
        )
    )  # fmt: skip


def fits(tape: Tape, size: int, n_regions: int, n_edges: int, players: int) -> bool:
    """Whether there is room on a tape for so many positions of such a place."""
    room, n, e = len(tape.main), tape.nodes.shape[1], len(tape.edge)
    return room >= size and (n, e, tape.player_units.shape[1]) == (n_regions, room * max(1, n_edges), players)


def make_told(size: int, players: int) -> ToldTurns:
    """Room for what is told of so many turns."""
    weights, shares, priorities, entropy = (np.empty(size, np.float32) for _ in range(4))
    return ToldTurns(weights, shares, priorities, entropy, np.empty((size, players), np.float32))


def make_gradient() -> TurnNetwork:
    """Zeros of the shapes of a network, but that rows of VALUES are WIDE; one set per thread."""
    return blank_turn_network(
        {name: (*shape[:-1], WIDE) if name in _NARROW else shape for name, shape in SHAPES.items()}
    )


def total_gradient(parts: list[TurnNetwork]) -> list[Floats]:
    """The sums of gradients, in the order and of the shapes of `turn_record.SHAPES`, which are 0 from
    then on."""
    totals = []
    for name, shape in SHAPES.items():
        total = np.zeros(getattr(parts[0], name).shape, np.float32)
        for part in parts:
            total += getattr(part, name)
            getattr(part, name)[:] = 0.0
        totals.append(np.ascontiguousarray(total[..., : shape[-1]]))
    return totals


class Turned(NamedTuple):
    """Matrices of a network with rows and columns exchanged, through which derivatives go back; see `TurnNetwork`."""

    own: Floats
    around: Floats
    among: Floats
    beside: Floats
    chosen: Floats
    weight: Floats  #: [V, H]
    source: Floats
    target: Floats
    share: Floats  #: [V, H]
    priority: Floats  #: [V, H]
    held: Floats
    total: Floats
    whole: Floats


def _turned(array: Floats) -> Floats:
    return np.swapaxes(array, -1, -2)


def make_turned() -> Turned:
    """Room for those of a network."""
    return reference(Turned(*(_turned(np.zeros(SHAPES[name], np.float32)).copy() for name in Turned._fields)))


def turn_over(network: TurnNetwork, out: Turned) -> None:
    """Write those of a network."""
    for name in Turned._fields:
        np.copyto(getattr(out, name), _turned(getattr(network, name)))


class BackWork(NamedTuple):
    """What the way back writes of a position, one set per thread; N regions, E directed edges."""

    regions: Floats  #: [N, H] derivatives by descriptions
    before: Floats  #: [N, H] … by those of the layer before
    toward: Floats  #: [N, H] by what borders read of their targets
    touched: npt.NDArray[np.int64]  #: [N] whether it is any border's target
    inputs: Floats  #: [N, H] what a product read, row by row, and
    units: Floats  #: [N, H] derivatives by what it gave
    choices: Floats  #: [N, WIDE] by logits of deploy weights
    edge_units: Floats  #: [E, H] by units of borders
    shares: Floats  #: [E, WIDE] by logits of their shares
    priorities: Floats  #: [E, WIDE] … and priorities


def make_back_work(n_regions: int, n_edges: int) -> BackWork:
    """Working memory for one thread."""
    n, e = n_regions, max(1, n_edges)

    def zeros(*shape: int) -> Floats:
        return private_zeros(shape, np.float32)

    return reference(
        BackWork(
            zeros(n, UNITS), zeros(n, UNITS), zeros(n, UNITS), private_zeros(n, np.int64), zeros(n, UNITS),
            zeros(n, UNITS), zeros(n, WIDE), zeros(e, UNITS), zeros(e, WIDE), zeros(e, WIDE),
        )
    )  # fmt: skip
