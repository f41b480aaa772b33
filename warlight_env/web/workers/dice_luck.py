"""The luck of the dice in a round: armies gained beyond the exact expectation of each battle."""

from __future__ import annotations

from warlight_env.battle import MAX_BATTLE, battle_odds
from warlight_env.game import Game
from warlight_env.record import Round
from warlight_env.step_results import Event


def dice_luck(game: Game, step: Round) -> list[float]:
    """Return for each player the total luck of its battles in a round, in armies, see `battle_luck`."""
    luck = [0.0] * game.players
    for _, gains in battle_luck(game, step):
        for player, gain in gains.items():
            luck[player] += gain
    return luck


def battle_luck(game: Game, step: Round) -> list[tuple[Event, dict[int, float]]]:
    """Return the battles of a round, and the luck of the dice of each player in each battle.

    The luck is in armies: armies that the player lost less than expected, plus armies that the opponent lost more.
    """
    army, owner = game.army.tolist(), game.owner.tolist()
    for deploy in step.deploys:
        army[deploy.region] += deploy.armies
    battles: list[tuple[Event, dict[int, float]]] = []
    for event in step.events:
        source, target = event.source, event.target
        if event.kind == "transfer":
            army[source] -= event.armies
            army[target] += event.armies
            continue
        sent, stood, defender = event.armies, army[target], owner[target]
        left = 0 if event.captured else max(1, stood - event.defenders_lost)
        if max(sent, stood) <= MAX_BATTLE:
            odds = battle_odds(sent, stood, game.rules)
            more = (sent - event.attackers_lost - odds.expected_attackers) + (odds.expected_defenders - left)
            battles.append((event, {event.player: more, **({defender: -more} if defender >= 0 else {})}))
        army[source] -= sent if event.captured else event.attackers_lost
        army[target] = sent - event.attackers_lost if event.captured else left
        if event.captured:
            owner[target] = event.player
    return battles
