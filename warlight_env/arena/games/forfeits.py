"""Rules for games in which an agent loses by forfeit: when the game ends, and the final ranks (places) of agents."""

from __future__ import annotations

from collections.abc import Sequence

from warlight_env.arena.games.seated_agent import Failure, SeatedAgent
from warlight_env.game import Game
from warlight_env.step_results import places_with_forfeits, winner_with_forfeits


class Forfeits:
    """The failures of agents in a game. In the final ranking, a failure counts like an elimination in the same round.

    Attributes:
        failures: the failures so far, in the order of time.
        over: whether the game ends now, because an agent has failed and at most one player is left.
    """

    def __init__(self, players: Sequence[SeatedAgent]) -> None:
        self.failures: list[Failure] = []
        self.over = False
        self._players = players
        # For each seat, the round in which its agent failed or was eliminated; None: the agent still plays.
        self._out: list[int | None] = [None] * len(players)

    def note(self, game: Game) -> list[int]:
        """Find the agents that have failed or lost their last region. Call this method after the picks and after each
        round.

        Return the seats of the agents that have failed since the last call.
        """
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
        """Return the final rank (place) of each seat: 1 is the best, and several seats may have the same rank."""
        if not self.failures:
            return list(game.placements)
        return places_with_forfeits(game.placements, self._out)

    def winner(self, game: Game) -> int | None:
        """Return the seat that has won; None if no seat has won."""
        if not self.failures:
            return game.winner
        return winner_with_forfeits(self.placements(game), self.over or game.winner is not None)
