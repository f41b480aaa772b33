"""The `steps` encoding: a turn as a sequence of small choices."""

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
from warlight_env.envs.actions.base import I8, check_game
from warlight_env.envs.actions.discrete import DiscreteEncoding
from warlight_env.envs.actions.step_kernels import DEPLOYS, SHARES, quarter, submit_step, write_step_mask
from warlight_env.envs.actions.step_plans import exact_actions, nearest_actions
from warlight_env.envs.actions.turns import I64, Choice, InexpressibleError, check_preferences, edge_of, merge_deploys
from warlight_env.errors import InputError


class StepActions(DiscreteEncoding):
    """`steps`: Discrete(3 * N + 4 * E + 1), several actions per turn. The round is played after all players have ended
    their turns.

    | action | meaning |
    |---|---|
    | 3 * r, 3 * r + 1, 3 * r + 2 | deploy 1 army, a quarter of the income (rounded up), or the rest, on region r |
    | 3 * N + 4 * e + k, k = 0 … 3 | send 25, 50, 75 or 100 % along edge e |
    | 3 * N + 4 * E | end the turn |

    The percentages are of the armies that may leave and have no order yet, including deployed armies. The number is
    rounded down, but is at least 1. Attacks are executed in the order of their actions; each edge is allowed once.
    After `max_deploys` deploys and `max_attacks` attacks (or fewer, if the rules allow fewer) only the end is legal.

    The encoding expresses every deploy, army by army, and attacks in any order, in quarters of the remaining armies. It
    does not express other shares, more orders than the limits, or two attacks along an edge.

    While regions are picked, the action 3 * r adds region r to the list of preferred regions, the best region first.
    The rules limit the length of the list. Missing picks are drawn at random.

    After a player ends its turn, only the end is legal for it, without effect, until all players have ended their
    turns.
    The mask is exact: every action that it allows is legal; every other action is dropped and counted. `decode` takes
    and `encode` returns a list of a turn's actions; the last action is the end.
    """

    name: ClassVar[str] = "steps"
    stepwise: ClassVar[bool] = True
    submit = staticmethod(submit_step)
    write_mask = staticmethod(write_step_mask)

    def __init__(self, board: Board, params: RuleParams, *, max_deploys: int = 8, max_attacks: int = 16) -> None:
        check_game(board, params)  # before the size is computed
        super().__init__(board, params, DEPLOYS * board.n_regions + SHARES * board.n_edges + 1)
        for name, value in (("max_deploys", max_deploys), ("max_attacks", max_attacks)):
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise InputError(f"{name} = {short_repr(value)}: must be an integer from 1 up")
        limit = params.max_orders or max(max_deploys, max_attacks)
        self.max_deploys = min(max_deploys, limit)
        self.max_attacks = min(max_attacks, limit, board.n_edges)
        self.max_preferences = 1 if params.picking == ALTERNATING else min(int(params.ranked), board.n_regions)
        self.max_parts = self.max_deploys + self.max_attacks + self.max_preferences + 1
        #: The action that ends the turn.
        self.end = self.size - 1

    @property
    def default_cycles(self) -> int:
        return 100 * (self.max_deploys + self.max_attacks + 1)

    @property
    def config(self) -> I64:
        return np.array([self.max_deploys, self.max_attacks, self.max_preferences], dtype=np.int64)

    def mask(self, view: View, actions: Sequence[int] = ()) -> I8:
        """Return int8[3 * N + 4 * E + 1]: the mask after the turn's first actions."""
        turn, _ = self._submitted(view, self._rows(actions))
        return self._written_mask(view, turn)

    def _rows(self, actions: Any) -> list[I64]:
        return [np.array([self.value(action)], dtype=np.int64) for action in actions]

    def decode(self, view: View, action: Any) -> Choice:
        """Return the turn of a list of actions, with or without the end; illegal actions are ignored."""
        return self._choice(view, self._submitted(view, self._rows(action))[0])

    def encode(self, view: View, turn: Choice, *, nearest: bool = False) -> list[int]:
        """Return the actions of a turn, including the end.

        The actions are exact up to the order of deploys, or the method raises `InexpressibleError`. Deploys come first
        if possible. With ``nearest=True``, for imitation learning, the method returns the closest actions instead: as
        many deploys and attacks as the limits allow, with the shares nearest to the armies sent.
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
