"""The equilibrium search for one move within its budget: it alternates regret matching and best responses."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from warlight_env.agents.context import Context
from warlight_env.agents.generators.turns import is_new
from warlight_env.agents.players.nash.equilibrium import begin_player, iterate, prediction_probability
from warlight_env.agents.players.nash.nash_work import NashSetup, NashWork
from warlight_env.agents.players.nash.opponent_types import OpponentTypes
from warlight_env.agents.players.nash.recognized_bots import RecognizedBots
from warlight_env.agents.players.nash.responses import add_best_response, hill_climb, start_climb
from warlight_env.agents.records.generator_work import copy_turn, turn_set_of
from warlight_env.agents.records.turn_record import Floats
from warlight_env.agents.search.search_agent import Limits
from warlight_env.agents.turn_net.turns import network_turn
from warlight_env.engine.jit import kernel, prepare
from warlight_env.engine.kernel_types import Int, Real
from warlight_env.engine.orders import Orders
from warlight_env.engine.position import Position
from warlight_env.engine.rng import derive_seed, make_rng

#: Number of simulations in local search between two checks of the clock. Regret matching checks the clock after each
#: iteration.
_SLICE: Final = 64
#: Seconds before the deadline that are reserved for returning the answer.
_ANSWER: Final = 0.002
#: Best responses are not searched for a player with a predicted turn of at least this probability.
_SURE: Final = 0.5


@kernel
def add_policy_anchor(context: Context, position: Position, p: Int, bonus: Real, work: NashWork) -> None:
    """Add a bonus, in units of the share, to a player's turn that the network finds most likely.

    With the bonus (the policy anchor), the search leaves the network's most likely turn only for a turn with a clearly
    higher value. A turn's value is a mean over a few simulations, and the value network evaluates the last positions of
    the simulations with errors. The turn with the highest mean is therefore often not the best turn. If the other
    players have candidate turns of the same types as the searching player, the network's most likely turn of each
    player gets the bonus. If the network's most likely turn is not among the player's candidate turns, no turn gets a
    bonus.

    piKL and Diplodocus use a similar method (Jacob et al., 2022; Bakhtin et al., 2023). The searches of piKL and
    Diplodocus for Diplomacy add a cost for a turn's distance to a policy. Here only the policy's most likely turn gets
    a bonus.
    """
    turns, trial = turn_set_of(work.turns, p), work.trial
    if work.sizes[p] == 0:
        return
    trial.counts[0] = network_turn(
        context, position, p, np.float64(0.0), work.rng, work.generator, trial.deploy[0], trial.attacks[0]
    )
    for i in range(work.sizes[p]):
        trial.counts[1] = copy_turn(turns, i, trial.deploy[1], trial.attacks[1])
        if not is_new(trial, np.int64(1)):
            work.bonus[p, i] = bonus
            break


class Sizes(NamedTuple):
    """The numbers that determine the cost of a search."""

    candidates: int  #: number of each player's candidate turns at the start
    best_responses: int  #: number of searches for best responses
    scenarios: int  #: number of scenarios in which a response is simulated
    rounds: int  #: number of rounds in a simulation

    @property
    def steps(self) -> int:
        """The cost of a simulation: its number of rounds after the first, and at least 1.

        The rounds after the first take nearly all the time of a simulation, because the policy must choose turns in
        them.
        """
        return max(1, self.rounds - 1)


#: Default sizes without a turn network: pairs (n, sizes) for moves with n or more simulations. With more simulations,
#: the search can distinguish more turns.
BY_PLAYS: Final = ((0, Sizes(20, 3, 48, 1)), (15_000, Sizes(60, 6, 128, 1)))
#: Default sizes with a turn network, in the form of BY_PLAYS. Later rounds give more information about a turn than the
#: value network after one round. But the result of a long simulation depends more on luck. So a search with long
#: simulations needs few turns with many simulations for each turn. The first row is for fewer rounds, which only the
#: parameter `rounds` can set.
BY_NETWORK: Final = ((0, Sizes(20, 3, 48, 2)), (0, Sizes(4, 0, 48, 10)), (1_200, Sizes(8, 3, 48, 10)))


def sizes_for(table: Sequence[tuple[int, Sizes]], plays: float, steps: float, rounds: int | None = None) -> Sizes:
    """Return the largest sizes in `table` for which `plays` simulations and `steps` steps are enough.

    Args:
        table: BY_PLAYS or BY_NETWORK.
        rounds: the number of rounds in a simulation, or None for the number in `table`; sizes in `table` with more
            rounds than `rounds` are left out.
    """
    for threshold, sizes in reversed(table):
        adjusted = sizes if rounds is None else sizes._replace(rounds=rounds)
        if adjusted.rounds >= sizes.rounds and min(plays, steps / adjusted.steps) >= threshold:
            return adjusted
    return adjusted  # the sizes in the first row are allowed for any number of simulations


class OwnTurns(NamedTuple):
    """The source of the searching player's candidate turns."""

    context: Context  #: the context with the generator and its turn network
    position: Position  #: the position for which the generator and its network propose turns
    memory: Floats  #: [N, N_MEMORY] features of the player's memory under fog, for the turn network; 0 without fog
    policy_anchor: float  #: bonus of the network's most likely turn, see `add_policy_anchor`; 0: no network


