"""How a move's budget is spent: on how large a game, on its equilibrium, and on best responses that join it."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from warlight_env.agents.context import Context
from warlight_env.agents.players.nash.anchor import anchor
from warlight_env.agents.players.nash.equilibrium import begin, foretells, iterate
from warlight_env.agents.players.nash.nash_work import NashSetup, NashWork
from warlight_env.agents.players.nash.opponents import OpponentKinds
from warlight_env.agents.players.nash.responses import climb, join, start_climb
from warlight_env.agents.players.nash.simple_bots import SimpleBots
from warlight_env.agents.search.search_agent import Limits
from warlight_env.engine.jit import prepare
from warlight_env.engine.orders import Orders
from warlight_env.engine.position import Position
from warlight_env.engine.rng import derive_seed, make_rng

#: Plays of a local search between looks at the clock; regret matching looks after each iteration.
_SLICE: Final = 64
#: Seconds that are kept back for the answer.
_ANSWER: Final = 0.002
#: For a player whose turn is foretold with so large a chance no best responses are looked for.
_SURE: Final = 0.5


class Sizes(NamedTuple):
    """How large the game of a round is."""

    candidates: int  #: turns of each player at first
    responses: int  #: times that best responses are looked for
    scenarios: int  #: in which these are tried
    rounds: int  #: of a play

    @property
    def steps(self) -> int:
        """What a play costs: rounds by the policy, which take nearly all of the time, or the one that it has."""
        return max(1, self.rounds - 1)


#: Sizes by plays of a move, from so many on: with more plays, more turns can be told apart.
BY_PLAYS: Final = ((0, Sizes(20, 3, 48, 1)), (15_000, Sizes(60, 6, 128, 1)))
#: … where a turn network plays on. How its games go on tells more of a turn than the value network does after a round,
#: but luck takes part in each: that is for those who have many plays for few turns.
BY_NETWORK: Final = ((0, Sizes(20, 3, 48, 2)), (1_200, Sizes(8, 3, 48, 10)))


def sizes_for(table: Sequence[tuple[int, Sizes]], plays: float, steps: float, rounds: int | None = None) -> Sizes:
    """What pays with at most so many plays a move, and steps of them, by a table as above.

    rounds: of a play, where they are given; sizes for longer plays are then left out.
    """
    for least, sizes in reversed(table):
        own = sizes if rounds is None else sizes._replace(rounds=rounds)
        if own.rounds >= sizes.rounds and min(plays, steps / own.steps) >= least:
            return own
    return own  # the first, which is for any number


class RoundGame(NamedTuple):
    """The game of a round, as all threads get it."""

    context: Context
    setup: NashSetup
    position: Position
    player: int
    opponents: OpponentKinds | None  #: who says what the others choose from, where it is not what we do
    simple: SimpleBots | None  #: who says whether the others are bots whose turns can be foretold
    candidates: int
    responses: int
    refine: float  #: part of the budget for best responses
    anchor: float  #: what the network's likeliest turn counts more than its share, see `anchor`; 0: there is no network


class _Move:
    """One search of a round, and how much of its budget is spent."""

    def __init__(self, of: RoundGame, work: NashWork, limits: Limits) -> None:
        self._of, self._work, self._limits = of, work, limits
        asked = of.context, of.setup, of.position, of.player
        prepare(start_climb, *asked, work)
        prepare(climb, *asked, _SLICE, work)
        prepare(join, *asked, work)
        self._start = time.perf_counter()

    @property
    def _spent(self) -> float:
        """Part of the budget that is spent: of plays or of time, whichever is more."""
        limits, spent = self._limits, 0.0
        if limits.simulations is not None:
            spent = int(self._work.spent[0]) / max(1, limits.simulations)
        if limits.deadline != math.inf:
            whole = limits.deadline - _ANSWER - self._start
            spent = max(spent, (time.perf_counter() - self._start) / whole if whole > 0 else 1.0)
        return spent

    def _solve(self, end: float) -> None:
        """Regret matching until so much of the budget is spent, one iteration at least."""
        of, work = self._of, self._work
        while work.spent[1] == 0 or self._spent < end:
            before = int(work.spent[0])
            iterate(of.context, of.setup, of.position, 1, work)
            if work.spent[0] == before:
                return  # nobody has a choice, at least nobody who is no bot

    def _respond(self, player: int, end: float) -> None:
        """Look for a player's best response until so much of the budget is spent."""
        if self._spent >= end:
            return
        of, work = self._of, self._work
        start_climb(of.context, of.setup, of.position, player, work)
        changed = 0
        while self._spent < end:
            before = int(work.spent[0])
            changed += climb(of.context, of.setup, of.position, player, _SLICE, work)
            if work.spent[0] == before:
                return  # there is nothing to change
        if changed:
            join(of.context, of.setup, of.position, player, work)

    def run(self) -> None:
        """All of it: equilibria of the game as it is, and between these best responses, half of them for ourselves, or
        all where the others' turns are foretold."""
        of, work = self._of, self._work
        others = [p for p in range(of.context.players) if p != of.player and work.sizes[p]]
        times = of.responses if others and of.refine else 0
        guessed = [p for p in others if foretells(work, np.int64(p)) < _SURE]
        part = of.refine if times else 0.0
        end = (1.0 - part) / (times + 1)
        self._solve(end)
        for _ in range(times):
            share = part / times / (2 if guessed else 1)
            end += share
            self._respond(of.player, end)
            for p in guessed:
                end += share / len(guessed)
                self._respond(p, end)
            end += (1.0 - part) / (times + 1)
            self._solve(end)


