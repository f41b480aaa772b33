"""The `continuous` encoding: a score for every region and a share for every directed edge."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Final

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from warlight_env.agents.context import Context
from warlight_env.arguments import short_repr
from warlight_env.array_arguments import array_of
from warlight_env.engine.board import Board
from warlight_env.engine.jit import kernel
from warlight_env.engine.kernel_types import ActionRow, Armies, Int
from warlight_env.engine.orders import Orders
from warlight_env.engine.rules import RuleParams
from warlight_env.engine.view import View
from warlight_env.envs.actions.base import I8, ActionEncoding
from warlight_env.envs.actions.kernels import COUNT, OFFERED, READY, ActionWork, PlayerPosition, Turn
from warlight_env.envs.actions.turns import (
    I64,
    Choice,
    InexpressibleError,
    check_preferences,
    edge_of,
    merge_deploys,
    merged_attacks,
)
from warlight_env.errors import InputError

#: Rows contain scores as integers 0 .. 2 * SCALE for -1 .. 1. So shares are exact and equal on every machine.
SCALE: Final = 1 << 20


@kernel
def _share_out(seen: PlayerPosition, max_orders: Int, row: ActionRow, work: ActionWork, deploy: Armies) -> None:
    """Share the income over the own regions with scores above 0; if there are none, deploy all on the highest score."""
    total, best, named = np.int64(0), -1, 0
    weight = work.keys
    for r in range(deploy.shape[0]):
        deploy[r], weight[r] = 0, 0
        if seen.position.owner[r] != seen.player:
            continue
        if best < 0 or row[r] > row[best]:
            best = r
        if row[r] > SCALE and (max_orders == 0 or named < max_orders):
            weight[r] = row[r] - SCALE
            total += weight[r]
            named += 1
    if best < 0 or seen.income <= 0:
        return
    if total == 0:
        deploy[best] = seen.income
        return
    left = np.int64(seen.income)
    for r in range(deploy.shape[0]):
        quota = seen.income * weight[r]
        deploy[r] = quota // total
        weight[r] = quota % total if weight[r] > 0 else -1  # from here on `weight` is the remainder
        left -= deploy[r]
    while left > 0:  # fewer armies than regions with a weight
        most = -1
        for r in range(deploy.shape[0]):
            if weight[r] >= 0 and (most < 0 or weight[r] > weight[most]):
                most = r
        deploy[most] += 1
        weight[most] = -1
        left -= 1


@kernel
def _armies(available: Int, score: Int) -> Int:
    """Return the armies that a share of `score` / SCALE sends: rounded, but at least 1."""
    return max(np.int64(1), min(available, (2 * available * score + SCALE) // (2 * SCALE)))


@kernel
def submit_scores(
    context: Context, seen: PlayerPosition, turn: Turn, config: npt.NDArray[np.int64], work: ActionWork, row: ActionRow
) -> Int:
    """Read the scores and shares of a row into the turn."""
    board, params = context.board, context.params
    n = seen.position.owner.shape[0]
    turn.status[READY] = 1
    keys, places, count = work.keys, work.places, 0
    if seen.picking:
        for r in range(n):
            if seen.free[r] == OFFERED:
                i = count
                while i > 0 and row[turn.preferences[i - 1]] < row[r]:
                    turn.preferences[i] = turn.preferences[i - 1]
                    i -= 1
                turn.preferences[i] = r
                count += 1
        turn.status[COUNT] = count
        return 0
    _share_out(seen, params.max_orders, row, work, turn.deploy)
    for e in range(board.edge_target.shape[0]):
        source = board.edge_source[e]
        score = row[n + e] - SCALE
        if (
            score <= 0
            or seen.position.owner[source] != seen.player
            or seen.position.army[source] + turn.deploy[source] < 2
        ):
            continue
        i = count
        while i > 0 and keys[i - 1] < score:
            keys[i], places[i] = keys[i - 1], places[i - 1]
            i -= 1
        keys[i], places[i] = score, e
        count += 1
    if params.max_orders > 0:
        count = min(count, params.max_orders)
    for i in range(count):
        e = places[i]
        source = board.edge_source[e]
        available = np.int64(seen.position.army[source]) + turn.deploy[source] - 1
        turn.attacks[i, 0], turn.attacks[i, 1] = source, board.edge_target[e]
        turn.attacks[i, 2] = _armies(available, keys[i])
    turn.status[COUNT] = count
    return 0


class ContinuousActions(ActionEncoding):
    """`continuous`: Box(-1, 1, (N + E,)), a score for every region and a share for every directed edge.

    | entry | meaning |
    |---|---|
    | r < N | above 0: weight of region r in the division of the income; at most 0: no armies |
    | N + e | above 0: the share of the armies that may leave the source of edge e; at most 0: no attack |

    The income is divided over the own regions with a weight, with the largest remainder method (if equal, the lower
    region first). If no own region has a weight, the own region with the highest score gets all armies. The armies that
    may leave a region are its army after deployment less 1. A share is rounded to a number of armies, at least 1.
    Attacks with larger shares come first; equal shares are in the order of edges. Entries of regions that the player
    does not own, and of edges that start there, have no effect. So there are no masks, and every action in the box is
    legal.
    Scores have a resolution of one in a million. Policies draw scores from Gaussian distributions, and rounding can
    move a score out of the box. Finite numbers out of the box are clipped to it, as in Gymnasium's own continuous
    environments, and counted as illegal. Infinite numbers and NaN raise InputError.

    The encoding expresses deploys in any proportion and attacks with any number of armies. It does not express a turn
    that keeps income, or attacks in an order other than that of their shares.

    While regions are picked, the scores rank all offered regions: higher scores are preferred.
    """

    name: ClassVar[str] = "continuous"
    submit = staticmethod(submit_scores)

    def __init__(self, board: Board, params: RuleParams) -> None:
        super().__init__(board, params)
        self._size = board.n_regions + board.n_edges
        self._space = spaces.Box(-1.0, 1.0, (self._size,), np.float32)

    @property
    def space(self) -> spaces.Box:
        return self._space

    @property
    def mask_space(self) -> None:
        return None

    @property
    def limits(self) -> I64:
        return np.full(self._size, 2 * SCALE + 1, dtype=np.int64)

    @property
    def config(self) -> I64:
        return np.zeros(1, dtype=np.int64)

    def mask(self, view: View) -> None:
        """Return None: every action is allowed."""
        return None

    def flat_mask(self, view: View) -> I8:
        """Return an empty mask, int8[0]."""
        return np.zeros(0, dtype=np.int8)

    def row(self, action: Any, view: Callable[[], View], out: I64) -> int:
        out[:], clipped = scores_of(action, out.shape, "action")
        return int(clipped)

    def rows(self, actions: Any, view: Callable[[int], View], out: I64) -> npt.NDArray[np.int32]:
        out[:], clipped = scores_of(actions, out.shape, "actions")
        return clipped

    def decode(self, view: View, action: Any) -> Choice:
        return self._choice(view, self._submitted(view, [scores_of(action, (self._size,), "action")[0]])[0])

    def encode(self, view: View, turn: Choice, *, nearest: bool = False) -> npt.NDArray[np.float32]:
        """Return the action of a turn, float32[N + E]; exact up to the order of deploys, or raise `InexpressibleError`.

        If a list of preferred regions does not contain all offered regions, the other offered regions follow.

        With ``nearest=True`` the method returns the closest action instead. If the turn keeps income, the
        action deploys it in the proportions of the turn's deploys, or on the first own region if there are none.
        Attacks keep their numbers of armies, and their order as far as these numbers allow. The action does not contain
        attacks from regions that no army may leave after the deploys.
        """
        if not isinstance(turn, Orders):
            return self._encode_preferences(view, turn)
        try:
            return self._exact(view, turn)
        except InexpressibleError:
            if not nearest:
                raise
        return self._nearest(view, turn)

    def _encode_preferences(self, view: View, turn: Sequence[int]) -> npt.NDArray[np.float32]:
        action = np.full(self._size, -1.0, dtype=np.float32)
        preferences = check_preferences(view, turn)
        rest = [r for r in view.offers if r not in preferences]
        for place, region in enumerate([*preferences, *rest]):
            action[region] = 1.0 - place / self.board.n_regions
        return action

    def _shared_out(self, deploy: I64) -> npt.NDArray[np.float32]:
        """Return an action with scores in proportion to the deploys, and no attacks."""
        action = np.full(self._size, -1.0, dtype=np.float32)
        if deploy.any():
            action[: len(deploy)] = np.where(deploy > 0, deploy / deploy.max(), -1.0)
        return action

    def _exact(self, view: View, turn: Orders) -> npt.NDArray[np.float32]:
        deploy = merge_deploys(view, turn)
        if deploy.sum() != view.income:
            raise InexpressibleError(
                f"the turn deploys {deploy.sum()} armies; an action always deploys the whole income, {view.income}"
            )
        action = self._shared_out(deploy)
        self._encode_attacks(view, turn, deploy, action)
        if not np.array_equal(merge_deploys(view, _orders(self.decode(view, action))), deploy):
            raise InexpressibleError("no scores divide the income into these deploys")
        return action

    def _nearest(self, view: View, turn: Orders) -> npt.NDArray[np.float32]:
        action = self._shared_out(merge_deploys(view, turn))
        free = view.army + merge_deploys(view, _orders(self.decode(view, action))) - 1
        highest, before = SCALE, -1
        for edge, armies in merged_attacks(view, turn):
            available = int(free[self.board.edge_source[edge]])
            if available < 1:
                continue
            armies = min(armies, available)
            score = min(highest if edge > before else highest - 1, _highest(armies, available))
            if score >= 1 and _armies(available, score) == armies:
                highest, before = score, edge
            else:
                score = _highest(armies, available)  # too early in the order, but with the right number of armies
            action[self.board.n_regions + edge] = score / SCALE
        return action

    def _encode_attacks(self, view: View, orders: Orders, deploy: I64, action: npt.NDArray[np.float32]) -> None:
        n, limit = self.board.n_regions, self.params.max_orders
        attacks = orders.arrays()[1].tolist()
        if limit and len(attacks) > limit:
            raise InexpressibleError(f"the rules allow {limit} attacks in a turn, not {len(attacks)}")
        highest, before = SCALE, -1
        for source, target, armies in attacks:
            edge = edge_of(view, source, target)
            available = int(view.army[source] + deploy[source] - 1)
            if not 1 <= armies <= available:
                raise InexpressibleError(
                    f"attack {source} to {target}: must have 1 .. {available} armies, not {armies}"
                )
            if action[n + edge] > 0:
                raise InexpressibleError(f"two attacks from {source} to {target}")
            # The highest score that sends this number of armies and does not come before the last attack; exact in
            # float32.
            score = min(highest if edge > before else highest - 1, _highest(armies, available))
            if score < 1 or _armies(available, score) != armies:
                raise InexpressibleError(
                    f"attack {source} to {target} with {armies} armies: "
                    "no score gives this order, because larger shares come first"
                )
            action[n + edge] = score / SCALE
            highest, before = score, edge


def _highest(armies: int, available: int) -> int:
    """Return the highest score that sends `armies` of the available armies; at least 1, which may send more."""
    return max(1, min(SCALE, ((2 * armies + 1) * SCALE - 1) // (2 * available)))


def _orders(choice: Choice) -> Orders:
    assert isinstance(choice, Orders)
    return choice


def scores_of(value: Any, shape: tuple[int, ...], what: str) -> tuple[I64, npt.NDArray[np.int32]]:
    """Return scores as the integers of rows, and how many of each row are beyond -1 .. 1 (int32[M], or int32[]).

    Raises InputError for scores that are not finite numbers of that shape.
    """
    array = array_of(value, what)
    if array.dtype.kind not in "fiu" or isinstance(array, np.ma.MaskedArray):
        raise InputError(f"{what} must be a float array of shape {shape}, not {short_repr(value)}")
    if array.shape != shape:
        raise InputError(f"{what} must be a float array of shape {shape}, not of shape {array.shape}")
    finite = np.isfinite(array)
    if not finite.all():
        at = tuple(int(i) for i in np.argwhere(~finite)[0])
        raise InputError(f"{what}: entry {at[-1]} is {array[at]}; it must be a finite number")
    beyond = np.count_nonzero((array < -1) | (array > 1), axis=-1)
    scores: I64 = np.rint(np.clip(array.astype(np.float64), -1, 1) * SCALE).astype(np.int64) + SCALE
    return scores, np.asarray(beyond, dtype=np.int32)


__all__ = ["SCALE", "ContinuousActions", "scores_of"]