class RoundGame(NamedTuple):
    """The inputs of the search for one move, which are the same for all threads."""

    context: Context
    setup: NashSetup
    position: Position
    player: int
    opponents: OpponentTypes | None  #: estimates other players' turns; None: all players have the same types of turns
    simple: RecognizedBots | None  #: estimates whether the other players are predictable bots
    candidates: int
    best_responses: int
    local_search: float  #: fraction of the budget for finding best responses
    #: bonus of the network's most likely turn, see `add_policy_anchor`, for the other players; 0: there is no network
    policy_anchor: float
    own_turns: OwnTurns


class _RoundSearch:
    """The search of one thread for one move, within its budget."""

    def __init__(self, game: RoundGame, work: NashWork, limits: Limits) -> None:
        self._game, self._work, self._limits = game, work, limits
        arguments = game.context, game.setup, game.position, game.player
        prepare(start_climb, *arguments, work)
        prepare(hill_climb, *arguments, _SLICE, work)
        prepare(add_best_response, *arguments, work)
        self._start = time.perf_counter()

    @property
    def _spent_fraction(self) -> float:
        """The spent fraction of the budget: of its simulations or of its time, whichever fraction is larger."""
        limits, fraction = self._limits, 0.0
        if limits.simulations is not None:
            fraction = int(self._work.counters[0]) / max(1, limits.simulations)
        if limits.deadline != math.inf:
            total_seconds = limits.deadline - _ANSWER - self._start
            fraction = max(fraction, (time.perf_counter() - self._start) / total_seconds if total_seconds > 0 else 1.0)
        return fraction

    def _solve(self, end: float) -> None:
        """Run regret matching, at least one iteration, until the fraction `end` of the budget is spent."""
        game, work = self._game, self._work
        while work.counters[1] == 0 or self._spent_fraction < end:
            before = int(work.counters[0])
            iterate(game.context, game.setup, game.position, 1, work)
            if work.counters[0] == before:
                return  # no simulation was necessary, because no player has a choice

    def _respond(self, player: int, end: float) -> None:
        """Search for a player's best response until the fraction `end` of the budget is spent."""
        if self._spent_fraction >= end:
            return
        game, work = self._game, self._work
        start_climb(game.context, game.setup, game.position, player, work)
        changed = 0
        while self._spent_fraction < end:
            before = int(work.counters[0])
            changed += hill_climb(game.context, game.setup, game.position, player, _SLICE, work)
            if work.counters[0] == before:
                return  # the turn has nothing that can be changed
        if changed:
            add_best_response(game.context, game.setup, game.position, player, work)

    def run(self) -> None:
        """Run the whole search: alternate between regret matching and searches for best responses.

        Half of the budget for best responses is for the searching player. If the other players' turns are predicted,
        the searching player gets the whole budget for best responses.
        """
        game, work = self._game, self._work
        opponents = [p for p in range(game.context.players) if p != game.player and work.sizes[p]]
        times = game.best_responses if opponents and game.local_search else 0
        unpredicted = [p for p in opponents if prediction_probability(work, np.int64(p)) < _SURE]
        part = game.local_search if times else 0.0
        end = (1.0 - part) / (times + 1)
        self._solve(end)
        for _ in range(times):
            share = part / times / (2 if unpredicted else 1)
            end += share
            self._respond(game.player, end)
            for p in unpredicted:
                end += share / len(unpredicted)
                self._respond(p, end)
            end += (1.0 - part) / (times + 1)
            self._solve(end)


