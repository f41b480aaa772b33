"""The luck of the dice in a round: armies gained beyond the exact expectation of each battle."""

from __future__ import annotations

from typing import NamedTuple

from warlight_env.battle import MAX_BATTLE, battle_odds
from warlight_env.game import Game
from warlight_env.record import Round
from warlight_env.step_results import Event


class Battle(NamedTuple):
    """A battle of a round. The luck of a player is in armies.

    It is the sum of the armies that the player lost less than expected, and that the opponent lost more.
    """

    event: Event
    luck: dict[int, float]  #: the luck of each player in the battle
    capture: float  #: the probability that the attack captures its target


def dice_luck(game: Game, step: Round) -> list[float]:
    """Return for each player the total luck of its battles in a round, in armies, see `battle_luck`."""
    totals = [0.0] * game.players
    for battle in battle_luck(game, step):
        for player, gain in battle.luck.items():
            totals[player] += gain
    return totals


def battle_luck(game: Game, step: Round) -> list[Battle]:
    """Return the battles of a round, with the luck of the dice of each player in each battle."""
    army, owner = game.army.tolist(), game.owner.tolist()
    for deploy in step.deploys:
        army[deploy.region] += deploy.armies
    battles: list[Battle] = []
    for event in step.events:
        source, target = event.source, event.target
        if event.kind == "transfer":
            army[source] -= event.armies
            army[target] += event.armies
            continue
        attackers, defenders, defender = event.armies, army[target], owner[target]
        remaining = 0 if event.captured else max(1, defenders - event.defenders_lost)
        if max(attackers, defenders) <= MAX_BATTLE:
            odds = battle_odds(attackers, defenders, game.rules)
            gain = (attackers - event.attackers_lost - odds.expected_attackers) + (odds.expected_defenders - remaining)
            luck = {event.player: gain, **({defender: -gain} if defender >= 0 else {})}
            battles.append(Battle(event, luck, odds.capture))
        army[source] -= attackers if event.captured else event.attackers_lost
        army[target] = attackers - event.attackers_lost if event.captured else remaining
        if event.captured:
            owner[target] = event.player
    return battles
