"""Leaf parallelism: one thread walks the tree, several play out from each leaf (thesis, section 3.1.7)."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from typing import Any, Protocol

from warlight_env.agents.context import Context
from warlight_env.agents.mcts.flat import draw, keep_result
from warlight_env.agents.mcts.playout import play_out
from warlight_env.agents.mcts.search import back_up, descend
from warlight_env.agents.mcts.settings import MctsSettings
from warlight_env.agents.mcts.tree import Tree
from warlight_env.agents.mcts.work import SearchWork, Settings
from warlight_env.agents.standing import ONGOING
from warlight_env.engine.position import copy_position
from warlight_env.engine.view import View


class Grown(Protocol):
    """A tree with the working memory of the threads that grow it."""

    tree: Tree
    works: list[SearchWork]


class Searched(Protocol):
    """What is asked of the search whose tree it is."""

    view: View
    settings: MctsSettings
    kernel_settings: Settings
    context: Context

    @property
    def trees(self) -> Sequence[Grown]:
        """One, here."""
        ...

    def watch(self) -> AbstractContextManager[Any]:
        """Around calls of kernels: what users' functions raise comes out of it."""
        ...


def run_leaf_parallel(search: Searched, simulations: int, deadline: float, stopped: Callable[[], bool]) -> None:
    """Simulate until the budget is used up, a playout per thread from every leaf; each counts as a simulation."""
    one, view, settings, context = search.trees[0], search.view, search.kernel_settings, search.context
    first, others, tree = one.works[0], one.works[1:], one.tree

    flat = search.settings.sampling == "flat"
    rounds = settings.rounds - 1 if flat else settings.rounds

    done = 0
    with ThreadPoolExecutor(len(one.works)) as pool:
        while done < simulations and not stopped() and time.perf_counter() < deadline:
            with search.watch():
                if flat:
                    length, winner = draw(context, settings, tree, first)
                else:
                    length, winner = descend(context, settings, tree, first)

            def play(work: SearchWork, winner: int = winner) -> None:
                with search.watch():
                    play_out(context, settings, work, winner, rounds)

            if winner != ONGOING:
                works = [first]
            else:
                works = one.works
                for work in others:
                    copy_position(first.position, work.position)
                    work.out[:] = first.out
            for playout in [pool.submit(play, work) for work in works]:
                playout.result()
            for work in works[: simulations - done]:
                if flat:
                    keep_result(tree, first.path[1], work.values[view.player])
                back_up(context, settings, tree, first.path, length, work.values)
                done += 1