def _begin(game: RoundGame, work: NashWork) -> None:
    """Generate all players' candidate turns, add the bonus of the policy anchor, and clear all statistics.

    Only the searching player's network gets the features of the memory. In simulations these features are 0.
    """
    for p in range(game.context.players):
        context, position, bonus = game.context, game.position, game.policy_anchor if game.opponents is None else 0.0
        work.generator.net.memory[:] = 0.0
        if p == game.player:
            context, position, work.generator.net.memory[:], bonus = game.own_turns
        begin_player(context, position, p, work)
        if bonus:
            add_policy_anchor(context, position, p, np.float64(bonus), work)
    work.generator.net.memory[:] = 0.0
    work.counters[:] = 0


def solve_round(game: RoundGame, works: Sequence[NashWork], limits: Limits) -> list[int]:
    """Search the game of one round in several threads, one for each element of `works`.

    Each thread searches with the whole budget. All threads begin with the same candidate turns, but have different
    random numbers and best responses. Returns the number of each player's turns at the start of the search, before best
    responses are added.
    """
    start = works[0].rng.copy()
    opponents = [p for p in range(game.context.players) if p != game.player]
    for number, work in enumerate(works):
        work.rng[:] = start
        _begin(game, work)
        if game.opponents is not None:
            for p in opponents:
                game.opponents.write(game.position, p, game.candidates, work)
        if game.simple is not None:
            for p in opponents:
                game.simple.write(game.position, p, work)
        if number:
            work.rng[:] = make_rng(derive_seed(int(start[0]), number))
    start_counts = [int(count) for count in works[0].sizes]
    searches = [_RoundSearch(game, work, limits) for work in works]
    if len(searches) == 1:
        searches[0].run()
        return start_counts
    with ThreadPoolExecutor(len(searches)) as pool:
        list(pool.map(_RoundSearch.run, searches))
    return start_counts


class FoundTurns(NamedTuple):
    """A player's K turns with the results of all threads: the turns at the start, then the best responses."""

    orders: list[Orders]
    visits: npt.NDArray[np.int64]  #: [K] numbers of simulations
    total: npt.NDArray[np.float64]  #: [K] sums of the player's shares over the simulations
    bonus: npt.NDArray[np.float64]  #: [K] bonus of a turn in addition to its mean share
    mixture: npt.NDArray[np.float64]  #: [K] the mean mixture, not normalised


def turns_of(works: Sequence[NashWork], player: int, start_count: int) -> FoundTurns:
    """Merge the results of all threads for a player's turns; start_count: their number at the start."""
    orders: list[Orders] = []
    columns: list[list[npt.NDArray[np.float64]]] = [[], [], [], []]
    for number, work in enumerate(works):
        statistics, count = (work.visits, work.total, work.average, work.bonus), int(work.sizes[player])
        for column, values in zip(columns, statistics, strict=True):
            column.append(values[player, :count].astype(np.float64))
        turns = work.turns
        orders += [
            Orders.from_arrays(turns.deploy[player, i], turns.attacks[player, i], int(turns.counts[player, i]))
            for i in range(start_count if number else 0, count)
        ]
    visits, total, mixture, bonus = (
        np.concatenate([sum(values[:start_count] for values in column), *(values[start_count:] for values in column)])
        for column in columns
    )
    return FoundTurns(orders, visits.astype(np.int64), total, bonus / len(works), mixture)
