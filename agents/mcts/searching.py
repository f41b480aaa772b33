"""A search for one move: settings, threads and trees, answers at any moment."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np

from warlight_env.agents.evaluation import extended_share, make_evaluation
from warlight_env.agents.imagined import imagined
from warlight_env.agents.mcts.flat import middle, plant_turns, results_of, sample
from warlight_env.agents.mcts.foresight import foresight
from warlight_env.agents.mcts.picking import plant_picks
from warlight_env.agents.mcts.record import Candidate, SearchRecord
from warlight_env.agents.mcts.search import leaf_depths, search
from warlight_env.agents.mcts.settings import MctsSettings, nodes_for
from warlight_env.agents.mcts.tree import (
    FULL,
    NODES,
    SIMULATIONS,
    STATES,
    UNIT,
    Tree,
    clear,
    load_turn,
    make_tree,
)
from warlight_env.agents.mcts.work import SearchWork, make_search_work
from warlight_env.agents.plug_ins import plug_in
from warlight_env.agents.weights import Weights
from warlight_env.engine.orders import Orders
from warlight_env.engine.rng import derive_seed, make_rng
from warlight_env.engine.state import pack
from warlight_env.engine.view import View

_SLICE = 0.004  # seconds that a thread searches before it looks at the clock


class _Tree:
    """A tree with the working memory of the threads that grow it."""

    def __init__(self, view: View, settings: MctsSettings, nodes: int) -> None:
        n, e, players = view.board.n_regions, view.board.n_edges, view.players
        flat = settings.sampling == "flat"  # keeps results, not nodes
        self.tree: Tree = make_tree(n, e, 0 if flat else nodes, players, nodes if flat else 0)
        workers = settings.threads if settings.parallel != "root" else 1
        self.works: list[SearchWork] = [make_search_work(n, e, players, settings.samples) for _ in range(workers)]
        self.rate = 2000.0  # simulations a second and thread, as measured


class Search:
    """A search for one move: `run` it for a while, ask `best` at any moment, `run` on, `stop` it from any thread.

    In the picking phase `best_picks` is what to ask.

    Args:
        view: the position; unknown regions are taken for neutral ones with two armies.
        settings: see `MctsSettings`.
        seed: of everything that is drawn.
        evaluation, generator, policy: functions of the kinds in `agents.plug_ins`; None: the built-in ones.
        simulations: how many a tree has room for, if `settings.memory` allows that; None: as much as that allows.
    """

    def __init__(
        self,
        view: View,
        settings: MctsSettings | None = None,
        seed: int = 0,
        evaluation: Callable[..., Any] | None = None,
        generator: Callable[..., Any] | None = None,
        policy: Callable[..., Any] | None = None,
        simulations: int | None = None,
    ) -> None:
        self.settings = MctsSettings() if settings is None else settings
        s = self.settings
        if evaluation is None and make_evaluation(view.board, Weights.load(s.weights)).extended:
            evaluation = extended_share
        self.functions = (
            plug_in("evaluation", evaluation), plug_in("generator", generator), plug_in("policy", policy),
            foresight(s.playout != "random" or s.top > 0),
        )  # fmt: skip
        #: Places in each tree: for nodes, or for results under flat sampling.
        self.nodes = nodes_for(s, view.board.n_regions, simulations, view.players)
        self.trees = [_Tree(view, s, self.nodes) for _ in range(s.n_trees)]
        self._stop = threading.Event()
        self.begin(view, seed)

    def begin(self, view: View, seed: int) -> None:
        """Start anew from another position on the same board; memory is kept."""
        s = self.settings
        self.view = view
        self.evaluation = make_evaluation(view.board, Weights.load(s.weights))
        self.kernel_settings = s.for_kernels(view.player, view.players)
        owner, army = imagined(view)
        self.seconds = 0.0
        self._stop.clear()
        for i, one in enumerate(self.trees):
            clear(one.tree)
            pack(owner, army, 0, one.tree.states[0])
            one.tree.used[STATES] = 1
            one.tree.state[0] = 0
            if view.phase == "pick":
                self._wishes = plant_picks(view, self.evaluation, one.tree, derive_seed(seed, i, len(one.works)))
            for k, work in enumerate(one.works):
                work.rng[:] = make_rng(derive_seed(seed, i, k))
            if s.sampling == "flat":
                plant_turns(
                    view.board, view.params, *self.functions, self.evaluation, self.kernel_settings, one.tree,
                    one.works[0],
                )  # fmt: skip

    def stop(self) -> None:
        """Make a running `run` return soon; from any thread."""
        self._stop.set()

    def run(self, simulations: int | None = None, seconds: float | None = None) -> None:
        """Search on: so many simulations in each tree, or so many seconds, whichever ends first."""
        start = time.perf_counter()
        deadline = math.inf if seconds is None else start + seconds
        wanted = simulations if simulations is not None else (1 << 60)
        s = self.settings
        if s.parallel == "leaf" and s.threads > 1:
            from warlight_env.agents.mcts.leaf import run_leaf_parallel

            run_leaf_parallel(self, wanted, deadline, self._stop.is_set)
        else:
            jobs = [(one, work) for one in self.trees for work in one.works]
            shared = _Quota(wanted) if len(self.trees) == 1 else None
            quotas = [shared or _Quota(wanted) for _ in jobs]
            if len(jobs) == 1 or s.threads == 1:
                self._in_turn(jobs, quotas, deadline)
            else:
                with ThreadPoolExecutor(s.threads) as pool:
                    running = [
                        pool.submit(self._grow, *job, quota, deadline) for job, quota in zip(jobs, quotas, strict=True)
                    ]
                    for future in running:
                        future.result()
        self.seconds += time.perf_counter() - start

    def _in_turn(self, jobs: list[tuple[_Tree, SearchWork]], quotas: list[_Quota], deadline: float) -> None:
        """Grow several trees in one thread, a slice each at a time."""
        while not self._stop.is_set() and time.perf_counter() < deadline:
            progress = [self._slice(*job, quota, deadline) for job, quota in zip(jobs, quotas, strict=True)]
            if not any(progress):
                break

    def _grow(self, one: _Tree, work: SearchWork, quota: _Quota, deadline: float) -> None:
        while not self._stop.is_set() and self._slice(one, work, quota, deadline):
            pass

    def _slice(self, one: _Tree, work: SearchWork, quota: _Quota, deadline: float) -> bool:
        """Search for a few milliseconds at most; False where the time or the simulations are used up."""
        now = time.perf_counter()
        n = quota.take(max(1, int(one.rate * min(_SLICE, deadline - now)))) if now < deadline else 0
        if n < 1:
            return False
        view, simulate = self.view, sample if self.settings.sampling == "flat" else search
        simulate(
            view.board,
            view.params,
            *self.functions,
            self.evaluation,
            self.kernel_settings,
            one.tree,
            work,
            n,
        )
        one.rate = 0.5 * one.rate + 0.5 * n / max(1e-6, time.perf_counter() - now)
        return True

    @property
    def simulations(self) -> int:
        """Simulations so far, in all trees."""
        return sum(int(one.tree.used[SIMULATIONS]) for one in self.trees)

    def candidates(self) -> list[Candidate]:
        """Our choices at the root with visits and values, those of all trees merged, the answer first."""
        merged: dict[Any, Candidate] = {}
        results: dict[Any, list[Any]] = {}
        flat = self.settings.sampling == "flat"
        for one in self.trees:
            tree = one.tree
            first, kept = int(tree.first[0]), results_of(tree) if flat else {}
            for child in range(first, first + max(0, int(tree.children[0]))):
                orders, picks = self._choice(tree, int(tree.turn[child]))
                key = (tuple(orders.deploys), tuple(orders.attacks), picks)
                visits, total = int(tree.visits[child]), int(tree.total[child]) / UNIT
                before = merged.get(key)
                if before is not None:
                    visits, total = visits + before.visits, total + before.total
                merged[key] = Candidate(orders, visits, total, picks)
                results.setdefault(key, []).append(kept.get(child, ()))
        found = list(merged.values())
        if flat:
            found = [
                replace(candidate, middle=middle(np.concatenate(results[key]), self.settings.final))
                for key, candidate in merged.items()
            ]
        return sorted(found, key=self._merit, reverse=True)

    def _choice(self, tree: Tree, turn: int) -> tuple[Orders, tuple[int, ...]]:
        """What a child of the root stands for: orders, or wishes while regions are picked."""
        board = self.view.board
        if self.view.phase == "pick":
            return Orders(), tuple(self._wishes[turn])
        deploy = np.zeros(board.n_regions, dtype=np.int32)
        attacks = np.zeros((board.n_edges, 3), dtype=np.int32)
        count = load_turn(board, tree, turn, deploy, attacks)
        return Orders.from_arrays(deploy, attacks, count), ()

    def _merit(self, candidate: Candidate) -> tuple[float, ...]:
        if candidate.middle is not None:
            return (float(candidate.visits > 0), candidate.middle, candidate.visits)
        if self.settings.final == "max":
            return (candidate.value, candidate.visits)
        if self.settings.final == "secure":
            spread = 1 / math.sqrt(candidate.visits) if candidate.visits else math.inf
            return (candidate.value - spread, candidate.visits)
        return (candidate.visits, candidate.value)

    def best_picks(self) -> list[int]:
        """The answer as things stand, in the picking phase: regions, the most wanted first."""
        return list(self.candidates()[0].picks)

    def best(self) -> Orders:
        """The answer as things stand."""
        candidates = self.candidates()
        if not candidates:
            self.run(simulations=1)
            candidates = self.candidates()
        orders, limit = candidates[0].orders, self.view.params.max_orders
        return Orders(orders.deploys[:limit], orders.attacks[:limit]) if limit else orders

    @property
    def agreed(self) -> bool:
        """Whether the child with the most visits is the one with the best value, too."""
        candidates = [c for c in self.candidates() if c.visits]
        return not candidates or max(c.value for c in candidates) == max(candidates, key=lambda c: c.visits).value

    def statistics(self) -> SearchRecord:
        """What the search came to."""
        depths = [leaf_depths(one.tree) for one in self.trees]
        return SearchRecord(
            simulations=tuple(int(one.tree.used[SIMULATIONS]) for one in self.trees),
            nodes=tuple(min(int(one.tree.used[NODES]), len(one.tree.visits)) for one in self.trees),
            full=tuple(bool(one.tree.used[FULL]) for one in self.trees),
            shallowest=tuple(int(low) for low, _ in depths),
            deepest=tuple(int(high) for _, high in depths),
            seconds=self.seconds,
            candidates=tuple(self.candidates()),
        )


class _Quota:
    """Simulations that are left, shared between threads."""

    def __init__(self, left: int) -> None:
        self._left, self._lock = left, threading.Lock()

    def take(self, most: int) -> int:
        """Up to `most` of what is left."""
        with self._lock:
            taken = min(most, self._left)
            self._left -= taken
            return taken
