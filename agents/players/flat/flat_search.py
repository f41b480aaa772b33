"""The flat Monte Carlo search for one move, and the agent that plays with it."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated, Any, Final, NamedTuple

import numpy as np

from warlight_env.agents.parameters import Param, check_values, documented, parameters_of
from warlight_env.agents.players.flat.arms import (
    FOUND,
    FULL,
    SIMULATIONS,
    STATISTICS,
    Arms,
    central_value,
    draw,
    make_arms,
    record_value,
    reset_arms,
    results_of,
    sample,
)
from warlight_env.agents.plug_ins.functions import BUILT_IN, Functions
from warlight_env.agents.records.search_record import Candidate
from warlight_env.agents.search.anytime import AnytimeSearch
from warlight_env.agents.search.anytime_agent import AnytimeAgent
from warlight_env.agents.search.final_move import sorted_by_central_value
from warlight_env.agents.search.search_settings import SearchSettings
from warlight_env.agents.search.simulation import UNIT, SimulationWork, make_simulation_work
from warlight_env.agents.search.thread_pool import Quota
from warlight_env.engine.orders import Orders
from warlight_env.engine.position import Position
from warlight_env.engine.view import View

_RESULT_BYTES = 12


@documented
@dataclass(frozen=True)
class FlatSettings(SearchSettings):
    """The settings of flat Monte Carlo. The defaults are the values that the method's authors found best."""

    rounds: Annotated[
        int, Param("length of a simulation in rounds, including the round of the turn", 1, 10_000, shared=True)
    ] = 5  # fmt: skip
    local_search: float = 0.0
    scenarios: int = 96
    horizon: int = 3
    final_move: Annotated[
        str,
        Param(f"statistic that ranks turns by their results: {', '.join(STATISTICS)}", choices=STATISTICS, shared=True),
    ] = "median"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_values(SearchSettings, vars(self))  # the limits that all searches with simulations have in common


#: The parameters that specifications of this agent accept.
PARAMETERS: Final = parameters_of(FlatSettings)


class ArmStore(NamedTuple):
    """Arms (candidate turns), and the working memory of the threads that simulate these turns."""

    arms: Arms
    works: list[SimulationWork]


class FlatSearch(AnytimeSearch):
    """Flat Monte Carlo for one move, see `AnytimeSearch`. The search does not support the picking phase.

    Args:
        view, seed, functions, simulations: see `AnytimeSearch`.
        settings: see `FlatSettings`.
    """

    settings: FlatSettings

    def __init__(
        self,
        view: View,
        settings: FlatSettings | None = None,
        seed: int = 0,
        functions: Functions = BUILT_IN,
        simulations: int | None = None,
    ) -> None:
        super().__init__(view, FlatSettings() if settings is None else settings, seed, functions, simulations)

    @staticmethod
    def room(settings: FlatSettings, view: View, functions: Functions, simulations: int | None) -> int:
        """Return the number of results for which a store reserves memory; each simulation has one result."""
        allowed = max(1000, settings.memory * 2**20 // _RESULT_BYTES)
        return allowed if simulations is None else min(allowed, max(1000, simulations))

    def _make_store(self, view: View) -> ArmStore:
        n, e, players = view.board.n_regions, view.board.n_edges, view.players
        s, capacity = self.settings, self.functions.capacity
        works = [make_simulation_work(n, e, players, s.samples, capacity) for _ in range(s.workers)]
        return ArmStore(make_arms(n, e, capacity, self.nodes), works)

    def _plant(self, store: ArmStore, position: Position, seed: int) -> None:
        with self.watch():
            reset_arms(self.context, self.simulation_settings, position, store.arms, store.works[0])

    def _open(self, store: ArmStore, quota: Quota) -> None:
        """Do nothing, because `_plant` has already generated all arms."""

    @property
    def rounds(self) -> int:
        return self.simulation_settings.rounds - 1

    def kernels(
        self, store: ArmStore, work: SimulationWork
    ) -> tuple[Callable[[int], Any], Callable[[], Any], Callable[[], Any]]:
        settings, arms = self.simulation_settings, store.arms
        return (
            functools.partial(sample, self.context, settings, arms, work),
            functools.partial(draw, self.context, settings, arms, work),
            functools.partial(record_value, settings, arms, work),
        )

    def _ranked(self) -> list[Candidate]:
        merged: dict[Any, Candidate] = {}
        results: dict[Any, list[Any]] = {}
        for store in self.stores:
            arms, turn_results = store.arms, results_of(store.arms)
            for i in range(int(arms.counters[FOUND])):
                orders = Orders.from_arrays(arms.turns.deploy[i], arms.turns.attacks[i], int(arms.turns.counts[i]))
                key = (tuple(orders.deploys), tuple(orders.attacks))
                visits, total = int(arms.visits[i]), int(arms.total[i]) / UNIT
                existing = merged.get(key)
                if existing is not None:
                    visits, total = visits + existing.visits, total + existing.total
                merged[key] = Candidate(orders, visits, total)
                results.setdefault(key, []).append(turn_results.get(i, ()))
        return sorted_by_central_value(
            [
                replace(candidate, middle=central_value(np.concatenate(results[key]), self.settings.final_move))
                for key, candidate in merged.items()
            ]
        )

    def _counts(self, store: ArmStore) -> tuple[int, int, bool, int, int]:
        counters = store.arms.counters
        return int(counters[SIMULATIONS]), 1 + int(counters[FOUND]), bool(counters[FULL]), 1, 1


class FlatAgent(AnytimeAgent):
    """Flat Monte Carlo over candidate turns; see `AnytimeAgent`, and `FlatSettings` for the parameters."""

    name = "flat_mc"
    search_type = FlatSearch
    default_settings = FlatSettings()
