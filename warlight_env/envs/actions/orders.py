"""The `orders` encoding: armies for every region and edge, exactly."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces

from warlight_env.engine.board import Board
from warlight_env.engine.jit import kernel
from warlight_env.engine.orders import Orders
from warlight_env.engine.rules import MAX_ARMIES, RuleParams
from warlight_env.engine.view import View
from warlight_env.envs.actions.base import (
    EXACT,
    I8,
    I64,
    OWN,
    ActionEncoding,
    InexpressibleError,
    Turn,
    check_wishes,
    free_regions,
    integers,
    merge_deploys,
    ranks,
)
from warlight_env.envs.actions.factored import decode_wishes, edge_of


@kernel
def decode_exact(board, owner, player, income, max_orders, max_armies, action, places, deploy_out, attacks_out):
    """Write the orders of an exact row (armies by region, armies by edge, place by edge) in normal form.

    `places` is int32[E + 1] of working memory. Returns the number of attacks, and of what was dropped: orders on
    foreign regions and beyond the rules' limit of orders, armies beyond the income.
    """
    n, e_all = owner.shape[0], board.edge_target.shape[0]
    illegal = np.int64(0)
    left = np.int64(income)
    named = 0
    for r in range(n):
        deploy_out[r] = 0
        armies = np.int64(action[r])
        if armies == 0:
            continue
        if owner[r] != player or (max_orders > 0 and named >= max_orders):
            illegal += 1
            continue
        named += 1
        deploy_out[r] = min(armies, left)
        illegal += armies - deploy_out[r]
        left -= deploy_out[r]
    for k in range(e_all + 1):
        places[k] = 0
    count = 0
    for e in range(e_all):
        if action[n + e] == 0:
            continue
        if owner[board.edge_source[e]] != player:
            illegal += 1
        else:
            places[action[n + e_all + e] + 1] += 1
            count += 1
    for k in range(1, e_all + 1):
        places[k] += places[k - 1]
    for e in range(e_all):
        source = board.edge_source[e]
        if action[n + e] != 0 and owner[source] == player:
            place = places[action[n + e_all + e]]
            places[action[n + e_all + e]] += 1
            armies = np.int64(action[n + e])
            row = attacks_out[place]
            row[0], row[1], row[2] = source, board.edge_target[e], MAX_ARMIES if armies >= max_armies else armies
    if max_orders > 0 and count > max_orders:
        illegal += count - max_orders
        count = max_orders
    return count, illegal


class OrdersActions(ActionEncoding):
    """`orders`: Dict of three MultiDiscrete, every turn exactly.

    | key | space | means |
    |---|---|---|
    | deploy | [max income + 1] * N | armies deployed on each region |
    | attack | [max_armies + 1] * E | armies sent along each directed edge; the last value: all |
    | priority | [E] * E | attacks with the lower value go first, ties by edge |

    The largest income is that of a player who owns every super region. All armies are those that can go when the
    attack is carried out; as an order they read 1,000,000. While regions are picked, a deploy row is a
    wish: higher values first, ties: the lower region first; 0 is no wish, and picks without a wish are drawn at random.

    The mask closes the rows of foreign regions (while picking: of regions not offered) and of edges that start
    there. It cannot hold the sum of all deploys to the income: what is over is dropped army by army, the last regions
    first, and counted as illegal, and so are orders beyond the rules' limit in a turn.
    """

    name: ClassVar[str] = "orders"

    def __init__(self, board: Board, params: RuleParams, *, max_armies: int = 63) -> None:
        super().__init__(board, params)
        if not 1 <= max_armies <= MAX_ARMIES:
            raise ValueError(f"max_armies = {max_armies!r}: must lie in 1 .. {MAX_ARMIES}")
        self.code = EXACT
        self._max_armies = max_armies
        n, e = board.n_regions, max(board.n_edges, 1)
        widths = {"deploy": (self.max_income + 1, n), "attack": (max_armies + 1, e), "priority": (e, e)}
        self._widths = widths
        self._space = spaces.Dict({key: spaces.MultiDiscrete([w] * rows) for key, (w, rows) in widths.items()})
        self._mask_space = spaces.Dict(
            {key: spaces.Tuple([spaces.MultiBinary(w)] * rows) for key, (w, rows) in widths.items()}
        )
        self._open = {key: _read_only(np.ones(w, dtype=np.int8)) for key, (w, _) in widths.items()}
        self._shut = {key: _read_only(np.eye(1, w, dtype=np.int8)[0]) for key, (w, _) in widths.items()}
        self._priority_mask = (self._open["priority"],) * e

    @property
    def space(self) -> spaces.Dict:
        return self._space

    @property
    def mask_space(self) -> spaces.Dict:
        return self._mask_space

    @property
    def max_armies(self) -> int:
        return self._max_armies

    @property
    def limits(self) -> I64:
        keys = ("deploy", "attack", "priority")
        return np.concatenate([np.full(self._widths[k][1], self._widths[k][0], dtype=np.int64) for k in keys])

    def mask(self, free: I8) -> dict[str, tuple[I8, ...]]:
        """A dict of tuples of int8 rows; equal rows are one (read-only) array."""
        deploy = (self._shut["deploy"], self._open["deploy"])
        attack = (self._shut["attack"], self._open["attack"])
        own = free == OWN
        return {
            "attack": tuple([attack[i] for i in own[self.board.edge_source].tolist()]),
            "deploy": tuple([deploy[i] for i in (free != 0).tolist()]),
            "priority": self._priority_mask,
        }

    def flat_mask(self, free: I8) -> I8:
        """The rows of attack, deploy and priority (the order of the space's keys) one after the other."""
        mask = self.mask(free)
        return np.concatenate([row for key in self._space.spaces for row in mask[key]])

    def _rows(self, action: Any) -> I64:
        if not isinstance(action, dict) or set(action) != set(self._widths):
            got = sorted(action) if isinstance(action, dict) else type(action).__name__
            raise ValueError(f"action must be a dict of attack, deploy and priority, not {got}")
        parts = [integers(action[key], (rows,), f"action[{key!r}]") for key, (_, rows) in self._widths.items()]
        return np.concatenate([part.astype(np.int64) for part in parts])

    def row(self, action: Any, view: Callable[[], View], out: I64) -> int:
        out[:] = self._rows(action)
        return 0

    def decode(self, view: View, action: Any) -> Turn:
        row = self._rows(action)
        if ((row < 0) | (row >= self.limits)).any():
            raise ValueError("action is out of the space")
        n = self.board.n_regions
        if view.phase == "pick":
            wishes = np.zeros(n, dtype=np.int32)
            count, _ = decode_wishes(free_regions(view), self.max_income, row[:n], wishes)
            return wishes[:count].tolist()
        deploy = np.zeros(n, dtype=np.int32)
        attacks = np.zeros((self.board.n_edges, 3), dtype=np.int32)
        count, _ = decode_exact(
            self.board, view.owner, view.player, view.income, self.params.max_orders, self._max_armies, row,
            np.zeros(self.board.n_edges + 1, dtype=np.int32), deploy, attacks,
        )  # fmt: skip
        return Orders.from_arrays(deploy, attacks, count)

    def encode(self, view: View, turn: Turn) -> dict[str, I64]:
        """The action of a turn, exact up to the order of deploys and what is merged, or `InexpressibleError`."""
        n, e = self.board.n_regions, self.board.n_edges
        row = np.zeros(n + 2 * e, dtype=np.int64)
        if isinstance(turn, Orders):
            self._encode_orders(view, turn, row)
        else:
            wishes = check_wishes(view, turn)
            row[wishes] = ranks(wishes, self.max_income)
        return {"attack": row[n : n + e], "deploy": row[:n], "priority": row[n + e :]}

    def _encode_orders(self, view: View, orders: Orders, row: I64) -> None:
        n, e = self.board.n_regions, self.board.n_edges
        deploys, attacks = orders.arrays()
        limit = self.params.max_orders
        if limit and max(len(deploys), len(attacks)) > limit:
            raise InexpressibleError(f"the rules allow {limit} deploys and {limit} attacks in a turn")
        row[:n] = merge_deploys(view, orders)
        place = 0
        for source, target, armies in attacks.tolist():
            edge = edge_of(view, source, target)
            if armies < 1:
                raise InexpressibleError(f"attack {source} to {target}: at least one army is needed")
            if row[n + edge] and self.params.repeated_illegal:
                raise InexpressibleError(f"two attacks from {source} to {target}")
            if row[n + edge] == 0:
                row[n + e + edge] = place
                place += 1
            row[n + edge] += min(armies, MAX_ARMIES)
        for edge in np.flatnonzero(row[n : n + e] >= self._max_armies).tolist():
            armies = int(row[n + edge])
            if armies < MAX_ARMIES:
                raise InexpressibleError(f"an attack with {armies} armies; max_armies = {self._max_armies} means all")
            row[n + edge] = self._max_armies


def _read_only(row: I8) -> I8:
    row.flags.writeable = False
    return row
