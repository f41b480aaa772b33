"""Values of turns: each round is played many times with other dice, and then the game is played to its end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from warlight_env.engine.orders import Orders
from warlight_env.engine.rng import derive_seed, make_rng
from warlight_env.game import Game
from warlight_env.web.workers.rollout_estimate import (
    OwnersAndArmies,
    estimate_win_probabilities,
    later_positions,
    positions_of,
    win_shares,
)

#: The turns of all players in a round, by player; None for a player without a turn.
Turns = Mapping[int, Orders | None]


class TurnValues:
    """Win probabilities after turns of one round. All turns get the same rolls of the dice and the same playouts.

    Objects with different streams have independent dice and playouts. A value in one stream is therefore unbiased also
    for a turn that was chosen by its value in another stream.
    """

    def __init__(self, game: Game, playouts: int, stream: int) -> None:
        """Store the position before the round, and the number of playouts of each position after it."""
        self.game, self.playouts, self._stream = game, playouts, stream
        saved = game.to_dict()
        del saved["hash"]  # it contains the dice, which are replaced
        self._saved = saved
        self._starts: list[Game] = []
        self._rows: dict[tuple[int, str], list[npt.NDArray[np.float64]]] = {}

    @property
    def rolls(self) -> int:
        """The number of times that the round is played with other dice."""
        return len(self._starts)

    def extend(self, rolls: int) -> None:
        """Use at least `rolls` rolls of the dice."""
        while len(self._starts) < rolls:
            dice = make_rng(self._seed(77, len(self._starts))).tolist()
            state = {**self._saved["state"], "rng": dice}
            self._starts.append(Game.from_dict({**self._saved, "map": self.game.map, "state": state}))

    def of(self, player: int, key: str, turns: Turns, own: Orders | None = None) -> npt.NDArray[np.float64]:
        """Return the player's win probability after the round for each roll of the dice, float64[roll].

        key: a name of the turn. own: orders that replace the player's orders in `turns`; if it is None, `turns` stay
        unchanged.
        """
        rows = self._rows.setdefault((-1 if own is None else player, key), [])
        rolls = range(len(rows), len(self._starts))
        if rolls:
            after = positions_of([self._after(roll, player, turns, own) for roll in rolls])
            seeds = [self._seed(79, 2 + roll) for roll in rolls]
            rows.extend(win_shares(self.game.view(0), after, seeds, self.playouts))
        return np.array(rows)[:, player]

    def games(self, player: int, turns: Turns, own: Orders | None = None) -> list[Game]:
        """Return the games after the round for each roll of the dice; see `of`."""
        return [self._after(roll, player, turns, own) for roll in range(len(self._starts))]

    def later(self, games: Sequence[Game], rounds: Sequence[int]) -> list[OwnersAndArmies]:
        """Return the positions after each number of further rounds, in one playout of each game.

        The playouts of different lists of games have the same dice.
        """
        return later_positions(self.game.view(0), games, self._seed(80, 0), rounds)

    def position(self, game: Game, games: int) -> list[list[float]]:
        """Return for each player the share of playouts won from a position of the log, with its 95 % interval.

        The result depends only on the position and the number of playouts: a position has the same value as the end of
        one round and as the start of the next.
        """
        owner, army = game.owner.tolist(), game.army.tolist()
        seed = derive_seed(game.seed, 79, game.round, 0)
        return estimate_win_probabilities(game.view(0), owner, army, seed, games)

    def _after(self, roll: int, player: int, turns: Turns, own: Orders | None) -> Game:
        game = self._starts[roll].clone()
        game.play_round(turns if own is None else {**turns, player: own}, on_illegal="skip")
        return game

    def _seed(self, kind: int, number: int) -> int:
        return derive_seed(self.game.seed, kind + 10 * self._stream, self.game.round, number)
