"""The data of a batch of games that change during the games, as arrays, and the working memory of threads."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from warlight_env.engine.memory import private_zeros
from warlight_env.engine.reference import reference

NEUTRAL: Final = -1
#: In a player's view: the owner of a region that the player does not see. The army of a region with this owner is 0.
UNKNOWN: Final = -2

#: Phases of a game.
PICK: Final = 0
PLAY: Final = 1
OVER: Final = 2

#: Names of the phases, by number.
PHASES: Final = ("pick", "play", "over")


class State(NamedTuple):
    """B games of P players on one board. Row b of every array belongs to game b."""

    owner: npt.NDArray[np.int8]  #: [B, N] NEUTRAL or a player
    army: npt.NDArray[np.int32]  #: [B, N] at least 1
    offers: npt.NDArray[np.uint8]  #: [B, N] bit p is set if the region is offered to player p and still free
    round: npt.NDArray[np.int32]  #: [B] rounds played
    phase: npt.NDArray[np.int8]  #: [B] PICK, PLAY or OVER
    turn: npt.NDArray[np.int32]  #: [B] under "alternating": the numbers of picks made and lost, see `setup.pick_turn`
    eliminated_at: npt.NDArray[np.int32]  #: [B, P] round in which a player lost its last region; 0: not eliminated
    winner: npt.NDArray[np.int8]  #: [B] the winner, or -1: none (yet)
    rng: npt.NDArray[np.uint64]  #: [B, 2] the state of the random generator of the dice


def make_state(batch: int, n_regions: int, players: int) -> State:
    """Make the arrays of a state; `setup.start_game` sets their values."""
    return State(
        owner=np.full((batch, n_regions), NEUTRAL, dtype=np.int8),
        army=np.ones((batch, n_regions), dtype=np.int32),
        offers=np.zeros((batch, n_regions), dtype=np.uint8),
        round=np.zeros(batch, dtype=np.int32),
        phase=np.zeros(batch, dtype=np.int8),
        turn=np.zeros(batch, dtype=np.int32),
        eliminated_at=np.zeros((batch, players), dtype=np.int32),
        winner=np.full(batch, NEUTRAL, dtype=np.int8),
        rng=np.ones((batch, 2), dtype=np.uint64),
    )


def copy_state(state: State) -> State:
    """Return a copy of a state with copies of all arrays."""
    return State._make(array.copy() for array in state)


def state_bytes(state: State, b: int = 0) -> bytes:
    """Return all data of game b as bytes, including the random generator. Equal arrays have equal bytes."""
    return b"".join(np.ascontiguousarray(array[b]).tobytes() for array in state)


class Scratch(NamedTuple):
    """The working memory of kernels in one thread, because kernels allocate no memory."""

    cursor: npt.NDArray[np.int32]  #: [P] next attack of each player
    order: npt.NDArray[np.int32]  #: [P] the order of the players in one pass, in which each player attacks once
    movable: npt.NDArray[np.int32]  #: [N] armies that may still move in the round; unused if `moved_armies` is "free"
    queue: npt.NDArray[np.uint32]  #: [N] a list of regions
    mark: npt.NDArray[np.int32]  #: [N]
    value: npt.NDArray[np.float64]  #: [N]


def make_scratch(n_regions: int, players: int) -> Scratch:
    """Make working memory for one thread."""
    return reference(
        Scratch(
            cursor=private_zeros(players, np.int32),
            order=private_zeros(players, np.int32),
            movable=private_zeros(n_regions, np.int32),
            queue=private_zeros(n_regions, np.uint32),
            mark=private_zeros(n_regions, np.int32),
            value=private_zeros(n_regions, np.float64),
        )
    )


class Workspace(NamedTuple):
    """The working memory of a thread that plays rounds: scratch memory, and the turn of each player as arrays."""

    scratch: Scratch
    deploy: npt.NDArray[np.int32]  #: [P, N] armies per region
    attacks: npt.NDArray[np.int32]  #: [P, E, 3] (from, to, armies)
    counts: npt.NDArray[np.int32]  #: [P] attacks of each player


def make_workspace(n_regions: int, n_edges: int, players: int) -> Workspace:
    """Make a workspace for one thread."""
    return reference(
        Workspace(
            make_scratch(n_regions, players),
            private_zeros((players, n_regions), np.int32),
            private_zeros((players, n_edges, 3), np.int32),
            private_zeros(players, np.int32),
        )
    )
