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
from warlight_env.envs.actions.turns import I64, Choice, InexpressibleError, check_wishes, edge_of, merge_deploys
from warlight_env.errors import InputError


class StepActions(DiscreteEncoding):
    """`steps`: Discrete(3 * N + 4 * E + 1), several actions a turn; the orders are kept until everybody has ended.

    | action | means |
    |---|---|
    | 3 * r, 3 * r + 1, 3 * r + 2 | deploy 1 army, a quarter of the income (rounded up), or what is left, on region r |
    | 3 * N + 4 * e + k, k = 0 … 3 | send 25, 50, 75 or 100 % along edge e |
    | 3 * N + 4 * E | end the turn |

    Shares are of the armies that may leave and have no order yet, those deployed included, rounded down, but at least
    1. Attacks go in the order in which they were given, each edge at most once. After `max_deploys` deploys and
    `max_attacks` attacks (or as many as the rules allow, if those are fewer) only the end is legal.

    What it can say: every deploy, army by army, and any attacks in any order, in quarters of what is left. What it
    cannot: other shares, more orders than the limits, two attacks along an edge.

    While regions are picked, 3 * r wishes for region r, the best first, as many as the rules ask for; picks without a
    wish are drawn at random.

    Once a player has ended its turn only the end is legal, and changes nothing, until all have. The mask is exact:
    what it leaves open is legal, what it closes is dropped and counted. `decode` takes, and `encode` gives, a turn's
    actions as a list that ends with the end.
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
        self.max_wishes = 1 if params.picking == ALTERNATING else min(int(params.ranked), board.n_regions)
        self.max_parts = self.max_deploys + self.max_attacks + self.max_wishes + 1
        #: The action that ends the turn.
        self.end = self.size - 1

    @property
    def default_cycles(self) -> int:
        return 100 * (self.max_deploys + self.max_attacks + 1)

    @property
    def config(self) -> I64:
        return np.array([self.max_deploys, self.max_attacks, self.max_wishes], dtype=np.int64)

    def mask(self, view: View, actions: Sequence[int] = ()) -> I8:
        """int8[3 * N + 4 * E + 1]: what may come after the turn's first actions."""
        turn, _ = self._submitted(view, self._rows(actions))
        return self._written_mask(view, turn)

    def _rows(self, actions: Any) -> list[I64]:
        return [np.array([self.value(action)], dtype=np.int64) for action in actions]

    def decode(self, view: View, action: Any) -> Choice:
        """The turn of a list of actions, with or without the end; what is illegal is left out."""
        return self._choice(view, self._submitted(view, self._rows(action))[0])

    def encode(self, view: View, turn: Choice, *, nearest: bool = False) -> list[int]:
        """The actions of a turn, the end included.

        Exact, up to the order of deploys, or `InexpressibleError`; deploys come first wherever that will do. With
        ``nearest=True`` the closest instead, for imitation: as many deploys and attacks as the limits allow, with the
        shares nearest to the armies sent.
        """
        if not isinstance(turn, Orders):
            wishes = check_wishes(view, turn)
            if len(wishes) > self.max_wishes and not nearest:
                raise InexpressibleError(f"{len(wishes)} wishes: there are {self.max_wishes}")
            return [*(DEPLOYS * r for r in wishes[: self.max_wishes]), self.end]
        deploy = merge_deploys(view, turn)
        attacks = [(edge_of(view, source, target), armies) for source, target, armies in turn.arrays()[1].tolist()]
        try:
            return [*exact_actions(self, view, deploy, attacks), self.end]
        except InexpressibleError:
            if not nearest:
                raise
        return [*nearest_actions(self, view, deploy, attacks), self.end]


__all__ = ["DEPLOYS", "SHARES", "StepActions", "quarter"]
