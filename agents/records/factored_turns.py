"""Turns as rows of small integers: a deploy weight for each region, and a fraction of the armies for each border.

The action encoding `factored` of environments, and networks that play complete turns, represent turns as such rows of
small integers. A border is a directed edge from a region to a neighbour.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from warlight_env.engine.board import Board
from warlight_env.engine.jit import kernel
from warlight_env.engine.kernel_types import Armies, AttackRows, Int, Owners
from warlight_env.engine.memory import private_zeros
from warlight_env.engine.position import Position

#: Number of values of each entry in an action row: deploy weights 0 .. 4, or 0, 25, 50, 75 and 100 % of the armies.
VALUES: Final = 5
_NONE, _ONE = np.uintp(0), np.uintp(1)


class AllocationWork(NamedTuple):
    """Working memory of `allocate_income` for one thread."""

    regions: npt.NDArray[np.int32]  #: [N] receives the player's regions
    classes: npt.NDArray[np.int64]  #: [3, VALUES] working data for each deploy weight


def make_allocation_work(n_regions: int) -> AllocationWork:
    """Make working memory of `allocate_income` for one thread."""
    return AllocationWork(private_zeros(n_regions, np.int32), private_zeros((3, VALUES), np.int64))


@kernel
def _settle_shares(income: Int, classes: npt.NDArray[np.int64]) -> Int:
    """Compute how many armies a region gets for each deploy weight; classes[0] is the number of regions per weight.

    Writes the number of armies for each weight to classes[1]. For each weight, classes[2] gets 1 if regions with this
    weight may get one of the armies that remain after rounding down, else 0. Returns the number of armies that remain
    after rounding down.
    """
    counts, armies, tied = classes[0], classes[1], classes[2]
    total = counts[1] + 2 * counts[2] + 3 * counts[3] + 4 * counts[4]
    armies[0], tied[0] = 0, 0
    remaining = np.int64(income)
    for w in range(1, VALUES):
        armies[w] = income * w // total
        tied[w] = income * w - armies[w] * total  # until the end of this function, `tied` contains remainders
        remaining -= armies[w] * counts[w]
    while True:  # regions with the highest remainder get one more army, if there are enough armies for all of them
        highest, size = np.int64(0), np.int64(0)
        for w in range(1, VALUES):
            if counts[w] > 0 and tied[w] > highest:
                highest, size = tied[w], np.int64(0)
            if tied[w] == highest:
                size += counts[w]
        if remaining == 0 or size > remaining:
            break
        for w in range(1, VALUES):
            if tied[w] == highest:
                armies[w] += 1
                tied[w] = -1
        remaining -= size
    for w in range(1, VALUES):
        tied[w] = 1 if tied[w] == highest else 0
    return remaining


@kernel
def allocate_income(
    owner: Owners,
    player: Int,
    income: Int,
    max_orders: Int,
    weights: Any,
    work: AllocationWork,
    deploy_out: Armies,
) -> Any:
    """Distribute the income over the player's regions in proportion to weights 0 .. 4 (largest remainder method).

    If remainders are equal, regions with lower numbers come first. A region's quota and remainder (of the largest
    remainder method) depend only on the region's weight. The code computes the quota and the remainder once for each
    weight, and then assigns armies to regions in one pass. If the rules limit the number of orders, only the regions
    with the highest weights get armies, and of regions with equal weights only the first ones. Writes deploy_out
    int32[N], and the player's regions to `work.regions`. Returns the number of own regions and the number of own
    regions with a weight above 0.
    """
    regions, classes = work.regions, work.classes
    n_own = 0
    for r in range(owner.shape[0]):
        regions[n_own] = r
        n_own += 1 if owner[r] == player else 0
        deploy_out[r] = 0
    counts = classes[0]
    for w in range(VALUES):
        counts[w] = 0
    for k in range(n_own):
        counts[weights[regions[k]]] += 1
    n_weighted = n_own - counts[0]
    surplus = n_weighted - max_orders if max_orders > 0 else 0
    w = 1
    while surplus > 0:
        n_dropped = min(surplus, counts[w])
        counts[w] -= n_dropped
        surplus -= n_dropped
        w += 1
    if n_weighted == 0 or income <= 0:
        return n_own, n_weighted
    remaining = _settle_shares(income, classes)
    armies, tied = classes[1], classes[2]
    for k in range(n_own):
        w = weights[regions[k]]
        if counts[w] == 0:
            continue
        counts[w] -= 1
        extra = tied[w] if remaining > 0 else np.int64(0)
        deploy_out[regions[k]] = armies[w] + extra
        remaining -= extra
    return n_own, n_weighted


@kernel
def share_of(available: Int, value: Int) -> Int:
    """Return `value` quarters of the available armies, rounded down, but at least 1 army."""
    return max(np.int64(1), (available * value) >> 2)


@kernel
def limit_attacks(owner: Owners, player: Int, max_orders: Int, attacks: AttackRows, count: Int) -> Int:
    """Reduce a turn to the number of attacks that the rules allow, and return the number of remaining attacks.

    Transfers are left out before attacks on other owners, and later orders before earlier ones. The remaining orders
    keep their order.

    Args:
        max_orders: the largest number of attacks; 0: no limit.
        attacks: int32[E, 3], of which the first `count` rows are used; each sends at least one army.
    """
    if max_orders == 0 or count <= max_orders:
        return np.int64(count)
    surplus, n_kept = count - max_orders, 0
    for i in range(count - 1, -1, -1):
        if surplus > 0 and owner[attacks[i, 1]] == player:
            attacks[i, 2] = 0
            surplus -= 1
    for i in range(count):
        if attacks[i, 2] > 0:
            for j in range(attacks.shape[1]):
                attacks[n_kept, j] = attacks[i, j]
            n_kept += 1
    return np.int64(min(n_kept, max_orders))


@kernel
def decode_factored(
    board: Board,
    position: Position,
    player: Int,
    income: Int,
    max_orders: Int,
    action: Any,
    work: AllocationWork,
    deploy_out: Armies,
    attacks_out: AttackRows,
) -> Any:
    """Decode an action row: write its orders to deploy_out int32[N] and attacks_out int32[E, 3].

    The row has N + 2 E entries, or N + E entries without priorities. position: the position, or the player's view of
    it. Returns the number of attacks, and the number of entries that the action mask does not allow. See
    `allocate_income` and `limit_attacks` for the orders that are left out if the rules limit the number of orders.
    """
    neighbor_start, edge_target, army, regions = board.neighbor_start, board.edge_target, position.army, work.regions
    n, e_all = army.shape[0], edge_target.shape[0]
    priority = action.shape[0] > n + e_all
    unused = 0
    for i in range(action.shape[0]):
        unused += 1 if action[i] != 0 else 0
    n_own, n_weighted = allocate_income(position.owner, player, income, max_orders, action, work, deploy_out)
    unused -= n_weighted
    count, start = np.uintp(0), np.uintp(n)  # unsigned, because signed indices are checked for negative values
    levels = VALUES if priority else 1
    for level in range(levels - 1, -1, -1):
        for k in range(n_own):
            r = np.uintp(regions[k])
            available = np.int64(army[r]) + deploy_out[r] - 1
            for i in range(neighbor_start[r], neighbor_start[r + _ONE]):
                e = np.uintp(i)
                if priority:
                    if action[start + np.uintp(e_all) + e] != level:
                        continue
                    unused -= 1 if level > 0 else 0
                value = np.int64(action[start + e])
                attacks_out[count, 0] = regions[k]  # if this attack is invalid, the next attack overwrites it
                attacks_out[count, 1] = edge_target[e]
                attacks_out[count, 2] = share_of(available, value)
                unused -= 1 if value != 0 else 0
                count += _ONE if value != 0 and available > 0 else _NONE
    return limit_attacks(position.owner, player, max_orders, attacks_out, np.int64(count)), unused


@kernel
def encode_nearest(
    neighbor_start: npt.NDArray[np.uint32],
    edge_target: npt.NDArray[np.uint32],
    army: Armies,
    deploy: Armies,
    attacks: AttackRows,
    count: Int,
    action: Any,
) -> None:
    """Encode a legal turn as the most similar action row with priorities, and write the row to action [N + 2 E].

    The deploy weights are proportional to the deployed armies. Each attack gets the fraction of armies that is nearest
    to the sent armies. The order of the attacks is kept as far as the five priorities allow. An attack is left out if
    its source has no free armies after the deploys and before transfers arrive.

    The arrays are army int32[N], deploy int32[N] and attacks int32[E, 3]; only the first `count` rows of `attacks` are
    used.
    """
    n, edges, top = army.shape[0], edge_target.shape[0], VALUES - 1
    for i in range(action.shape[0]):
        action[i] = 0
    max_deploy = np.int64(0)
    for r in range(n):
        max_deploy = max(max_deploy, np.int64(deploy[r]))
    for r in range(n):
        if deploy[r] > 0:
            action[r] = (top * np.int64(deploy[r]) + max_deploy - 1) // max_deploy
    last_edge, level = np.int64(-1), np.int64(top)
    for k in range(count):
        source, armies = np.int64(attacks[k, 0]), np.int64(attacks[k, 2])
        available = np.int64(army[source]) + deploy[source] - 1
        if available < 1:
            continue
        edge = np.int64(neighbor_start[source])
        while edge_target[edge] != attacks[k, 1]:
            edge += 1
        share, error = np.int64(1), np.abs(share_of(available, 1) - armies)
        for value in range(2, VALUES):
            if np.abs(share_of(available, value) - armies) <= error:
                share, error = np.int64(value), np.abs(share_of(available, value) - armies)
        if edge < last_edge and level > 0:
            level -= 1
        last_edge = edge
        action[n + edge], action[n + edges + edge] = share, level
