"""The settings and the working memory of a search's simulations, for kernels."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

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
    """The settings of simulations, without those of the selection rule. Fields for functions contain addresses."""

    player: int  #: the searching player
    outcome: int  #: address of a function in `outcome.OUTCOMES`
    rounds: int  #: number of rounds in a playout
    move: int  #: address of the rollout policy in `rollout_policy.ROLLOUT_POLICIES`
    lookahead_samples: int  #: number of simulations that score a turn in a one-round lookahead
    top_k: int  #: number of best turns from which the rollout policy "weighted" draws
    leaf: int  #: address of a function with the signature `context.leaf_signature`; it evaluates last positions
    utility: int  #: index into `simulation_utility.UTILITIES`
    alpha: float  #: for placements: minimum value of the first place
    beta: float  #: for placements: maximum value of the other places


def make_simulation_settings(**fields: Any) -> SimulationSettings:
    """Return settings with the given fields; by default, there are no functions and no rounds."""
    none = SimulationSettings(
        player=0, outcome=0, rounds=0, move=0, lookahead_samples=1, top_k=1, leaf=0, utility=0, alpha=0.0, beta=0.0
    )
    return reference(none._replace(**fields))


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
