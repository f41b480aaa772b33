"""The action encoding `continuous`: an action has a score for every region and every directed edge."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Final

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from warlight_env.agents.context import Context
from warlight_env.agents.records.factored_turns import limit_attacks
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

#: In action rows, the scores -1 .. 1 are integers 0 .. 2 * SCALE, so that the results are equal on every machine.
SCALE: Final = 1 << 20


@kernel
def _share_out(view: PlayerPosition, max_orders: Int, row: ActionRow, work: ActionWork, deploy: Armies) -> None:
    """Divide the income over the player's regions, in proportion to their scores above 0.

    If no score is above 0, deploy all armies on the region with the highest score. If the rules limit the number of
    orders, only the regions with the highest scores get armies, and of regions with equal scores the first ones.
    """
    total, best, n_deploys = np.int64(0), -1, 0
    weight = work.keys
    for r in range(deploy.shape[0]):
        deploy[r], weight[r] = 0, 0
        if view.position.owner[r] != view.player:
            continue
        if best < 0 or row[r] > row[best]:
            best = r
        if row[r] > SCALE:
            weight[r] = row[r] - SCALE
            total += weight[r]
            n_deploys += 1
    while n_deploys > max_orders > 0:
        smallest = -1
        for r in range(deploy.shape[0]):
            if weight[r] > 0 and (smallest < 0 or weight[r] <= weight[smallest]):
                smallest = r
        total -= weight[smallest]
        weight[smallest] = 0
        n_deploys -= 1
    if best < 0 or view.income <= 0:
        return
    if total == 0:
        deploy[best] = view.income
        return
    remaining = np.int64(view.income)
    for r in range(deploy.shape[0]):
        quota = view.income * weight[r]
        deploy[r] = quota // total
        weight[r] = quota % total if weight[r] > 0 else -1  # `weight` now has the remainders
        remaining -= deploy[r]
    while remaining > 0:  # `remaining` armies remain, fewer than regions with a weight
        largest = -1
        for r in range(deploy.shape[0]):
            if weight[r] >= 0 and (largest < 0 or weight[r] > weight[largest]):
                largest = r
        deploy[largest] += 1
        weight[largest] = -1
        remaining -= 1


@kernel
def _armies(available: Int, score: Int) -> Int:
    """Return the number of armies in the fraction `score` / SCALE of `available` armies: rounded, but at least 1."""
    return max(np.int64(1), min(available, (2 * available * score + SCALE) // (2 * SCALE)))


@kernel
def submit_scores(
    context: Context, view: PlayerPosition, turn: Turn, config: npt.NDArray[np.int64], work: ActionWork, row: ActionRow
) -> Int:
    """Convert an action row of the encoding "continuous" to a turn; the kernel `submit` of this encoding."""
    board, params = context.board, context.params
    n = view.position.owner.shape[0]
    turn.status[READY] = 1
    keys, places, count = work.keys, work.places, 0
    if view.picking:
        for r in range(n):
            if view.free[r] == OFFERED:
                i = count
                while i > 0 and row[turn.preferences[i - 1]] < row[r]:
                    turn.preferences[i] = turn.preferences[i - 1]
                    i -= 1
                turn.preferences[i] = r
                count += 1
        turn.status[COUNT] = count
        return 0
    _share_out(view, params.max_orders, row, work, turn.deploy)
    for e in range(board.edge_target.shape[0]):
        source = board.edge_source[e]
        score = row[n + e] - SCALE
        if (
            score <= 0
            or view.position.owner[source] != view.player
            or view.position.army[source] + turn.deploy[source] < 2
        ):
            continue
        i = count
        while i > 0 and keys[i - 1] < score:
            keys[i], places[i] = keys[i - 1], places[i - 1]
            i -= 1
        keys[i], places[i] = score, e
        count += 1
    for i in range(count):
        e = places[i]
        source = board.edge_source[e]
        available = np.int64(view.position.army[source]) + turn.deploy[source] - 1
        turn.attacks[i, 0], turn.attacks[i, 1] = source, board.edge_target[e]
        turn.attacks[i, 2] = _armies(available, keys[i])
    turn.status[COUNT] = limit_attacks(view.position.owner, view.player, params.max_orders, turn.attacks, count)
    return 0


class ContinuousActions(ActionEncoding):
    """The action encoding `continuous` with the space Box(-1, 1, (N + E,)): scores for N regions and E directed edges.

    | entry | meaning |
    |---|---|
    | r < N | above 0: weight of region r in the division of the income; at most 0: no armies |
    | N + e | above 0: the fraction of the armies that attack along edge e; at most 0: no attack |

    The income is divided over the player's regions in proportion to their weights, with the largest remainder method.
    If remainders are equal, the region with the lower number comes first. If no own region has a weight, the own region
    with the highest score gets all armies. After the deploys, all armies of a region except one may leave the region.
    An attack has a fraction of the armies that may leave its source region, rounded to a whole number of armies, at
    least 1. Attacks with larger fractions are executed first, and attacks with equal fractions in the order of edges.
    Entries of regions that the player does not own, and of edges that start in these regions, have no effect. The
    encoding needs no masks, because every action in the Box is legal.

    If the rules limit the number of orders, only the own regions with the highest weights get armies (of regions with
    equal weights, the first ones). Transfers are left out before attacks on other owners, and later attacks before
    earlier ones.

    Scores are rounded to about one millionth. Policies draw scores from Gaussian distributions, so a score may be
    outside the Box. Finite numbers outside the Box are clipped to its bounds, as in Gymnasium's own continuous
    environments, and counted as illegal. Infinite numbers and NaN raise InputError.

    The encoding expresses deploys in any proportion and attacks with any number of armies. The encoding cannot express
    a turn that leaves income unused, or attacks in another order than the order of their fractions.

    While the players pick their start regions, the scores rank all offered regions: higher scores are preferred.
    """

    name: ClassVar[str] = "continuous"
    mask_space = None
    submit = staticmethod(submit_scores)

    def __init__(self, board: Board, params: RuleParams) -> None:
        super().__init__(board, params)
        self._size = board.n_regions + board.n_edges
        self.space = spaces.Box(-1.0, 1.0, (self._size,), np.float32)

    @property
    def limits(self) -> I64:
        return np.full(self._size, 2 * SCALE + 1, dtype=np.int64)

    @property
    def config(self) -> I64:
        return np.zeros(1, dtype=np.int64)

    def mask(self, view: View) -> None:
        """Return None, because every action is allowed."""
        return None

    def flat_mask(self, view: View) -> I8:
        """Return an empty mask int8[0], because every action is allowed."""
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
        """Convert a turn to an action float32[N + E]; raise `InexpressibleError` if no action expresses the turn.

        The conversion may change the order of the deploys. If a list of preferred regions does not contain all offered
        regions, the missing regions are added at the end of the list.

        With ``nearest=True`` the method raises no error, but returns the closest action. If the turn leaves income
        unused, the action deploys the unused income in the proportions of the turn's deploys. If the turn has no
        deploys, the action deploys all income on the first own region. Attacks keep their numbers of armies; they also
        keep their order if the numbers of armies allow this order. An attack is dropped if its source has only one army
        after the deploys.
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
        unranked = [r for r in view.offers if r not in preferences]
        for place, region in enumerate([*preferences, *unranked]):
            action[region] = 1.0 - place / self.board.n_regions
        return action

    def _shared_out(self, deploy: I64) -> npt.NDArray[np.float32]:
        """Return an action without attacks, with scores of regions in proportion to the deploys int64[N]."""
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
            raise InexpressibleError("no scores of the regions divide the income into exactly these deploys")
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
                score = _highest(armies, available)  # right number of armies, but the attack is too early
            action[self.board.n_regions + edge] = score / SCALE
        return action

    def _encode_attacks(self, view: View, orders: Orders, deploy: I64, action: npt.NDArray[np.float32]) -> None:
        n, limit = self.board.n_regions, self.params.max_orders
        attacks = orders.arrays()[1].tolist()
        if limit and len(attacks) > limit:
            raise InexpressibleError(f"the rules allow at most {limit} attacks in a turn, not {len(attacks)}")
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
            # The highest score that sends this number of armies, and that does not put the attack before the previous
            # one. A float32 represents it exactly.
            score = min(highest if edge > before else highest - 1, _highest(armies, available))
            if score < 1 or _armies(available, score) != armies:
                raise InexpressibleError(
                    f"attack {source} to {target} with {armies} armies: "
                    "no score gives this order of attacks, because attacks with larger fractions come first"
                )
            action[n + edge] = score / SCALE
            highest, before = score, edge


