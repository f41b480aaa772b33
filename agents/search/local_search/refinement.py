"""Local search after a search: several hill climbs improve the answer, and new scenarios select the best turn."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager

import numpy as np

from warlight_env.agents.context import Context
from warlight_env.agents.evaluation.determinization import minimal_determinization
from warlight_env.agents.records.search_record import Candidate
from warlight_env.agents.search.local_search.hill_climbing import hill_climb, value_turn
from warlight_env.agents.search.local_search.neighborhood import list_borders
from warlight_env.agents.search.local_search.scenario_evaluation import (
    BEST,
    ScenarioWork,
    evaluate_turn,
    make_scenario_work,
)
from warlight_env.agents.search.search_settings import SearchSettings
from warlight_env.agents.search.thread_pool import Job, Quota, run_jobs
from warlight_env.engine.jit import prepare
from warlight_env.engine.orders import Orders
from warlight_env.engine.rng import derive_seed, make_rng
from warlight_env.engine.view import View


class LocalSearch:
    """Local search that improves a search's answers, with working memory for one board.

    Args:
        view: a view of a game with the same board and rules as the later games.
        settings: see `SearchSettings`; the search uses scenarios, horizon and threads.
        climbs: the number of hill climbs; each one starts from the same turn.
        rate: assumed number of trials per second, until it is measured.
        watch: returns the context manager for kernel calls that may call users' functions, see `AnytimeSearch.watch`.
    """

    def __init__(
        self,
        view: View,
        settings: SearchSettings,
        climbs: int,
        rate: float,
        watch: Callable[[], AbstractContextManager[None]],
    ) -> None:
        self._settings, self._rate, self._watch = settings, rate, watch
        n, e = view.board.n_regions, view.board.n_edges
        self.trials = 0  #: number of trials of the last `run`, in all hill climbs
        self._works = [make_scenario_work(n, e, view.players, settings.scenarios) for _ in range(climbs)]

    def run(
        self,
        view: View,
        context: Context,
        start: Orders,
        seed: int,
        quotas: Sequence[Quota],
        deadline: float,
        stopped: Callable[[], bool],
    ) -> Candidate | None:
        """Run the hill climbs from `start`, and return the best of the found turns; None if no turn is better.

        The best turn has the highest mean share in new scenarios, which no climb has used. `start` must respect the
        rules' limit of orders. quotas: the number of trials, for each climb. With the same seed and quotas, the turn is
        reproducible if each thread has its own quota and only the quotas end the climbs.
        """
        self.trials = 0
        s = self._settings
        position = minimal_determinization(view)
        course = context, position, view.player, s.horizon
        borders = self._works[0].borders
        late = stopped() or time.perf_counter() >= deadline
        if late or list_borders(view.board, position.owner, view.player, borders) == 0:
            return None
        prepare(hill_climb, *course, 1, self._works[0])
        prepare(evaluate_turn, *course, BEST, False, self._works[0])
        begin = time.perf_counter()
        for i, work in enumerate(self._works):
            work.rng[:] = make_rng(derive_seed(seed, i))
            _write(work, start)
            with self._watch():
                value_turn(*course, work)
        turns = len(self._works)
        # reserve time for the evaluation of `start` and of the found turns in new scenarios
        deadline -= (1 + turns) / turns * (time.perf_counter() - begin)

        def climbing(work: ScenarioWork, trials: int) -> None:
            with self._watch():
                hill_climb(*course, trials, work)

        jobs = [Job(functools.partial(climbing, work), self._rate) for work in self._works]
        run_jobs(jobs, quotas, s.threads, deadline, stopped)
        self.trials = sum(job.done for job in jobs)
        found = [start, *(_read(work) for work in self._works)]
        if all(orders == start for orders in found):
            return None
        judge = self._works[0]
        values: list[float] = []
        for orders in found:
            _write(judge, orders)
            with self._watch():
                values.append(
                    float(evaluate_turn(*course, BEST, False, judge) if values else value_turn(*course, judge))
                )
        best = int(np.argmax(values))
        return None if found[best] == start else Candidate(found[best], s.scenarios, values[best], refined=True)


def _write(work: ScenarioWork, orders: Orders) -> None:
    deploys, attacks = orders.arrays()
    work.turns.deploy[BEST] = 0
    np.add.at(work.turns.deploy[BEST], deploys[:, 0], deploys[:, 1].astype(np.int32))
    work.turns.attacks[BEST, : len(attacks)] = attacks
    work.turns.counts[BEST] = len(attacks)


def _read(work: ScenarioWork) -> Orders:
    turns = work.turns
    return Orders.from_arrays(turns.deploy[BEST], turns.attacks[BEST], int(turns.counts[BEST]))
