"""A search for one move: settings, threads and trees, answers at any moment."""

from __future__ import annotations

import contextlib
import functools
import math
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from types import TracebackType
from typing import Any

import numpy as np

from warlight_env.agents.evaluation import extended_share, make_evaluation
from warlight_env.agents.imagined import lone
from warlight_env.agents.mcts.crew import Job, Quota, work_off
from warlight_env.agents.mcts.flat import middle, plant_turns, results_of, sample
from warlight_env.agents.mcts.foresight import foresight
from warlight_env.agents.mcts.leaf import run_leaf_parallel
from warlight_env.agents.mcts.outcome import CHOICES
from warlight_env.agents.mcts.picking import plant_picks
from warlight_env.agents.mcts.refinement import Refinement
from warlight_env.agents.mcts.search import leaf_depths, search
from warlight_env.agents.mcts.settings import MctsSettings, nodes_for
from warlight_env.agents.mcts.tree import (
    FULL,
    LEAF,
    NODES,
    SIMULATIONS,
    STATES,
    UNIT,
    Tree,
    clear,
    load_turn,
    make_tree,
)
from warlight_env.agents.mcts.work import SearchWork, Settings, make_search_work
from warlight_env.agents.plug_ins import is_ours, plug_in
from warlight_env.agents.search_record import Candidate, SearchRecord
from warlight_env.engine.orders import Orders
from warlight_env.engine.raised import watched
from warlight_env.engine.rng import derive_seed, make_rng
from warlight_env.engine.state import pack
from warlight_env.engine.view import View
from warlight_env.errors import RunError

# Simulations a second and thread, before they are measured; users' functions may take long.
_RATE, _FOREIGN_RATE = 2000.0, 1.0


class _Tree:
    """A tree with the working memory of the threads that grow it."""

    def __init__(self, view: View, settings: MctsSettings, nodes: int) -> None:
        n, e, players = view.board.n_regions, view.board.n_edges, view.players
        flat = settings.sampling == "flat"  # keeps results, not nodes
        self.tree: Tree = make_tree(n, e, 0 if flat else nodes, players, nodes if flat else 0)
        workers = settings.threads if settings.parallel != "root" else 1
        self.works: list[SearchWork] = [make_search_work(n, e, players, settings.samples) for _ in range(workers)]


