"""Orders: checks of their legality, and their array form (`step.Turns`) for the kernels that execute a round."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from warlight_env.arguments import short_repr
from warlight_env.engine.board import Board
from warlight_env.engine.jit import kernel
from warlight_env.engine.kernel_types import Armies, AttackRows, Bool, Int, Owners
from warlight_env.engine.rules import MAX_ARMIES, RuleParams
from warlight_env.errors import InputError

#: Reasons why an order is illegal and is dropped. The code of a reason is its index; code 0 is a legal order.
REASONS: Final = (
    "",
    "more orders than the rules allow in a turn",
    "no such region",
    "not the player's region",
    "at least one army is needed",
    "more armies than are left of the income",
    "the regions are not neighbours",
    "attacked from there already in this turn",
)
LIMIT: Final = 1
REGION: Final = 2
OWNER: Final = 3
ARMIES: Final = 4
INCOME: Final = 5
ADJACENT: Final = 6
REPEATED: Final = 7


class OrdersTypeError(InputError, TypeError):
    """An error for orders that are not lists of tuples of integers. player: who gave the orders; None if unknown."""

    def __init__(self, reason: str, player: int | None = None) -> None:
        super().__init__(reason if player is None else f"player {player}: {reason}")
        self.reason, self.player = reason, player

    def __reduce__(self) -> tuple[type[OrdersTypeError], tuple[str, int | None]]:
        return OrdersTypeError, (self.reason, self.player)


@dataclass
class Orders:
    """A player's turn: deploys of (region, armies) and attacks or transfers of (from, to, armies), in order."""

    deploys: Sequence[tuple[int, int]] = field(default_factory=list)
    attacks: Sequence[tuple[int, int, int]] = field(default_factory=list)

    def arrays(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Return the deploys as int64[D, 2] and the attacks as int64[M, 3].

        Raises OrdersTypeError if a list contains a tuple of another length or a number that is not an integer.
        """
        return _rows(self.deploys, 2, "deploys", "(region, armies)"), _rows(
            self.attacks, 3, "attacks", "(from, to, armies)"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the orders as data for JSON: lists of Python integers, by the names "deploys" and "attacks".

        Raises OrdersTypeError, see `arrays`.
        """
        deploys, attacks = self.arrays()
        return {"deploys": deploys.tolist(), "attacks": attacks.tolist()}

    def normalized(self) -> Orders:
        """Return the same orders as lists of tuples of Python integers.

        Raises OrdersTypeError, see `arrays`.
        """
        return Orders.from_dict(self.to_dict())

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Orders:
        """Return the orders in a result of `to_dict`; the numbers are not checked.

        Raises `KeyError`, `TypeError` or `ValueError` if the data have another form.
        """
        deploys, attacks = data["deploys"], data["attacks"]
        return cls([(region, armies) for region, armies in deploys], [(a, b, armies) for a, b, armies in attacks])

    @classmethod
    def from_arrays(cls, deploy: npt.NDArray[np.int32], attacks: npt.NDArray[np.int32], count: Int) -> Orders:
        """Make orders from the array form: deploy int32[N] and the first `count` rows of attacks int32[A, 3]."""
        regions = np.flatnonzero(deploy)
        deploys = list(zip(regions.tolist(), deploy[regions].tolist(), strict=True))
        return cls(deploys, [(source, target, armies) for source, target, armies in attacks[:count].tolist()])

    def limited(self, most: int) -> Orders:
        """Return the first `most` deploys and attacks, see `Rules.max_orders`. most = 0: return all."""
        return Orders(self.deploys[:most], self.attacks[:most]) if most else self


def _rows(rows: Any, width: int, name: str, form: str) -> npt.NDArray[np.int64]:
    try:
        array = np.asarray(rows)
    except Exception:  # lists of different lengths, no sequence, or an object with faulty methods
        raise OrdersTypeError(f"{name} must be a list of {form}, each an integer; got {short_repr(rows)}") from None
    if array.size == 0 and array.ndim <= 2:
        return np.zeros((0, width), dtype=np.int64)
    if array.ndim != 2 or array.shape[1] != width:
        raise OrdersTypeError(f"{name} must be a list of {form}; got an array of shape {array.shape}")
    if array.dtype == object and all(type(value) is int for value in array.flat):
        # An order with an integer beyond 64 bits is illegal. The order with the clipped integer is illegal, too.
        array = np.array([min(max(value, -(2**63)), 2**63 - 1) for value in array.flat]).reshape(array.shape)
    if array.dtype.kind not in "iu":
        raise OrdersTypeError(f"{name} must contain only 64-bit integers; got {array.dtype} in {short_repr(rows)}")
    if array.dtype == np.uint64:
        array = np.minimum(array, np.iinfo(np.int64).max)
    return np.ascontiguousarray(array, dtype=np.int64)


def preferences_of(answer: Any, player: int | None = None) -> list[int]:
    """Return an agent's preferred regions as a list of integers, best first.

    Raises `OrdersTypeError` unless the answer is a list, a tuple or an array of integers. Sets are rejected because
    they have no order, and iterators because the check would consume them.
    """
    try:
        array = np.asarray(answer)
    except Exception:  # lists of different lengths, or an object with faulty methods
        array = np.zeros((1, 1))
    if array.size == 0 and array.ndim:
        return []
    is_integer = array.dtype.kind in "iu" or (array.dtype == object and all(type(value) is int for value in array.flat))
    if array.ndim != 1 or not is_integer:
        raise OrdersTypeError(f"picks must be a list of regions (integers); got {short_repr(answer)}", player)
    preferences: list[int] = array.tolist()
    return preferences


@kernel
def _in_range(region: Int, n: Int) -> Bool:
    return 0 <= region < n


@kernel
def _check_deploys(
    params: RuleParams,
    owner: Owners,
    player: Int,
    available: Int,
    deploys: npt.NDArray[np.int64],
    deploy_out: Armies,
    reasons: npt.NDArray[np.int8],
) -> Int:
    n = owner.shape[0]
    remaining = np.int64(available)
    dropped = 0
    for i in range(deploys.shape[0]):
        region, armies = deploys[i, 0], deploys[i, 1]
        reason = 0
        if params.max_orders > 0 and i >= params.max_orders:
            reason = LIMIT
        elif not _in_range(region, n):
            reason = REGION
        elif owner[region] != player:
            reason = OWNER
        elif armies < 1:
            reason = ARMIES
        elif armies > remaining:
            reason = INCOME
        else:
            remaining -= armies
            deploy_out[region] += armies
        reasons[i] = reason
        if reason != 0:
            dropped += 1
    return dropped


@kernel
def _find(attacks: AttackRows, count: Int, source: Int, target: Int) -> Int:
    for i in range(count):
        if attacks[i, 0] == source and attacks[i, 1] == target:
            return i
    return -1


class GivenOrders(NamedTuple):
    """A player's orders before the check (their numbers may be any integers), and the reason codes from the check."""

    deploys: npt.NDArray[np.int64]  #: [D, 2] (region, armies)
    attacks: npt.NDArray[np.int64]  #: [M, 3] (from, to, armies)
    reasons: npt.NDArray[np.int8]  #: [D + M] written by the check: codes of REASONS


@kernel
def check_orders(
    board: Board,
    params: RuleParams,
    owner: Owners,
    player: Int,
    available: Int,
    orders: GivenOrders,
    deploy_out: Armies,
    attacks_out: AttackRows,
) -> Any:
    """Check a player's orders in the position at the start of the round; write the legal orders as arrays.

    `available` is the income. The kernel writes the armies per region to deploy_out int32[N], and at most one attack
    per directed edge to attacks_out int32[A, 3], in which the number of rows A is at least E. The kernel also writes
    orders.reasons. Returns the numbers of attacks and of dropped orders.
    """
    n, deploys, attacks, reasons = owner.shape[0], orders.deploys, orders.attacks, orders.reasons
    n_deploys = deploys.shape[0]
    for r in range(n):
        deploy_out[r] = 0
    dropped = _check_deploys(params, owner, player, available, deploys, deploy_out, reasons)
    count = 0
    for i in range(attacks.shape[0]):
        source, target, armies = attacks[i, 0], attacks[i, 1], attacks[i, 2]
        reason = 0
        if params.max_orders > 0 and i >= params.max_orders:
            reason = LIMIT
        elif not (_in_range(source, n) and _in_range(target, n)):
            reason = REGION
        elif owner[source] != player:
            reason = OWNER
        elif board.edge_index[source, target] < 0:
            reason = ADJACENT
        elif armies < 1:
            reason = ARMIES
        else:
            armies = min(armies, np.int64(MAX_ARMIES))
            existing = _find(attacks_out, count, source, target)
            if existing < 0:
                attacks_out[count, 0], attacks_out[count, 1], attacks_out[count, 2] = source, target, armies
                count += 1
            elif params.repeated_illegal:
                reason = REPEATED
            else:
                attacks_out[existing, 2] = min(attacks_out[existing, 2] + armies, np.int64(MAX_ARMIES))
        reasons[n_deploys + i] = reason
        if reason != 0:
            dropped += 1
    return count, dropped


def check_turn(
    board: Board,
    params: RuleParams,
    owner: npt.NDArray[np.int8],
    player: int,
    available: int,
    orders: Orders,
    deploy_out: npt.NDArray[np.int32],
    attacks_out: npt.NDArray[np.int32],
) -> tuple[int, int, npt.NDArray[np.int8]]:
    """Apply `check_orders` to `Orders`.

    Return the number of legal attacks, the number of dropped orders, and the reasons.

    The reasons are int8[D + M], codes of REASONS. Raises OrdersTypeError, see `Orders.arrays`.
    """
    deploys, attacks = orders.arrays()
    reasons = np.zeros(len(deploys) + len(attacks), dtype=np.int8)
    order_arrays = GivenOrders(deploys, attacks, reasons)
    count, dropped = check_orders(board, params, owner, player, available, order_arrays, deploy_out, attacks_out)
    return int(count), int(dropped), reasons


@kernel
def cut_turn(params: RuleParams, deploy: Armies, count: Int) -> Int:
    """Drop the deploys and attacks of a turn that exceed the limit `Rules.max_orders`. Return the number of attacks
    that are left.

    The deploys in the regions with the lowest indices remain.
    """
    if params.max_orders == 0:
        return count
    deploys = 0
    for r in range(deploy.shape[0]):
        if deploy[r] > 0:
            deploys += 1
            if deploys > params.max_orders:
                deploy[r] = 0
    return min(count, params.max_orders)
