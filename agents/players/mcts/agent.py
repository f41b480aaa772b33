"""The agents that play with Monte Carlo tree search."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from warlight_env.agents.players.mcts.settings import PARALLEL_THREADS, THESIS_SETTINGS, MctsSettings
from warlight_env.agents.players.mcts.tree_search import TreeSearch
from warlight_env.agents.search.anytime import AnytimeSearch
from warlight_env.agents.search.anytime_agent import AnytimeAgent
from warlight_env.engine.view import View


class MctsAgent(AnytimeAgent):
    """Monte Carlo tree search over candidate turns; see `AnytimeAgent`, and `MctsSettings` for the parameters."""

    name = "mcts"
    search_type = TreeSearch
    default_settings = MctsSettings()

    def __init__(
        self,
        seed: int = 0,
        sims: int | None = None,
        secs: float | None = None,
        c: float | None = None,
        **parameters: Any,
    ) -> None:
        super().__init__(seed, sims, secs, exploration=c, **parameters)

    def pick(self, view: View) -> list[int]:
        """Return the preferred starting regions, best first.

        With the setting ``picks="best"`` the preferred regions are the set with the highest value (thesis, algorithms
        3.1 and 3.4). With other values of the setting `picks`, a tree search chooses the preferred regions.
        """
        if self.settings.picks == "best":
            return super().pick(view)
        return list(self._record(view, None).candidates[0].picks)

    def _max_simulations(self, simulations: int | None) -> int | None:
        return simulations if simulations is None or self.settings.final_move != "max_robust" else 2 * simulations

    def _run(
        self, search: AnytimeSearch, simulations: int | None, part: float, seconds_left: Callable[[float], float | None]
    ) -> None:
        if self.settings.final_move != "max_robust":
            super()._run(search, simulations, part, seconds_left)
            return
        search.run(simulations, seconds_left(0.5 * part))
        for tenth in range(1, 11):
            if search.agreed:
                break
            search.run(simulations and max(1, simulations // 10), seconds_left((0.5 + 0.05 * tenth) * part))


def thesis_mcts(seed: int = 0, **parameters: Any) -> MctsAgent:
    """Return an `MctsAgent` with the thesis's parameters as defaults."""
    return MctsAgent(seed, settings=THESIS_SETTINGS, **parameters)


def no_defense(seed: int = 0, **parameters: Any) -> MctsAgent:
    """Return an `MctsAgent` without the defensive deploy, and with `offensive` as the only method of attack."""
    return MctsAgent(seed, **parameters, defense=False)


def parallel_mcts(seed: int = 0, threads: int = PARALLEL_THREADS, **parameters: Any) -> MctsAgent:
    """Return an `MctsAgent` with several threads."""
    return MctsAgent(seed, threads=threads, **parameters)
