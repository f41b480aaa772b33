"""The base class of agents that use an `AnytimeSearch`."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any, ClassVar, Final

from warlight_env.agents.plug_ins.functions import Functions
from warlight_env.agents.records.search_record import SearchRecord
from warlight_env.agents.search.anytime import AnytimeSearch
from warlight_env.agents.search.search_agent import Limits, SearchAgent
from warlight_env.agents.search.search_settings import DEFAULT_SIMULATIONS, SearchSettings
from warlight_env.engine.rng import derive_seed
from warlight_env.engine.view import View

#: Names of the parameters for users' functions.
_FUNCTIONS: Final = frozenset(field.name for field in fields(Functions))


class AnytimeAgent(SearchAgent):
    """An agent that chooses its turns with an `AnytimeSearch`, for any number of players.

    The arguments `evaluation`, `generator`, `policy`, `leaf` and `prior` are users' functions, see
    `plug_ins.functions`; None stands for the built-in function. capacity: the largest number of turns that `generator`
    writes. After an exception in a user's function, or an invalid result, `act` raises an error; the agent can be
    called again. Further arguments are fields of the agent's settings.
    """

    not_copied = ("search",)

    name = "anytime"
    default_simulations = DEFAULT_SIMULATIONS
    search_type: ClassVar[Callable[..., Any]]  #: the class of the `AnytimeSearch`
    default_settings: ClassVar[SearchSettings]

    def __init__(
        self,
        seed: int = 0,
        sims: int | None = None,
        secs: float | None = None,
        *,
        settings: SearchSettings | None = None,
        **parameters: Any,
    ) -> None:
        functions = Functions(**{name: parameters.pop(name) for name in _FUNCTIONS & parameters.keys()})
        base = self.default_settings if settings is None else settings
        overrides = {"simulations": sims, "seconds": secs, **parameters}
        self.settings: Any = replace(base, **{k: v for k, v in overrides.items() if v is not None})
        super().__init__(seed, self.settings.simulations, self.settings.seconds, self.settings.weights)
        self._moves = 0
        self.functions: Functions = self.settings.functions(functions)
        self.search: Any = None  #: the search of the last move

    def _search(self, view: View, limits: Limits) -> SearchRecord:
        self._moves += 1
        seed = derive_seed(self.seed, self._moves)
        max_simulations, search = self._max_simulations(limits.simulations), self.search
        if (
            search is None
            or search.view.board is not view.board
            or search.view.players != view.players
            or search.nodes < search.room(self.settings, view, self.functions, max_simulations)
        ):
            search = self.search = self.search_type(view, self.settings, seed, self.functions, max_simulations)
        else:
            search.begin(view, seed)
        self._spend(search, limits)
        record: SearchRecord = search.statistics()
        if not record.candidates:  # there was no time for a simulation
            search.best()
            record = search.statistics()
        return record

    def _spend(self, search: AnytimeSearch, limits: Limits) -> None:
        """Run the search with a part of the budget, and then local search with the rest of the budget."""

        begin, simulations = time.perf_counter(), limits.simulations  # `limits.start` is before the tree's allocation

        def seconds_left(part: float) -> float | None:
            if limits.deadline == math.inf:
                return None
            return max(0.0, begin + part * (limits.deadline - begin) - time.perf_counter())

        part = 1.0 if search.view.phase == "pick" else 1.0 - self.settings.local_search
        tree_simulations = simulations and max(1, round(part * simulations))
        self._run(search, tree_simulations, part, seconds_left)
        if part < 1.0:
            search.improve_by_local_search(
                None if simulations is None or tree_simulations is None else simulations - tree_simulations,
                seconds_left(1.0),
            )

    def _max_simulations(self, simulations: int | None) -> int | None:
        """Return the number of simulations for which a search reserves memory."""
        return simulations

    def _run(
        self, search: AnytimeSearch, simulations: int | None, part: float, seconds_left: Callable[[float], float | None]
    ) -> None:
        """Run the search for at most `simulations` simulations, and for at most the time that `seconds_left(part)`
        returns, in seconds."""
        search.run(simulations, seconds_left(part))
