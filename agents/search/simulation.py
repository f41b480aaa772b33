"""The settings and the working memory of a search's simulations, for kernels."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from warlight_env.agents.records.generator_work import GeneratorWork
from warlight_env.agents.search.leaves import Leaves, make_leaves
from warlight_env.agents.search.lookahead import LookaheadWork, make_lookahead_work
from warlight_env.agents.search.outcome import Samples, make_samples
from warlight_env.engine.memory import private_zeros
from warlight_env.engine.position import Position, make_position
from warlight_env.engine.reference import reference

#: The integer for the value 1 in sums of values. Sums are integers, so that threads can add to them atomically and in
#: any order.
UNIT: Final = 1 << 31


class SimulationSettings(NamedTuple):
    """The settings of simulations, without those of the selection rule. Fields for functions contain addresses.

    By default, there are no functions and no rounds.
    """

    player: int = 0  #: the searching player
    outcome: int = 0  #: address of a function in `outcome.OUTCOMES`
    rounds: int = 0  #: number of rounds in a playout
    move: int = 0  #: address of the rollout policy in `rollout_policy.ROLLOUT_POLICIES`
    lookahead_samples: int = 1  #: number of simulations that score a turn in a one-round lookahead
    top_k: int = 1  #: number of best turns from which the rollout policy "weighted" draws
    leaf: int = 0  #: address of a function with the signature `context.leaf_signature`; it evaluates last positions
    utility: int = 0  #: index into `simulation_utility.UTILITIES`
    alpha: float = 0.0  #: for placements: minimum value of the first place
    beta: float = 0.0  #: for placements: maximum value of the other places


class SimulationWork(NamedTuple):
    """Working memory of one thread for simulations."""

    generator: GeneratorWork  #: the same as `lookahead.generator`
    lookahead: LookaheadWork
    samples: Samples
    position: Position  #: the position that the simulation has reached
    leaves: Leaves
    rng: npt.NDArray[np.uint64]  #: [2]


def make_simulation_work(
    n_regions: int, n_edges: int, players: int, samples: int, capacity: int, leaves: int = 1
) -> SimulationWork:
    """Allocate working memory for one thread that runs simulations.

    capacity: the largest number of turns that a generator writes.
    """
    lookahead = make_lookahead_work(n_regions, n_edges, players, capacity)
    return reference(
        SimulationWork(
            generator=lookahead.generator,
            lookahead=lookahead,
            samples=make_samples(n_regions, n_edges, players, samples),
            position=make_position(n_regions),
            leaves=make_leaves(n_regions, players, leaves),
            rng=private_zeros(2, np.uint64),
        )
    )
