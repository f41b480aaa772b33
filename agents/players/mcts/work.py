"""The tree search's settings for kernels, and the working memory of one thread."""

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
    """Parameters of the search, and addresses of its interchangeable parts."""

    play: SimulationSettings
    exploration: float
    root_visits: bool  #: whether N in exploration terms is the root's visits, instead of the parent's
    select: int  #: from `selection.SELECTIONS`
    narrow: int  #: from `rollout_policy.NARROWINGS`; 0 if `breadth` is 0
    breadth: int  #: most turns of a player in the tree, the best by a one-round lookahead; 0: all
    prior: int  #: of `context.prior_signature`: writes priors of turns; 0: no priors
    leaf_batch: int  #: number of leaves that are evaluated together
    locked: bool  #: whether one lock protects the whole tree
    virtual: int  #: virtual losses of a running simulation at its nodes; 0: none


class TreeWork(NamedTuple):
    """Working memory of one thread; K: the most turns that a generator writes."""

    play: SimulationWork
    turns: TurnSets  #: [P, K, ...] turns of each player, in the order of moves
    found: npt.NDArray[np.int64]  #: [P] number of turns
    prior: npt.NDArray[np.float64]  #: [P, K]
    cursor: npt.NDArray[np.int64]  #: [P] a child at each level
    reply_visits: npt.NDArray[np.float64]  #: [K]
    reply_total: npt.NDArray[np.int64]  #: [K]


def make_tree_work(
    n_regions: int, n_edges: int, players: int, samples: int, capacity: int, leaves: int = 1
) -> TreeWork:
    """Make working memory for one thread; see `make_simulation_work`."""
    return reference(
        TreeWork(
            play=make_simulation_work(n_regions, n_edges, players, samples, capacity, leaves),
            turns=make_turn_sets(n_regions, n_edges, players, capacity),
            found=private_zeros(players, np.int64),
            prior=private_zeros((players, capacity), np.float64),
            cursor=private_zeros(players, np.int64),
            reply_visits=private_zeros(max(capacity, PICK_SETS), np.float64),
            reply_total=private_zeros(max(capacity, PICK_SETS), np.int64),
        )
    )
