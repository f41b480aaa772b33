"""The base class of agents that search within a budget, and the division of a time bank among their turns."""

from __future__ import annotations

import math
import time
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Final, NamedTuple, TypeVar

import numpy as np

from warlight_env.agents.base import EXCLUSIVE_METHODS, Agent, Budget, check_request, resolve_limits
from warlight_env.agents.evaluation.static_evaluation import best_picks
from warlight_env.agents.records.search_record import Candidate, SearchRecord, SearchResult
from warlight_env.agents.weights import Weights
from warlight_env.arguments import seed_of
from warlight_env.engine.board import Board
from warlight_env.engine.orders import Orders
from warlight_env.engine.round import income
from warlight_env.engine.state import UNKNOWN
from warlight_env.engine.view import View
from warlight_env.maps import Map
from warlight_env.thread_ownership import SingleThreaded

#: The fraction of the bank for a normal turn. Near the round limit, it is 1 / (number of remaining rounds). The turn
#: also gets the whole increment.
PART: Final = 1 / 20
#: Factors of this fraction. FIRST: in the first rounds of the game. MET: in the first rounds of a contact, that is, of
#: a time with an enemy at the border. AT_WAR: in later rounds of a contact. QUIET: without an enemy at the border.
FIRST, MET, AT_WAR, QUIET = 1.5, 2.0, 1.0, 0.5
#: OPENING: the number of first rounds of a game. MEETING: the number of first rounds of a contact. APART: a contact
#: ends after this number of rounds without an enemy at the border.
OPENING: Final = 3
MEETING: Final = 2
APART: Final = 3
#: DECIDED: a game is decided if the mean of a player's share of armies and share of income is at least this number.
#: ROUTINE: the factor of the time for turns in a decided game.
DECIDED: Final = 0.8
ROUTINE: Final = 0.1
#: RESERVE: seconds of the bank that are never spent. _RESERVED_PART: the reserve is at most this fraction of the bank.
RESERVE: Final = 0.02
_RESERVED_PART: Final = 0.1

M = TypeVar("M")


class TimeManager:
    """Divides the time bank of one player over its turns. Call `allocate` once for each turn, in order.

    The first turns, and the first turns with an enemy at the border, get more time. Turns in a decided game get little
    time.
    """

    def __init__(self) -> None:
        self._map: Map | None = None
        self._round = 0
        self._last: int | None = None  # last round with an enemy at the border
        self._contact_start = 0  # first round of the current contact

    def allocate(self, view: View, budget: Budget | None) -> Budget | None:
        """Set the seconds for this turn in a budget with a bank; return a budget without a bank unchanged.

        If the game is not decided, the seconds for the turn include the whole increment of the clock.
        """
        if budget is None or budget.bank is None:
            return budget
        bank, weight = budget.bank, self._weight(view)
        limit = view.params.round_limit
        part = max(PART, 1 / max(1, limit - view.round)) if limit else PART
        seconds = weight * part * bank + budget.increment
        if is_decided(view):
            seconds = ROUTINE * (part * bank + budget.increment)
        return replace(budget, seconds=min(seconds, bank - min(RESERVE, _RESERVED_PART * bank)))

    def _weight(self, view: View) -> float:
        if view.map != self._map or view.round < self._round:
            self._map, self._last = view.map, None
        self._round = view.round
        weight = QUIET
        if _meets_enemy(view):
            if self._last is None or view.round - self._last > APART:
                self._contact_start = view.round
            self._last = view.round
            weight = MET if view.round - self._contact_start < MEETING else AT_WAR
        return max(weight, FIRST) if view.round < OPENING else weight


def is_decided(view: View) -> bool:
    """Return whether a player's share of armies and income is so large that the result is certain.

    The game is decided if a share is at least `DECIDED`. An enemy's share is its part of the armies and income that
    this enemy and the searching player have together. The searching player's share is its part of the armies and income
    of all players; this share is computed only if the searching player sees all regions.
    """
    armies, incomes = [], []
    for player in range(view.players):
        is_owned = view.owner == player
        alive = bool(is_owned.any())
        armies.append(float(view.army[is_owned].sum()))
        incomes.append(float(income(view.board, view.params.base_income, view.owner, player)) if alive else 0.0)
    me, enemies = view.player, [p for p in range(view.players) if p != view.player and armies[p] > 0]
    if not enemies or not armies[me]:
        return False

    def share(player: int, opponents: list[int]) -> float:
        players = [player, *opponents]
        return sum(values[player] / sum(values[p] for p in players) for values in (armies, incomes)) / 2

    if not (view.owner == UNKNOWN).any() and share(me, enemies) >= DECIDED:
        return True
    return any(share(enemy, [me]) >= DECIDED for enemy in enemies)


