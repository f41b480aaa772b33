"""The action encoding `steps`: a turn is a sequence of several actions, each with one deploy or one attack."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np

from warlight_env.agents.records.factored_turns import share_of
from warlight_env.arguments import short_repr
from warlight_env.engine.board import Board
from warlight_env.engine.orders import Orders
from warlight_env.engine.rules import RuleParams
from warlight_env.engine.setup import ALTERNATING
from warlight_env.engine.view import View
from warlight_env.envs.actions.base import I8, DiscreteEncoding, check_game
from warlight_env.envs.actions.step_kernels import DEPLOYS, SHARES, quarter, submit_step, write_step_mask
from warlight_env.envs.actions.turns import I64, Choice, InexpressibleError, check_preferences, edge_of, merge_deploys
from warlight_env.errors import InputError


class StepActions(DiscreteEncoding):
    """The action encoding `steps` with the space Discrete(3 * N + 4 * E + 1) and several actions per turn.

    The game plays the round after all players have ended their turns.

    | action | meaning |
    |---|---|
    | 3 * r, 3 * r + 1, 3 * r + 2 | deploy 1 army, a quarter of the income (rounded up), or the rest, on region r |
    | 3 * N + 4 * e + k, k = 0 … 3 | send 25, 50, 75 or 100 % along edge e |
    | 3 * N + 4 * E | end the turn |

    The percentages refer to the armies of the source, including deployed armies, that may leave and have no order yet.
    The number of attacking armies is rounded down, but is at least 1. Attacks are executed in the order of their
    actions. A turn has at most one attack along each edge. After `max_deploys` deploys and `max_attacks` attacks (or
    fewer, if the rules allow fewer), only the action that ends the turn is legal.

    The encoding expresses every deploy, because single armies can be deployed, and attacks in any order, in quarters of
    the remaining armies. The encoding cannot express attacks with fractions other than quarters, more orders than the
    limits, or two attacks along one edge.

    While the players pick their start regions, the action 3 * r adds region r to the list of preferred regions, the
    best region first. The rules limit the length of the list of preferred regions. If this list gives the player too
    few regions, the game draws more regions at random.

    After a player has ended its turn, it must repeat the action that ends the turn until all players have ended their
    turns. When a player repeats the action that ends its turn, the repetition has no effect.

    The mask is exact: every action that it allows is legal. An action that the mask forbids is dropped and counted as
    illegal. The method `decode` takes a list of a turn's actions, and `encode` returns this list; its last action ends
    the turn.

    Args:
        max_deploys, max_attacks: the maximum numbers of deploys and of attacks in a turn.
    """

    name: ClassVar[str] = "steps"
    stepwise: ClassVar[bool] = True
    submit = staticmethod(submit_step)
    write_mask = staticmethod(write_step_mask)

    def __init__(self, board: Board, params: RuleParams, *, max_deploys: int = 8, max_attacks: int = 16) -> None:
        check_game(board, params)  # check the arguments before the next line computes the size of the space
        super().__init__(board, params, DEPLOYS * board.n_regions + SHARES * board.n_edges + 1)
        for name, value in (("max_deploys", max_deploys), ("max_attacks", max_attacks)):
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise InputError(f"{name} = {short_repr(value)}: must be an integer from 1 up")
        limit = params.max_orders or max(max_deploys, max_attacks)
        self.max_deploys = min(max_deploys, limit)
        self.max_attacks = min(max_attacks, limit, board.n_edges)
        self.max_preferences = 1 if params.picking == ALTERNATING else min(int(params.ranked), board.n_regions)
        self.max_parts = self.max_deploys + self.max_attacks + self.max_preferences + 1
        #: The number of the action that ends the turn.
        self.end = self.size - 1

    @property
    def default_cycles(self) -> int:
        return 100 * (self.max_deploys + self.max_attacks + 1)

    @property
    def config(self) -> I64:
        return np.array([self.max_deploys, self.max_attacks, self.max_preferences], dtype=np.int64)

    def mask(self, view: View, actions: Sequence[int] = ()) -> I8:
        """Return int8[3 * N + 4 * E + 1]: the mask of the next action. actions: the turn's earlier actions."""
        turn, _ = self._submitted(view, self._rows(actions))
        return self._written_mask(view, turn)

    def _rows(self, actions: Any) -> list[I64]:
        return [np.array([self.value(action)], dtype=np.int64) for action in actions]

    def decode(self, view: View, action: Any) -> Choice:
        """Convert a list of actions to a turn; ignore illegal actions. The action that ends the turn may be missing."""
        return self._choice(view, self._submitted(view, self._rows(action))[0])

    def encode(self, view: View, turn: Choice, *, nearest: bool = False) -> list[int]:
        """Convert a turn to a list of actions, including the action that ends the turn.

        Raises `InexpressibleError` if no actions express the turn. The conversion may change the order of the deploys,
        but no other part of the turn. If possible, all deploys come before the attacks. With ``nearest=True``, for
        imitation learning, the method returns the closest actions instead of an error: as many deploys and attacks as
        the limits allow, with the percentages nearest to the attacking armies.
        """
        if not isinstance(turn, Orders):
            preferences = check_preferences(view, turn)
            if len(preferences) > self.max_preferences and not nearest:
                raise InexpressibleError(f"{len(preferences)} preferences: at most {self.max_preferences} are possible")
            return [*(DEPLOYS * r for r in preferences[: self.max_preferences]), self.end]
        deploy = merge_deploys(view, turn)
        attacks = [(edge_of(view, source, target), armies) for source, target, armies in turn.arrays()[1].tolist()]
        try:
            return [*_exact_actions(self, view, deploy, attacks), self.end]
        except InexpressibleError:
            if not nearest:
                raise
        return [*_nearest_actions(self, view, deploy, attacks), self.end]


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


def _attack(encoding: StepActions, edge: int, share: int) -> int:
    return DEPLOYS * encoding.board.n_regions + SHARES * edge + share - 1


def _exact_actions(encoding: StepActions, view: View, deploy: I64, attacks: list[tuple[int, int]]) -> list[int]:
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


def _needs(encoding: StepActions, view: View, deploy: I64, attacks: list[tuple[int, int]]) -> list[_Need]:
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
    encoding: StepActions,
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


def _nearest_actions(encoding: StepActions, view: View, deploy: I64, attacks: list[tuple[int, int]]) -> list[int]:
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


__all__ = ["DEPLOYS", "SHARES", "StepActions", "quarter"]
