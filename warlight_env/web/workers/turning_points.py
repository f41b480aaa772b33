"""The causes of losses of win probability, in words: the dice, the player's own turn, or the turns of the others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

from warlight_env.engine.orders import Orders
from warlight_env.game import Game
from warlight_env.maps import Map
from warlight_env.notation import parse_orders
from warlight_env.record import GameLog, Round
from warlight_env.web.workers.dice_luck import battle_luck
from warlight_env.web.workers.turn_report import Reason, TurnReport

#: The largest part of a loss of win probability: the dice, the player's own turn, or the turns of the others.
Cause = Literal["dice", "turn", "others"]

#: English sentences of the reasons, by code.
SENTENCES: Final = {
    "turn-moves": "{who} chose a weaker turn: the better turn moves {armies} from {source} to {target}.",
    "turn-puts": "{who} chose a weaker turn: the better turn puts {armies} more on {region}.",
    "turn-stays": "{who} chose a weaker turn: the better turn does not move {armies} from {source} to {target}.",
    "turn-order": "{who} chose a weaker turn: the better turn moves the armies in another number or order.",
    "dice-battle": (
        "The dice were bad for {who}: the battle from {source} to {target} cost {armies} armies more than expected."
    ),
    "dice-order": "The dice were bad for {who}: the order of the moves was unlucky.",
    "others-took": "The other players had a strong turn and took {regions}{bonuses}.",
    "others-better": ("The other players had a strong turn: {who} lost no region, but its position became worse."),
}


def cause_of(turn: TurnReport) -> Cause:
    """Return the main cause of a loss of win probability: the dice, the player's turn, or the other players."""
    own = turn.lost if turn.better else 0.0
    parts: dict[Cause, float] = {"dice": -turn.luck, "turn": own, "others": turn.before - turn.worth - own}
    return max(parts, key=lambda cause: parts[cause])


def reason_of(turn: TurnReport, player: int, before: Game, step: Round, after: Game) -> Reason:
    """Return why a player lost win probability in a round.

    If the player's turn has a mark for a loss, this turn is the reason.

    Args:
        before, after: the game before and after the round. step: the round.
    """
    cause = "turn" if turn.mark in ("?!", "?", "??") else cause_of(turn)
    if cause == "turn" and turn.better is not None:
        return _difference(before.map, step.orders[player], parse_orders(before.map, turn.better.orders))
    if cause == "dice":
        return _worst_battle(before, step, player)
    return _captures(before, after, player)


def sentence_of(reason: Mapping[str, Any], who: str) -> str:
    """Return a reason as an English sentence.

    Args:
        reason: the entry "reason" of the result of `TurnReport.to_dict`.
        who: the name of the player.
    """
    values = dict(reason["values"])
    for name in ("regions", "bonuses"):
        if name in values:
            values[name] = _joined(values[name])
    if values.get("bonuses"):
        values["bonuses"] = f", with the bonus of {values['bonuses']}"
    return SENTENCES[reason["code"]].format(who=who, **values)


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
        lines.append(f"  {sentence_of(turn['reason'], log.names[player])}")
        if better := turn["better"]:
            orders = describe_orders(log.header.map, parse_orders(log.header.map, better["orders"]))
            lines.append(f"  better by {100 * better['gain']:.0f} ± {100 * better['error']:.0f}: {orders}")
    return lines


def _difference(map_: Map, played: Orders | None, better: Orders) -> Reason:
    """Return as the reason the largest order that is in the better turn, but not in the played turn."""
    name = [region.name for region in map_.regions]
    own = Orders() if played is None else played
    attacks = {(source, target) for source, target, _ in own.attacks}
    deploys: dict[int, int] = dict.fromkeys(range(map_.n_regions), 0)
    for region, armies in own.deploys:
        deploys[region] += armies
    new = [(armies, source, target) for source, target, armies in better.attacks if (source, target) not in attacks]
    if new:
        armies, source, target = max(new)
        return Reason("turn-moves", {"armies": int(armies), "source": name[source], "target": name[target]})
    more = [(armies - deploys[region], region) for region, armies in better.deploys if armies > deploys[region]]
    if more:
        armies, region = max(more)
        return Reason("turn-puts", {"armies": int(armies), "region": name[region]})
    kept = {(source, target) for source, target, _ in better.attacks}
    left = [(armies, source, target) for source, target, armies in own.attacks if (source, target) not in kept]
    if left:
        armies, source, target = max(left)
        return Reason("turn-stays", {"armies": int(armies), "source": name[source], "target": name[target]})
    return Reason("turn-order", {})


def _worst_battle(before: Game, step: Round, player: int) -> Reason:
    """Return the battle with the largest loss of armies beyond expectation."""
    worst, at = 0.0, None
    for event, lucky in battle_luck(before, step):
        gain = lucky.get(player, 0.0)
        if gain < worst:
            worst, at = gain, event
    if at is None:
        return Reason("dice-order", {})
    source, target = before.map.regions[at.source].name, before.map.regions[at.target].name
    return Reason("dice-battle", {"source": source, "target": target, "armies": round(-worst, 1)})


def _captures(before: Game, after: Game, player: int) -> Reason:
    """Return the regions and the bonuses that a player lost in a round."""
    map_, owner = before.map, before.owner.tolist()
    regions = [r for r in range(map_.n_regions) if owner[r] == player != after.owner[r]]
    if not regions:
        return Reason("others-better", {})
    bonuses = [
        part.name
        for part, members in zip(map_.super_regions, map_.members, strict=True)
        if members and all(owner[r] == player for r in members) and set(members) & set(regions)
    ]
    return Reason("others-took", {"regions": [map_.regions[r].name for r in regions], "bonuses": bonuses})


def _joined(names: list[str]) -> str:
    if not names:
        return ""
    shown = names if len(names) <= 4 else [*names[:3], f"{len(names) - 3} more"]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
