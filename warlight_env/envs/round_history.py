"""The start regions and the last round's events of a batch of games, which the views of agents include.

Kernels do not record events. A `RoundHistory` therefore stores, for every game, the position before the last round and
the turns of this round. When the events are needed, the code plays the last round again with the same random numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from warlight_env.engine.board import Board
from warlight_env.engine.reference import reference
from warlight_env.engine.round import EVENT_COLUMNS, play_round
from warlight_env.engine.rules import RuleParams, Rules
from warlight_env.engine.state import PLAY, State, Workspace, make_scratch
from warlight_env.envs.actions.kernels import COUNT, READY
from warlight_env.envs.step import Turns
from warlight_env.maps import Map
from warlight_env.step_results import IllegalOrder, RoundResult, round_result

Starts = tuple[tuple[int, ...], ...]


@dataclass
class _Round:
    """The last round of a game: the position before it and the turns. `result` is computed at its first use."""

    state: State  #: the position of this game, with a leading axis of 1
    deploy: npt.NDArray[np.int32]  #: [P, N] armies that a player deploys on a region
    attacks: npt.NDArray[np.int32]  #: [P, E, 3] source, target and armies of each attack
    counts: npt.NDArray[np.int32]  #: [P] number of attacks
    dropped: list[IllegalOrder]
    result: RoundResult | None = None


class RoundHistory:
    """The start regions and the last round of each game of a batch; see `EnvCore.record_history`.

    Args:
        map, board, rules, params: the map and the rules of the games.
    """

    def __init__(self, map: Map, board: Board, rules: Rules, params: RuleParams) -> None:
        self.map, self.board, self.rules, self.params = map, board, rules, params
        self._picks: dict[int, list[int]] = {}  # key: a game; value: the picked regions in the order of the picks
        self._starts: dict[int, Starts] = {}
        self._rounds: dict[int, _Round] = {}
        self._dropped: dict[tuple[int, int], list[IllegalOrder]] = {}

    def copy(self) -> RoundHistory:
        """Return an independent copy. Both objects share the recorded rounds, which do not change."""
        clone = RoundHistory(self.map, self.board, self.rules, self.params)
        clone._picks = {b: list(regions) for b, regions in self._picks.items()}
        clone._starts, clone._rounds, clone._dropped = dict(self._starts), dict(self._rounds), dict(self._dropped)
        return clone

    def begin(self, state: State, games: list[int]) -> None:
        """Start to record the given games, which begin now, and forget their earlier history."""
        self.forget(games)
        for b in games:
            self._picks[b] = []
            self._note_starts(state, b)

    def forget(self, games: Sequence[int]) -> None:
        """Remove the history of the given games, for example after their positions were replaced."""
        for b in games:
            for records in (self._picks, self._starts, self._rounds):
                records.pop(b, None)
        forgotten = set(games)
        self._dropped = {key: dropped for key, dropped in self._dropped.items() if key[0] not in forgotten}

    def record_dropped(self, b: int, player: int, dropped: list[IllegalOrder]) -> None:
        """Store the illegal orders that were dropped from a player's turn in game b."""
        self._dropped[b, player] = dropped

    def record_positions(
        self, state: State, live: npt.NDArray[np.bool_], turns: Turns, selected: npt.NDArray[np.int8]
    ) -> dict[int, npt.NDArray[np.int8]]:
        """Store each game's position and turns before its next round is played, and return the owners of its regions.

        Args:
            live: bool[B, P], whether a player still acts.
            turns: the submitted turns.
            selected: int8[B], 0 for a game that is not played now.

        Return a dict from each game that is played now to the owners of its regions, int8[N]. `record_picks` needs this
        dict.
        """
        ready = (~live | (turns.status[:, :, READY] != 0)).all(axis=1) & live.any(axis=1) & (selected != 0)
        owners: dict[int, npt.NDArray[np.int8]] = {}
        for b in np.flatnonzero(ready).tolist():
            owners[b] = state.owner[b].copy()
            if state.phase[b] == PLAY:
                playing = live[b]
                self._rounds[b] = _Round(
                    State._make(array[b : b + 1].copy() for array in state),
                    np.where(playing[:, None], turns.deploy[b], 0).astype(np.int32),
                    turns.attacks[b].copy(),
                    np.where(playing, turns.status[b, :, COUNT], 0).astype(np.int32),
                    [order for p in range(live.shape[1]) for order in self._dropped.pop((b, p), ())],
                )
        return owners

    def record_picks(self, state: State, owners: dict[int, npt.NDArray[np.int8]]) -> None:
        """Store the regions that players have picked in the last step. owners: the result of `record_positions`."""
        for b, before in owners.items():
            if b not in self._rounds and b in self._picks:
                self._picks[b] += np.flatnonzero(state.owner[b] != before).tolist()
                self._note_starts(state, b)

    def _note_starts(self, state: State, b: int) -> None:
        """If game b has entered the phase "play", store each player's start regions.

        Regions that were assigned at random come first, then the picked regions in the order of the picks.
        """
        if state.phase[b] != PLAY:
            return
        pick_order = {region: place for place, region in enumerate(self._picks[b])}
        owned = (np.flatnonzero(state.owner[b] == p).tolist() for p in range(state.eliminated_at.shape[1]))
        self._starts[b] = tuple(tuple(sorted(regions, key=lambda r: pick_order.get(r, -1))) for regions in owned)

    def starts(self, b: int) -> Starts | None:
        """Return each player's start regions in game b; None if the recording began after the start of the game."""
        return self._starts.get(b)

    def last_round(self, b: int, player: int) -> Callable[[], RoundResult] | None:
        """Return a function that returns the last round's events that a player sees; None if no round is recorded."""
        last = self._rounds.get(b)
        return None if last is None else partial(self._visible_result, last, player)

    def _visible_result(self, last: _Round, player: int) -> RoundResult:
        if last.result is None:
            state = State._make(array.copy() for array in last.state)
            events = np.zeros((int(last.counts.sum()), EVENT_COLUMNS), dtype=np.int32)
            scratch = make_scratch(self.board.n_regions, len(last.deploy))
            orders = reference(Workspace(scratch, last.deploy, last.attacks, last.counts))
            executed = play_round(self.params, state, 0, orders, None, events)
            last.result = round_result(
                self.map.neighbors, self.rules.fog, int(state.round[0]), last.deploy, events[:executed],
                last.state.owner[0], state.owner[0], last.dropped,
            )  # fmt: skip
        return last.result.seen_by(player)
