"""The common part of anytime searches: threads, budgets, users' functions, answers."""

from __future__ import annotations

import contextlib
import functools
import math
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any, ClassVar, Protocol

from warlight_env.agents.evaluation.determinization import minimal_determinization
from warlight_env.agents.plug_ins.functions import Functions, make_context
from warlight_env.agents.records.search_record import Candidate, SearchRecord
from warlight_env.agents.search.leaf_parallelization import run_leaf_parallel
from warlight_env.agents.search.local_search.refinement import LocalSearch
from warlight_env.agents.search.outcome import OUTCOMES
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

# Estimated simulations per second and thread before the first measurement; users' functions may be slow.
_RATE, _FOREIGN_RATE = 2000.0, 1.0


class Store(Protocol):
    """The memory of one or several threads' simulations, with the working memory of each thread."""

    works: Sequence[Any]


class _Watch(raise_callback_errors):
    """`raise_callback_errors`, for a search.

    It is a class because a generator would change a user's StopIteration into another error.
    """

    __slots__ = ("_search",)

    def __init__(self, search: AnytimeSearch) -> None:
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


class AnytimeSearch(SingleThreaded, ABC):
    """A search for one move: `run` it for a while, call `best` at any time, `run` it further, `stop` it in any thread.

    Args:
        view: the position; unknown regions count as neutral with two armies.
        settings: see `SearchSettings` and its subclasses.
        seed: seed of all random numbers.
        functions: users' functions; see `plug_ins.Functions`.
        simulations: capacity of a store, if `settings.memory` allows it; None: as much as `settings.memory` allows.
    """

    exclusive_methods: ClassVar[tuple[str, ...]] = (
        "begin", "run", "improve_by_local_search", "candidates", "best", "agreed", "statistics",
    )  # fmt: skip

    #: Number of simulations that run together.
    grain = 1
    #: Makes the object that improves the answer, see `local_search.refinement.LocalSearch`.
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
            Job(functools.partial(self._simulate, one, work), self._rate, self.grain)
            for one in self.stores
            for work in one.works
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
        """Return the capacity of a store: the limit of `settings.memory`, or the largest need of `simulations`."""

    @abstractmethod
    def _make_store(self, view: View) -> Any: ...

    @abstractmethod
    def _plant(self, store: Any, position: Position, seed: int) -> None:
        """Clear a store and set its position. The caller has seeded the random generators of its threads."""

    @abstractmethod
    def _open(self, store: Any, quota: Quota) -> None:
        """Do the work that one thread must do before several threads share a store."""

    @abstractmethod
    def kernels(self, store: Any, work: Any) -> tuple[Callable[[int], Any], Callable[[], Any], Callable[[], Any]]:
        """Return ``simulate(n)``, and its two halves for one leaf.

        ``select()`` writes leaf 0, and ``backpropagate()`` uses its value.
        """

    @abstractmethod
    def play_work(self, work: Any) -> SimulationWork:
        """Return the part of a thread's memory that plays rounds."""

    @abstractmethod
    def _ranked(self) -> list[Candidate]:
        """Return the player's choices with visits and values, merged over all stores, the answer first."""

    @abstractmethod
    def _counts(self, store: Any) -> tuple[int, int, bool, int, int]:
        """Return simulations, nodes, whether the memory was full, and depths.

        The depths are those of the shallowest and the deepest leaf.
        """

    @property
    @abstractmethod
    def rounds(self) -> int: ...

    @abstractmethod
    def _set_kernel_settings(self, play: SimulationSettings) -> None:
        """Make the kernels' settings, for the player of `self.view`."""

    # Common methods

    def _try_out(self, view: View) -> None:
        """Call users' functions once in one short simulation, before other work, to find errors early."""
        self.begin(view, 0)
        self._set_kernel_settings(self.simulation_settings._replace(rounds=1, outcome=OUTCOMES.address("single")))
        self.run(simulations=1)

    def begin(self, view: View, seed: int) -> None:
        """Start again from another position on the same board; the memory is kept."""
        s = self.settings
        self.view, self.seed, self.refined, self._failed = view, seed, None, False
        net = None if s.net is None else s.net.of(view)
        self.context = make_context(
            view.board, view.params, view.players, s.weights, s.generators, self.functions, s.value, net
        )
        self.simulation_settings: SimulationSettings = s.for_playing(view.player, self.functions)
        self._set_kernel_settings(self.simulation_settings)
        position = minimal_determinization(view)
        self.seconds, self.trials, self._refinements = 0.0, 0, 0
        self._stop.clear()
        for i, one in enumerate(self.stores):
            for k, work in enumerate(one.works):
                self.play_work(work).rng[:] = make_rng(derive_seed(seed, i, k))
            self._plant(one, position, derive_seed(seed, i, len(one.works)))

    def stop(self) -> None:
        """Make a running `run` or `improve_by_local_search` return soon; any thread may call it."""
        self._stop.set()

    def run(self, simulations: int | None = None, seconds: float | None = None) -> None:
        """Continue the search: at most `simulations` simulations in each store, and at most `seconds` seconds.

        An exception in a user's function, or an invalid answer of one (`AnswerError`), ends the search. Then the search
        refuses calls until `begin` is called again.
        """
        deadline = math.inf if seconds is None else time.perf_counter() + seconds
        self._run(simulations if simulations is not None else (1 << 60), deadline, self._stop.is_set)

    def _run(self, wanted: int, deadline: float, stopped: Callable[[], bool]) -> None:
        self._check()
        start, s = time.perf_counter(), self.settings
        if s.parallel == "leaf" and s.threads > 1:
            run_leaf_parallel(self, wanted, deadline, stopped)
        else:
            quotas = self._quotas(wanted)
            if time.perf_counter() < deadline and not stopped():
                for one, quota in zip(self.stores, quotas[:: len(self.stores[0].works)], strict=True):
                    if len(one.works) > 1:
                        self._open(one, quota)
            run_jobs(self._jobs, quotas, s.threads, deadline, stopped)
        self.refined = None
        self.seconds += time.perf_counter() - start

    def improve_by_local_search(self, trials: int | None = None, seconds: float | None = None) -> None:
        """Improve the present answer by local search: `trials` trials for each store, or `seconds` seconds.

        `best` then returns the result, until the next `run`. Another call continues from it, in new scenarios.
        Starting regions are not refined.
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
        found = self._local_search.run(self.view, self.context, self.best(), seed, quotas, deadline, self._stop.is_set)
        self._refinements += 1
        if found is not None:
            self.refined = found
        self.trials += self._local_search.trials
        self.seconds += time.perf_counter() - start

    def _quotas(self, steps: int) -> list[Quota]:
        """Return the quota of each thread: `steps` steps for each store, shared by its threads."""
        by_store = [Quota(steps) for _ in self.stores]
        return [quota for one, quota in zip(self.stores, by_store, strict=True) for _ in one.works]

    def _simulate(self, store: Any, work: Any, simulations: int) -> None:
        with self.watch():
            self.kernels(store, work)[0](simulations)

    def watch(self) -> AbstractContextManager[Any]:
        """Return a context manager for kernels that call the functions.

        It raises the exceptions of users' functions, and marks the search as failed.
        """
        return _Watch(self) if self.functions.foreign else contextlib.nullcontext()

    def spoil(self) -> None:
        """Mark the search as failed; it refuses calls until `begin` is called again."""
        self._failed = True

    def _check(self) -> None:
        if self._failed:
            raise RunError("the search ended with an error in a user's function; start another search")

    @property
    def simulations(self) -> int:
        """The number of simulations so far, in all stores."""
        return sum(self._counts(one)[0] for one in self.stores)

    def candidates(self) -> list[Candidate]:
        """Return the player's choices with visits and values, the answer first."""
        self._check()
        found = self._ranked()
        return found if self.refined is None else [self.refined, *found]

    def best(self) -> Orders:
        """Return the present answer."""
        candidates = self.candidates()
        if not candidates:
            self._run(1, math.inf, lambda: False)  # also after a `stop` before the first simulation
            candidates = self.candidates()
        return candidates[0].orders.limited(self.view.params.max_orders)

    @property
    def agreed(self) -> bool:
        """Whether the choice with the most visits also has the best value."""
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
