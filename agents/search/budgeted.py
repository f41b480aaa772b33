"""The common part of agents that search by a budget and keep a record of what they found, without a tree."""

from __future__ import annotations

import math
import time
from abc import abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple, TypeVar

from warlight_env.agents.base import ASKED, Agent, Budget, check_asked, given
from warlight_env.agents.evaluation import best_picks
from warlight_env.agents.search.pacing import Pacer
from warlight_env.agents.search_record import Candidate, Searched, SearchRecord
from warlight_env.agents.weights import Weights
from warlight_env.arguments import seed_of
from warlight_env.engine.board import Board
from warlight_env.engine.orders import Orders
from warlight_env.engine.view import View
from warlight_env.ownership import OneThread

M = TypeVar("M")


class Limits(NamedTuple):
    """What a move may spend; None: no limit."""

    simulations: int | None
    deadline: float  #: of `time.perf_counter`; infinite where there is none

    @property
    def late(self) -> bool:
        return time.perf_counter() >= self.deadline


class Found(NamedTuple):
    """What a search came to; nodes and depths as in `SearchRecord`.

    Where several searches were made, one deeper than the other, candidates and depths are of the one that answers.
    """

    candidates: list[Candidate]  #: the answer first
    valued: int  #: positions
    nodes: int
    shallowest: int
    deepest: int


class SearchingAgent(OneThread, Agent):
    """An agent whose search gives candidates, the answer first; for any number of players.

    Args:
        seed: of what is drawn.
        sims: positions to value in a move, at most.
        secs: seconds a move, at most.
        weights: of the evaluation: a preset, a .json file, or a record.
    """

    exclusive_methods = ASKED
    not_copied: ClassVar[tuple[str, ...]] = ("_of",)

    name = "searching"
    default_simulations: ClassVar[int | None] = None

    def __init__(
        self, seed: int = 0, sims: int | None = None, secs: float | None = None, weights: str | Weights = "default"
    ) -> None:
        self.seed, self._sims, self._secs = seed_of(seed), sims, secs
        self.weights = Weights.load(weights)
        self.view: View | None = None  #: of the last search
        self._record: SearchRecord | None = None
        self._of: tuple[Board, int, Any] | None = None
        self._pacer = Pacer()

    def pick(self, view: View) -> list[int]:
        """The best set of regions by value and distance."""
        return best_picks(view, self.weights)

    def act(self, view: View, budget: Budget | None = None) -> Orders:
        """Search for as long as the budget says or, where it says nothing, the agent's own parameters."""
        start = time.perf_counter()
        check_asked(view, budget)
        budget = self._pacer.paced(view, budget)
        simulations, seconds = given(budget, self._sims, self._secs, self.default_simulations)
        limits = Limits(simulations, math.inf if seconds is None else start + seconds)
        found = self._search(view, limits)
        self.view = view
        self._record = SearchRecord(
            simulations=(found.valued,),
            nodes=(found.nodes,),
            full=(False,),
            shallowest=(found.shallowest,),
            deepest=(found.deepest,),
            seconds=time.perf_counter() - start,
            candidates=tuple(found.candidates),
        )
        return found.candidates[0].orders.limited(view.params.max_orders)

    @abstractmethod
    def _search(self, view: View, limits: Limits) -> Found: ...

    def _memory(self, view: View, make: Callable[[int, int, int], M]) -> M:
        """Working memory by `make(regions, edges, players)`, kept as long as moves are of one board."""
        if self._of is None or self._of[0] is not view.board or self._of[1] != view.players:
            self._of = (view.board, view.players, make(view.board.n_regions, view.board.n_edges, view.players))
        memory: M = self._of[2]
        return memory

    @property
    def simulations(self) -> int:
        """Positions that the last search valued."""
        return 0 if self._record is None else sum(self._record.simulations)

    def statistics(self) -> SearchRecord | None:
        """What the last search came to; None before the first."""
        return self._record

    def searched(self) -> Searched | None:
        """The last search, with its record."""
        if self.view is None or self._record is None:
            return None
        return Searched(self.view, self.weights, self._record)

    def __repr__(self) -> str:
        return f"<agent {self.name}>"
