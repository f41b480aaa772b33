"""The causes of losses of win probability, in words: the dice, the player's own turn, or the turns of the others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

from warlight_env.engine.orders import Orders
from warlight_env.game import Game
from warlight_env.notation import parse_orders
from warlight_env.record import GameLog, Round, game_at
from warlight_env.tables import counted
from warlight_env.web.workers.dice_luck import battle_luck
from warlight_env.web.workers.sent_armies import sent_armies
from warlight_env.web.workers.turn_report import Reason, TurnReport

#: The largest part of a loss of win probability: the dice, the player's own turn, or the turns of the others.
Cause = Literal["dice", "turn", "others"]

#: English sentences on the only difference of two turns, by kind.
ONLY: Final = {
    "without": "The better turn is the same without the {kind} from {source} to {target}.",
    "also": "The better turn is the same with one more {kind}: from {source} to {target} with {armies}.",
    "number": "The better turn differs only in the {kind} from {source} to {target}: {armies} instead of {was}.",
    "deploys": "The better turn differs only in the deployed armies.",
    "order": "The better turn differs only in the order of the moves.",
}
_HOLDS: Final = (
    "{who} holds {region} in {better} of the simulated games with the better turn, in {played} with the played turn."
)
#: English sentences on the positions some rounds later in simulated games, by code.
LATER: Final = {
    "turn-bonus": (
        "{who} holds {bonus} (+{income}) in {better} of the simulated games with the better turn, "
        "in {played} with the played turn."
    ),
    "turn-breaks": (
        "another player holds {bonus} (+{income}) in {better} of the simulated games with the better turn, "
        "in {played} with the played turn."
    ),
    "turn-holds": _HOLDS,
    "turn-takes": _HOLDS,
    "turn-saves": "{who} has {armies} more armies on average with the better turn.",
    "turn-kills": "the other players have {armies} fewer armies on average with the better turn.",
}
#: English sentences of the reasons, by code.
SENTENCES: Final = {
    "turn-bonus": (
        "The better turn holds {bonus} (+{income}) after the round in {better} of cases, the played turn in {played}."
    ),
    "turn-breaks": (
        "Another player holds {bonus} (+{income}) after the better turn in {better} of cases, "
        "after the played turn in {played}."
    ),
    "turn-holds": "The better turn keeps {region} in {better} of cases, the played turn in {played}.",
    "turn-takes": "The better turn takes {region} in {better} of cases, the played turn in {played}.",
    "turn-saves": "After the better turn, {who} has {armies} more armies on average.",
    "turn-kills": "After the better turn, the other players have {armies} fewer armies on average.",
    "turn-guards": (
        "After the better turn, {armies} more armies are on {region} on average, next to armies of another player."
    ),
    "turn-even": "Both turns lead to similar positions: the difference comes from the places of the armies.",
    "dice-battle": (
        "The dice were bad for {who}: the battle from {source} to {target} cost {armies} armies more than expected."
    ),
    "dice-order": "The random order in which the moves of all players were executed was bad for {who}.",
    "others-took": "{who} lost {regions} to the other players{bonuses}.",
    "others-better": "{who} lost no region, but the moves of the other players made the position worse.",
}


def cause_of(turn: TurnReport) -> Cause:
    """Return the main cause of a loss of win probability: the dice, the player's turn, or the other players."""
    own = turn.lost if turn.better else 0.0
    parts: dict[Cause, float] = {"dice": -turn.luck, "turn": own, "others": turn.before - turn.worth - own}
    return max(parts, key=lambda cause: parts[cause])


def main_cause(turn: TurnReport) -> Cause:
    """Return the cause that the report names: the player's turn if it has a mark for a loss, else the largest cause."""
    return "turn" if turn.mark in ("?!", "?", "??") else cause_of(turn)


def reason_of(turn: TurnReport, player: int, before: Game, step: Round, after: Game) -> Reason:
    """Return why a player lost win probability in a round, if the player's turn is not the main cause.

    `turn_difference` explains a loss by the player's turn.

    Args:
        before, after: the game before and after the round. step: the round.
    """
    if main_cause(turn) == "dice":
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
    values |= _percentages(values)
    only, later = values.pop("only", None), values.pop("later", ())
    if values.get("bonuses"):
        values["bonuses"] = f", with the bonus of {values['bonuses']}"
    first = [_only(only)] if only else []
    last = [
        f"{counted(after['rounds'], 'round')} later, "
        + LATER[after["code"]].format(who=who, **after["values"] | _percentages(after["values"]))
        for after in later
    ]
    return " ".join([*first, SENTENCES[reason["code"]].format(who=who, **values), *last])


def _percentages(values: Mapping[str, Any]) -> dict[str, str]:
    """Return the shares of cases among the values of a reason as texts."""
    return {name: f"{100 * values[name]:.0f} %" for name in ("better", "played") if name in values}


def _only(only: Mapping[str, Any]) -> str:
    """Return the only difference of two turns as a sentence."""
    if "was" not in only:
        return ONLY[only["kind"]]
    form = "also" if not only["was"] else "number" if only["armies"] else "without"
    numbers = {"armies": counted(only["armies"], "army", "armies"), "was": only["was"]}
    return ONLY[form].format(**{**only, **numbers})


def describe_orders(game: Game, player: int, orders: Orders) -> str:
    """Return a turn in words: "9 on Brazil; Siam → Burma with 3; if armies are left: Siam → India".

    Numbers of armies are those that each order sends if all earlier orders are executed fully.
    """
    name = [region.name for region in game.map.regions]
    sent = sent_armies(game, player, orders)
    parts = [f"{armies} on {name[region]}" for region, armies in sent.deploys.items()]
    parts += [f"{name[source]} → {name[target]} with {armies}" for source, target, armies in sent.moves]
    parts += [f"if armies are left: {name[source]} → {name[target]}" for source, target in sent.reserves]
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
            turn_orders = parse_orders(log.header.map, better["orders"])
            orders = describe_orders(game_at(log, number - 1), player, turn_orders)
            lines.append(f"  better by {100 * better['gain']:.0f} ± {100 * better['error']:.0f}: {orders}")
    return lines


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