def solve_round(of: RoundGame, works: Sequence[NashWork], limits: Limits) -> list[int]:
    """Search the game of a round in as many threads as there are works, each with the whole budget.

    All begin with the same turns; luck and best responses are each one's own. Returns how many turns each player had at
    the beginning.
    """
    start = works[0].rng.copy()
    for number, work in enumerate(works):
        work.rng[:] = start
        begin(of.context, of.position, work)
        if of.opponents is not None:
            for p in range(of.context.players):
                if p != of.player:
                    of.opponents.write(of.position, p, of.candidates, work)
        for p in range(of.context.players if of.anchor else 0):
            if p == of.player or of.opponents is None:
                anchor(of.context, of.position, p, np.float64(of.anchor), work)
        if of.simple is not None:
            for p in range(of.context.players):
                if p != of.player:
                    of.simple.write(of.position, p, work)
        if number:
            work.rng[:] = make_rng(derive_seed(int(start[0]), number))
    begun = [int(count) for count in works[0].sizes]
    moves = [_Move(of, work, limits) for work in works]
    if len(moves) == 1:
        moves[0].run()
        return begun
    with ThreadPoolExecutor(len(moves)) as pool:
        for done in [pool.submit(move.run) for move in moves]:
            done.result()
    return begun


class FoundTurns(NamedTuple):
    """A player's turns and what all threads found of them, K in all: those of the beginning, and then responses."""

    orders: list[Orders]
    visits: npt.NDArray[np.int64]  #: [K]
    total: npt.NDArray[np.float64]  #: [K] of shares
    bonus: npt.NDArray[np.float64]  #: [K] by which a turn counts for more than its mean share
    mixture: npt.NDArray[np.float64]  #: [K] the mean one, not normalised


def turns_of(works: Sequence[NashWork], player: int, begun: int) -> FoundTurns:
    """What the threads found of a player's turns, of which so many are those of the beginning."""
    orders: list[Orders] = []
    columns: list[list[npt.NDArray[np.float64]]] = [[], [], [], []]
    for number, work in enumerate(works):
        found, count = (work.visits, work.total, work.average, work.bonus), int(work.sizes[player])
        for column, values in zip(columns, found, strict=True):
            column.append(values[player, :count].astype(np.float64))
        turns = work.turns
        orders += [
            Orders.from_arrays(turns.deploy[player, i], turns.attacks[player, i], int(turns.counts[player, i]))
            for i in range(begun if number else 0, count)
        ]
    visits, total, mixture, bonus = (
        np.concatenate([sum(values[:begun] for values in column), *(values[begun:] for values in column)])
        for column in columns
    )
    return FoundTurns(orders, visits.astype(np.int64), total, bonus / len(works), mixture)
