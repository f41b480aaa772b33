"""The action encoding `orders`: an action has an exact number of armies for every region and every directed edge."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces

from warlight_env.arguments import short_repr
from warlight_env.array_arguments import integer_array
from warlight_env.engine.board import Board
from warlight_env.engine.orders import Orders
from warlight_env.engine.rules import MAX_ARMIES, RuleParams
from warlight_env.engine.view import View
from warlight_env.envs.actions.base import I8, ActionEncoding, free_regions
from warlight_env.envs.actions.exact import decode_exact, decode_preferences
from warlight_env.envs.actions.kernels import OWN, make_turn
from warlight_env.envs.actions.maskable import MaskableChoices, MaskableDict
from warlight_env.envs.actions.turns import (
    I64,
    Choice,
    InexpressibleError,
    check_preferences,
    merge_deploys,
    merged_attacks,
    nearest_ranks,
    ranks,
)
from warlight_env.errors import InputError, clipped


class OrdersActions(ActionEncoding):
    """The action encoding `orders` with exact numbers of armies; the space is a Dict of three MultiDiscrete spaces.

    | key | space | meaning |
    |---|---|---|
    | deploy | [max income + 1] * N | armies deployed on each region |
    | attack | [max_armies + 1] * E | armies that attack along each directed edge; the last value means all armies |
    | priority | [E] * E | attacks with lower values come first, equal values in the order of edges |

    The max income is the income of a player who owns every super region. An attack with all armies has as many armies
    as can leave the source when the attack is executed; `decode` returns it with 1,000,000 armies. While the players
    pick their start regions, the values in `deploy` rank the regions: regions with higher values are preferred. Among
    regions with equal values, the region with the lower number is preferred. A region with the value 0 is not
    preferred. If the preferences give the player too few regions, the game draws more regions at random.

    The encoding expresses every turn in which each attack has fewer than `max_armies` armies, or all armies. With the
    default `max_armies` of 63, no action expresses an attack with 70 of 100 armies. For an attack with too many armies,
    `encode` raises InexpressibleError with `max_armies` in the message. ``functools.partial(OrdersActions,
    max_armies=500)`` sets a higher limit (up to 1,000,000). Each additional army adds one value per edge to the space
    and its masks.

    The mask forbids orders on regions that the player does not own, and on edges that start in these regions. While the
    players pick regions, the mask forbids regions that are not offered. The mask cannot limit the sum of all deploys to
    the income. Armies beyond the income are dropped one by one, first from the regions with the highest numbers, and
    counted as illegal. Orders beyond the rules' limit in a turn are also dropped and counted.
    """

    name: ClassVar[str] = "orders"
    space: MaskableDict

    def __init__(self, board: Board, params: RuleParams, *, max_armies: int = 63) -> None:
        super().__init__(board, params)
        if not 1 <= max_armies <= MAX_ARMIES:
            raise InputError(f"max_armies = {short_repr(max_armies)}: must lie in 1 .. {MAX_ARMIES}")
        self._max_armies = max_armies
        n, e = board.n_regions, max(board.n_edges, 1)
        widths = {"deploy": (self.max_income + 1, n), "attack": (max_armies + 1, e), "priority": (e, e)}
        self._widths = widths
        self.space = MaskableDict({key: MaskableChoices([w] * rows) for key, (w, rows) in widths.items()})
        self.mask_space = spaces.Dict(
            {key: spaces.Tuple([spaces.MultiBinary(w)] * rows) for key, (w, rows) in widths.items()}
        )
        self._open = {key: _read_only(np.ones(w, dtype=np.int8)) for key, (w, _) in widths.items()}
        self._shut = {key: _read_only(np.eye(1, w, dtype=np.int8)[0]) for key, (w, _) in widths.items()}
        self._priority_mask = (self._open["priority"],) * e

    @property
    def config(self) -> I64:
        return np.array([self._max_armies, self.max_income], dtype=np.int64)

    @property
    def limits(self) -> I64:
        keys = ("deploy", "attack", "priority")
        return np.concatenate([np.full(self._widths[k][1], self._widths[k][0], dtype=np.int64) for k in keys])

    def mask(self, view: View) -> dict[str, tuple[I8, ...]]:
        """Return the action mask as a dict of tuples with an int8 array for each choice. The arrays are read-only."""
        deploy = (self._shut["deploy"], self._open["deploy"])
        attack = (self._shut["attack"], self._open["attack"])
        free = free_regions(view)
        owned = free == OWN
        return {
            "attack": tuple([attack[i] for i in owned[self.board.edge_source].tolist()]),
            "deploy": tuple([deploy[i] for i in (free != 0).tolist()]),
            "priority": self._priority_mask,
        }

    def flat_mask(self, view: View) -> I8:
        """Return the action mask as one vector: all rows of attack, then of deploy, then of priority."""
        mask = self.mask(view)
        return np.concatenate([row for key in self.space.spaces for row in mask[key]])

    def _rows(self, action: Any) -> I64:
        if not isinstance(action, dict) or set(action) != set(self._widths):
            description = clipped(repr(list(action)), 200) if isinstance(action, dict) else type(action).__name__
            raise InputError(f"action must be a dict of attack, deploy and priority, not {description}")
        parts = [integer_array(action[key], (rows,), f"action[{key!r}]") for key, (_, rows) in self._widths.items()]
        return np.concatenate([part.astype(np.int64) for part in parts])

    def row(self, action: Any, view: Callable[[], View], out: I64) -> int:
        out[:] = self._rows(action)
        return 0

    def decode(self, view: View, action: Any) -> Choice:
        row = self._rows(action)
        if ((row < 0) | (row >= self.limits)).any():
            raise InputError("action has an entry outside the action space")
        n = self.board.n_regions
        if view.phase == "pick":
            preferences = np.zeros(n, dtype=np.int32)
            count, _ = decode_preferences(free_regions(view), self.max_income, row[:n], preferences)
            return preferences[:count].tolist()
        turn, places = make_turn(n, self.board.n_edges), np.zeros(self.board.n_edges + 1, dtype=np.int32)
        limit = self.params.max_orders
        count, _ = decode_exact(self.board, self._kernel_view(view), limit, self._max_armies, row, places, turn)
        return Orders.from_arrays(turn.deploy, turn.attacks, count)

    def encode(self, view: View, turn: Choice, *, nearest: bool = False) -> dict[str, I64]:
        """Convert a turn to an action; raise `InexpressibleError` if no action expresses the turn.

        The order of the deploys may change, and several attacks along one edge become one attack.

        With ``nearest=True`` the method raises no error, but returns the closest action. An attack beyond the limit
        gets `max_armies` - 1 or all armies, whichever is nearer. If there are more preferred regions than values, the
        last regions have the same value.
        """
        n, e = self.board.n_regions, self.board.n_edges
        row = np.zeros(n + 2 * e, dtype=np.int64)
        if isinstance(turn, Orders):
            self._encode_orders(view, turn, row, nearest)
        else:
            preferences = check_preferences(view, turn)
            try:
                row[preferences] = ranks(preferences, self.max_income)
            except InexpressibleError:
                if not nearest:
                    raise
                row[preferences] = nearest_ranks(len(preferences), self.max_income)
        return {"attack": row[n : n + e], "deploy": row[:n], "priority": row[n + e :]}

    def _encode_orders(self, view: View, orders: Orders, row: I64, nearest: bool) -> None:
        n, e = self.board.n_regions, self.board.n_edges
        limit = self.params.max_orders
        if limit and max(map(len, orders.arrays())) > limit:
            raise InexpressibleError(f"the rules allow at most {limit} deploys and {limit} attacks in a turn")
        row[:n] = merge_deploys(view, orders)
        for place, (edge, armies) in enumerate(merged_attacks(view, orders)):
            source = self.board.edge_source[edge]
            row[n + e + edge] = place
            row[n + edge] = armies
            if self._max_armies <= armies < MAX_ARMIES:
                if not nearest:
                    raise InexpressibleError(
                        f"an attack with {armies} armies: must be less than max_armies = {self._max_armies}, or all"
                    )
                largest, available = self._max_armies - 1, int(view.army[source] + row[source] - 1)
                row[n + edge] = largest if largest and armies - largest <= abs(available - armies) else MAX_ARMIES
            row[n + edge] = min(row[n + edge], self._max_armies)


def _read_only(row: I8) -> I8:
    row.flags.writeable = False
    return row
