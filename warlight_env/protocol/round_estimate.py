"""Estimate of a round from the orders that a bot knows: the text protocol sends no losses and no captures."""

from __future__ import annotations

from warlight_env.beliefs.order_observer import OpponentOrders
from warlight_env.engine.orders import Orders
from warlight_env.engine.state import UNKNOWN
from warlight_env.engine.view import View
from warlight_env.step_results import Deploy, Event, RoundResult


def estimated_round(before: View, own: Orders, seen: OpponentOrders, after: View) -> RoundResult:
    """Return a round of a game of two players, with estimates of the losses.

    The result has the deploys of both players and the opponent's attacks and transfers. It has no attacks of the
    player: the player sees their results at the end of the round. If the target of an opponent's order is visible after
    the round, its owner decides whether the order captured it. Otherwise, the order captured it if the expected losses
    of the defender are at least its armies. All losses are expected losses, rounded.

    Args:
        before: the player's view at the start of the round.
        own: the player's orders.
        seen: the opponent's orders that the player saw.
        after: the player's view at the end of the round.
    """
    player, other = before.player, 1 - before.player
    owner, army = before.owner.copy(), before.army.copy()
    result = RoundResult(after.round)
    for by, deploys in ((player, own.deploys), (other, seen.deploys)):
        for region, armies in deploys:
            result.deploys.append(Deploy(by, region, armies))
            owner[region] = by
            army[region] += armies
    for source, target, armies in seen.moves:
        if owner[target] in (other, UNKNOWN) or armies < 1:
            result.events.append(Event(other, source, target, armies, "transfer", 0, 0, False))
            army[target] += armies
            continue
        defenders = max(1, int(army[target]))
        killed, lost = round(before.rules.attack_kill * armies), round(before.rules.defense_kill * defenders)
        captured = after.owner[target] == other if after.owner[target] != UNKNOWN else killed >= defenders
        attackers_lost = min(lost, armies - 1 if captured else armies)
        defenders_lost = defenders if captured else min(killed, defenders - 1)
        event = Event(other, source, target, armies, "attack", attackers_lost, defenders_lost, bool(captured))
        result.events.append(event)
        army[target] = armies - attackers_lost if captured else defenders - defenders_lost
        owner[target] = other if captured else owner[target]
    return result
