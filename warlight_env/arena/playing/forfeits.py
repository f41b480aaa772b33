"""Games in which agents fail: who is still in, and who takes which place."""

from __future__ import annotations

from collections.abc import Sequence

from warlight_env.arena.playing.player import Failure, SeatedAgent
from warlight_env.game import Game
from warlight_env.step_results import places_with_forfeits, winner_with_forfeits


class Forfeits:
    """Follows a game; a failure counts like being eliminated in that round.

    `failures` are those so far, in their order; `over` says that at most one player is left who can play on.
    """

    def __init__(self, players: Sequence[SeatedAgent]) -> None:
        self.failures: list[Failure] = []
        self.over = False
        self._players = players
        self._out: list[int | None] = [None] * len(players)  # the round in which a seat failed or was eliminated

    def note(self, game: Game) -> list[int]:
        """Look at the game after its picks, or after a round; returns the seats that have failed since."""
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
        """Each seat's place, 1 the best; equals share one."""
        if not self.failures:
            return list(game.placements)
        return places_with_forfeits(game.placements, self._out)

    def winner(self, game: Game) -> int | None:
        """The seat that has won; None: nobody."""
        if not self.failures:
            return game.winner
        return winner_with_forfeits(self.placements(game), self.over or game.winner is not None)
