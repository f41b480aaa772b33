"""`GamePosition`: the read-only properties of a `Game` that follow from its current position."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from warlight_env.engine.board import Board
from warlight_env.engine.round import income
from warlight_env.engine.rules import RuleParams, Rules
from warlight_env.engine.setup import ALTERNATING, picker
from warlight_env.engine.state import OVER, PHASES, State
from warlight_env.game_input import check_player


class GamePosition:
    """The position of a game. The base class of `Game`, which replaces the position in every step."""

    __slots__ = ("_board", "_params", "_state", "players", "rules")

    _board: Board
    _params: RuleParams
    _state: State
    players: int
    rules: Rules

    @property
    def phase(self) -> str:
        """The phase of the game: "pick", "play" or "over"."""
        return PHASES[self._state.phase[0]]

    @property
    def round(self) -> int:
        """Number of played rounds."""
        return int(self._state.round[0])

    @property
    def owner(self) -> npt.NDArray[np.int8]:
        """The owner of each region, as a read-only array int8[N]: a player, or -1 for a neutral region."""
        return _read_only(self._state.owner[0])

    @property
    def army(self) -> npt.NDArray[np.int32]:
        """The number of armies in each region, at least 1, as a read-only array int32[N]."""
        return _read_only(self._state.army[0])

    @property
    def done(self) -> bool:
        """Whether the game is over."""
        return bool(self._state.phase[0] == OVER)

    @property
    def winner(self) -> int | None:
        """The player who has won; None during the game and after a draw."""
        winner = int(self._state.winner[0])
        return winner if winner >= 0 else None

    @property
    def placements(self) -> tuple[int, ...]:
        """Each player's place in the current position; 1 is the best. Players with equal results share a place.

        Players who are still in the game have the best places. All players who are still in the game share one place,
        unless a player has won or the rule `tie_break` is "regions". In these two cases, players are ranked by their
        number of regions, and players with equally many regions by their number of armies. Eliminated players have the
        remaining places. Among eliminated players, a player that was eliminated later has a better place.
        """
        scores = []
        for p in range(self.players):
            out = int(self._state.eliminated_at[0, p])
            owned = self._state.owner[0] == p
            size = (int(owned.sum()), int(self._state.army[0][owned].sum()))
            by_size = size if self.rules.tie_break == "regions" and out == 0 else (0, 0)
            scores.append((out == 0, out, p == self.winner, *by_size))
        return tuple(1 + sum(other > score for other in scores) for score in scores)

    @property
    def eliminated(self) -> tuple[int | None, ...]:
        """For each player: the round in which it lost its last region, or None if it is still in the game."""
        return tuple(int(last) or None for last in self._state.eliminated_at[0, : self.players])

    def alive(self, player: int) -> bool:
        """Return whether a player has regions. In the phase "pick", return whether the player will receive regions."""
        check_player(player, self.players)
        return bool(self._state.eliminated_at[0, player] == 0)

    def income(self, player: int) -> int:
        """Return the number of armies that the player may deploy this round; 0 for an eliminated player."""
        check_player(player, self.players)
        if not self.alive(player):
            return 0
        return int(income(self._board, self._params.base_income, self._state.owner[0], player))

    def pickers(self) -> tuple[int, ...]:
        """Return the players who must pick start regions in the next call of `pick`."""
        if self.phase != "pick":
            return ()
        if self._params.picking == ALTERNATING:
            return (int(picker(self._state.turn[0], self.players)),)
        return tuple(range(self.players))

    def offers(self, player: int) -> tuple[int, ...]:
        """Return the regions that the player may pick now; empty outside the phase "pick"."""
        check_player(player, self.players)
        if self.phase != "pick":
            return ()
        return tuple(np.flatnonzero(self._state.offers[0] >> player & 1).tolist())


def _read_only(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    view = array.view()
    view.flags.writeable = False
    return view
