"""Opponents' visible orders in each round, and the distance between a turn and these orders."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from warlight_env.agents.context import Context
from warlight_env.agents.evaluation.game_outcome import holds_regions
from warlight_env.engine.position import Position
from warlight_env.engine.view import View
from warlight_env.thread_ownership import SingleThreaded


class ObservedOrders:
    """An opponent's visible orders of one round; `distance` compares a turn with these orders."""

    def __init__(self, view: View, player: int) -> None:
        last_round, self._board = view.last_round, view.board
        n, edges = view.board.n_regions, view.board.n_edges
        self._deploy, self._sent_armies = np.zeros(n), np.zeros(edges)
        for deploy in last_round.deploys:
            if deploy.player == player:
                self._deploy[deploy.region] += deploy.armies
        attacked = np.zeros(n, bool)
        for event in last_round.events:
            if event.player == player:
                self._sent_armies[self._board.edge_index[event.source, event.target]] += event.armies
            else:
                attacked[event.target] = True
        self._regions = np.ones(n, bool)
        if last_round.visible is not None:
            self._regions[:] = False
            self._regions[list(last_round.visible[view.player])] = True
        ends = np.asarray(self._board.edge_source), np.asarray(self._board.edge_target)
        self._borders = self._regions[ends[0]] | self._regions[ends[1]]
        # an attacked region may have lost armies before its orders were carried out
        self._attacked_sources = attacked[ends[0]]

    @property
    def any_visible(self) -> bool:
        """Whether at least one order of the opponent was visible."""
        return bool(self._deploy.any() or self._sent_armies.any())

    def distance(self, deploy: npt.NDArray[np.int32], attacks: npt.NDArray[np.int32]) -> float:
        """Return the fraction of different deployed armies plus the fraction of different sent armies, in [0, 2].

        Args:
            deploy: int32[N]. attacks: int32[K, 3].
        """
        sent_armies = np.zeros_like(self._sent_armies)
        np.add.at(sent_armies, self._board.edge_index[attacks[:, 0], attacks[:, 1]], attacks[:, 2])
        sent_armies[self._attacked_sources] = np.minimum(sent_armies, self._sent_armies)[self._attacked_sources]
        parts = ((self._deploy, deploy, self._regions), (self._sent_armies, sent_armies, self._borders))
        return float(
            sum(
                np.abs(observed - compared)[mask].sum() / max(1.0, (observed + compared)[mask].sum())
                for observed, compared, mask in parts
            )
        )


class ObservedRound(NamedTuple):
    """An opponent's visible orders of the last round, and the position before these orders."""

    player: int
    orders: ObservedOrders
    position: Position


class OpponentModel(SingleThreaded, ABC):
    """Observes the other players during one game, from the successive views of one player.

    Copies of the model keep the collected information, also in other processes.
    """

    not_copied = ("_contexts",)

    def __init__(self, view: View) -> None:
        self._game, self._board = (view.map, view.rules, view.players, view.player), view.board
        self._params = view.params
        self._before: tuple[int, Position] | None = None
        self._contexts: Sequence[Context] | None = None

    @abstractmethod
    def _policies(self) -> Sequence[Context]:
        """Return the contexts of the policies whose turns are compared with the visible orders."""

    @property
    def contexts(self) -> Sequence[Context]:
        """The contexts of the policies whose turns are compared with the visible orders."""
        if self._contexts is None:
            self._contexts = self._policies()
        return self._contexts

    def goes_on(self, view: View) -> bool:
        """Return whether a view may come from the observed game, in the last observed round or in the next round."""
        if self._game != (view.map, view.rules, view.players, view.player):
            return False
        return self._before is None or view.round - self._before[0] in (0, 1)

    def observed_rounds(self, view: View, position: Position) -> Iterator[ObservedRound]:
        """Yield the visible orders of each other player with regions, for the round since the last call.

        Stores `position`, the position of the present search, for the next call.
        """
        before, self._before = self._before, (view.round, position)
        last_round = view.last_round
        if before is None or last_round is None or before[0] != view.round - 1:
            return
        for p in range(view.players):
            if p != view.player and holds_regions(before[1].owner, p):
                yield ObservedRound(p, ObservedOrders(view, p), before[1])
