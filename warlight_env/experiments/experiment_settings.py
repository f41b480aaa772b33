"""The settings of an experiment's run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from warlight_env.arena.backends.backend import Backend

#: Budgets in simulations, or in the thesis's seconds.
BudgetType = Literal["simulations", "seconds"]
#: Receives the number of newly finished units (games or measurements), and their name.
OnProgress = Callable[[int, str], None]


@dataclass(frozen=True)
class ExperimentSettings:
    """The settings of a run. As in `play_contests`, `jobs` and `backend` change only the duration of the run.

    games: the number of games for each row of a table, or the number of measurements; None: the number in the thesis.
    """

    agent: str = "mcts_thesis"
    budget_type: BudgetType = "simulations"
    quick: bool = False
    seed: int = 1
    jobs: int | None = None
    backend: str | Backend = "local"
    games: int | None = None

    def count(self, full: int, quick: int) -> int:
        """Return the number of games or measurements. full: the number if `games` is None; quick: in a quick run."""
        if self.games is not None:
            return self.games
        return quick if self.quick else full
