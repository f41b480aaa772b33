"""Parameters of the tree search as kernels take them, and what one thread writes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from warlight_env.agents.players.mcts.picking import PICK_SETS
from warlight_env.agents.records.generator_work import TurnSets, make_turn_sets
from warlight_env.agents.search.playing import PlaySettings, PlayWork, make_play_work
from warlight_env.engine.memory import private_zeros
from warlight_env.engine.reference import reference


class TreeSettings(NamedTuple):
    """Parts, as addresses, and parameters of the search."""

    play: PlaySettings
    exploration: float
    root_visits: bool  #: N in exploration terms is the visits of the root, not of the parent
    select: int  #: of `selection.SELECTIONS`
    narrow: int  #: of `foresight.NARROWINGS`; 0 where `top` is
    top: int  #: turns of a player that enter the tree, the best a round ahead; 0: all
    prior: int  #: of `context.prior_signature`: how likely turns are taken to be; 0: there is none
    leaves: int  #: that are valued together
    locked: bool  #: one lock for the whole tree
    virtual: int  #: visits that a simulation under way pretends to have lost at its nodes; 0: none


class TreeWork(NamedTuple):
    """What one thread writes; K: turns that a generator writes at most."""

    play: PlayWork
    turns: TurnSets  #: [P, K, ...] of each player, in the order of moves
    found: npt.NDArray[np.int64]  #: [P] how many
    prior: npt.NDArray[np.float64]  #: [P, K]
    cursor: npt.NDArray[np.int64]  #: [P] a child at each level
    reply_visits: npt.NDArray[np.float64]  #: [K]
    reply_total: npt.NDArray[np.int64]  #: [K]


def make_tree_work(
    n_regions: int, n_edges: int, players: int, samples: int, capacity: int, leaves: int = 1
) -> TreeWork:
    """Working memory for one thread; see `make_play_work`."""
    return reference(
        TreeWork(
            play=make_play_work(n_regions, n_edges, players, samples, capacity, leaves),
            turns=make_turn_sets(n_regions, n_edges, players, capacity),
            found=private_zeros(players, np.int64),
            prior=private_zeros((players, capacity), np.float64),
            cursor=private_zeros(players, np.int64),
            reply_visits=private_zeros(max(capacity, PICK_SETS), np.float64),
            reply_total=private_zeros(max(capacity, PICK_SETS), np.int64),
        )
    )
