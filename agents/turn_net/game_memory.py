"""`GameMemory`: the position that an agent's turn network gets, with the agent's memory of a game under fog."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from warlight_env.agents.evaluation.determinization import minimal_determinization
from warlight_env.agents.records.turn_record import Floats, TurnNetwork, reads_memory
from warlight_env.agents.turn_net.memory import (
    FogMemory,
    begin_memory,
    follow_orders,
    make_fog_memory,
    observe,
    recall,
    remember_picks,
    write_map_start,
)
from warlight_env.engine.position import Position
from warlight_env.engine.round import EVENT_COLUMNS
from warlight_env.engine.rules import Rules
from warlight_env.engine.setup import ALTERNATING
from warlight_env.engine.state import NEUTRAL, UNKNOWN
from warlight_env.engine.view import View
from warlight_env.maps import Map


@dataclass(frozen=True)
class _Picks:
    """What the player knows from the picking phase of a game."""

    map: Map
    rules: Rules
    player: int
    offers: frozenset[int]  #: the regions that were offered to the player at any time
    army: npt.NDArray[np.int32]  #: int32[N]
    preferences: npt.NDArray[np.int32]  #: int32[K], the player's last list of preferred regions, best first


class GameMemory:
    """The position that a turn network gets, and the memory of one game under fog (see `turn_net.memory`).

    A view that cannot follow the last view begins a game. Call `picked` after each pick, and `position` in each round.

    Args:
        network: the turn network. A network that reads no feature of the memory gets `minimal_determinization`, and so
            does a player without a network (None).
    """

    def __init__(self, network: TurnNetwork | None) -> None:
        self.network = network
        self._reads_memory = network is not None and reads_memory(network)
        self._memory: FogMemory | None = None
        self._last: View | None = None
        self._picks: _Picks | None = None

    def picked(self, view: View, preferences: list[int]) -> None:
        """Store the player's preferred start regions, best first, and its view in the picking phase."""
        if not self._reads_memory:
            return
        offers, previous = frozenset(view.offers), self._picks
        if previous is not None and previous.map == view.map and offers <= previous.offers:
            offers = previous.offers
        ranked = np.array(preferences[: view.params.ranked], dtype=np.int32)
        self._picks, self._last = _Picks(view.map, view.rules, view.player, offers, view.army.copy(), ranked), None

    def position(self, view: View, features: Floats) -> Position:
        """Return the position for the network at the start of a round: under fog, the believed position.

        Writes the features of the memory to features float32[N, N_MEMORY]. A network that reads features of the memory
        does not get the estimates of a view.
        """
        if not self._reads_memory or not view.rules.fog:
            features[:] = 0.0
            return minimal_determinization(view)
        view = _without_estimates(view)
        last, player = self._last, view.player
        if last is None or self._memory is None or not _follows(last, view):
            self._memory = self._new_memory(view)
        elif view.round > last.round:
            self._follow(self._memory, view)
        self._last = view
        observe(self._memory, player, view.owner, view.army, view.round)
        position = view.position
        recall(view.board, self._memory, player, position, features)
        return position

    def _new_memory(self, view: View) -> FogMemory:
        n, picks = view.board.n_regions, self._picks
        memory, self._picks = make_fog_memory(n, view.players), None
        owner, army = np.full(n, NEUTRAL, dtype=np.int8), np.zeros(n, dtype=np.int32)
        write_map_start(view.board, view.params, owner, army)
        knows_start = picks is not None and _is_start_of(picks, view)
        if knows_start and picks is not None:
            army = picks.army
        for p, starts in enumerate(view.starts or ()):
            owner[list(starts)] = p
        begin_memory(memory, view.player, owner, army)
        if knows_start and picks is not None and view.params.picking != ALTERNATING:
            remember_picks(memory, view.player, view.owner, picks.preferences, len(picks.preferences))
        return memory

    def _follow(self, memory: FogMemory, view: View) -> None:
        """Replay the orders of the last round that the player saw; without a known last round there are none."""
        deploys = np.zeros((view.players, view.board.n_regions), dtype=np.int32)
        result: Any = view.last_round
        rows: list[tuple[int, ...]] = []
        if result is not None and result.round == view.round:
            for d in result.deploys:
                deploys[d.player, d.region] += d.armies
            rows = [
                (e.player, e.source, e.target, e.armies, e.attackers_lost, e.defenders_lost, int(e.captured))
                for e in result.events
            ]
        events = np.array(rows, dtype=np.int32).reshape(-1, EVENT_COLUMNS)
        visible = np.ones(view.board.n_regions, dtype=np.int8)  # the result contains only visible orders
        follow_orders(memory, view.player, deploys, events, len(rows), visible)


def _without_estimates(view: View) -> View:
    if view.estimated is None:
        return view
    owner, army = view.owner.copy(), view.army.copy()
    owner[view.estimated], army[view.estimated] = UNKNOWN, 0
    return replace(view, owner=owner, army=army, estimated=None)


def _is_start_of(picks: _Picks, view: View) -> bool:
    """Whether a view before the first round can belong to the game of the picks."""
    if picks.player != view.player or picks.rules != view.rules or picks.map != view.map:
        return False
    return view.round > 0 or picks.offers >= set(np.flatnonzero(view.owner == view.player).tolist())


def _follows(last: View, view: View) -> bool:
    """Whether a view is of the same game as the last view: of a later round, or equal to the last view."""
    if last.player != view.player or last.players != view.players or last.map != view.map:
        return False
    is_same = np.array_equal(last.owner, view.owner) and np.array_equal(last.army, view.army)
    return view.round > last.round or (view.round == last.round and is_same)