def _highest(armies: int, available: int) -> int:
    """Return the highest score with which `armies` of the `available` armies attack.

    The returned score is at least 1. An attack with the score 1 may have more than `armies` armies; the caller must
    check this case.
    """
    return max(1, min(SCALE, ((2 * armies + 1) * SCALE - 1) // (2 * available)))


def _orders(choice: Choice) -> Orders:
    assert isinstance(choice, Orders)
    return choice


def scores_of(value: Any, shape: tuple[int, ...], name: str) -> tuple[I64, npt.NDArray[np.int32]]:
    """Convert scores to the integers of action rows.

    Return the rows, and the number of scores outside -1 .. 1 in each row (int32[M], or int32[] for one action). Raises
    InputError unless the scores are an array of finite numbers with the given shape.
    """
    array = array_of(value, name)
    if array.dtype.kind not in "fiu" or isinstance(array, np.ma.MaskedArray):
        raise InputError(f"{name} must be a float array of shape {shape}, not {short_repr(value)}")
    if array.shape != shape:
        raise InputError(f"{name} must be a float array of shape {shape}, not of shape {array.shape}")
    finite = np.isfinite(array)
    if not finite.all():
        position = tuple(int(i) for i in np.argwhere(~finite)[0])
        raise InputError(f"{name}: entry {position[-1]} is {array[position]}; it must be a finite number")
    outside = np.count_nonzero((array < -1) | (array > 1), axis=-1)
    scores: I64 = np.rint(np.clip(array.astype(np.float64), -1, 1) * SCALE).astype(np.int64) + SCALE
    return scores, np.asarray(outside, dtype=np.int32)