class _Watch(watched):
    """`watched`, for a search. No generator: in those, a user's StopIteration would be another error."""

    __slots__ = ("_search",)

    def __init__(self, search: Search) -> None:
        self._search = search

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if kind is not None:
            self._search.spoil()
        try:
            super().__exit__(kind, error, traceback)
        except BaseException:
            self._search.spoil()
            raise


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
        if evaluation is None and make_evaluation(view.board, s.weights).extended:
            evaluation = extended_share
        self._foreign = not all(map(is_ours, (evaluation, generator, policy)))
        self.functions = (
            plug_in("evaluation", evaluation), plug_in("generator", generator), plug_in("policy", policy),
            foresight(s.playout != "random" or s.top > 0),
        )  # fmt: skip
        #: Places in each tree: for nodes, or for results under flat sampling.
        self.nodes = nodes_for(s, view.board.n_regions, simulations, view.players)
        self.trees = [_Tree(view, s, self.nodes) for _ in range(s.n_trees)]
        self._rate = _FOREIGN_RATE if self._foreign else _RATE
        self._jobs = [
            Job(functools.partial(self._grow, one.tree, work), self._rate) for one in self.trees for work in one.works
        ]
        self._refinement: Refinement | None = None
        #: What `refine` came to, where it found something better; None after `run`.
        self.refined: Candidate | None = None
        self._stop = threading.Event()
        if self._foreign:
            self._try_out(view)
        self.begin(view, seed)

    def _try_out(self, view: View) -> None:
        """Ask users' functions once, before anything is spent on them: in one short simulation."""
        self.begin(view, 0)
        self.kernel_settings: Settings = self.kernel_settings._replace(rounds=1, choice=CHOICES.index("single"))
        self.run(simulations=1)

    def begin(self, view: View, seed: int) -> None:
        """Start anew from another position on the same board; memory is kept."""
        s = self.settings
        self.view, self.seed, self.refined, self._failed = view, seed, None, False
        self.evaluation = make_evaluation(view.board, s.weights)
        self.kernel_settings = s.for_kernels(view.player, view.players)
        owner, army = lone(view)
        self.seconds, self.trials, self._refinements = 0.0, 0, 0
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
                with self.watch():
                    plant_turns(
                        view.board, view.params, *self.functions, self.evaluation, self.kernel_settings, one.tree,
                        one.works[0],
                    )  # fmt: skip

    def stop(self) -> None:
        """Make a running `run` or `refine` return soon; from any thread."""
        self._stop.set()

    def run(self, simulations: int | None = None, seconds: float | None = None) -> None:
        """Search on: so many simulations in each tree, or so many seconds, whichever ends first.

        What a user's function raises ends it, as does an answer of one that is none (`AnswerError`). Nothing can be
        asked of the search then until it is begun anew.
        """
        self._check()
        start = time.perf_counter()
        deadline = math.inf if seconds is None else start + seconds
        wanted = simulations if simulations is not None else (1 << 60)
        s = self.settings
        if s.parallel == "leaf" and s.threads > 1:
            run_leaf_parallel(self, wanted, deadline, self._stop.is_set)
        else:
            quotas = self._quotas(wanted)
            if time.perf_counter() < deadline and not self._stop.is_set():
                self._open_roots(quotas)
            work_off(self._jobs, quotas, s.threads, deadline, self._stop.is_set)
        self.refined = None
        self.seconds += time.perf_counter() - start

    def refine(self, trials: int | None = None, seconds: float | None = None) -> None:
        """Improve the answer as it stands by local search: so many trials for each tree, or so many seconds.

        `best` is then what came of it, until the next `run`; another `refine` goes on from there, in new scenarios.
        Starting regions are not refined.
        """
        self._check()
        start = time.perf_counter()
        if self.view.phase == "pick" or not (trials is None or trials > 0):
            return
        deadline = math.inf if seconds is None else start + seconds
        if self._refinement is None:
            self._refinement = Refinement(
                self.view, self.settings, self.functions, len(self._jobs), self._rate, self.watch
            )
        quotas = self._quotas(trials if trials is not None else (1 << 60))
        seed = derive_seed(self.seed, len(self.trees) + self._refinements)
        found = self._refinement.refine(
            self.view, self.evaluation, self.best(), seed, quotas, deadline, self._stop.is_set
        )
        self._refinements += 1
        if found is not None:
            self.refined = found
        self.trials += self._refinement.trials
        self.seconds += time.perf_counter() - start

    def _quotas(self, steps: int) -> list[Quota]:
        """So many steps for each tree, shared by its threads."""
        by_tree = [Quota(steps) for _ in self.trees]
        return [quota for one, quota in zip(self.trees, by_tree, strict=True) for _ in one.works]

    def _open_roots(self, quotas: list[Quota]) -> None:
        """Give the root of a tree that threads share its children, by one simulation of one thread.

        Threads that find another at a leaf play out from there: at the root, that would tell nothing about our turns.
        """
        for one, quota in zip(self.trees, quotas[:: len(self.trees[0].works)], strict=True):
            if len(one.works) > 1 and one.tree.children[0] <= LEAF and quota.take(1):
                self._grow(one.tree, one.works[0], 1)

    def _grow(self, tree: Tree, work: SearchWork, simulations: int) -> None:
        simulate = sample if self.settings.sampling == "flat" else search
        with self.watch():
            simulate(
                self.view.board, self.view.params, *self.functions, self.evaluation, self.kernel_settings, tree, work,
                simulations,
            )  # fmt: skip

    def watch(self) -> AbstractContextManager[Any]:
        """Around kernels that call the functions: what those of users raise is raised, and spoils the search."""
        return _Watch(self) if self._foreign else contextlib.nullcontext()

    def spoil(self) -> None:
        """Have nothing more asked of the search until it is begun anew."""
        self._failed = True

    def _check(self) -> None:
        if self._failed:
            raise RunError("the search ended with an error in a user's function; begin another")

    @property
    def simulations(self) -> int:
        """Simulations so far, in all trees."""
        return sum(int(one.tree.used[SIMULATIONS]) for one in self.trees)

    def candidates(self) -> list[Candidate]:
        """Our choices at the root with visits and values, those of all trees merged, the answer first."""
        self._check()
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
        found.sort(key=self._merit, reverse=True)
        return found if self.refined is None else [self.refined, *found]

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
        return candidates[0].orders.limited(self.view.params.max_orders)

    @property
    def agreed(self) -> bool:
        """Whether the child with the most visits is the one with the best value, too."""
        candidates = [c for c in self.candidates() if c.visits]
        return not candidates or max(c.value for c in candidates) == max(candidates, key=lambda c: c.visits).value

    def statistics(self) -> SearchRecord:
        """What the search came to."""
        flat = self.settings.sampling == "flat"  # there are our turns below the root, and no more
        depths = [(1, 1) if flat else leaf_depths(one.tree) for one in self.trees]
        return SearchRecord(
            simulations=tuple(int(one.tree.used[SIMULATIONS]) for one in self.trees),
            nodes=tuple(
                1 + int(one.tree.children[0]) if flat else min(int(one.tree.used[NODES]), len(one.tree.visits))
                for one in self.trees
            ),
            full=tuple(bool(one.tree.used[FULL]) for one in self.trees),
            shallowest=tuple(int(low) for low, _ in depths),
            deepest=tuple(int(high) for _, high in depths),
            seconds=self.seconds,
            trials=self.trials,
            candidates=tuple(self.candidates()),
        )
