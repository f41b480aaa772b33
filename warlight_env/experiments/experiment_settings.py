"""How an experiment is run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from warlight_env.arena.backends.backend import Backend
from warlight_env.experiments.players import By

#: Told how many units more are done, and of what.
Advance = Callable[[int, str], None]


@dataclass(frozen=True)
class ExperimentSettings:
    """How an experiment is run; jobs and backend, as for `play_contests`, change nothing but the time."""

    agent: str = "mcts_thesis"
    by: By = "simulations"
    quick: bool = False
    seed: int = 1
    jobs: int | None = None
    backend: str | Backend = "local"
