"""The `factored` encoding: one small choice per region and per directed edge."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations_with_replacement, pairwise
from typing import Any, ClassVar, Final

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from warlight_env.agents.context import Context
from warlight_env.agents.factored_turns import VALUES, decode_factored, share_of, share_out
from warlight_env.engine.board import Board
from warlight_env.engine.jit import kernel
from warlight_env.engine.kernel_types import ActionRow, Int
from warlight_env.engine.orders import Orders
from warlight_env.engine.rules import RuleParams
from warlight_env.engine.view import View
from warlight_env.envs.actions.base import (
    I8,
    I64,
    ActionEncoding,
    Choice,
    InexpressibleError,
    check_wishes,
    free_regions,
    integers,
    merge_deploys,
    ranks,
)
from warlight_env.envs.actions.exact import decode_wishes
from warlight_env.envs.actions.kernels import COUNT, OWN, READY, ActionWork, SeenPosition, Turn
from warlight_env.envs.actions.maskable import MaskableChoices

_TOP: Final = VALUES - 1


@kernel
def submit_factored(
    context: Context, seen: SeenPosition, turn: Turn, config: npt.NDArray[np.int64], work: ActionWork, row: ActionRow
) -> Int:
    """Read weights and shares, and priorities where the row has them."""
    board, params = context.board, context.params
    turn.status[READY] = 1
    if seen.picking:
        turn.status[COUNT], illegal = decode_wishes(seen.free, _TOP, row, turn.wishes)
        return illegal
    priority = row.shape[0] > seen.position.owner.shape[0] + board.edge_target.shape[0]
    turn.status[COUNT], illegal = decode_factored(
        board.neighbor_start,
        board.edge_target,
        seen.position.owner,
        seen.position.army,
        seen.player,
        seen.income,
        params.max_orders,
        priority,
        row,
        work.own,
        work.classes,
        turn.deploy,
        turn.attacks,
    )
    return illegal


class FactoredActions(ActionEncoding):
    """`factored`: MultiDiscrete([5] * (N + E)), one choice per region and per directed edge.

    | row | values 0 … 4 mean |
    |---|---|
    | r < N | weight of region r, by which the income is shared out over the own regions |
    | N + e | 0, 25, 50, 75, 100 % of the armies that may leave the source of edge e |
    | N + E + e (`priority=True` only) | attacks with the higher value go first, ties by edge |

    The income is shared out by largest remainder, ties: the lower region first; all weights 0 deploy nothing. The
    armies that may leave a region are its army after deployment less 1; a share of them is rounded down, but at
    least 1, and there is no order where none may leave. Edge e goes from ``edge_index[0, e]`` to
    ``edge_index[1, e]``; attacks go in the order of edges unless priorities say otherwise.

    What it can say: any choice of own regions to deploy on, in proportions of 0 to 4, and of edges to attack along,
    in quarters. What it cannot: single armies, income not spent, and the order of attacks beyond five priorities.

    While regions are picked, a deploy row is a wish: higher values first, ties: the lower region
    first; 0 is no wish, and picks without a wish are drawn at random.

    The mask leaves every value to rows of own regions and of edges that start there (while picking: of the regions
    offered), and only 0 to all others. Every action that respects it is legal. Where the rules limit the orders of a
    turn, the first ones are meant: the first regions with a weight, the first attacks.
    """

    name: ClassVar[str] = "factored"
    submit = staticmethod(submit_factored)
    row_width = VALUES

    def __init__(self, board: Board, params: RuleParams, *, priority: bool = False) -> None:
        super().__init__(board, params)
        self.priority = priority
        n, e = board.n_regions, board.n_edges
        self.mask_rows = n + (2 * e if priority else e)
        sources: list[Any] = [np.arange(n), board.edge_source, *([board.edge_source] if priority else [])]
        self._region_of_row: npt.NDArray[np.int64] = np.concatenate(sources)
        self._space = MaskableChoices([VALUES] * self.mask_rows)
        self._mask_space = spaces.Tuple([spaces.MultiBinary(VALUES)] * self.mask_rows)
        #: A row of the mask by whether its values above 0 are allowed.
        self._rows = tuple(np.array([1] + [allowed] * _TOP, dtype=np.int8) for allowed in (0, 1))
        for row in self._rows:
            row.flags.writeable = False

    @property
    def space(self) -> MaskableChoices:
        return self._space

    @property
    def mask_space(self) -> spaces.Tuple:
        return self._mask_space

    @property
    def limits(self) -> I64:
        return np.full(self.mask_rows, VALUES, dtype=np.int64)

    def flat_mask(self, view: View) -> I8:
        """int8[rows * 5]."""
        free = free_regions(view)
        open_row = free[self._region_of_row] != 0
        open_row[self.board.n_regions :] &= free[self._region_of_row[self.board.n_regions :]] == OWN
        mask = np.repeat(open_row.astype(np.int8)[:, None], VALUES, axis=1)
        mask[:, 0] = 1
        return mask.reshape(-1)

    def shape_mask(self, flat: I8) -> tuple[I8, ...]:
        return tuple(map(self._rows.__getitem__, flat[_TOP::VALUES].tolist()))

    def mask(self, view: View) -> tuple[I8, ...]:
        """A tuple of int8[5], one for each row; equal rows are one (read-only) array."""
        return self.shape_mask(self.flat_mask(view))

    def row(self, action: Any, view: Callable[[], View], out: I64) -> int:
        out[:] = integers(action, (self.mask_rows,), "action")
        return 0

    def rows(self, actions: Any, view: Callable[[int], View], out: I64) -> npt.NDArray[np.int32]:
        out[:] = integers(actions, out.shape, "actions")
        return np.zeros(len(out), dtype=np.int32)

    def decode(self, view: View, action: Any) -> Choice:
        row = integers(action, (self.mask_rows,), "action").astype(np.int64)
        if ((row < 0) | (row >= VALUES)).any():
            raise ValueError(f"action must lie in 0 .. {_TOP}")
        n = self.board.n_regions
        if view.phase == "pick":
            wishes = np.zeros(n, dtype=np.int32)
            count, _ = decode_wishes(free_regions(view), _TOP, row, wishes)
            return wishes[:count].tolist()
        deploy = np.zeros(n, dtype=np.int32)
        attacks = np.zeros((self.board.n_edges, 3), dtype=np.int32)
        count, _ = decode_factored(
            self.board.neighbor_start, self.board.edge_target, view.owner, view.army, view.player, view.income,
            self.params.max_orders, self.priority, row, np.zeros(n, dtype=np.int32),
            np.zeros((3, VALUES), dtype=np.int64), deploy, attacks,
        )  # fmt: skip
        return Orders.from_arrays(deploy, attacks, count)

    def encode(self, view: View, turn: Choice, *, nearest: bool = False) -> I64:
        """The action of a turn, int64[rows].

        Exact, up to the order of deploys, or `InexpressibleError`. With ``nearest=True`` the closest action instead,
        for imitation: weights in proportion to the armies deployed, shares nearest to the armies sent, and the order of
        attacks as far as there are levels.
        """
        action = np.zeros(self.mask_rows, dtype=np.int64)
        if not isinstance(turn, Orders):
            self._encode_wishes(view, turn, action, nearest)
            return action
        deploy = merge_deploys(view, turn)
        if deploy.any():
            weights = None if nearest else _exact_weights(view, deploy, self.params.max_orders)
            if weights is None:
                if not nearest:
                    raise InexpressibleError("no weights 0 .. 4 share the income out like these deploys")
                weights = np.ceil(deploy * _TOP / deploy.max()).astype(np.int64)
            action[: len(weights)] = weights
        self._encode_attacks(view, turn, deploy, action, nearest)
        return action

    def _encode_wishes(self, view: View, wishes: Sequence[int], action: I64, nearest: bool) -> None:
        regions = check_wishes(view, wishes)
        if nearest:
            for place, region in enumerate(regions):
                action[region] = max(1, _TOP - place)
        else:
            action[regions] = ranks(regions, _TOP)

    def _encode_attacks(self, view: View, orders: Orders, deploy: I64, action: I64, nearest: bool) -> None:
        board, n = self.board, self.board.n_regions
        edges: list[int] = []
        for source, target, armies in orders.arrays()[1].tolist():
            edge = edge_of(view, source, target)
            if action[n + edge] != 0:
                raise InexpressibleError(f"two attacks from {source} to {target}")
            available = int(view.army[source] + deploy[source] - 1)
            if available < 1:
                raise InexpressibleError(f"attack {source} to {target}: no armies may leave")
            sends = [int(share_of(available, value)) for value in range(1, VALUES)]
            if not nearest and armies not in sends:
                raise InexpressibleError(
                    f"attack {source} to {target}: a quarter, half, three quarters and all of {available} armies are "
                    f"{sends}, not {armies}"
                )
            # the largest share that sends the same: it stays right where more armies turn up
            action[n + edge] = 1 + max(range(_TOP), key=lambda i: (-abs(sends[i] - armies), i))
            edges.append(edge)
        if self.params.max_orders and len(edges) > self.params.max_orders:
            raise InexpressibleError(f"the rules allow {self.params.max_orders} attacks in a turn, not {len(edges)}")
        if self.priority:
            if nearest:
                drops = np.cumsum([0] + [b < a for a, b in pairwise(edges)])[: len(edges)]
                levels = np.maximum(0, _TOP - drops).tolist()
            else:
                levels = [level - 1 for level in ranks(edges, VALUES)]
            action[[n + board.n_edges + edge for edge in edges]] = levels
        elif edges != sorted(edges) and not nearest:
            raise InexpressibleError("attacks go in the order of edges; use priority=True for others")


def edge_of(view: View, source: int, target: int) -> int:
    """The directed edge of an attack from an own region, or `InexpressibleError`."""
    n = view.board.n_regions
    if not (0 <= source < n and 0 <= target < n) or view.board.edge_index[source, target] < 0:
        raise InexpressibleError(f"attack {source} to {target}: the regions are not neighbours")
    if view.owner[source] != view.player:
        raise InexpressibleError(f"attack {source} to {target}: not the player's region")
    return int(view.board.edge_index[source, target])


def _exact_weights(view: View, deploy: I64, max_orders: int) -> I64 | None:
    """Weights that share the income out exactly like `deploy`, or None: tries every monotone choice of classes."""
    if deploy.sum() != view.income:
        raise InexpressibleError(f"the whole income of {view.income} is shared out, not {deploy.sum()}")
    regions = np.flatnonzero(deploy)
    order = regions[np.lexsort((regions, -deploy[regions]))]
    weights, out = np.zeros_like(deploy), np.zeros(len(deploy), dtype=np.int32)
    own, classes = np.zeros(len(deploy), dtype=np.int32), np.zeros((3, VALUES), dtype=np.int64)
    for cuts in combinations_with_replacement(range(len(order) + 1), _TOP - 1):
        bounds = (0, *cuts, len(order))
        for w in range(_TOP):
            weights[order[bounds[w] : bounds[w + 1]]] = _TOP - w
        share_out(view.owner, view.player, view.income, max_orders, weights, own, classes, out)
        if (out == deploy).all():
            return weights
    return None


__all__ = ["FactoredActions", "edge_of"]
