"""Recognition of simple bots by their past turns.

The next turns of a simple bot are predictable. The search estimates the probability that an opponent is a simple bot.
In a simulation, the opponent plays the bot's turn with the estimated probability. Otherwise, the opponent plays a turn
from its mixture (mixed strategy). The method is a restricted Nash response (Johanson, Zinkevich and Bowling, 2007).
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from warlight_env.agents.context import Context, draw_turn
from warlight_env.agents.players.aggressive import aggressive_policy
from warlight_env.agents.players.nash.nash_work import NashWork
from warlight_env.agents.players.nash.observed_orders import OpponentModel
from warlight_env.agents.players.one_big_army import one_big_army_policy
from warlight_env.agents.plug_ins.functions import Functions, make_context
from warlight_env.agents.weights import THESIS
from warlight_env.engine.jit import kernel
from warlight_env.engine.kernel_types import Int
from warlight_env.engine.position import Position
from warlight_env.engine.view import View

_Turn = tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]

#: The policies of the simple bots.
SIMPLE: Final = {"one_big_army": one_big_army_policy, "aggressive": aggressive_policy}
#: Initial probability of each bot, smallest later probability of each bot, and largest sum of all bots' probabilities.
_FIRST, _FLOOR, _MOST = 0.05, 1e-5, 0.98
#: _WIDTH: the tolerance of the distance between a bot's turn and the visible orders, as a fraction of all armies.
#: _ELSE: the likelihood of the visible orders if the player is not a simple bot.
_WIDTH, _ELSE = 0.1, 0.1
#: The search ignores a bot with a smaller probability than this.
_LEAST: Final = 0.1


@kernel
def _predict(context: Context, position: Position, p: Int, i: Int, work: NashWork) -> None:
    """Write a turn of the context's policy to a player's turns, at index i."""
    turns = work.turns
    turns.counts[p, i] = draw_turn(
        context, position, p, work.play_rng, work.generator, turns.deploy[p, i], turns.attacks[p, i]
    )


class RecognizedBots(OpponentModel):
    """The probability that each other player is one of the bots `SIMPLE`, in one game without fog."""

    def __init__(self, view: View) -> None:
        super().__init__(view)
        self.chances = np.full((view.players, len(SIMPLE)), _FIRST)  #: float64[P, B]
        self._predicted: dict[tuple[int, int], _Turn] = {}  # (player, bot): the bot's turn in the last position

    def _policies(self) -> list[Context]:
        board, players = self._board, self._game[2]
        return [
            make_context(board, self._params, players, THESIS, functions=Functions(policy=policy))
            for policy in SIMPLE.values()
        ]

    def update(self, view: View, position: Position) -> None:
        """Update the probabilities that each opponent is a predictable bot, from the moves of the last round."""
        predicted, self._predicted = self._predicted, {}
        for p, orders, _ in self.observed_rounds(view, position):
            if (p, 0) not in predicted:
                continue  # the last search ended before it predicted this player's turns
            distances = np.array([orders.distance(*predicted[p, b]) for b in range(len(SIMPLE))])
            weights = self.chances[p] * np.exp(-distances / _WIDTH)
            other_weight = (1 - self.chances[p].sum()) * _ELSE
            self.chances[p] = np.maximum(weights / (weights.sum() + other_weight), _FLOOR)
            self.chances[p] /= max(1.0, self.chances[p].sum() / _MOST)

    def write(self, position: Position, p: int, work: NashWork) -> None:
        """Predict the turn that each simple bot would play for a player; add the turns of likely bots to its turns."""
        work.predicted_probability[p] = 0.0
        for b, context in enumerate(self.contexts if work.sizes[p] else ()):
            i, chance = int(work.sizes[p]), self.chances[p, b]
            _predict(context, position, p, i, work)
            attacks = work.turns.attacks[p, i, : work.turns.counts[p, i]]
            self._predicted[p, b] = work.turns.deploy[p, i].copy(), attacks.copy()
            if chance >= _LEAST:
                work.predicted_probability[p, b], work.predicted_turn[p, b], work.sizes[p] = chance, i, i + 1
