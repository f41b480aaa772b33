"""Working memory of one thread of the equilibrium search."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from warlight_env.agents.context import Context
from warlight_env.agents.plug_ins.functions import plug_in
from warlight_env.agents.records.generator_work import (
    GeneratorWork,
    TurnSet,
    TurnSets,
    make_generator_work,
    make_turn_set,
    make_turn_sets,
)
from warlight_env.agents.search.leaves import Leaves, make_leaves
from warlight_env.agents.search.local_search.scenario_evaluation import BLOCK
from warlight_env.engine.jit import address
from warlight_env.engine.memory import private_zeros
from warlight_env.engine.reference import reference
from warlight_env.engine.state import Workspace, make_workspace


class SimpleContexts(NamedTuple):
    """The contexts of the simple bots number 1 and number 2, see `recognized_bots`."""

    first: Context
    second: Context


#: Number of predicted turns for each player: one for each simple bot.
PREDICTED: Final = len(SimpleContexts._fields)


class NashSetup(NamedTuple):
    """The settings of the search for one move, for kernels."""

    rounds: int  #: number of rounds in a simulation: a round with candidate turns, then rounds with the policy's turns
    scenarios: int  #: number of scenarios in which local search simulates a turn
    simple: SimpleContexts  #: contexts with the policies of bots with predictable turns
    leaf: int  #: address of a function with the signature `context.leaf_signature`; it evaluates last positions


class NashWork(NamedTuple):
    """Working memory of one thread for the game of one round. Each player has at most K turns."""

    generator: GeneratorWork
    turns: TurnSets  #: [P, K, ...]
    first: TurnSet  #: [C, ...] turns from the context's generator
    sizes: npt.NDArray[np.int64]  #: [P] number of turns of each player; 0 for eliminated players
    regret: npt.NDArray[np.float64]  #: [P, K] regrets of regret matching+
    mixture: npt.NDArray[np.float64]  #: [P, K] mixtures of the last iteration
    average: npt.NDArray[np.float64]  #: [P, K] sums of mixtures over iterations; later iterations have more weight
    total: npt.NDArray[np.float64]  #: [P, K] sum of the player's shares over all simulations of a turn
    visits: npt.NDArray[np.int64]  #: [P, K] number of simulations of a turn
    bonus: npt.NDArray[np.float64]  #: [P, K] bonus of a turn in addition to its share, see `round_solver`
    #: [P, B] probabilities that a player plays a predicted turn, see `recognized_bots`
    predicted_probability: npt.NDArray[np.float64]
    predicted_turn: npt.NDArray[np.int64]  #: [P, B] index of the predicted turn
    chosen: npt.NDArray[np.int64]  #: [P] index of each player's turn in the current simulation
    #: [P] number of the simple bot that a simulation assumes the player to be, also in later rounds; 0: no bot
    bot: npt.NDArray[np.int64]
    leaves: Leaves  #: [max(K, BLOCK), ...] last positions of simulations that are evaluated together
    simulated: npt.NDArray[np.int64]  #: [K] indices of one player's turns that are simulated in an iteration
    value: npt.NDArray[np.float64]  #: [K] values of one player's turns in an iteration
    trial: TurnSet  #: [2, ...] the best turn of the local search so far, and the turn that it tries
    result: npt.NDArray[np.float64]  #: [2, S] shares of the turns in `trial`, for each scenario
    opponent_turns: npt.NDArray[np.int64]  #: [S, P] the other players' turns in a scenario, as results of `choose`
    dice: npt.NDArray[np.uint64]  #: [S, 2]
    play_rng: npt.NDArray[np.uint64]  #: [2] random state of the simulation
    round: Workspace
    borders: npt.NDArray[np.int32]  #: [N] the player's regions that are adjacent to a region of another owner
    free: npt.NDArray[np.int64]  #: [N] armies without an order
    rng: npt.NDArray[np.uint64]  #: [2]
    counters: npt.NDArray[np.int64]  #: [2] numbers of simulations and of iterations


def make_nash_setup(
    context: Context,
    rounds: int,
    scenarios: int,
    simple: SimpleContexts | None = None,
    leaf: Callable[..., Any] | None = None,
) -> NashSetup:
    """Return the settings of the search for kernels.

    Args:
        simple: contexts of the simple bots that an opponent may be (see `recognized_bots`); with None, the search does
            not consider simple bots.
        leaf: the function that evaluates the last positions of simulations, see `plug_in`.
    """
    simple = SimpleContexts(context, context) if simple is None else simple
    return reference(NashSetup(rounds, scenarios, simple, address(plug_in("leaf", leaf))))


def make_nash_work(
    n_regions: int, n_edges: int, players: int, candidates: int, responses: int, scenarios: int
) -> NashWork:
    """Allocate working memory for one thread of the equilibrium search.

    Args:
        candidates: number of each player's turns at the start.
        responses: largest number of best responses that are added.
    """
    capacity = candidates + responses + PREDICTED
    return reference(
        NashWork(
            generator=make_generator_work(n_regions, n_edges, players),
            turns=make_turn_sets(n_regions, n_edges, players, capacity),
            first=make_turn_set(n_regions, n_edges, candidates),
            sizes=private_zeros(players, np.int64),
            regret=private_zeros((players, capacity), np.float64),
            mixture=private_zeros((players, capacity), np.float64),
            average=private_zeros((players, capacity), np.float64),
            total=private_zeros((players, capacity), np.float64),
            visits=private_zeros((players, capacity), np.int64),
            bonus=private_zeros((players, capacity), np.float64),
            predicted_probability=private_zeros((players, PREDICTED), np.float64),
            predicted_turn=private_zeros((players, PREDICTED), np.int64),
            chosen=private_zeros(players, np.int64),
            bot=private_zeros(players, np.int64),
            leaves=make_leaves(n_regions, players, max(capacity, BLOCK)),
            simulated=private_zeros(capacity, np.int64),
            value=private_zeros(capacity, np.float64),
            trial=make_turn_set(n_regions, n_edges, 2),
            result=private_zeros((2, scenarios), np.float64),
            opponent_turns=private_zeros((scenarios, players), np.int64),
            dice=private_zeros((scenarios, 2), np.uint64),
            play_rng=private_zeros(2, np.uint64),
            round=make_workspace(n_regions, n_edges, players),
            borders=private_zeros(n_regions, np.int32),
            free=private_zeros(n_regions, np.int64),
            rng=private_zeros(2, np.uint64),
            counters=private_zeros(2, np.int64),
        )
    )
