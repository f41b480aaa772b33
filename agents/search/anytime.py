"""The base class of anytime searches. The class manages threads, budgets, users' functions and answers."""

from __future__ import annotations

import contextlib
import functools
import math
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any, ClassVar

from warlight_env.agents.evaluation.determinization import minimal_determinization
from warlight_env.agents.evaluation.game_outcome import ONGOING
from warlight_env.agents.plug_ins.functions import Functions, make_context
from warlight_env.agents.records.search_record import Candidate, SearchRecord
from warlight_env.agents.search.local_search.refinement import LocalSearch
from warlight_env.agents.search.outcome import OUTCOMES
from warlight_env.agents.search.playout import evaluate_leaves
from warlight_env.agents.search.search_settings import SearchSettings
from warlight_env.agents.search.simulation import SimulationSettings, SimulationWork
from warlight_env.agents.search.thread_pool import Job, Quota, run_jobs
from warlight_env.engine.callback_errors import raise_callback_errors
from warlight_env.engine.orders import Orders
from warlight_env.engine.position import Position
from warlight_env.engine.rng import derive_seed, make_rng
from warlight_env.engine.view import View
from warlight_env.errors import RunError
from warlight_env.thread_ownership import SingleThreaded

# Assumed simulations per second and thread until the speed is measured; the second number is for users' functions.
_RATE, _FOREIGN_RATE = 2000.0, 1.0


def _copy_leaf(source: SimulationWork, target: SimulationWork) -> None:
    """Copy leaf 0 and its path to the working memory of another thread."""
    arrays: Any = zip(target.leaves.positions, source.leaves.positions, strict=True)
    for target_array, source_array in arrays:
        target_array[0] = source_array[0]
    for name in ("winner", "eliminated_at", "path", "length"):
        getattr(target.leaves, name)[0] = getattr(source.leaves, name)[0]


class _Watch(raise_callback_errors):
    """A `raise_callback_errors` that also marks the search as failed after an exception.

    `_Watch` is a class, not a generator with `contextlib`, because a generator would replace a user's StopIteration by
    another error.
    """

    __slots__ = ("_search",)

    def __init__(self, search: AnytimeSearch) -> None:
        self._search = search

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if kind is not None:
            self._search.mark_failed()
        try:
            super().__exit__(kind, error, traceback)
        except BaseException:
            self._search.mark_failed()
            raise


