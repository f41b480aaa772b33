"""The `steps` encoding: a turn as a sequence of small choices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Final, NamedTuple

import numpy as np
from gymnasium import spaces

from warlight_env.engine.board import Board
from warlight_env.engine.jit import kernel
from warlight_env.engine.orders import Orders
from warlight_env.engine.rules import RuleParams
from warlight_env.engine.setup import ALTERNATING
from warlight_env.engine.view import View
from warlight_env.envs.actions.base import (
    I8,
    I64,
    ActionEncoding,
    Choice,
    InexpressibleError,
    check_wishes,
    integer,
    integers,
    merge_deploys,
)
from warlight_env.envs.actions.factored import edge_of, share_of
from warlight_env.envs.actions.kernels import COUNT, NAMED, OFFERED, OWN, READY

#: Sizes of a deploy, and shares of an attack.
DEPLOYS: Final = 3
SHARES: Final = 4
#: Places in `config`.
_MAX_DEPLOYS: Final = 0
_MAX_ATTACKS: Final = 1
_MAX_WISHES: Final = 2


@kernel
def quarter(income):
    """A quarter of the income, rounded up."""
    return (income + 3) // 4


@kernel
def _left(turn, income):
    """Armies that are not deployed yet."""
    left = np.int64(income)
    for r in range(turn.deploy.shape[0]):
        left -= turn.deploy[r]
    return left


@kernel
def _free_armies(seen, turn, source):
    """Armies of a region that have no order yet, those deployed there included."""
    free = np.int64(seen.army[source]) + turn.deploy[source] - 1
    for i in range(turn.status[COUNT]):
        if turn.attacks[i, 0] == source:
            free -= turn.attacks[i, 2]
    return free


@kernel
def _is_ordered(turn, source, target):
    for i in range(turn.status[COUNT]):
        if turn.attacks[i, 0] == source and turn.attacks[i, 1] == target:
            return True
    return False


@kernel
def _wish(seen, turn, config, action):
    """Add a wish; False where it is not legal."""
    count = turn.status[COUNT]
    r = action // DEPLOYS
    if action >= DEPLOYS * seen.owner.shape[0] or action % DEPLOYS != 0:
        return False
    if seen.free[r] != OFFERED or count >= config[_MAX_WISHES]:
        return False
    for i in range(count):
        if turn.wishes[i] == r:
            return False
    turn.wishes[count] = r
    turn.status[COUNT] += 1
    return True


@kernel
def _deploy(seen, turn, config, action):
    r, size = action // DEPLOYS, action % DEPLOYS
    left = _left(turn, seen.income)
    if seen.free[r] != OWN or left < 1 or turn.status[NAMED] >= config[_MAX_DEPLOYS]:
        return False
    if size == 0:
        left = np.int64(1)
    elif size == 1:
        left = min(left, quarter(seen.income))
    turn.deploy[r] += left
    turn.status[NAMED] += 1
    return True


@kernel
def _attack(board, seen, turn, config, action):
    e, share = action // SHARES, action % SHARES + 1
    source, target = np.int64(board.edge_source[e]), np.int64(board.edge_target[e])
    count = turn.status[COUNT]
    if seen.free[source] != OWN or count >= config[_MAX_ATTACKS] or _is_ordered(turn, source, target):
        return False
    free = _free_armies(seen, turn, source)
    if free < 1:
        return False
    turn.attacks[count, 0], turn.attacks[count, 1] = source, target
    turn.attacks[count, 2] = share_of(free, share)
    turn.status[COUNT] += 1
    return True


@kernel
def submit_step(board, params, evaluation, seen, turn, config, work, row):
    """Add a deploy, an attack or a wish to the turn, or end it; `config`: the most deploys, attacks and wishes."""
    n, action = seen.owner.shape[0], row[0]
    if action == DEPLOYS * n + SHARES * board.edge_target.shape[0]:
        turn.status[READY] = 1
        return 0
    if seen.picking:
        return 0 if _wish(seen, turn, config, action) else 1
    if action < DEPLOYS * n:
        return 0 if _deploy(seen, turn, config, action) else 1
    return 0 if _attack(board, seen, turn, config, action - DEPLOYS * n) else 1


@kernel
def write_step_mask(board, params, evaluation, seen, turn, config, work, mask):
    """Write what may come next; ending the turn always may, and nothing else once it is complete."""
    n = seen.owner.shape[0]
    end = DEPLOYS * n + SHARES * board.edge_target.shape[0]
    for i in range(end):
        mask[i] = 0
    mask[end] = 1
    count = turn.status[COUNT]
    if turn.status[READY] != 0:
        return 0
    if seen.picking:
        if count < config[_MAX_WISHES]:
            for r in range(n):
                mask[DEPLOYS * r] = seen.free[r] == OFFERED
            for i in range(count):
                mask[DEPLOYS * turn.wishes[i]] = 0
        return 0
    deploys = turn.status[NAMED] < config[_MAX_DEPLOYS] and _left(turn, seen.income) > 0
    attacks = count < config[_MAX_ATTACKS]
    for r in range(n):
        if seen.free[r] != OWN:
            continue
        if deploys:
            for k in range(DEPLOYS):
                mask[DEPLOYS * r + k] = 1
        if attacks and _free_armies(seen, turn, r) > 0:
            first = DEPLOYS * n + SHARES * board.neighbor_start[r]
            for i in range(first, DEPLOYS * n + SHARES * board.neighbor_start[r + 1]):
                mask[i] = 1
    for i in range(count):  # each edge once
        if attacks:
            e = board.edge_index[turn.attacks[i, 0], turn.attacks[i, 1]]
            for k in range(SHARES):
                mask[DEPLOYS * n + SHARES * e + k] = 0
    return 0


class StepActions(ActionEncoding):
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
        super().__init__(board, params)
        for name, value in (("max_deploys", max_deploys), ("max_attacks", max_attacks)):
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise ValueError(f"{name} = {value!r}: must be an integer from 1 up")
        limit = params.max_orders or max(max_deploys, max_attacks)
        self.max_deploys = min(max_deploys, limit)
        self.max_attacks = min(max_attacks, limit, board.n_edges)
        self.max_wishes = 1 if params.picking == ALTERNATING else int(params.ranked)
        #: The action that ends the turn.
        self.end = DEPLOYS * board.n_regions + SHARES * board.n_edges
        self._space = spaces.Discrete(self.end + 1)
        self._mask_space = spaces.MultiBinary(self.end + 1)

    @property
    def space(self) -> spaces.Discrete:
        return self._space

    @property
    def mask_space(self) -> spaces.MultiBinary:
        return self._mask_space

    @property
    def mask_size(self) -> int:
        return self.end + 1

    @property
    def default_cycles(self) -> int:
        return 100 * (self.max_deploys + self.max_attacks + 1)

    @property
    def limits(self) -> I64:
        return np.array([self.end + 1], dtype=np.int64)

    @property
    def config(self) -> I64:
        return np.array([self.max_deploys, self.max_attacks, self.max_wishes], dtype=np.int64)

    def mask(self, view: View, actions: Sequence[int] = ()) -> I8:
        """int8[3 * N + 4 * E + 1]: what may come after the turn's first actions."""
        turn, _ = self._submitted(view, self._rows(actions))
        return self._written_mask(view, turn)

    def flat_mask(self, view: View) -> I8:
        return self.mask(view)

    def row(self, action: Any, view: Callable[[], View], out: I64) -> int:
        out[0] = self._value(action)
        return 0

    def rows(self, actions: Any, out: I64) -> None:
        out[:, 0] = integers(actions, (len(out),), "actions")

    def _value(self, action: Any) -> int:
        value = integer(action, "action")
        if not 0 <= value <= self.end:
            raise ValueError(f"action {value} must lie in 0 .. {self.end}")
        return value

    def _rows(self, actions: Any) -> list[I64]:
        return [np.array([self._value(action)], dtype=np.int64) for action in actions]

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
            return [*self._exact(view, deploy, attacks), self.end]
        except InexpressibleError:
            if not nearest:
                raise
        return [*self._nearest(view, deploy, attacks), self.end]

    def _attack(self, edge: int, share: int) -> int:
        return DEPLOYS * self.board.n_regions + SHARES * edge + share - 1

    def _exact(self, view: View, deploy: I64, attacks: list[tuple[int, int]]) -> list[int]:
        needs = self._needs(view, deploy, attacks)
        part, whole = int(quarter(view.income)), deploy.sum() == view.income
        total = {r: int(deploy[r]) for r in {*np.flatnonzero(deploy).tolist(), *(need.source for need in needs)}}
        fewest = None
        for first in range(len(needs) + 1):  # all is deployed before this attack
            chains = {r: _chains(r, armies, needs, first, part) for r, armies in total.items()}
            plain = {r: way for r, (way, _) in chains.items() if way is not None}
            rest = {r: way for r, (_, way) in chains.items() if way is not None and whole}
            if len(plain) < len(total):
                continue
            count = sum(length for length, _ in plain.values())
            saved = {r: plain[r][0] - length for r, (length, _) in rest.items()}
            last = max(saved, key=lambda r: (saved[r], r), default=-1)
            count -= saved.get(last, 0)
            fewest = count if fewest is None else min(fewest, count)
            if count <= self.max_deploys:
                ways = {r: (rest if r == last else plain)[r][1] for r in total}
                return self._told(needs, ways, total, first, last, part)
        if fewest is None:
            raise InexpressibleError("no order of deploys and attacks makes quarters of all these attacks")
        raise InexpressibleError(f"these deploys take {fewest} actions, and there are {self.max_deploys}")

    def _needs(self, view: View, deploy: I64, attacks: list[tuple[int, int]]) -> list[_Need]:
        """For each attack what may be deployed on its source by then; `InexpressibleError` where nothing will do."""
        board, needs, used = self.board, list[_Need](), set[int]()
        free = view.army.astype(np.int64) - 1
        for edge, armies in attacks:
            source = int(board.edge_source[edge])
            left, most = int(free[source]), int(free[source] + deploy[source])
            shares = {
                deployed: int(
                    max(share for share in range(1, SHARES + 1) if share_of(left + deployed, share) == armies)
                )
                for deployed in range(max(0, armies - left), min(int(deploy[source]), 4 * armies + 3 - left) + 1)
                if armies in _sends(left + deployed)
            }
            reason = ""
            if edge in used:
                reason = "two of them"
            elif len(used) >= self.max_attacks:
                reason = f"there are only {self.max_attacks} attacks"
            elif most < 1:
                reason = "no armies may leave"
            elif not shares:
                sends = _sends(most)
                reason = f"a quarter, half, three quarters and all of {most} armies are {sends}, not {armies}"
            if reason:
                raise InexpressibleError(f"attack {source} to {board.edge_target[edge]}: {reason}")
            needs.append(_Need(source, edge, shares))
            used.add(edge)
            free[source] -= armies
        return needs

    def _told(
        self, needs: list[_Need], ways: dict[int, list[int]], total: dict[int, int], first: int, last: int, part: int
    ) -> list[int]:
        """The actions of a plan: what is deployed on a region by each of its attacks before `first`, the rest then."""
        actions: list[int] = []
        done = dict.fromkeys(total, 0)
        for i in range(len(needs) + 1):
            if i == first:
                for r in sorted(total, key=lambda r: (r == last, r)):
                    actions += [DEPLOYS * r + 2] if r == last else _deploys(r, total[r] - done[r], part)
                    done[r] = total[r]
            if i == len(needs):
                break
            source = needs[i].source
            if i < first:
                deployed = ways[source].pop(0)
                actions += _deploys(source, deployed - done[source], part)
                done[source] = deployed
            actions.append(self._attack(needs[i].edge, needs[i].shares[done[source]]))
        return actions

    def _nearest(self, view: View, deploy: I64, attacks: list[tuple[int, int]]) -> list[int]:
        part, actions = int(quarter(view.income)), list[int]()
        for r in np.flatnonzero(deploy).tolist():
            actions += _deploys(r, int(deploy[r]), part)
        if len(actions) > self.max_deploys:
            actions.sort(key=lambda action: action % DEPLOYS != 1)
            if deploy.sum() == view.income:
                most = int(np.argmax(deploy))
                others = [action for action in actions if action // DEPLOYS != most]
                actions = [*others[: self.max_deploys - 1], DEPLOYS * most + 2]
            actions = actions[: self.max_deploys]
        orders = self.decode(view, actions)
        assert isinstance(orders, Orders)
        free = view.army + merge_deploys(view, orders) - 1
        used: set[int] = set()
        for edge, armies in attacks:
            source = self.board.edge_source[edge]
            if edge in used or len(used) >= self.max_attacks or free[source] < 1:
                continue
            sends = _sends(int(free[source]))
            share = max(range(SHARES), key=lambda i: (-abs(sends[i] - armies), i))
            actions.append(self._attack(edge, share + 1))
            used.add(edge)
            free[source] -= sends[share]
        return actions


class _Need(NamedTuple):
    """An attack, and its share (1 .. 4) by what is deployed on its source until then."""

    source: int
    edge: int
    shares: dict[int, int]


#: Actions that a way to deploy takes, and what is deployed by each attack.
_Way = tuple[int, list[int]]


def _sends(free: int) -> list[int]:
    """Armies that the four shares send."""
    return [int(share_of(free, share)) for share in range(1, SHARES + 1)] if free > 0 else []


def _deploys(region: int, armies: int, part: int) -> list[int]:
    """Deploys of quarters, then of single armies."""
    return [DEPLOYS * region + 1] * (armies // part) + [DEPLOYS * region] * (armies % part) if armies else []


def _chains(region: int, total: int, needs: list[_Need], first: int, part: int) -> tuple[_Way | None, _Way | None]:
    """The shortest way to deploy `total` on a region before attack `first`, and the one that ends with "the rest"."""
    if any(need.source == region and total not in need.shares for need in needs[first:]):
        return None, None
    ways: dict[int, _Way] = {0: (0, [])}
    for need in needs[:first]:
        if need.source == region:
            ways = {
                after: min((count + len(_deploys(region, after - before, part)), [*way, after])
                           for before, (count, way) in ways.items() if before <= after)
                for after in need.shares if after >= min(ways)
            }  # fmt: skip
            if not ways:
                return None, None
    plain = min((count + len(_deploys(region, total - before, part)), way) for before, (count, way) in ways.items())
    rest = min(((count + 1, way) for before, (count, way) in ways.items() if before < total), default=None)
    return plain, rest


__all__ = ["DEPLOYS", "SHARES", "StepActions", "quarter"]
