"""The tree search as a player."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from warlight_env.agents.base import Budget
from warlight_env.agents.evaluation import best_picks
from warlight_env.agents.mcts.searching import MctsSettings, Search
from warlight_env.agents.weights import Weights
from warlight_env.engine.orders import Orders
from warlight_env.engine.rng import derive_seed
from warlight_env.engine.view import View

#: Simulations where neither the budget nor the agent says how many: what the thesis's program did in 10 seconds.
DEFAULT_SIMULATIONS: Final = 457


class MctsAgent:
    """Monte Carlo tree search over generated turns; for games of two."""

    def __init__(
        self,
        seed: int = 0,
        sims: int | None = None,
        secs: float | None = None,
        c: float = 1.41,
        *,
        settings: MctsSettings | None = None,
        evaluation: Callable[..., Any] | None = None,
        generator: Callable[..., Any] | None = None,
        policy: Callable[..., Any] | None = None,
        **more: Any,
    ) -> None:
        base = MctsSettings() if settings is None else settings
        given = {"simulations": sims, "seconds": secs, **more}
        self.settings = replace(base, exploration=c, **{k: v for k, v in given.items() if v is not None})
        self.name = "mcts"
        self.seed, self._moves = seed, 0
        self._plug_ins = {"evaluation": evaluation, "generator": generator, "policy": policy}
        self.search: Search | None = None  #: of the last move

    def pick(self, view: View) -> list[int]:
        """The best set of regions by value and distance (thesis, algorithms 3.1 and 3.4)."""
        return best_picks(view, Weights.load(self.settings.weights))

    def act(self, view: View, budget: Budget | None = None) -> Orders:
        """Search for as long as the budget says, or else the settings."""
        self._moves += 1
        seed = derive_seed(self.seed, self._moves)
        if self.search is None or self.search.view.board is not view.board:
            self.search = Search(view, self.settings, seed, **self._plug_ins)
        else:
            self.search.begin(view, seed)
        simulations, seconds = self._limits(budget)
        self.search.run(simulations, seconds)
        if self.settings.final == "max_robust" and not self.search.agreed:
            for _ in range(10):
                self.search.run(simulations and max(1, simulations // 10), seconds and seconds / 10)
                if self.search.agreed:
                    break
        return self.search.best()

    def _limits(self, budget: Budget | None) -> tuple[int | None, float | None]:
        if budget is not None and (budget.simulations or budget.seconds):
            return budget.simulations, budget.seconds
        s = self.settings
        if s.simulations is None and s.seconds is None:
            return DEFAULT_SIMULATIONS, None
        return s.simulations, s.seconds


def no_defense(seed: int = 0, **parameters: Any) -> MctsAgent:
    """`MctsAgent` without the defensive deploy and the two ways to attack that wait."""
    return MctsAgent(seed, **parameters, defense=False)


def parallel_mcts(seed: int = 0, threads: int = 2, **parameters: Any) -> MctsAgent:
    """`MctsAgent` in several threads."""
    return MctsAgent(seed, threads=threads, **parameters)
