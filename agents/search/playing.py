"""How rounds are played in a search."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from warlight_env.agents.records.generator_work import GeneratorWork, make_generator_work
from warlight_env.agents.search.leaves import Leaves, make_leaves
from warlight_env.agents.search.lookahead import Lookahead, make_lookahead
from warlight_env.agents.search.outcome import Samples, make_samples
from warlight_env.engine.memory import private_zeros
from warlight_env.engine.position import Position, make_position
from warlight_env.engine.reference import reference

#: A value of 1, as totals add it up: integers, which threads can add to atomically and in any order.
UNIT: Final = 1 << 31


class PlaySettings(NamedTuple):
    """Parts and parameters that do not depend on how a search selects, for kernels. Parts are addresses."""

    player: int  #: who searches
    outcome: int  #: of `outcome.OUTCOMES`
    rounds: int  #: of a playout
    move: int  #: of `foresight.PLAYOUTS`: whose turns a playout takes
    tries: int  #: plays of the round that each turn is tried in, where turns are scored
    drawn: int  #: best turns that "weighted" playouts draw from
    leaf: int  #: of `context.leaf_signature`: what positions are worth where a playout ends
    worth: int  #: of `worth.WORTHS`
    alpha: float  #: of placements: least worth of the first place
    beta: float  #: of placements: most worth of the other places


def play_settings(**fields: Any) -> PlaySettings:
    """Settings as kernels take them: no parts and no rounds, but for what is given."""
    none = PlaySettings(player=0, outcome=0, rounds=0, move=0, tries=1, drawn=1, leaf=0, worth=0, alpha=0.0, beta=0.0)
    return reference(none._replace(**fields))


class PlayWork(NamedTuple):
    """What one thread writes that plays rounds."""

    generator: GeneratorWork
    look: Lookahead
    samples: Samples
    position: Position  #: that is looked at
    leaves: Leaves
    rng: npt.NDArray[np.uint64]  #: [2]


def make_play_work(
    n_regions: int, n_edges: int, players: int, samples: int, capacity: int, leaves: int = 1
) -> PlayWork:
    """Working memory for one thread; capacity: turns that a generator writes at most."""
    return reference(
        PlayWork(
            generator=make_generator_work(n_regions, n_edges, players),
            look=make_lookahead(n_regions, n_edges, players, capacity),
            samples=make_samples(n_regions, n_edges, players, samples),
            position=make_position(n_regions),
            leaves=make_leaves(n_regions, players, leaves),
            rng=private_zeros(2, np.uint64),
        )
    )
