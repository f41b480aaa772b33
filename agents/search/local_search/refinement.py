"""Local search after a search: several hill climbs improve the answer, and new scenarios select the best turn."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager

import numpy as np

from warlight_env.agents.context import Context
from warlight_env.agents.evaluation.determinization import minimal_determinization
from warlight_env.agents.records.generator_work import TurnSet, copy_turn
from warlight_env.agents.records.search_record import Candidate
from warlight_env.agents.search.local_search.neighborhood import fit, is_within, list_borders, random_neighbor
from warlight_env.agents.search.local_search.scenario_evaluation import (
    BEST,
    TRIED,
    ScenarioWork,
    draw_scenarios,
    evaluate_turn,
    make_scenario_work,
)
from warlight_env.agents.search.search_settings import SearchSettings
from warlight_env.agents.search.thread_pool import Job, Quota, run_jobs
from warlight_env.engine.jit import inline_kernel, kernel, prepare
from warlight_env.engine.kernel_types import Int, Real
from warlight_env.engine.orders import Orders
from warlight_env.engine.position import Position
from warlight_env.engine.rng import below, derive_seed, make_rng
from warlight_env.engine.view import View


@kernel
def value_turn(context: Context, position: Position, player: Int, rounds: Int, work: ScenarioWork) -> Real:
    """Draw new scenarios, simulate the turn at index BEST in them, and return the sum of the player's shares."""
    draw_scenarios(context, position, player, work)
    return evaluate_turn(context, position, player, rounds, BEST, False, work)


@inline_kernel
def _copy(turns: TurnSet, source: Int, target: Int) -> None:
    turns.counts[target] = copy_turn(turns, source, turns.deploy[target], turns.attacks[target])


@kernel
def hill_climb(context: Context, position: Position, player: Int, rounds: Int, trials: Int, work: ScenarioWork) -> Int:
    """Try changes to the turn at index BEST, and keep the changes that improve it; return the number of kept changes.

    `work.share` must contain the shares of the turn. About every third trial makes two changes to the turn instead of
    one. Turns with more orders than the rules allow are not simulated.
    """
    params = context.params
    improvements, turns, rng = 0, work.turns, work.rng
    n_borders = list_borders(context.board, position.owner, player, work.borders)
    if n_borders == 0:
        return improvements
    borders = work.borders[:n_borders]
    for _ in range(trials):
        _copy(turns, BEST, TRIED)
        deploy, attacks, count = turns.deploy[TRIED], turns.attacks[TRIED], turns.counts[TRIED]
        for _ in range(2 if below(rng, 3) == 0 else 1):
            count = random_neighbor(context, position, player, deploy, attacks, count, borders, rng, work.free)
        count = fit(position.army, deploy, attacks, count, work.free)
        if not is_within(deploy, count, params.max_orders):
            continue
        turns.counts[TRIED] = count
        gain = evaluate_turn(context, position, player, rounds, TRIED, True, work)
        if gain > 0.0:
            _copy(turns, TRIED, BEST)
            for k in range(work.dice.shape[0]):
                work.share[BEST, k] = work.share[TRIED, k]
            improvements += 1
    return improvements


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
        arguments = context, position, view.player, s.horizon
        borders = self._works[0].borders
        late = stopped() or time.perf_counter() >= deadline
        if late or list_borders(view.board, position.owner, view.player, borders) == 0:
            return None
        prepare(hill_climb, *arguments, 1, self._works[0])
        prepare(evaluate_turn, *arguments, BEST, False, self._works[0])
        begin = time.perf_counter()
        for i, work in enumerate(self._works):
            work.rng[:] = make_rng(derive_seed(seed, i))
            _write(work, start)
            with self._watch():
                value_turn(*arguments, work)
        turns = len(self._works)
        # reserve time for the evaluation of `start` and of the found turns in new scenarios
        deadline -= (1 + turns) / turns * (time.perf_counter() - begin)

        def climb(work: ScenarioWork, trials: int) -> None:
            with self._watch():
                hill_climb(*arguments, trials, work)

        jobs = [Job(functools.partial(climb, work), self._rate) for work in self._works]
        run_jobs(jobs, quotas, s.threads, deadline, stopped)
        self.trials = sum(job.done for job in jobs)
        answers = [start, *(_read(work) for work in self._works)]
        if all(orders == start for orders in answers):
            return None
        judge = self._works[0]
        values: list[float] = []
        for orders in answers:
            _write(judge, orders)
            with self._watch():
                values.append(
                    float(evaluate_turn(*arguments, BEST, False, judge) if values else value_turn(*arguments, judge))
                )
        best = int(np.argmax(values))
        return None if answers[best] == start else Candidate(answers[best], s.scenarios, values[best], refined=True)


def _write(work: ScenarioWork, orders: Orders) -> None:
    deploys, attacks = orders.arrays()
    work.turns.deploy[BEST] = 0
    np.add.at(work.turns.deploy[BEST], deploys[:, 0], deploys[:, 1].astype(np.int32))
    work.turns.attacks[BEST, : len(attacks)] = attacks
    work.turns.counts[BEST] = len(attacks)


def _read(work: ScenarioWork) -> Orders:
    turns = work.turns
    return Orders.from_arrays(turns.deploy[BEST], turns.attacks[BEST], int(turns.counts[BEST]))
