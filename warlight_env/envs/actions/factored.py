"""The action encoding `factored`: an action has one choice of 0 … 4 for each region and each directed edge."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations_with_replacement, pairwise
from typing import Any, ClassVar, Final

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from warlight_env.agents.context import Context
from warlight_env.agents.records.factored_turns import (
    VALUES,
    allocate_income,
    decode_factored,
    make_allocation_work,
    share_of,
)
from warlight_env.array_arguments import integer_array
from warlight_env.engine.board import Board
from warlight_env.engine.jit import kernel
from warlight_env.engine.kernel_types import ActionRow, Int
from warlight_env.engine.orders import Orders
from warlight_env.engine.rules import RuleParams
from warlight_env.engine.view import View
from warlight_env.envs.actions.base import I8, ActionEncoding, free_regions
from warlight_env.envs.actions.exact import decode_preferences
from warlight_env.envs.actions.kernels import COUNT, OWN, READY, ActionWork, PlayerPosition, Turn, make_turn
from warlight_env.envs.actions.maskable import MaskableChoices
from warlight_env.envs.actions.turns import (
    I64,
    Choice,
    InexpressibleError,
    check_preferences,
    edge_of,
    merge_deploys,
    merged_attacks,
    nearest_ranks,
    ranks,
)
from warlight_env.errors import InputError

_TOP: Final = VALUES - 1


@kernel
def submit_factored(
    context: Context, view: PlayerPosition, turn: Turn, config: npt.NDArray[np.int64], work: ActionWork, row: ActionRow
) -> Int:
    """Convert an action row of the encoding "factored" to a turn; the kernel `submit` of this encoding.

    The row contains a weight for each region, a fraction for each edge and, optionally, a priority for each edge.
    """
    turn.status[READY] = 1
    if view.picking:
        turn.status[COUNT], illegal = decode_preferences(view.free, _TOP, row, turn.preferences)
        return illegal
    turn.status[COUNT], illegal = decode_factored(
        context.board,
        view.position,
        view.player,
        view.income,
        context.params.max_orders,
        row,
        work.allocation,
        turn.deploy,
        turn.attacks,
    )
    return illegal


class FactoredActions(ActionEncoding):
    """The action encoding `factored` with the space MultiDiscrete([5] * (N + E)).

    An action has one choice for each of N regions and each of E directed edges.

    | entry of the action | meaning of its values 0 … 4 |
    |---|---|
    | r < N | weight of region r in the division of the income over the own regions |
    | N + e | 0, 25, 50, 75, 100 % of the armies that may leave the source of edge e |
    | N + E + e (`priority=True` only) | attacks with higher values come first, equal values in the order of edges |

    The income is divided in proportion to the weights, with the largest remainder method (with equal remainders, the
    region with the lower number comes first). If all weights are 0, nothing is deployed. After the deploys, all armies
    of a region except one may leave the region. An attack has a percentage of the armies that may leave its source: the
    number is rounded down, but is at least 1. If no army may leave the source, there is no attack. Edge e goes from
    ``edge_index[0, e]`` to ``edge_index[1, e]``. Attacks are executed in the order of edges unless priorities give
    another order.

    The encoding expresses deploys on any own regions, with weights of 0 to 4, and attacks along any edges, with
    quarters of the armies. The encoding cannot express exact numbers of armies, a turn that leaves income unused, or an
    order of attacks that needs more than five priorities.

    While the players pick their start regions, the values of the regions rank the regions: regions with higher values
    are preferred. Among regions with equal values, the region with the lower number is preferred. A region with the
    value 0 is not preferred. If the preferences give the player too few regions, the game draws more regions at random.

    The mask allows every value for own regions and for edges that start in own regions (while the players pick regions:
    for offered regions). For all other regions and edges, the mask allows only the value 0. An action that respects the
    mask has no illegal orders. If the rules limit the number of orders, only the regions with the highest weights get
    armies (of regions with equal weights, the first ones). Transfers are left out before attacks on other owners, and
    later orders before earlier ones.
    """

    name: ClassVar[str] = "factored"
    submit = staticmethod(submit_factored)
    copies_integers = True
    row_width = VALUES

    def __init__(self, board: Board, params: RuleParams, *, priority: bool = False) -> None:
        super().__init__(board, params)
        self.priority = priority
        n, e = board.n_regions, board.n_edges
        self.mask_rows = n + (2 * e if priority else e)
        sources: list[Any] = [np.arange(n), board.edge_source, *([board.edge_source] if priority else [])]
        self._region_of_row: npt.NDArray[np.int64] = np.concatenate(sources)
        self.space = MaskableChoices([VALUES] * self.mask_rows)
        self.mask_space = spaces.Tuple([spaces.MultiBinary(VALUES)] * self.mask_rows)
        #: The two possible rows of an action mask. The first row allows only the value 0; the second allows all values.
        self._rows = tuple(np.array([1] + [allowed] * _TOP, dtype=np.int8) for allowed in (0, 1))
        for row in self._rows:
            row.flags.writeable = False

    @property
    def limits(self) -> I64:
        return np.full(self.mask_rows, VALUES, dtype=np.int64)

    def flat_mask(self, view: View) -> I8:
        """Return the action mask as int8[5 * `mask_rows`]: five values for each choice."""
        free = free_regions(view)
        open_row = free[self._region_of_row] != 0
        open_row[self.board.n_regions :] &= free[self._region_of_row[self.board.n_regions :]] == OWN
        mask = np.repeat(open_row.astype(np.int8)[:, None], VALUES, axis=1)
        mask[:, 0] = 1
        return mask.reshape(-1)

    def shape_mask(self, flat: I8) -> tuple[I8, ...]:
        return tuple(map(self._rows.__getitem__, flat[_TOP::VALUES].tolist()))

    def mask(self, view: View) -> tuple[I8, ...]:
        """Return the action mask as a tuple with an array int8[5] for each choice. The arrays are read-only."""
        return self.shape_mask(self.flat_mask(view))

    def row(self, action: Any, view: Callable[[], View], out: I64) -> int:
        out[:] = integer_array(action, (self.mask_rows,), "action")
        return 0

    def decode(self, view: View, action: Any) -> Choice:
        row = integer_array(action, (self.mask_rows,), "action").astype(np.int64)
        if ((row < 0) | (row >= VALUES)).any():
            raise InputError(f"action: each entry must lie in 0 .. {_TOP}")
        n = self.board.n_regions
        if view.phase == "pick":
            preferences = np.zeros(n, dtype=np.int32)
            count, _ = decode_preferences(free_regions(view), _TOP, row, preferences)
            return preferences[:count].tolist()
        turn, work = make_turn(n, self.board.n_edges), make_allocation_work(n)
        count, _ = decode_factored(
            self.board, view.position, view.player, view.income, self.params.max_orders, row, work,
            turn.deploy, turn.attacks,
        )  # fmt: skip
        return Orders.from_arrays(turn.deploy, turn.attacks, count)

    def encode(self, view: View, turn: Choice, *, nearest: bool = False) -> I64:
        """Convert a turn to an action int64[`mask_rows`]; raise `InexpressibleError` if no action expresses the turn.

        The conversion may change the order of the deploys, but no other part of the turn. With ``nearest=True`` the
        method raises no error, but returns the closest action. The weights of the closest action are in proportion to
        the deployed armies, and its percentages are those nearest to the numbers of attacking armies. Attacks keep
        their order as far as the priorities allow. An attack is dropped if its source has only one army after the
        deploys.
        """
        try:
            return self._exact(view, turn)
        except InexpressibleError:
            if not nearest:
                raise
        return self._nearest(view, turn)

    def _exact(self, view: View, turn: Choice) -> I64:
        action = np.zeros(self.mask_rows, dtype=np.int64)
        if not isinstance(turn, Orders):
            preferences = check_preferences(view, turn)
            action[preferences] = ranks(preferences, _TOP)
            return action
        deploy = merge_deploys(view, turn)
        if deploy.any():
            weights = _exact_weights(view, deploy, self.params.max_orders)
            if weights is None:
                raise InexpressibleError(
                    "no weights 0 .. 4 of the regions divide the income into exactly these deploys"
                )
            action[: len(weights)] = weights
        self._exact_attacks(view, turn, deploy, action)
        return action

    def _exact_attacks(self, view: View, orders: Orders, deploy: I64, action: I64) -> None:
        board, n = self.board, self.board.n_regions
        edges: list[int] = []
        for source, target, armies in orders.arrays()[1].tolist():
            edge = edge_of(view, source, target)
            if action[n + edge] != 0:
                raise InexpressibleError(f"two attacks from {source} to {target}")
            available = int(view.army[source] + deploy[source] - 1)
            if available < 1:
                raise InexpressibleError(f"attack {source} to {target}: the source has no army that may leave")
            sends = _sends(available)
            if armies not in sends:
                raise InexpressibleError(
                    f"attack {source} to {target}: a quarter, half, three quarters and all of {available} armies are "
                    f"{sends}, not {armies}"
                )
            action[n + edge] = _nearest_share(sends, armies)
            edges.append(edge)
        if self.params.max_orders and len(edges) > self.params.max_orders:
            raise InexpressibleError(
                f"the rules allow at most {self.params.max_orders} attacks in a turn, not {len(edges)}"
            )
        if self.priority:
            levels = [level - 1 for level in ranks(edges, VALUES)]
            action[[n + board.n_edges + edge for edge in edges]] = levels
        elif edges != sorted(edges):
            raise InexpressibleError(
                "attacks must be in the order of directed edges; with priority=True, attacks can be in another order"
            )

    def _nearest(self, view: View, turn: Choice) -> I64:
        board, n = self.board, self.board.n_regions
        action = np.zeros(self.mask_rows, dtype=np.int64)
        if not isinstance(turn, Orders):
            preferences = check_preferences(view, turn)
            action[preferences] = nearest_ranks(len(preferences), _TOP)
            return action
        deploy = merge_deploys(view, turn)
        if deploy.any():
            action[:n] = np.ceil(deploy * _TOP / deploy.max())
        edges: list[int] = []
        for edge, armies in merged_attacks(view, turn):
            source = board.edge_source[edge]
            available = int(view.army[source] + deploy[source] - 1)
            if available >= 1:
                action[n + edge] = _nearest_share(_sends(available), armies)
                edges.append(edge)
        if self.priority:
            drops = np.cumsum([0] + [b < a for a, b in pairwise(edges)])[: len(edges)]
            action[[n + board.n_edges + edge for edge in edges]] = np.maximum(0, _TOP - drops)
        return action


def _sends(available: int) -> list[int]:
    """Return the numbers of armies in 25, 50, 75 and 100 % of the available armies."""
    return [int(share_of(available, value)) for value in range(1, VALUES)]


def _nearest_share(sends: list[int], armies: int) -> int:
    """Return the choice 1 … 4 with the number of armies nearest to `armies`; the higher of two equally near choices.

    sends: the result of `_sends`.
    """
    return 1 + max(range(_TOP), key=lambda i: (-abs(sends[i] - armies), i))


def _exact_weights(view: View, deploy: I64, max_orders: int) -> I64 | None:
    """Return weights 0 … 4 that divide the income into exactly these deploys; None if no such weights exist.

    The search tries all assignments of weights in which a region with more armies never has a smaller weight than a
    region with fewer armies.
    """
    if deploy.sum() != view.income:
        raise InexpressibleError(
            f"the turn deploys {deploy.sum()} armies; an action always deploys the whole income, {view.income}"
        )
    regions = np.flatnonzero(deploy)
    order = regions[np.lexsort((regions, -deploy[regions]))]
    weights, out, work = np.zeros_like(deploy), np.zeros(len(deploy), dtype=np.int32), make_allocation_work(len(deploy))
    for cuts in combinations_with_replacement(range(len(order) + 1), _TOP - 1):
        bounds = (0, *cuts, len(order))
        for w in range(_TOP):
            weights[order[bounds[w] : bounds[w + 1]]] = _TOP - w
        allocate_income(view.owner, view.player, view.income, max_orders, weights, work, out)
        if (out == deploy).all():
            return weights
    return None
