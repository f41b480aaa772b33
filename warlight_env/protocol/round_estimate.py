"""Estimate of a round from the orders that a bot knows: the text protocol sends no losses and no captures."""

from __future__ import annotations

import numpy as np

from warlight_env.beliefs.order_observer import OpponentOrders
from warlight_env.engine.army_cap import ARMY_CAP
from warlight_env.engine.orders import Orders
from warlight_env.engine.state import UNKNOWN
from warlight_env.engine.view import View
from warlight_env.step_results import Deploy, Event, RoundResult, seen_by_all


def estimated_round(before: View, own: Orders, seen: OpponentOrders, after: View) -> RoundResult:
    """Return a round of a game of two players, with estimates of the results and losses.

    The attacks and transfers of the player come first. If the target of an order is visible after the round, its owner
    decides whether the order captured it. A region that the player lost is captured. Otherwise, the order captured its
    target if the expected losses of the defender are at least its armies. All losses are expected losses, rounded. The
    armies of all orders together are limited to `ARMY_CAP`.

    Args:
        before: the player's view at the start of the round.
        own: the player's orders.
        seen: the opponent's orders that the player saw.
        after: the player's view at the end of the round.
    """
    player, other = before.player, 1 - before.player
    estimate = _Estimate(before, after)
    for by, deploys in ((player, own.deploys), (other, seen.deploys)):
        for region, armies in deploys:
            estimate.deploy(by, region, armies)
    for by, moves in ((player, own.attacks), (other, seen.moves)):
        for source, target, armies in moves:
            estimate.move(by, source, target, armies)
    result, owners = estimate.result, (before.owner.tolist(), after.owner.tolist())
    visible = seen_by_all(before.map.neighbors, before.players, *owners, result.events)
    return RoundResult(result.round, result.deploys, result.events, visible=(visible[player],) * before.players)


class _Estimate:
    """The position during the round, and the results of the orders so far."""

    def __init__(self, before: View, after: View) -> None:
        self._before, self._after = before, after
        self._owner, self._army = before.owner.copy(), before.army.astype(np.int64)
        self._left = [ARMY_CAP, ARMY_CAP]  # limits of the armies in all further deploys and in all further moves
        self.result = RoundResult(after.round)

    def _limited(self, kind: int, armies: int) -> int:
        armies = min(armies, self._left[kind])
        self._left[kind] -= armies
        return armies

    def deploy(self, by: int, region: int, armies: int) -> None:
        armies = self._limited(0, armies)
        self._owner[region] = by
        self._army[region] += armies
        self.result.deploys.append(Deploy(by, region, armies))

    def move(self, by: int, source: int, target: int, armies: int) -> None:
        armies = self._limited(1, armies)
        if armies < 1:
            return
        owner, army, rules = self._owner, self._army, self._before.rules
        army[source] = max(1, army[source] - armies)
        if owner[target] in (by, UNKNOWN):
            army[target] += armies
            self.result.events.append(Event(by, source, target, armies, "transfer", 0, 0, False))
            return
        defenders = max(1, int(army[target]))
        killed, lost = round(rules.attack_kill * armies), round(rules.defense_kill * defenders)
        captured = bool(self._after.owner[target] == by)
        if self._after.owner[target] == UNKNOWN:
            captured = owner[target] == self._before.player or killed >= defenders
        attackers_lost = min(lost, armies - 1 if captured else armies)
        defenders_lost = defenders if captured else min(killed, defenders - 1)
        event = Event(by, source, target, armies, "attack", attackers_lost, defenders_lost, captured)
        self.result.events.append(event)
        if captured:
            owner[target], army[target] = by, armies - attackers_lost
        else:
            army[target] -= defenders_lost
            army[source] += armies - attackers_lost