class AnytimeSearch(SingleThreaded, ABC):
    """A search for one move that can be interrupted and continued.

    `run` searches for some time, and a further call continues the search. `best` returns the current answer at any
    time. `stop` ends a running `run`, and any thread may call it.

    Args:
        view: the position; unknown regions count as neutral with two armies.
        settings: see `SearchSettings` and its subclasses.
        seed: seed of all random numbers.
        functions: users' functions; see `plug_ins.Functions`.
        simulations: number of simulations for which each store has memory, up to `settings.memory`. If `simulations` is
            None, each store gets all of `settings.memory`.
    """

    exclusive_methods: ClassVar[tuple[str, ...]] = (
        "begin", "run", "improve_by_local_search", "candidates", "best", "agreed", "statistics",
    )  # fmt: skip

    #: A thread runs simulations in multiples of this number.
    grain = 1
    #: The class of the object that improves the answer.
    improvement: ClassVar[Callable[..., LocalSearch]] = LocalSearch

    def __init__(
        self, view: View, settings: SearchSettings, seed: int, functions: Functions, simulations: int | None
    ) -> None:
        self.settings, self.functions = settings, settings.functions(functions)
        #: Capacity of each store, in nodes or results.
        self.nodes = self.room(settings, view, self.functions, simulations)
        self.stores = [self._make_store(view) for _ in range(settings.n_trees)]
        self._rate = _FOREIGN_RATE if functions.foreign else _RATE
        self._jobs = [
            Job(functools.partial(self._simulate, store, work), self._rate, self.grain)
            for store in self.stores
            for work in store.works
        ]
        self._local_search: LocalSearch | None = None
        #: The result of `improve_by_local_search`, if it found a better answer; None after `run`.
        self.refined: Candidate | None = None
        self._stop = threading.Event()
        if functions.foreign:
            self._try_out(view)
        self.begin(view, seed)

    # Methods that differ between types of searches

    @staticmethod
    @abstractmethod
    def room(settings: Any, view: View, functions: Functions, simulations: int | None) -> int:
        """Return the capacity of a store: as much as `settings.memory` allows, or less if `simulations` need less."""

    @abstractmethod
    def _make_store(self, view: View) -> Any: ...

    @abstractmethod
    def _plant(self, store: Any, position: Position, seed: int) -> None:
        """Clear a store of results and set its position.

        The random generators of the threads that use the store must be seeded.
        """

    @abstractmethod
    def _open(self, store: Any, quota: Quota) -> None:
        """Do the work that one thread must do before several threads share a store (for example a tree)."""

    @abstractmethod
    def kernels(self, store: Any, work: Any) -> tuple[Callable[[int], Any], Callable[[], Any], Callable[[], Any]]:
        """Return the functions ``simulate(n)``, ``select()`` and ``backpropagate()`` of a thread.

        ``simulate(n)`` runs n simulations. ``select()`` selects one leaf and writes it as leaf 0; ``backpropagate()``
        updates the store with the value of leaf 0.
        """

    def play_work(self, work: Any) -> SimulationWork:
        """Return the part of a thread's working memory that playouts use."""
        part: SimulationWork = work
        return part

    @abstractmethod
    def _ranked(self) -> list[Candidate]:
        """Return the player's candidates with visits and values, merged over all stores; the answer comes first."""

    @abstractmethod
    def _counts(self, store: Any) -> tuple[int, int, bool, int, int]:
        """Return the numbers of simulations and nodes, whether the memory was full, and two leaf depths.

        The first leaf depth is that of the shallowest leaf; the second is that of the deepest leaf.
        """

    @property
    def rounds(self) -> int:
        """The number of rounds of a playout."""
        return self.simulation_settings.rounds

    def _set_kernel_settings(self, play: SimulationSettings) -> None:
        """Store the settings for the kernels, for the player of `self.view`."""
        self.simulation_settings = play

    # Common methods

    def _try_out(self, view: View) -> None:
        """Run one short simulation that calls the users' functions, to find errors early."""
        self.begin(view, 0)
        self._set_kernel_settings(self.simulation_settings._replace(rounds=1, outcome=OUTCOMES.address("single")))
        self.run(simulations=1)

    def begin(self, view: View, seed: int) -> None:
        """Start a new search from another position on the same board, with the memory that is already allocated."""
        s = self.settings
        self.view, self.seed, self.refined, self._failed = view, seed, None, False
        net = None if s.net is None else s.net.for_known_position(view)
        self.context = make_context(
            view.board, view.params, view.players, s.weights, s.generators, self.functions, s.value, net
        )
        self._set_kernel_settings(s.for_playing(view.player, self.functions))
        position = minimal_determinization(view)
        self.seconds, self.trials, self._refinements = 0.0, 0, 0
        self._stop.clear()
        for i, store in enumerate(self.stores):
            for k, work in enumerate(store.works):
                self.play_work(work).rng[:] = make_rng(derive_seed(seed, i, k))
            self._plant(store, position, derive_seed(seed, i, len(store.works)))

    def stop(self) -> None:
        """Make a running call of `run` or `improve_by_local_search` return soon; any thread may call this method."""
        self._stop.set()

    def run(self, simulations: int | None = None, seconds: float | None = None) -> None:
        """Continue the search: at most `simulations` simulations in each store, and at most `seconds` seconds.

        An exception in a user's function, or an invalid result of such a function (`AnswerError`), ends the search.
        After that, `run`, `best` and similar methods raise a RunError until `begin` is called again.
        """
        deadline = math.inf if seconds is None else time.perf_counter() + seconds
        self._run(simulations if simulations is not None else (1 << 60), deadline, self._stop.is_set)

    def _run(self, simulations: int, deadline: float, stopped: Callable[[], bool]) -> None:
        self._check()
        start, s = time.perf_counter(), self.settings
        if s.parallel == "leaf" and s.threads > 1:
            self._run_leaf_parallel(simulations, deadline, stopped)
        else:
            quotas = self._quotas(simulations)
            if time.perf_counter() < deadline and not stopped():
                for store, quota in zip(self.stores, quotas[:: len(self.stores[0].works)], strict=True):
                    if len(store.works) > 1:
                        self._open(store, quota)
            run_jobs(self._jobs, quotas, s.threads, deadline, stopped)
        self.refined = None
        self.seconds += time.perf_counter() - start

    def _run_leaf_parallel(self, simulations: int, deadline: float, stopped: Callable[[], bool]) -> None:
        """Run simulations until the budget is used up. From every selected leaf, each thread runs one playout.

        This is leaf parallelization (thesis, section 3.1.7), with one store. Each playout counts as a simulation.
        """
        store = self.stores[0]
        kernels = [self.kernels(store, work) for work in store.works]
        plays = [self.play_work(work) for work in store.works]

        def play(work: SimulationWork) -> None:
            with self.watch():
                evaluate_leaves(self.context, self.simulation_settings, work, 1, self.rounds)

        done = 0
        with ThreadPoolExecutor(len(plays)) as pool:
            while done < simulations and not stopped() and time.perf_counter() < deadline:
                with self.watch():
                    kernels[0][1]()
                threads = 1 if plays[0].leaves.winner[0] != ONGOING else len(plays)
                for work in plays[1:threads]:
                    _copy_leaf(plays[0], work)
                for playout in [pool.submit(play, work) for work in plays[:threads]]:
                    playout.result()
                for _, _, backpropagate in kernels[: min(threads, simulations - done)]:
                    backpropagate()
                    done += 1

    def improve_by_local_search(self, trials: int | None = None, seconds: float | None = None) -> None:
        """Improve the current answer by local search: `trials` trials for each store, or `seconds` seconds.

        Afterwards `best` returns the improved answer, until the next `run`. Another call of this method continues from
        the improved answer, with new scenarios. In the picking phase, this method does nothing.
        """
        self._check()
        start = time.perf_counter()
        if self.view.phase == "pick" or not (trials is None or trials > 0):
            return
        deadline = math.inf if seconds is None else start + seconds
        if self._local_search is None:
            self._local_search = self.improvement(self.view, self.settings, len(self._jobs), self._rate, self.watch)
        quotas = self._quotas(trials if trials is not None else (1 << 60))
        seed = derive_seed(self.seed, len(self.stores) + self._refinements)
        improved = self._local_search.run(
            self.view, self.context, self.best(), seed, quotas, deadline, self._stop.is_set
        )
        self._refinements += 1
        if improved is not None:
            self.refined = improved
        self.trials += self._local_search.trials
        self.seconds += time.perf_counter() - start

    def _quotas(self, steps: int) -> list[Quota]:
        """Return each thread's quota, a number of steps. The threads of a store share a quota of `steps` steps."""
        by_store = [Quota(steps) for _ in self.stores]
        return [quota for store, quota in zip(self.stores, by_store, strict=True) for _ in store.works]

    def _simulate(self, store: Any, work: Any, simulations: int) -> None:
        with self.watch():
            self.kernels(store, work)[0](simulations)

    def watch(self) -> AbstractContextManager[Any]:
        """Return a context manager for kernel calls that may call users' functions.

        After an exception in the ``with`` block or in a user's function, the context manager marks the search as failed
        and raises the exception.
        """
        return _Watch(self) if self.functions.foreign else contextlib.nullcontext()

    def mark_failed(self) -> None:
        """Mark the search as failed: `run`, `best` and similar methods raise a RunError until `begin` is called."""
        self._failed = True

    def _check(self) -> None:
        if self._failed:
            raise RunError("the search ended with an error in a user's function; call `begin` to start another search")

    @property
    def simulations(self) -> int:
        """The number of simulations so far, in all stores."""
        return sum(self._counts(store)[0] for store in self.stores)

    def candidates(self) -> list[Candidate]:
        """Return the player's candidates with visits and values; the answer is the first candidate."""
        self._check()
        ranked = self._ranked()
        return ranked if self.refined is None else [self.refined, *ranked]

    def best(self) -> Orders:
        """Return the orders of the current answer."""
        candidates = self.candidates()
        if not candidates:
            self._run(1, math.inf, lambda: False)  # `stop` may have ended the search before its first simulation
            candidates = self.candidates()
        return candidates[0].orders.limited(self.view.params.max_orders)

    @property
    def agreed(self) -> bool:
        """Whether the candidate with the most visits also has the best value."""
        candidates = [c for c in self.candidates() if c.visits]
        return not candidates or max(c.value for c in candidates) == max(candidates, key=lambda c: c.visits).value

    def statistics(self) -> SearchRecord:
        """Return the statistics of the search."""
        simulations, nodes, full, shallowest, deepest = zip(*map(self._counts, self.stores), strict=True)
        return SearchRecord(
            simulations=simulations,
            nodes=nodes,
            full=full,
            shallowest=shallowest,
            deepest=deepest,
            seconds=self.seconds,
            trials=self.trials,
            candidates=tuple(self.candidates()),
        )
