"""What searches have in common that simulate until they are stopped: threads, budgets, users' functions, answers."""

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

from warlight_env.agents.evaluation.imagined import lone
from warlight_env.agents.plug_ins.functions import Functions, make_context
from warlight_env.agents.records.search_record import Candidate, SearchRecord
from warlight_env.agents.search.crew import Job, Quota, work_off
from warlight_env.agents.search.leaf_parallel import run_leaf_parallel
from warlight_env.agents.search.outcome import OUTCOMES
from warlight_env.agents.search.playing import PlaySettings, PlayWork
from warlight_env.agents.search.refining.refinement import Refinement
from warlight_env.agents.search.search_settings import SearchSettings
from warlight_env.engine.orders import Orders
from warlight_env.engine.position import Position
from warlight_env.engine.raised import watched
from warlight_env.engine.rng import derive_seed, make_rng
from warlight_env.engine.view import View
from warlight_env.errors import RunError
from warlight_env.ownership import OneThread

# Simulations a second and thread, before they are measured; users' functions may take long.
_RATE, _FOREIGN_RATE = 2000.0, 1.0


class Store(Protocol):
    """What simulations of one or several threads add to, with the working memory of each."""

    works: Sequence[Any]


class _Watch(watched):
    """`watched`, for a search. No generator: in those, a user's StopIteration would be another error."""

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


