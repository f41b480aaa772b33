"""The settings of a tree search as a NamedTuple for kernels, and the working memory of one thread."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from warlight_env.agents.players.mcts.pick_search import PICK_SETS
from warlight_env.agents.records.generator_work import TurnSets, make_turn_sets
from warlight_env.agents.search.simulation import SimulationSettings, SimulationWork, make_simulation_work
from warlight_env.engine.memory import private_zeros
from warlight_env.engine.reference import reference


class TreeSettings(NamedTuple):
    """Parameters of the search, and addresses of its plug-in functions, for kernels."""

    play: SimulationSettings
    exploration: float = 0.0
    root_visits: bool = True  #: whether N in exploration terms is the root's visits, instead of the parent's
    select: int = 0  #: address of a function in `selection.SELECTIONS`
    narrow: int = 0  #: address of a function in `rollout_policy.NARROWINGS`; 0 if `breadth` is 0
    breadth: int = 0  #: largest number of a player's turns in the tree, chosen by a one-round lookahead; 0: all turns
    prior: int = 0  #: address of a function with the signature `context.prior_signature`; 0: no priors
    leaf_batch: int = 1  #: number of leaves that are evaluated together
    locked: bool = False  #: whether one lock protects the whole tree
    virtual: int = 0  #: number of virtual losses that a running simulation adds to each node on its path; 0: none


class TreeWork(NamedTuple):
    """Working memory of one thread of a tree search. K is the largest number of turns that a generator writes."""

    play: SimulationWork
    turns: TurnSets  #: [P, K, ...] turns of each player, in the order of moves
    turn_counts: npt.NDArray[np.int64]  #: [P] number of each player's turns
    prior: npt.NDArray[np.float64]  #: [P, K]
    cursor: npt.NDArray[np.int64]  #: [P] the next child at each level, for `select_duct`
    reply_visits: npt.NDArray[np.float64]  #: [K]
    reply_total: npt.NDArray[np.int64]  #: [K]


def make_tree_work(
    n_regions: int, n_edges: int, players: int, samples: int, capacity: int, leaves: int = 1
) -> TreeWork:
    """Allocate working memory for one thread of a tree search; see `make_simulation_work`."""
    return reference(
        TreeWork(
            play=make_simulation_work(n_regions, n_edges, players, samples, capacity, leaves),
            turns=make_turn_sets(n_regions, n_edges, players, capacity),
            turn_counts=private_zeros(players, np.int64),
            prior=private_zeros((players, capacity), np.float64),
            cursor=private_zeros(players, np.int64),
            reply_visits=private_zeros(max(capacity, PICK_SETS), np.float64),
            reply_total=private_zeros(max(capacity, PICK_SETS), np.int64),
        )
    )
