"""Leaf parallelism: one thread walks the tree, several play out from each leaf (thesis, section 3.1.7)."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from warlight_env.agents.mcts.search import back_up, descend, play_out
from warlight_env.agents.mcts.tree import SIMULATIONS

if TYPE_CHECKING:
    from warlight_env.agents.mcts.searching import Search


def run_leaf_parallel(search: Search, simulations: int, deadline: float, stopped: Callable[[], bool]) -> None:
    """Simulate until the budget is used up, a playout per thread from every leaf; each counts as a simulation."""
    one, view, settings = search.trees[0], search.view, search.kernel_settings
    evaluate, generate, policy = search.functions
    first, others = one.works[0], one.works[1:]
    board, params, weights, tree = view.board, view.params, search.evaluation, one.tree

    def play(work: object) -> float:
        return float(play_out(board, params, evaluate, policy, weights, settings, work))

    done = 0
    with ThreadPoolExecutor(len(one.works)) as pool:
        while done < simulations and not stopped() and time.perf_counter() < deadline:
            length, winner = descend(board, params, evaluate, generate, weights, settings, tree, first)
            if winner >= 0:
                values = [0.0 if winner == view.player else 1.0]
            else:
                for work in others:
                    work.owner[:], work.army[:] = first.owner, first.army
                values = list(pool.map(play, one.works))
            for value in values[: simulations - done]:
                back_up(tree, settings, first, length, value)
                tree.used[SIMULATIONS] += 1
                done += 1
