"""The armies that the orders of a turn send if all earlier orders are executed fully."""

from __future__ import annotations

from typing import NamedTuple

from warlight_env.engine.orders import Orders
from warlight_env.game import Game


class SentArmies(NamedTuple):
    """The deploys, moves and reserves of a turn; a move is an attack or a transfer that sends armies."""

    deploys: dict[int, int]  #: armies by region
    moves: list[tuple[int, int, int]]  #: (source, target, armies)
    #: (source, target) of orders that send armies only if an earlier order is not executed fully. Armies that moved
    #: cannot move again under the rules of the challenges, so there are no reserves.
    reserves: list[tuple[int, int]]


def sent_armies(game: Game, player: int, orders: Orders) -> SentArmies:
    """Return the armies that a player's orders send in a position; `frontend/src/lib/sendable.ts` does the same."""
    army, free = game.army.tolist(), game.rules.moved_armies == "free"
    sent_turn = SentArmies({}, [], [])
    for region, armies in orders.deploys:
        sent_turn.deploys[region] = sent_turn.deploys.get(region, 0) + armies
        army[region] += armies
    for source, target, armies in orders.attacks:
        leaving = min(armies, army[source] - 1)
        if leaving > 0:
            sent_turn.moves.append((source, target, leaving))
            army[source] -= leaving
            if free and game.owner[target] == player:
                army[target] += leaving
        elif free:
            sent_turn.reserves.append((source, target))
    return sent_turn
