"""Flat Monte Carlo: the player's turns are bandit arms that are pulled at random, and every result is stored.

The enemies' turns come from the rollout policy. By default, the median of an arm's results ranks the turns: it gave the
best results in a student's project at Palacký University Olomouc about the game THUD!. The turns can also be ranked by
the mean or by the mode of the results.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from warlight_env.agents.context import Context, generate
from warlight_env.agents.records.generator_work import TurnSet, copy_turn, make_turn_set
from warlight_env.agents.search.playout import evaluate_leaves, move, play_orders
from warlight_env.agents.search.simulation import UNIT, SimulationSettings, SimulationWork
from warlight_env.agents.search.simulation_utility import PLACEMENTS, begin_eliminations, note_eliminations
from warlight_env.engine.atomic import atomic_add
from warlight_env.engine.jit import kernel
from warlight_env.engine.kernel_types import Int
from warlight_env.engine.memory import private_zeros
from warlight_env.engine.position import Position, copy_position, make_position, position_at
from warlight_env.engine.reference import reference
from warlight_env.engine.rng import below

#: Statistics that summarize a turn's results.
STATISTICS: Final = ("median", "mean", "mode")

#: Number of equal intervals into which 0 .. 1 is divided for the mode; results in one interval count as equal.
MODE_BINS: Final = 20

#: Indices of `Arms.counters`: turns, results, simulations, and results that were not stored for lack of room.
FOUND: Final = 0
RESULTS: Final = 16  # each counter has its own cache lines, because several threads change the counters
SIMULATIONS: Final = 32
FULL: Final = 48


class Arms(NamedTuple):
    """A position, the player's candidate turns (arms) in this position, and the results of the turns."""

    position: Position
    turns: TurnSet  #: [K, ...]
    visits: npt.NDArray[np.int32]  #: [K]
    total: npt.NDArray[np.int64]  #: [K] sum of the player's values as an integer; UNIT means 1
    result_of: npt.NDArray[np.int32]  #: [R] the index of the simulation's turn
    result: npt.NDArray[np.int64]  #: [R] value of the simulation for the player as an integer; UNIT means 1
    counters: npt.NDArray[np.int64]  #: counters at the indices FOUND, RESULTS, SIMULATIONS and FULL


def make_arms(n_regions: int, n_edges: int, capacity: int, results: int) -> Arms:
    """Return arms with room for `capacity` turns and the results of `results` simulations."""
    return reference(
        Arms(
            position=make_position(n_regions),
            turns=make_turn_set(n_regions, n_edges, capacity),
            visits=private_zeros(capacity, np.int32),
            total=private_zeros(capacity, np.int64),
            result_of=np.zeros(results, dtype=np.int32),
            result=np.zeros(results, dtype=np.int64),
            counters=private_zeros(64, np.int64),
        )
    )


@kernel
def reset_arms(
    context: Context, settings: SimulationSettings, position: Position, arms: Arms, work: SimulationWork
) -> None:
    """Generate the player's turns in a position as arms, and delete all results."""
    copy_position(position, arms.position)
    for i in range(arms.visits.shape[0]):
        arms.visits[i], arms.total[i] = 0, 0
    for i in range(arms.counters.shape[0]):
        arms.counters[i] = 0
    me, players = settings.player, context.players
    arms.counters[FOUND] = generate(context, position, me, work.rng, work.generator, arms.turns)
    # the other players' turns are not used, but drawing them keeps the random numbers the same
    for k in range(1, players):
        generate(context, position, (me + k) % players, work.rng, work.generator, work.lookahead.turns)


@kernel
def draw(context: Context, settings: SimulationSettings, arms: Arms, work: SimulationWork) -> None:
    """Play a round with a random arm of the player and rollout-policy turns of the other players.

    The path of leaf 0 contains the index of the arm.
    """
    leaves, position, me = work.leaves, work.position, settings.player
    arm = below(work.rng, arms.counters[FOUND])
    copy_position(arms.position, position)
    if settings.utility == PLACEMENTS:
        begin_eliminations(position.owner, leaves.eliminated_at[0])
    orders = work.samples.round
    for p in range(context.players):
        if p == me:
            orders.counts[p] = copy_turn(arms.turns, arm, orders.deploy[p], orders.attacks[p])
        else:
            move(context, settings, work, p)
    leaves.winner[0] = play_orders(context, settings, work)
    if settings.utility == PLACEMENTS:
        note_eliminations(position.owner, leaves.eliminated_at[0], 2)
    leaves.path[0, 0], leaves.length[0] = arm, 1
    copy_position(position, position_at(leaves.positions, 0))


@kernel
def record_value(settings: SimulationSettings, arms: Arms, work: SimulationWork) -> None:
    """Add the value of leaf 0 to the total of its arm, and append the value to `arms.result` unless that is full."""
    arm, value = work.leaves.path[0, 0], work.leaves.values[0, settings.player]
    atomic_add(arms.total, arm, value)
    atomic_add(arms.visits, arm, 1)
    atomic_add(arms.counters, SIMULATIONS, 1)
    place = atomic_add(arms.counters, RESULTS, 1)
    if place < arms.result.shape[0]:
        arms.result_of[place], arms.result[place] = arm, value
    else:
        atomic_add(arms.counters, FULL, 1)


@kernel
def sample(context: Context, settings: SimulationSettings, arms: Arms, work: SimulationWork, simulations: Int) -> None:
    """Run simulations on arms after `reset_arms`.

    Several threads may call this kernel at once, each with its own `work`.
    """
    for _ in range(simulations):
        draw(context, settings, arms, work)
        evaluate_leaves(context, settings, work, 1, settings.rounds - 1)
        record_value(settings, arms, work)


def results_of(arms: Arms) -> dict[int, npt.NDArray[np.float64]]:
    """Return a dictionary from the number of each tried turn to its simulations' values, in [0, 1]."""
    n_stored = min(int(arms.counters[RESULTS]), len(arms.result))
    turns, values = arms.result_of[:n_stored], arms.result[:n_stored] / UNIT
    return {int(turn): values[turns == turn] for turn in np.unique(turns)}


def central_value(results: npt.NDArray[Any], statistic: str) -> float:
    """Return the median, mean or mode of the values `results`, which are in [0, 1]; return 0 if there are no values.

    For the mode, [0, 1] is divided into MODE_BINS equal intervals. The mode is the centre of the interval that contains
    the most values. If several intervals contain equally many values, the mode is the centre of the highest of these
    intervals.
    """
    if len(results) == 0:
        return 0.0
    if statistic == "median":
        return float(np.median(results))
    if statistic == "mean":
        return float(np.mean(results))
    counts = np.bincount(np.minimum(np.asarray(results) * MODE_BINS, MODE_BINS - 1).astype(int), minlength=MODE_BINS)
    return (MODE_BINS - 1 - int(counts[::-1].argmax()) + 0.5) / MODE_BINS
