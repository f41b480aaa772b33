"""The common part of players that search until their budget is spent."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar

from warlight_env.agents.base import ASKED, Agent, Budget, check_asked, given
from warlight_env.agents.evaluation import best_picks
from warlight_env.agents.generator_work import MAX_TURNS
from warlight_env.agents.plug_ins import Functions
from warlight_env.agents.search.anytime import AnytimeSearch
from warlight_env.agents.search.pacing import Pacer
from warlight_env.agents.search.search_settings import DEFAULT_SIMULATIONS, SearchSettings
from warlight_env.agents.search_record import Searched
from warlight_env.arguments import seed_of
from warlight_env.engine.orders import Orders
from warlight_env.engine.rng import derive_seed
from warlight_env.engine.view import View
from warlight_env.ownership import OneThread


class AnytimeAgent(OneThread, Agent):
    """A player by an `AnytimeSearch`; for any number of players.

    `evaluation`, `generator` (with the most turns that it writes, `capacity`), `policy`, `leaf`, `prior`: functions of
    the kinds in `agents.plug_ins`; None: the built-in ones. What they raise, and an answer of theirs that is none, ends
    the move; the agent can be asked again. Other parameters are those of its settings.
    """

    exclusive_methods = ASKED
    not_copied = ("search",)

    name = "anytime"
    search_type: ClassVar[Callable[..., Any]]  #: the `AnytimeSearch`
    default_settings: ClassVar[SearchSettings]

    def __init__(
        self,
        seed: int = 0,
        sims: int | None = None,
        secs: float | None = None,
        *,
        settings: SearchSettings | None = None,
        evaluation: Callable[..., Any] | None = None,
        generator: Callable[..., Any] | None = None,
        policy: Callable[..., Any] | None = None,
        leaf: Callable[..., Any] | None = None,
        prior: Callable[..., Any] | None = None,
        capacity: int = MAX_TURNS,
        **more: Any,
    ) -> None:
        base = self.default_settings if settings is None else settings
        chosen = {"simulations": sims, "seconds": secs, **more}
        self.settings: Any = replace(base, **{k: v for k, v in chosen.items() if v is not None})
        self.seed, self._moves = seed_of(seed), 0
        self._pacer = Pacer()
        own = Functions(evaluation, generator, policy, leaf, prior, capacity)
        self.functions: Functions = self.settings.functions(own)
        self.search: Any = None  #: of the last move

    def pick(self, view: View) -> list[int]:
        """The best set of regions by value and distance (thesis, algorithms 3.1 and 3.4)."""
        return best_picks(view, self.settings.weights)

    def act(self, view: View, budget: Budget | None = None) -> Orders:
        """Search for as long as the budget says or, where it says nothing, the settings."""
        return self._search(view, budget).best()

    @property
    def simulations(self) -> int:
        """Simulations of the last search in all of its parts, and trials of its local search."""
        return 0 if self.search is None else self.search.simulations + self.search.trials

    def searched(self) -> Searched | None:
        """The last search, with its record."""
        search = self.search
        return None if search is None else Searched(search.view, self.settings.weights, search.statistics())

    def _search(self, view: View, budget: Budget | None) -> Any:
        start = time.perf_counter()
        self._moves += 1
        seed = derive_seed(self.seed, self._moves)
        check_asked(view, budget)
        budget = self._pacer.paced(view, budget)
        simulations, seconds = given(budget, self.settings.simulations, self.settings.seconds, DEFAULT_SIMULATIONS)
        most, search = self._most(simulations), self.search
        if (
            search is None
            or search.view.board is not view.board
            or search.view.players != view.players
            or search.nodes < search.room(self.settings, view, self.functions, most)
        ):
            self.search = self.search_type(view, self.settings, seed, self.functions, most)
        else:
            search.begin(view, seed)
        self._spend(self.search, simulations, seconds, start)
        return self.search

    def _spend(self, search: AnytimeSearch, simulations: int | None, seconds: float | None, start: float) -> None:
        """The search with its part of the budget, then local search with the rest."""

        begin = time.perf_counter()  # making room for a large tree takes time, too

        def left(part: float) -> float | None:
            if seconds is None:
                return None
            return max(0.0, begin + part * (start + seconds - begin) - time.perf_counter())

        part = 1.0 if search.view.phase == "pick" else 1.0 - self.settings.refine
        grown = simulations and max(1, round(part * simulations))
        self._run(search, grown, part, left)
        if part < 1.0:
            search.refine(None if simulations is None or grown is None else simulations - grown, left(1.0))

    def _most(self, simulations: int | None) -> int | None:
        """For how many a search makes room."""
        return simulations

    def _run(
        self, search: AnytimeSearch, simulations: int | None, part: float, left: Callable[[float], float | None]
    ) -> None:
        """Run the search: so many simulations, or until `left(part)` seconds are gone."""
        search.run(simulations, left(part))

    def __repr__(self) -> str:
        return f"<agent {self.name}>"
