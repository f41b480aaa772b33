"""The tree search for one move, with one or more trees and threads."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from warlight_env.agents.players.mcts.pick_search import plant_picks
from warlight_env.agents.players.mcts.settings import MctsSettings, nodes_for
from warlight_env.agents.players.mcts.simulation import backpropagate, leaf_depths, search, select_leaves
from warlight_env.agents.players.mcts.tree import (
    FULL,
    LEAF,
    NODES,
    SIMULATIONS,
    STATES,
    Tree,
    clear,
    load_turn,
    make_tree,
)
from warlight_env.agents.players.mcts.work import TreeSettings, TreeWork, make_tree_work
from warlight_env.agents.plug_ins.functions import BUILT_IN, Functions
from warlight_env.agents.records.search_record import Candidate
from warlight_env.agents.search.anytime import AnytimeSearch
from warlight_env.agents.search.final_move import FINAL_MOVE_RULES
from warlight_env.agents.search.simulation import UNIT, SimulationSettings, SimulationWork
from warlight_env.agents.search.thread_pool import Quota
from warlight_env.engine.orders import Orders
from warlight_env.engine.position import Position, pack
from warlight_env.engine.rng import derive_seed
from warlight_env.engine.view import View


class TreeStore(NamedTuple):
    """A tree, and the working memory of the threads that run simulations on the tree."""

    tree: Tree
    works: list[TreeWork]


class TreeSearch(AnytimeSearch):
    """A tree search for one move, see `AnytimeSearch`. In the picking phase, call `best_picks` for the answer.

    Args:
        view: the position; unknown regions count as neutral with two armies.
        settings: see `MctsSettings`.
        seed: seed of all random numbers.
        functions: users' functions; see `plug_ins.Functions`.
        simulations: number of simulations for which each tree has memory, up to `settings.memory`. If `simulations` is
            None, each tree gets all of `settings.memory`.
    """

    exclusive_methods = (*AnytimeSearch.exclusive_methods, "best_picks")

    settings: MctsSettings

    def __init__(
        self,
        view: View,
        settings: MctsSettings | None = None,
        seed: int = 0,
        functions: Functions = BUILT_IN,
        simulations: int | None = None,
    ) -> None:
        tree_settings = MctsSettings() if settings is None else settings
        self.grain = tree_settings.leaf_batch
        super().__init__(view, tree_settings, seed, functions, simulations)

    @staticmethod
    def room(settings: MctsSettings, view: View, functions: Functions, simulations: int | None) -> int:
        """See `nodes_for`."""
        return nodes_for(settings, view.board.n_regions, simulations, view.players, functions)

    @property
    def trees(self) -> list[TreeStore]:
        """The trees of the search: one tree, or several with root parallelization."""
        return self.stores

    def _make_store(self, view: View) -> TreeStore:
        n, e, players = view.board.n_regions, view.board.n_edges, view.players
        s, capacity = self.settings, self.functions.capacity
        tree = make_tree(n, e, self.nodes, players, capacity, self.functions.prior is not None)
        works = [make_tree_work(n, e, players, s.samples, capacity, s.leaf_batch) for _ in range(s.workers)]
        return TreeStore(tree, works)

    def _plant(self, store: TreeStore, position: Position, seed: int) -> None:
        tree = store.tree
        clear(tree)
        pack(position, tree.states[0])
        tree.counters[STATES], tree.state[0] = 1, 0
        if self.view.phase == "pick":
            self._preferences = plant_picks(self.view, self.context, tree, seed)

    def _open(self, store: TreeStore, quota: Quota) -> None:
        """Run one simulation in one thread, so that the root has children before other threads start.

        If a thread reaches a leaf that another thread is expanding, it starts a playout from this leaf. A playout from
        the root would give no information about the player's turns.
        """
        if store.tree.children[0] <= LEAF and quota.take(1):
            self._simulate(store, store.works[0], 1)

    def _set_kernel_settings(self, play: SimulationSettings) -> None:
        super()._set_kernel_settings(play)
        self.kernel_settings: TreeSettings = self.settings.for_kernels(play, self.functions)

    def play_work(self, work: TreeWork) -> SimulationWork:
        return work.play

    def kernels(
        self, store: TreeStore, work: TreeWork
    ) -> tuple[Callable[[int], Any], Callable[[], Any], Callable[[], Any]]:
        common = self.context, self.kernel_settings, store.tree, work
        return (
            functools.partial(search, *common),
            functools.partial(select_leaves, *common, 1),
            functools.partial(backpropagate, *common, 1),
        )

    def _ranked(self) -> list[Candidate]:
        merged: dict[Any, Candidate] = {}
        for store in self.trees:
            tree = store.tree
            first = int(tree.first[0])
            for child in range(first, first + max(0, int(tree.children[0]))):
                orders, picks = self._choice(tree, int(tree.turn[child]))
                key = (tuple(orders.deploys), tuple(orders.attacks), picks)
                visits, total = int(tree.visits[child]), int(tree.total[child]) / UNIT
                existing = merged.get(key)
                if existing is not None:
                    visits, total = visits + existing.visits, total + existing.total
                merged[key] = Candidate(orders, visits, total, picks)
        rng = np.random.default_rng(derive_seed(self.seed, self.simulations))
        return FINAL_MOVE_RULES[self.settings.final_move](list(merged.values()), rng)

    def _choice(self, tree: Tree, turn: int) -> tuple[Orders, tuple[int, ...]]:
        """Return the choice at a child of the root: orders or, in the picking phase, a list of preferred regions."""
        board = self.view.board
        if self.view.phase == "pick":
            return Orders(), tuple(self._preferences[turn])
        deploy = np.zeros(board.n_regions, dtype=np.int32)
        attacks = np.zeros((board.n_edges, 3), dtype=np.int32)
        count = load_turn(board, tree, turn, deploy, attacks)
        return Orders.from_arrays(deploy, attacks, count), ()

    def best_picks(self) -> list[int]:
        """Return the search's current answer in the picking phase: the preferred regions, best first."""
        return list(self.candidates()[0].picks)

    def _counts(self, store: TreeStore) -> tuple[int, int, bool, int, int]:
        tree = store.tree
        low, high = leaf_depths(tree)
        nodes = min(int(tree.counters[NODES]), len(tree.visits))
        return int(tree.counters[SIMULATIONS]), nodes, bool(tree.counters[FULL]), int(low), int(high)
