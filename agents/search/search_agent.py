"""The base class of agents that search within a budget and store the statistics of the search."""

from __future__ import annotations

import math
import time
from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NamedTuple, TypeVar

from warlight_env.agents.base import EXCLUSIVE_METHODS, Agent, Budget, check_asked, resolve_limits
from warlight_env.agents.evaluation.static_evaluation import best_picks
from warlight_env.agents.records.search_record import Candidate, SearchRecord, SearchResult
from warlight_env.agents.search.time_management import TimeManager
from warlight_env.agents.weights import Weights
from warlight_env.arguments import seed_of
from warlight_env.engine.board import Board
from warlight_env.engine.orders import Orders
from warlight_env.engine.view import View
from warlight_env.thread_ownership import SingleThreaded

M = TypeVar("M")


class Limits(NamedTuple):
    """The limits of an answer, and the time at which `act` was called; times are values of `time.perf_counter`."""

    simulations: int | None  #: None: no limit
    start: float
    deadline: float  #: infinite if there is no time limit

    @property
    def late(self) -> bool:
        return time.perf_counter() >= self.deadline

    def record(
        self, candidates: Sequence[Candidate], valued: int, nodes: int, shallowest: int, deepest: int
    ) -> SearchRecord:
        """Return the `SearchRecord` of a search that ends now and used at most one tree."""
        seconds = time.perf_counter() - self.start
        return SearchRecord((valued,), (nodes,), (False,), (shallowest,), (deepest,), seconds, tuple(candidates))


class SearchAgent(SingleThreaded, Agent):
    """An agent that searches for its turns, for any number of players.

    Args:
        seed: seed of the agent's random generator.
        sims: largest number of simulations for one answer; each type of search defines what a simulation is.
        secs: largest time of one answer, in seconds.
        weights: weights of the evaluation: the name of a preset, a .json file, or `Weights`.
    """

    exclusive_methods = EXCLUSIVE_METHODS
    not_copied: ClassVar[tuple[str, ...]] = ("_of",)

    name = "search"
    default_simulations: ClassVar[int | None] = None  #: used if neither the budget nor the agent has limits

    def __init__(
        self, seed: int = 0, sims: int | None = None, secs: float | None = None, weights: str | Weights = "default"
    ) -> None:
        self.seed, self._sims, self._secs = seed_of(seed), sims, secs
        self.weights = Weights.load(weights)
        self._last: SearchResult | None = None
        self._of: tuple[Board, int, Any] | None = None
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
        check_asked(view, budget)
        budget = self._time_manager.allocate(view, budget)
        simulations, seconds = resolve_limits(budget, self._sims, self._secs, self.default_simulations)
        record = self._search(view, Limits(simulations, start, math.inf if seconds is None else start + seconds))
        self._last = SearchResult(view, self.weights, record)
        return record

    @abstractmethod
    def _search(self, view: View, limits: Limits) -> SearchRecord:
        """Search, and return the search's statistics, with at least one candidate."""

    def _memory(self, view: View, make: Callable[[int, int, int], M]) -> M:
        """Return working memory from `make(regions, edges, players)`.

        Further calls for the same board return the same working memory.
        """
        if self._of is None or self._of[0] is not view.board or self._of[1] != view.players:
            self._of = (view.board, view.players, make(view.board.n_regions, view.board.n_edges, view.players))
        memory: M = self._of[2]
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
