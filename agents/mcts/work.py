"""Parameters of the search as kernels take them, and what one thread writes."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from warlight_env.agents.generator_work import (
    MAX_TURNS,
    GeneratorWork,
    TurnSets,
    make_generator_work,
    make_turn_sets,
)
from warlight_env.agents.lookahead import Lookahead, make_lookahead
from warlight_env.agents.mcts.outcome import Samples, make_samples
from warlight_env.engine.memory import private_zeros
from warlight_env.engine.position import Position, make_position
from warlight_env.engine.reference import reference

MAX_DEPTH: Final = 200  # nodes of a path


class Settings(NamedTuple):
    """Parameters of the search, for kernels."""

    exploration: float
    root_visits: bool  #: N in the selection is the visits of the root, not of the parent
    blind: bool  #: an enemy's turn is selected by its value against all turns before it, not against those selected
    choice: int  #: of `outcome.CHOICES`
    rounds: int  #: of a playout; without a tree, the round of the turn that is tried included
    playout: int  #: of `playout.PLAYOUTS`
    tries: int  #: plays of the round that each turn is tried in, where turns are scored
    drawn: int  #: best turns that "weighted" playouts draw from
    top: int  #: turns of a player that enter the tree, the best a round ahead; 0: all
    worth: int  #: of `worth.WORTHS`
    alpha: float  #: of placements: least worth of the first place
    beta: float  #: of placements: most worth of the other places
    locked: bool  #: one lock for the whole tree
    virtual: int  #: visits that a thread below a node pretends to have lost there; 0: none
    player: int  #: who searches
    foresee: int  #: the address of `foresight.foresee`, or of its stand-in


class SearchWork(NamedTuple):
    """What one thread writes."""

    generator: GeneratorWork
    turns: TurnSets  #: [P, ...] of each player, in the order of moves
    found: npt.NDArray[np.int64]  #: [P] how many
    look: Lookahead
    samples: Samples
    position: Position  #: that is looked at
    path: npt.NDArray[np.int32]  #: [MAX_DEPTH]
    cursor: npt.NDArray[np.int64]  #: [P] a child at each level
    reply_visits: npt.NDArray[np.float64]  #: [K]
    reply_total: npt.NDArray[np.int64]  #: [K]
    values: npt.NDArray[np.int64]  #: [P] what a simulation was worth to each player, in UNITs
    shares: npt.NDArray[np.float64]  #: [P]
    out: npt.NDArray[np.int64]  #: [P] when a player went out, 0 for before the search, -1: in the game; for placements
    rng: npt.NDArray[np.uint64]  #: [2]


def make_search_work(n_regions: int, n_edges: int, players: int, samples: int) -> SearchWork:
    """Working memory for one thread."""
    return reference(
        SearchWork(
            generator=make_generator_work(n_regions, n_edges, players),
            turns=make_turn_sets(n_regions, n_edges, players),
            found=private_zeros(players, np.int64),
            look=make_lookahead(n_regions, n_edges, players),
            samples=make_samples(n_regions, n_edges, players, samples),
            position=make_position(n_regions),
            path=private_zeros(MAX_DEPTH, np.int32),
            cursor=private_zeros(players, np.int64),
            reply_visits=private_zeros(MAX_TURNS, np.float64),
            reply_total=private_zeros(MAX_TURNS, np.int64),
            values=private_zeros(players, np.int64),
            shares=private_zeros(players, np.float64),
            out=private_zeros(players, np.int64),
            rng=private_zeros(2, np.uint64),
        )
    )