class AnytimeSearch(OneThread, ABC):
    """A search for one move: `run` it for a while, ask `best` at any moment, `run` on, `stop` it from any thread.

    Args:
        view: the position; unknown regions are taken for neutral ones with two armies.
        settings: see `SearchSettings` and its subclasses.
        seed: of everything that is drawn.
        functions: of users; see `plug_ins.Functions`.
        simulations: how many a store has room for, if `settings.memory` allows that; None: as much as that allows.
    """

    exclusive_methods: ClassVar[tuple[str, ...]] = (
        "begin", "run", "refine", "candidates", "best", "agreed", "statistics",
    )  # fmt: skip

    #: Simulations that are made together.
    grain = 1
    #: Makes what improves the answer, see `refining.refinement.Refinement`.
    improvement: ClassVar[Callable[..., Refinement]] = Refinement

    def __init__(
        self, view: View, settings: SearchSettings, seed: int, functions: Functions, simulations: int | None
    ) -> None:
        self.settings, self.functions = settings, settings.functions(functions)
        #: Places in each store: for nodes, or for results.
        self.nodes = self.room(settings, view, self.functions, simulations)
        self.stores = [self._make_store(view) for _ in range(settings.n_trees)]
        self._rate = _FOREIGN_RATE if functions.foreign else _RATE
        self._jobs = [
            Job(functools.partial(self._simulate, one, work), self._rate, self.grain)
            for one in self.stores
            for work in one.works
        ]
        self._refinement: Refinement | None = None
        #: What `refine` came to, where it found something better; None after `run`.
        self.refined: Candidate | None = None
        self._stop = threading.Event()
        if functions.foreign:
            self._try_out(view)
        self.begin(view, seed)

    # What kinds of searches differ in

    @staticmethod
    @abstractmethod
    def room(settings: Any, view: View, functions: Functions, simulations: int | None) -> int:
        """Places that a store gets: what `settings.memory` allows, or what so many simulations need at most."""

    @abstractmethod
    def _make_store(self, view: View) -> Any: ...

    @abstractmethod
    def _plant(self, store: Any, position: Position, seed: int) -> None:
        """Have a store forget all, and begin with a position; its works' generators are seeded already."""

    @abstractmethod
    def _open(self, store: Any, quota: Quota) -> None:
        """What one thread does before several share a store."""

    @abstractmethod
    def kernels(self, store: Any, work: Any) -> tuple[Callable[[int], Any], Callable[[], Any], Callable[[], Any]]:
        """``simulate(n)``, and its halves for one leaf: ``select()`` writes leaf 0, ``back_up()`` takes its value."""

    @abstractmethod
    def play_work(self, work: Any) -> PlayWork:
        """The part of a thread's memory that plays rounds."""

    @abstractmethod
    def _ranked(self) -> list[Candidate]:
        """Our choices with visits and values, those of all stores merged, the answer first."""

    @abstractmethod
    def _counts(self, store: Any) -> tuple[int, int, bool, int, int]:
        """Simulations, nodes, whether the memory was used up, and depths of the shallowest and the deepest leaf."""

    @property
    @abstractmethod
    def rounds(self) -> int: ...

    @abstractmethod
    def _set_kernel_settings(self, play: PlaySettings) -> None:
        """Make what kernels take of the settings, for the player of `self.view`."""

    # What they have in common

    def _try_out(self, view: View) -> None:
        """Ask users' functions once, before anything is spent on them: in one short simulation."""
        self.begin(view, 0)
        self._set_kernel_settings(self.play_settings._replace(rounds=1, outcome=OUTCOMES.address("single")))
        self.run(simulations=1)

    def begin(self, view: View, seed: int) -> None:
        """Start anew from another position on the same board; memory is kept."""
        s = self.settings
        self.view, self.seed, self.refined, self._failed = view, seed, None, False
        net = None if s.net is None else s.net.of(view)
        self.context = make_context(
            view.board, view.params, view.players, s.weights, s.ways, self.functions, s.value, net
        )
        self.play_settings: PlaySettings = s.for_playing(view.player, self.functions)
        self._set_kernel_settings(self.play_settings)
        position = lone(view)
        self.seconds, self.trials, self._refinements = 0.0, 0, 0
        self._stop.clear()
        for i, one in enumerate(self.stores):
            for k, work in enumerate(one.works):
                self.play_work(work).rng[:] = make_rng(derive_seed(seed, i, k))
            self._plant(one, position, derive_seed(seed, i, len(one.works)))

    def stop(self) -> None:
        """Make a running `run` or `refine` return soon; from any thread."""
        self._stop.set()

    def run(self, simulations: int | None = None, seconds: float | None = None) -> None:
        """Search on: so many simulations in each store, or so many seconds, whichever ends first.

        What a user's function raises ends it, as does an answer of one that is none (`AnswerError`). Nothing can be
        asked of the search then until it is begun anew.
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
            work_off(self._jobs, quotas, s.threads, deadline, stopped)
        self.refined = None
        self.seconds += time.perf_counter() - start

    def refine(self, trials: int | None = None, seconds: float | None = None) -> None:
        """Improve the answer as it stands by local search: so many trials for each store, or so many seconds.

        `best` is then what came of it, until the next `run`; another `refine` goes on from there, in new scenarios.
        Starting regions are not refined.
        """
        self._check()
        start = time.perf_counter()
        if self.view.phase == "pick" or not (trials is None or trials > 0):
            return
        deadline = math.inf if seconds is None else start + seconds
        if self._refinement is None:
            self._refinement = self.improvement(self.view, self.settings, len(self._jobs), self._rate, self.watch)
        quotas = self._quotas(trials if trials is not None else (1 << 60))
        seed = derive_seed(self.seed, len(self.stores) + self._refinements)
        found = self._refinement.refine(self.view, self.context, self.best(), seed, quotas, deadline, self._stop.is_set)
        self._refinements += 1
        if found is not None:
            self.refined = found
        self.trials += self._refinement.trials
        self.seconds += time.perf_counter() - start

    def _quotas(self, steps: int) -> list[Quota]:
        """So many steps for each store, shared by its threads."""
        by_store = [Quota(steps) for _ in self.stores]
        return [quota for one, quota in zip(self.stores, by_store, strict=True) for _ in one.works]

    def _simulate(self, store: Any, work: Any, simulations: int) -> None:
        with self.watch():
            self.kernels(store, work)[0](simulations)

    def watch(self) -> AbstractContextManager[Any]:
        """Around kernels that call the functions: what those of users raise is raised, and spoils the search."""
        return _Watch(self) if self.functions.foreign else contextlib.nullcontext()

    def spoil(self) -> None:
        """Have nothing more asked of the search until it is begun anew."""
        self._failed = True

    def _check(self) -> None:
        if self._failed:
            raise RunError("the search ended with an error in a user's function; begin another")

    @property
    def simulations(self) -> int:
        """Simulations so far, in all stores."""
        return sum(self._counts(one)[0] for one in self.stores)

    def candidates(self) -> list[Candidate]:
        """Our choices with visits and values, the answer first."""
        self._check()
        found = self._ranked()
        return found if self.refined is None else [self.refined, *found]

    def best(self) -> Orders:
        """The answer as things stand."""
        candidates = self.candidates()
        if not candidates:
            self._run(1, math.inf, lambda: False)  # also after a `stop` before the first simulation
            candidates = self.candidates()
        return candidates[0].orders.limited(self.view.params.max_orders)

    @property
    def agreed(self) -> bool:
        """Whether the choice with the most visits is the one with the best value, too."""
        candidates = [c for c in self.candidates() if c.visits]
        return not candidates or max(c.value for c in candidates) == max(candidates, key=lambda c: c.visits).value

    def statistics(self) -> SearchRecord:
        """What the search came to."""
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
