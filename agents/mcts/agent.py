"""The tree search as a player."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from warlight_env.agents.base import Agent, Budget, given
from warlight_env.agents.evaluation import best_picks
from warlight_env.agents.mcts.searching import Search
from warlight_env.agents.mcts.settings import (
    DEFAULT_SIMULATIONS,
    FLAT_SETTINGS,
    PARALLEL_THREADS,
    THESIS_SETTINGS,
    MctsSettings,
    nodes_for,
)
from warlight_env.agents.plug_ins import check_parameters
from warlight_env.agents.search_record import Searched
from warlight_env.engine.orders import Orders
from warlight_env.engine.rng import derive_seed
from warlight_env.engine.view import View


class MctsAgent(Agent):
    """Monte Carlo tree search over generated turns; for any number of players.

    `evaluation`, `generator`, `policy`: functions of the kinds in `agents.plug_ins`; None: the built-in ones. What
    they raise, and an answer of theirs that is none, ends the move; the agent can be asked again.
    """

    def __init__(
        self,
        seed: int = 0,
        sims: int | None = None,
        secs: float | None = None,
        c: float | None = None,
        *,
        settings: MctsSettings | None = None,
        evaluation: Callable[..., Any] | None = None,
        generator: Callable[..., Any] | None = None,
        policy: Callable[..., Any] | None = None,
        **more: Any,
    ) -> None:
        base = MctsSettings() if settings is None else settings
        given = {"simulations": sims, "seconds": secs, "exploration": c, **more}
        self.settings = replace(base, **{k: v for k, v in given.items() if v is not None})
        self.name = "mcts"
        self.seed, self._moves = seed, 0
        self._plug_ins = {"evaluation": evaluation, "generator": generator, "policy": policy}
        for kind, function in self._plug_ins.items():
            if function is not None:
                check_parameters(kind, function)
        self.search: Search | None = None  #: of the last move

    def pick(self, view: View) -> list[int]:
        """The best set of regions by value and distance (thesis, algorithms 3.1 and 3.4), or what a search finds."""
        if self.settings.picks == "best":
            return best_picks(view, self.settings.weights)
        return self._search(view, None).best_picks()

    def act(self, view: View, budget: Budget | None = None) -> Orders:
        """Search for as long as the budget says or, where it says nothing, the settings."""
        return self._search(view, budget).best()

    @property
    def simulations(self) -> int:
        """Simulations of the last search in all trees, and trials of its local search."""
        return 0 if self.search is None else self.search.simulations + self.search.trials

    def searched(self) -> Searched | None:
        """The last search, with its record."""
        search = self.search
        return None if search is None else Searched(search.view, self.settings.weights, search.statistics())

    def _search(self, view: View, budget: Budget | None) -> Search:
        start = time.perf_counter()
        self._moves += 1
        seed = derive_seed(self.seed, self._moves)
        simulations, seconds = self._limits(budget)
        most = simulations if simulations is None or self.settings.final != "max_robust" else 2 * simulations
        if (
            self.search is None
            or self.search.view.board is not view.board
            or self.search.view.players != view.players
            or self.search.nodes < nodes_for(self.settings, view.board.n_regions, most, view.players)
        ):
            self.search = Search(view, self.settings, seed, **self._plug_ins, simulations=most)
        else:
            self.search.begin(view, seed)
        self._spend(self.search, simulations, seconds, start)
        return self.search

    def _spend(self, search: Search, simulations: int | None, seconds: float | None, start: float) -> None:
        """The tree search with its part of the budget, then local search with the rest."""

        begin = time.perf_counter()  # making room for a large tree takes time, too

        def left(part: float) -> float | None:
            if seconds is None:
                return None
            return max(0.0, begin + part * (start + seconds - begin) - time.perf_counter())

        tree = 1.0 if search.view.phase == "pick" else 1.0 - self.settings.refine
        grown = simulations and max(1, round(tree * simulations))
        if self.settings.final != "max_robust":
            search.run(grown, left(tree))
        else:
            search.run(grown, left(0.5 * tree))
            for tenth in range(1, 11):
                if search.agreed:
                    break
                search.run(grown and max(1, grown // 10), left((0.5 + 0.05 * tenth) * tree))
        if tree < 1.0:
            search.refine(None if simulations is None or grown is None else simulations - grown, left(1.0))

    def _limits(self, budget: Budget | None) -> tuple[int | None, float | None]:
        return given(budget, self.settings.simulations, self.settings.seconds, DEFAULT_SIMULATIONS)


def thesis_mcts(seed: int = 0, **parameters: Any) -> MctsAgent:
    """`MctsAgent` with the thesis's own parameters, where they are not given."""
    return MctsAgent(seed, settings=THESIS_SETTINGS, **parameters)


def no_defense(seed: int = 0, **parameters: Any) -> MctsAgent:
    """`MctsAgent` without the defensive deploy and the two ways to attack that wait."""
    return MctsAgent(seed, **parameters, defense=False)


def parallel_mcts(seed: int = 0, threads: int = PARALLEL_THREADS, **parameters: Any) -> MctsAgent:
    """`MctsAgent` in several threads."""
    return MctsAgent(seed, threads=threads, **parameters)


def flat_monte_carlo(seed: int = 0, answer: str | None = None, **parameters: Any) -> MctsAgent:
    """`MctsAgent` without a tree: `answer` says by what of a turn's results ("median", "mean" or "mode")."""
    return MctsAgent(seed, settings=FLAT_SETTINGS, final=answer, **parameters)
