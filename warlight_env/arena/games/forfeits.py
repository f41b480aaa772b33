"""Games in which agents fail: the remaining agents, and the places at the end."""

from __future__ import annotations

from collections.abc import Sequence

from warlight_env.arena.games.seated_agent import Failure, SeatedAgent
from warlight_env.game import Game
from warlight_env.step_results import places_with_forfeits, winner_with_forfeits


class Forfeits:
    """State of a game with failures. A failure counts like an elimination in the same round.

    Attributes:
        failures: the failures so far, in their order.
        over: whether there are failures and at most one player is left.
    """

    def __init__(self, players: Sequence[SeatedAgent]) -> None:
        self.failures: list[Failure] = []
        self.over = False
        self._players = players
        self._out: list[int | None] = [None] * len(players)  # the round in which a seat failed or was eliminated

    def note(self, game: Game) -> list[int]:
        """Check the game after its picks, or after a round. Return the seats that have failed since the last call."""
        failed = []
        for seat, player in enumerate(self._players):
            if self._out[seat] is None and (player.failure is not None or not game.alive(seat)):
                self._out[seat] = game.round
                if player.failure is not None:
                    failed.append(seat)
                    self.failures.append(player.failure)
        self.over = bool(self.failures) and self._out.count(None) <= 1
        return failed

    def placements(self, game: Game) -> list[int]:
        """Return each seat's place; 1 is the best, and equal seats share a place."""
        if not self.failures:
            return list(game.placements)
        return places_with_forfeits(game.placements, self._out)

    def winner(self, game: Game) -> int | None:
        """Return the seat that has won; None: no seat."""
        if not self.failures:
            return game.winner
        return winner_with_forfeits(self.placements(game), self.over or game.winner is not None)
