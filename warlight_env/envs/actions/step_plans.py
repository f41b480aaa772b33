"""Functions that convert a turn to actions of the encoding `steps`: to exact actions, or to the closest ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np

from warlight_env.agents.records.factored_turns import share_of
from warlight_env.engine.board import Board
from warlight_env.engine.orders import Orders
from warlight_env.engine.view import View
from warlight_env.envs.actions.step_kernels import DEPLOYS, SHARES, quarter
from warlight_env.envs.actions.turns import I64, Choice, InexpressibleError, merge_deploys


class Steps(Protocol):
    """The attributes and methods of `StepActions` that this module uses."""

    board: Board
    max_deploys: int
    max_attacks: int

    def decode(self, view: View, action: Sequence[int]) -> Choice:
        """Convert a list of actions to a turn."""
        ...


class _Need(NamedTuple):
    """An attack of the turn, which the actions of the encoding `steps` must express.

    shares: a dict from numbers to numbers. A key is a possible number of armies that are deployed on the source before
    the attack. The value is the number of quarters (1 .. 4) of the source's free armies that gives the required number
    of attacking armies. An army is free if it may leave the source and has no order yet.
    """

    source: int
    edge: int
    shares: dict[int, int]


#: A plan of the deploys on one region: the number of actions, and the total armies deployed there before each attack.
_Plan = tuple[int, list[int]]


def _sends(free: int) -> list[int]:
    """Return the numbers of armies in one, two, three and four quarters of the free armies."""
    return [int(share_of(free, share)) for share in range(1, SHARES + 1)] if free > 0 else []


def _deploys(region: int, armies: int, part: int) -> list[int]:
    """Return actions that deploy `armies` on a region: first quarters of the income, then single armies.

    part: a quarter of the income.
    """
    return [DEPLOYS * region + 1] * (armies // part) + [DEPLOYS * region] * (armies % part) if armies else []


def _chains(region: int, total: int, needs: list[_Need], first: int, part: int) -> tuple[_Plan | None, _Plan | None]:
    """Return the two shortest plans to deploy `total` armies on a region before the attack with index `first`.

    The first returned plan may use any deploy actions. The last action of the second returned plan is "deploy the rest
    of the income". If no actions express one of the two plans, the function returns None instead of this plan.
    """
    if any(need.source == region and total not in need.shares for need in needs[first:]):
        return None, None
    plans: dict[int, _Plan] = {0: (0, [])}
    for need in needs[:first]:
        if need.source == region:
            plans = {
                after: min((count + len(_deploys(region, after - before, part)), [*deployed, after])
                           for before, (count, deployed) in plans.items() if before <= after)
                for after in need.shares if after >= min(plans)
            }  # fmt: skip
            if not plans:
                return None, None
    plain = min(
        (count + len(_deploys(region, total - before, part)), deployed) for before, (count, deployed) in plans.items()
    )
    rest = min(((count + 1, deployed) for before, (count, deployed) in plans.items() if before < total), default=None)
    return plain, rest


def _attack(encoding: Steps, edge: int, share: int) -> int:
    return DEPLOYS * encoding.board.n_regions + SHARES * edge + share - 1


def exact_actions(encoding: Steps, view: View, deploy: I64, attacks: list[tuple[int, int]]) -> list[int]:
    """Return the actions of a turn with the given deploys int64[N] and attacks (edge, armies), in their order.

    Raises `InexpressibleError` if no actions express this turn exactly.
    """
    needs = _needs(encoding, view, deploy, attacks)
    part, deploys_all = int(quarter(view.income)), deploy.sum() == view.income
    total = {r: int(deploy[r]) for r in {*np.flatnonzero(deploy).tolist(), *(need.source for need in needs)}}
    fewest = None
    for first in range(len(needs) + 1):  # all deploys come before the attack with the index `first`
        chains = {r: _chains(r, armies, needs, first, part) for r, armies in total.items()}
        plain = {r: plan for r, (plan, _) in chains.items() if plan is not None}
        rest = {r: plan for r, (_, plan) in chains.items() if plan is not None and deploys_all}
        if len(plain) < len(total):
            continue
        count = sum(length for length, _ in plain.values())
        saved = {r: plain[r][0] - length for r, (length, _) in rest.items()}
        last = max(saved, key=lambda r: (saved[r], r), default=-1)
        count -= saved.get(last, 0)
        fewest = count if fewest is None else min(fewest, count)
        if count <= encoding.max_deploys:
            plans = {r: (rest if r == last else plain)[r][1] for r in total}
            return _plan_actions(encoding, needs, plans, total, first, last, part)
    if fewest is None:
        raise InexpressibleError(
            "no actions express this turn: each attack must have one, two, three or four quarters of the free armies"
        )
    raise InexpressibleError(f"these deploys take {fewest} actions, but max_deploys = {encoding.max_deploys}")


def _needs(encoding: Steps, view: View, deploy: I64, attacks: list[tuple[int, int]]) -> list[_Need]:
    """Return for each attack the possible numbers of armies that are deployed on its source before the attack.

    Raises `InexpressibleError` for an attack that no action expresses.
    """
    board, needs, used_edges = encoding.board, list[_Need](), set[int]()
    free = view.army.astype(np.int64) - 1
    for edge, armies in attacks:
        source = int(board.edge_source[edge])
        free_armies, total = int(free[source]), int(free[source] + deploy[source])
        shares = {
            deployed: int(
                max(share for share in range(1, SHARES + 1) if share_of(free_armies + deployed, share) == armies)
            )
            for deployed in range(
                max(0, armies - free_armies), min(int(deploy[source]), 4 * armies + 3 - free_armies) + 1
            )
            if armies in _sends(free_armies + deployed)
        }
        reason = ""
        if edge in used_edges:
            reason = "occurs twice"
        elif len(used_edges) >= encoding.max_attacks:
            reason = f"a turn may have at most {encoding.max_attacks} attacks"
        elif total < 1:
            reason = "the source has no army that may leave"
        elif not shares:
            sends = _sends(total)
            reason = f"a quarter, half, three quarters and all of {total} armies are {sends}, not {armies}"
        if reason:
            raise InexpressibleError(f"attack {source} to {board.edge_target[edge]}: {reason}")
        needs.append(_Need(source, edge, shares))
        used_edges.add(edge)
        free[source] -= armies
    return needs


def _plan_actions(
    encoding: Steps,
    needs: list[_Need],
    plans: dict[int, list[int]],
    total: dict[int, int],
    first: int,
    last: int,
    part: int,
) -> list[int]:
    """Return the actions of a turn, given a plan of its deploys.

    Each attack before the index `first` comes directly after the deploys that it needs. After the attacks before
    `first`, the list contains all remaining deploys, and then all remaining attacks. The deploys on region `last` end
    with "deploy the rest of the income".
    """
    actions: list[int] = []
    deployed_armies = dict.fromkeys(total, 0)
    for i in range(len(needs) + 1):
        if i == first:
            for r in sorted(total, key=lambda r: (r == last, r)):
                actions += [DEPLOYS * r + 2] if r == last else _deploys(r, total[r] - deployed_armies[r], part)
                deployed_armies[r] = total[r]
        if i == len(needs):
            break
        source = needs[i].source
        if i < first:
            deployed = plans[source].pop(0)
            actions += _deploys(source, deployed - deployed_armies[source], part)
            deployed_armies[source] = deployed
        actions.append(_attack(encoding, needs[i].edge, needs[i].shares[deployed_armies[source]]))
    return actions


def nearest_actions(encoding: Steps, view: View, deploy: I64, attacks: list[tuple[int, int]]) -> list[int]:
    """Return actions that express a turn as nearly as possible; see `StepActions.encode` with ``nearest=True``."""
    part, actions = int(quarter(view.income)), list[int]()
    for r in np.flatnonzero(deploy).tolist():
        actions += _deploys(r, int(deploy[r]), part)
    if len(actions) > encoding.max_deploys:
        actions.sort(key=lambda action: action % DEPLOYS != 1)
        if deploy.sum() == view.income:
            largest = int(np.argmax(deploy))
            other_actions = [action for action in actions if action // DEPLOYS != largest]
            actions = [*other_actions[: encoding.max_deploys - 1], DEPLOYS * largest + 2]
        actions = actions[: encoding.max_deploys]
    orders = encoding.decode(view, actions)
    assert isinstance(orders, Orders)
    free = view.army + merge_deploys(view, orders) - 1
    used_edges: set[int] = set()
    for edge, armies in attacks:
        source = encoding.board.edge_source[edge]
        if edge in used_edges or len(used_edges) >= encoding.max_attacks or free[source] < 1:
            continue
        sends = _sends(int(free[source]))
        share = max(range(SHARES), key=lambda i: (-abs(sends[i] - armies), i))
        actions.append(_attack(encoding, edge, share + 1))
        used_edges.add(edge)
        free[source] -= sends[share]
    return actions
