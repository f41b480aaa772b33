"""The action encoding `steps`: a turn is a sequence of several actions, each with one deploy or one attack."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from warlight_env.arguments import short_repr
from warlight_env.engine.board import Board
from warlight_env.engine.orders import Orders
from warlight_env.engine.rules import RuleParams
from warlight_env.engine.setup import ALTERNATING
from warlight_env.engine.view import View
from warlight_env.envs.actions.base import I8, DiscreteEncoding, check_game
from warlight_env.envs.actions.step_kernels import DEPLOYS, SHARES, quarter, submit_step, write_step_mask
from warlight_env.envs.actions.step_plans import exact_actions, nearest_actions
from warlight_env.envs.actions.turns import I64, Choice, InexpressibleError, check_preferences, edge_of, merge_deploys
from warlight_env.errors import InputError


class StepActions(DiscreteEncoding):
    """The action encoding `steps` with the space Discrete(3 * N + 4 * E + 1) and several actions per turn.

    The game plays the round after all players have ended their turns.

    | action | meaning |
    |---|---|
    | 3 * r, 3 * r + 1, 3 * r + 2 | deploy 1 army, a quarter of the income (rounded up), or the rest, on region r |
    | 3 * N + 4 * e + k, k = 0 … 3 | send 25, 50, 75 or 100 % along edge e |
    | 3 * N + 4 * E | end the turn |

    The percentages refer to the armies of the source, including deployed armies, that may leave and have no order yet.
    The number of attacking armies is rounded down, but is at least 1. Attacks are executed in the order of their
    actions. A turn has at most one attack along each edge. After `max_deploys` deploys and `max_attacks` attacks (or
    fewer, if the rules allow fewer), only the action that ends the turn is legal.

    The encoding expresses every deploy, because single armies can be deployed, and attacks in any order, in quarters of
    the remaining armies. The encoding cannot express attacks with fractions other than quarters, more orders than the
    limits, or two attacks along one edge.

    While the players pick their start regions, the action 3 * r adds region r to the list of preferred regions, the
    best region first. The rules limit the length of the list of preferred regions. If this list gives the player too
    few regions, the game draws more regions at random.

    After a player has ended its turn, it must repeat the action that ends the turn until all players have ended their
    turns. When a player repeats the action that ends its turn, the repetition has no effect.

    The mask is exact: every action that it allows is legal. An action that the mask forbids is dropped and counted as
    illegal. The method `decode` takes a list of a turn's actions, and `encode` returns this list; its last action ends
    the turn.

    Args:
        max_deploys, max_attacks: the maximum numbers of deploys and of attacks in a turn.
    """

    name: ClassVar[str] = "steps"
    stepwise: ClassVar[bool] = True
    submit = staticmethod(submit_step)
    write_mask = staticmethod(write_step_mask)

    def __init__(self, board: Board, params: RuleParams, *, max_deploys: int = 8, max_attacks: int = 16) -> None:
        check_game(board, params)  # check the arguments before the next line computes the size of the space
        super().__init__(board, params, DEPLOYS * board.n_regions + SHARES * board.n_edges + 1)
        for name, value in (("max_deploys", max_deploys), ("max_attacks", max_attacks)):
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise InputError(f"{name} = {short_repr(value)}: must be an integer from 1 up")
        limit = params.max_orders or max(max_deploys, max_attacks)
        self.max_deploys = min(max_deploys, limit)
        self.max_attacks = min(max_attacks, limit, board.n_edges)
        self.max_preferences = 1 if params.picking == ALTERNATING else min(int(params.ranked), board.n_regions)
        self.max_parts = self.max_deploys + self.max_attacks + self.max_preferences + 1
        #: The number of the action that ends the turn.
        self.end = self.size - 1

    @property
    def default_cycles(self) -> int:
        return 100 * (self.max_deploys + self.max_attacks + 1)

    @property
    def config(self) -> I64:
        return np.array([self.max_deploys, self.max_attacks, self.max_preferences], dtype=np.int64)

    def mask(self, view: View, actions: Sequence[int] = ()) -> I8:
        """Return int8[3 * N + 4 * E + 1]: the mask of the next action. actions: the turn's earlier actions."""
        turn, _ = self._submitted(view, self._rows(actions))
        return self._written_mask(view, turn)

    def _rows(self, actions: Any) -> list[I64]:
        return [np.array([self.value(action)], dtype=np.int64) for action in actions]

    def decode(self, view: View, action: Any) -> Choice:
        """Convert a list of actions to a turn; ignore illegal actions. The action that ends the turn may be missing."""
        return self._choice(view, self._submitted(view, self._rows(action))[0])

    def encode(self, view: View, turn: Choice, *, nearest: bool = False) -> list[int]:
        """Convert a turn to a list of actions, including the action that ends the turn.

        Raises `InexpressibleError` if no actions express the turn. The conversion may change the order of the deploys,
        but no other part of the turn. If possible, all deploys come before the attacks. With ``nearest=True``, for
        imitation learning, the method returns the closest actions instead of an error: as many deploys and attacks as
        the limits allow, with the percentages nearest to the attacking armies.
        """
        if not isinstance(turn, Orders):
            preferences = check_preferences(view, turn)
            if len(preferences) > self.max_preferences and not nearest:
                raise InexpressibleError(f"{len(preferences)} preferences: at most {self.max_preferences} are possible")
            return [*(DEPLOYS * r for r in preferences[: self.max_preferences]), self.end]
        deploy = merge_deploys(view, turn)
        attacks = [(edge_of(view, source, target), armies) for source, target, armies in turn.arrays()[1].tolist()]
        try:
            return [*exact_actions(self, view, deploy, attacks), self.end]
        except InexpressibleError:
            if not nearest:
                raise
        return [*nearest_actions(self, view, deploy, attacks), self.end]


__all__ = ["DEPLOYS", "SHARES", "StepActions", "quarter"]