def _meets_enemy(view: View) -> bool:
    """Return whether the player has a region adjacent to an enemy's region."""
    owner = view.owner.tolist()
    enemies = {p for p in range(view.players) if p != view.player}
    own_regions = np.flatnonzero(view.owner == view.player).tolist()
    return any(owner[neighbor] in enemies for region in own_regions for neighbor in view.map.neighbors[region])


class Limits(NamedTuple):
    """The limits of an answer, and the time at which `act` was called; times are values of `time.perf_counter`."""

    simulations: int | None  #: None: no limit
    start: float
    deadline: float  #: infinite if there is no time limit

    @property
    def late(self) -> bool:
        return time.perf_counter() >= self.deadline

    def record(
        self, candidates: Sequence[Candidate], simulations: int, nodes: int, shallowest: int, deepest: int
    ) -> SearchRecord:
        """Return the `SearchRecord` of a search that ends now and used at most one tree."""
        seconds = time.perf_counter() - self.start
        return SearchRecord((simulations,), (nodes,), (False,), (shallowest,), (deepest,), seconds, tuple(candidates))


class SearchAgent(SingleThreaded, Agent):
    """An agent that searches for its turns, for any number of players.

    Args:
        seed: seed of the agent's random generator.
        sims: largest number of simulations for one answer; each type of search defines what a simulation is.
        secs: largest time of one answer, in seconds.
        weights: weights of the evaluation: the name of a preset, a .json file, or `Weights`.
    """

    exclusive_methods = EXCLUSIVE_METHODS
    not_copied: ClassVar[tuple[str, ...]] = ("_memory_cache",)

    name = "search"
    default_simulations: ClassVar[int | None] = None  #: used if neither the budget nor the agent has limits

    def __init__(
        self, seed: int = 0, sims: int | None = None, secs: float | None = None, weights: str | Weights = "default"
    ) -> None:
        self.seed, self._sims, self._secs = seed_of(seed), sims, secs
        self.weights = Weights.load(weights)
        self._last: SearchResult | None = None
        self._memory_cache: tuple[Board, tuple[int, ...], Any] | None = None
        self._time_manager = TimeManager()

    def pick(self, view: View) -> list[int]:
        """Return the starting regions with the highest values, best first (thesis, algorithms 3.1 and 3.4)."""
        return best_picks(view, self.weights)

    def act(self, view: View, budget: Budget | None = None) -> Orders:
        """Search within the budget; if the budget has no limits, within the limits of the agent's parameters."""
        return self._record(view, budget).candidates[0].orders.limited(view.params.max_orders)

    def _record(self, view: View, budget: Budget | None) -> SearchRecord:
        """Search, store the result for `last_search`, and return the search's statistics."""
        start = time.perf_counter()
        check_request(view, budget)
        budget = self._time_manager.allocate(view, budget)
        simulations, seconds = resolve_limits(budget, self._sims, self._secs, self.default_simulations)
        record = self._search(view, Limits(simulations, start, math.inf if seconds is None else start + seconds))
        self._last = SearchResult(view, self.weights, record)
        return record

    @abstractmethod
    def _search(self, view: View, limits: Limits) -> SearchRecord:
        """Search, and return the search's statistics, with at least one candidate."""

    def _memory(self, view: View, make: Callable[..., M], *sizes: int) -> M:
        """Return working memory from `make(regions, edges, players, *sizes)`.

        Further calls for the same board, number of players and sizes return the same working memory.
        """
        board, counts, cache = view.board, (view.players, *sizes), self._memory_cache
        if cache is None or cache[0] is not board or cache[1] != counts:
            cache = self._memory_cache = board, counts, make(board.n_regions, board.n_edges, *counts)
        memory: M = cache[2]
        return memory

    @property
    def simulations(self) -> int:
        """The number of simulations in all trees of the last search, plus the number of trials of local search."""
        record = self.statistics()
        return 0 if record is None else sum(record.simulations) + record.trials

    def statistics(self) -> SearchRecord | None:
        """Return the statistics of the last search; None before the first search."""
        return None if self._last is None else self._last.record

    def last_search(self) -> SearchResult | None:
        """Return the input and the statistics of the last search; None before the first search."""
        return self._last

    def __repr__(self) -> str:
        return f"<agent {self.name}>"
