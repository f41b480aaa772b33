"""The turning points of a game report in words: the cause of each loss, with the names of regions and players."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from warlight_env.engine.orders import Orders
from warlight_env.maps import Map
from warlight_env.notation import parse_orders
from warlight_env.record import GameLog, Round, game_at
from warlight_env.web.workers.analysed_position import battle_luck

#: The largest part of a loss of win probability: the dice, the player's own turn, or the turns of the others.
Cause = Literal["dice", "turn", "others"]


def cause_of(turn: Mapping[str, Any]) -> Cause:
    """Return the largest part of a turn's loss of win probability. turn: an entry of a report's ``rounds``."""
    own = turn["lost"] if turn["better"] else 0.0
    parts: dict[Cause, float] = {
        "dice": -turn["luck"],
        "turn": own,
        "others": turn["before"] - turn["worth"] - own,
    }
    return max(parts, key=lambda cause: parts[cause])


def reason_of(turn: Mapping[str, Any], log: GameLog, number: int, player: int) -> str:
    """Return one sentence that says why a player lost win probability in a round.

    turn: the player's entry of this round in a report. number: the number of the round, from 1.
    """
    name, step, cause = log.names[player], log.rounds[number - 1], cause_of(turn)
    if cause == "turn":
        better = parse_orders(log.header.map, turn["better"]["orders"])
        return (
            f"{name} chose a weaker turn: the better turn {_difference(log.header.map, step.orders[player], better)}."
        )
    if cause == "dice":
        return f"The dice were bad for {name}{_worst_battle(log, step, number, player)}."
    return f"The other players had a strong turn{_captures(log, step, number, player)}."


def describe_orders(map_: Map, orders: Orders | None) -> str:
    """Return a turn in words: "9 on Brazil; Siam → Burma with 3"."""
    if orders is None:
        return "no orders"
    name = [region.name for region in map_.regions]
    parts = [f"{armies} on {name[region]}" for region, armies in orders.deploys]
    parts += [f"{name[source]} → {name[target]} with {armies}" for source, target, armies in orders.attacks]
    return "; ".join(parts) or "no orders"


def describe_turning_points(report: Mapping[str, Any], log: GameLog) -> list[str]:
    """Return the turning points of a report as lines of text: for each one the loss, its reason and the better turn."""
    lines = []
    for point in report["turning"]:
        number, player = point["round"], point["player"]
        turn = report["rounds"][number - 1][player]
        fall, luck = round(100 * (turn["after"] - turn["before"])), round(100 * turn["luck"])
        lines.append(f"round {number}: {log.names[player]} {fall:+d} points, {luck:+d} by the dice")
        lines.append(f"  {reason_of(turn, log, number, player)}")
        if better := turn["better"]:
            orders = describe_orders(log.header.map, parse_orders(log.header.map, better["orders"]))
            lines.append(f"  better by {100 * better['gain']:.0f} ± {100 * better['error']:.0f}: {orders}")
    return lines


def _difference(map_: Map, played: Orders | None, better: Orders) -> str:
    """Return the largest order of the better turn that the played turn lacks: "moves 5 from X to Y"."""
    name = [region.name for region in map_.regions]
    own = Orders() if played is None else played
    attacks = {(source, target) for source, target, _ in own.attacks}
    deploys: dict[int, int] = dict.fromkeys(range(map_.n_regions), 0)
    for region, armies in own.deploys:
        deploys[region] += armies
    new = [(armies, source, target) for source, target, armies in better.attacks if (source, target) not in attacks]
    if new:
        armies, source, target = max(new)
        return f"moves {armies} from {name[source]} to {name[target]}"
    more = [(armies - deploys[region], region) for region, armies in better.deploys if armies > deploys[region]]
    if more:
        armies, region = max(more)
        return f"puts {armies} more on {name[region]}"
    kept = {(source, target) for source, target, _ in better.attacks}
    left = [(armies, source, target) for source, target, armies in own.attacks if (source, target) not in kept]
    if left:
        armies, source, target = max(left)
        return f"does not move {armies} from {name[source]} to {name[target]}"
    return "moves the armies in another number or order"


def _worst_battle(log: GameLog, step: Round, number: int, player: int) -> str:
    """Return the battle with the largest loss of armies beyond expectation, as the end of a sentence."""
    worst, at = 0.0, None
    for event, lucky in battle_luck(game_at(log, number - 1), step):
        gain = lucky.get(player, 0.0)
        if gain < worst:
            worst, at = gain, event
    if at is None:
        return ": the order of the moves was unlucky"
    source, target = log.header.map.regions[at.source].name, log.header.map.regions[at.target].name
    return f": the battle from {source} to {target} cost {-worst:.1f} armies more than expected"


def _captures(log: GameLog, step: Round, number: int, player: int) -> str:
    """Return the regions and the bonuses that a player lost in a round, as the end of a sentence."""
    before, after = game_at(log, number - 1), game_at(log, number)
    regions = [r for r in range(log.header.map.n_regions) if before.owner[r] == player != after.owner[r]]
    if not regions:
        return f": {log.names[player]} lost no region, but its position became worse"
    text = f" and took {_joined([log.header.map.regions[r].name for r in regions])}"
    bonuses = []
    for number_, part in enumerate(log.header.map.super_regions):
        members = [r for r in range(log.header.map.n_regions) if log.header.map.regions[r].super_region == number_]
        if members and all(before.owner[r] == player for r in members) and set(members) & set(regions):
            bonuses.append(part.name)
    return text + (f", with the bonus of {_joined(bonuses)}" if bonuses else "")


def _joined(names: list[str]) -> str:
    shown = names if len(names) <= 4 else [*names[:3], f"{len(names) - 3} more"]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
