"""Leaf parallelization: one thread selects a leaf, and each thread runs a playout from it (thesis, section 3.1.7)."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from typing import Any, Protocol

from warlight_env.agents.context import Context
from warlight_env.agents.evaluation.game_outcome import ONGOING
from warlight_env.agents.search.playout import evaluate_leaves
from warlight_env.agents.search.simulation import SimulationSettings, SimulationWork


class LeafParallelSearch(Protocol):
    """The methods that `run_leaf_parallel` requires of a search. The search must have one store."""

    context: Context
    simulation_settings: SimulationSettings

    @property
    def stores(self) -> Sequence[Any]: ...

    @property
    def rounds(self) -> int: ...

    def kernels(self, store: Any, work: Any) -> tuple[Callable[[int], Any], Callable[[], Any], Callable[[], Any]]: ...

    def play_work(self, work: Any) -> SimulationWork: ...

    def watch(self) -> AbstractContextManager[Any]:
        """Return a context manager for kernel calls; it raises the exceptions of users' functions."""
        ...


def run_leaf_parallel(
    search: LeafParallelSearch, simulations: int, deadline: float, stopped: Callable[[], bool]
) -> None:
    """Run simulations until the budget is used up. From every selected leaf, each thread runs one playout.

    Each playout counts as a simulation.
    """
    store, settings, context = search.stores[0], search.simulation_settings, search.context
    halves = [search.kernels(store, work) for work in store.works]
    plays = [search.play_work(work) for work in store.works]

    def play(work: SimulationWork) -> None:
        with search.watch():
            evaluate_leaves(context, settings, work, 1, search.rounds)

    done = 0
    with ThreadPoolExecutor(len(plays)) as pool:
        while done < simulations and not stopped() and time.perf_counter() < deadline:
            with search.watch():
                halves[0][1]()
            threads = 1 if plays[0].leaves.winner[0] != ONGOING else len(plays)
            for work in plays[1:threads]:
                _copy_leaf(plays[0], work)
            for playout in [pool.submit(play, work) for work in plays[:threads]]:
                playout.result()
            for _, _, backpropagate in halves[: min(threads, simulations - done)]:
                backpropagate()
                done += 1


def _copy_leaf(source: SimulationWork, target: SimulationWork) -> None:
    """Copy leaf 0 and its path to the working memory of another thread."""
    arrays: Any = zip(target.leaves.positions, source.leaves.positions, strict=True)
    for mine, theirs in arrays:
        mine[0] = theirs[0]
    for name in ("winner", "eliminated_at", "path", "length"):
        getattr(target.leaves, name)[0] = getattr(source.leaves, name)[0]
