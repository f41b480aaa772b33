"""Weights of opponent types for each opponent, estimated from its visible orders.

An opponent type is a policy. A type gets more weight if turns of its policy are similar to the opponent's visible
orders. Southey et al. (2005) use similar weights for opponents in poker. In the search, the opponent's candidate turns
contain turns of each type in proportion to the type's weight.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from warlight_env.agents.context import Context, draw_turn
from warlight_env.agents.evaluation.game_outcome import holds_regions
from warlight_env.agents.generators.turns import is_new, random_turn
from warlight_env.agents.planning.plans import random_style_turn
from warlight_env.agents.players.nash.nash_work import NashWork
from warlight_env.agents.players.nash.observed_orders import ObservedOrders, OpponentModel
from warlight_env.agents.plug_ins.functions import Functions, make_context
from warlight_env.agents.records.generator_work import copy_turn, turn_set_of
from warlight_env.agents.records.turn_record import TurnNetwork
from warlight_env.agents.turn_net.turns import sampled_turn
from warlight_env.agents.weights import Weights
from warlight_env.engine.jit import kernel
from warlight_env.engine.kernel_types import Int
from warlight_env.engine.position import Position
from warlight_env.engine.view import View

#: The policy of each opponent type. The type "network" is used only if the agent has a turn network.
OPPONENT_TYPES: Final = {"plans": random_style_turn, "network": sampled_turn, "generators": random_turn}
#: _DRAWS: number of turns of a type that are compared with the visible orders. _WIDTH: the tolerance of the comparison,
#: as a fraction of all armies.
_DRAWS, _WIDTH = 8, 0.25
#: Smallest weight of a type, because no opponent plays only turns of one type.
_FLOOR: Final = 0.05
#: Number of turns that are drawn for each place in the list of turns, because some turns are duplicates.
_TRIES: Final = 2


@kernel
def _draw(context: Context, position: Position, p: Int, count: Int, work: NashWork) -> None:
    """Draw `count` turns from the context's policy, and write them to `work.first`."""
    turns = work.first
    for i in range(count):
        turns.counts[i] = draw_turn(
            context, position, p, work.rng, work.generator, turns.deploy[i], turns.attacks[i]
        )  # fmt: skip


@kernel
def add_turns(context: Context, position: Position, p: Int, room: Int, work: NashWork) -> None:
    """Add up to `room` different turns of the context's policy to a player's turns.

    An eliminated player gets no turns.
    """
    turns, first, count = turn_set_of(work.turns, p), work.first, work.sizes[p]
    limit = count + room
    for _ in range(_TRIES * room if holds_regions(position.owner, p) else 0):
        if count == limit:
            break
        first.counts[0] = draw_turn(
            context, position, p, work.rng, work.generator, first.deploy[0], first.attacks[0]
        )  # fmt: skip
        turns.counts[count] = copy_turn(first, 0, turns.deploy[count], turns.attacks[count])
        if count == 0 or is_new(turns, count):
            count += 1
    work.sizes[p] = count


class OpponentTypes(OpponentModel):
    """The weights of opponent types for each other player, in one game.

    Args:
        kinds: names in `OPPONENT_TYPES`.
    """

    def __init__(self, view: View, kinds: Sequence[str], weights: Weights, network: TurnNetwork | None) -> None:
        super().__init__(view)
        self._kinds, self._evaluation, self._network = kinds, weights, network
        self.weights = np.full((view.players, len(kinds)), 1.0 / len(kinds))  #: float64[P, K], each row adds up to 1

    def _policies(self) -> list[Context]:
        board, players = self._board, self._game[2]
        return [
            make_context(
                board, self._params, players, self._evaluation, functions=Functions(policy=OPPONENT_TYPES[kind]),
                turns=self._network,
            )
            for kind in self._kinds
        ]  # fmt: skip

    def update(self, view: View, position: Position, work: NashWork) -> None:
        """Update the weights of the types of each opponent, from the moves of the last round."""
        for player, orders, before in self.observed_rounds(view, position):
            if orders.any_visible and len(self._kinds) > 1:
                self._learn(orders, before, player, work)

    def _learn(self, orders: ObservedOrders, position: Position, p: int, work: NashWork) -> None:
        """Update the weights of the types from the visible orders of a player."""
        turns, count = work.first, min(_DRAWS, len(work.first.counts))
        for k, context in enumerate(self.contexts):
            _draw(context, position, p, count, work)
            distances = [orders.distance(turns.deploy[i], turns.attacks[i, : turns.counts[i]]) for i in range(count)]
            self.weights[p, k] *= np.exp(-np.array(distances) / _WIDTH).mean() + 1e-9
        kinds = len(self._kinds)
        self.weights[p] = _FLOOR + (1 - kinds * _FLOOR) * self.weights[p] / self.weights[p].sum()

    def write(self, position: Position, p: int, count: int, work: NashWork) -> None:
        """Replace a player's turns by `count` turns; each type has turns in proportion to its weight."""
        work.sizes[p] = 0
        ends = np.rint(np.cumsum(self.weights[p]) * count).astype(int)
        for context, room in zip(self.contexts, np.diff(ends, prepend=0), strict=True):
            add_turns(context, position, p, int(room), work)
