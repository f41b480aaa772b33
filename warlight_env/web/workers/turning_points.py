"""The causes of losses of win probability, in words: the dice, the player's own turn, or the turns of the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

from warlight_env.battle import MAX_BATTLE, battle_odds
from warlight_env.engine.orders import Orders
from warlight_env.game import Game
from warlight_env.maps import Map
from warlight_env.notation import parse_orders
from warlight_env.record import GameLog, Round, game_at
from warlight_env.tables import counted
from warlight_env.web.workers.dice_luck import battle_luck
from warlight_env.web.workers.turn_difference import REGION, sent_armies
from warlight_env.web.workers.turn_report import Reason, TurnReport

#: The largest part of a loss of win probability: the dice, the player's own turn, or the turns of the others.
Cause = Literal["dice", "turn", "others"]

#: The bad luck of the dice in a battle, in armies, from which the battle is a reason; as much as half a region.
UNLUCKY: Final = 0.5 * REGION

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
LATER_SENTENCES: Final = {
    "turn-bonus": (
        "{who} holds {bonus} (+{income}) in {better} of the simulated games with the better turn, "
        "in {played} with the played turn."
    ),
    "turn-breaks": (
        "{other} holds {bonus} (+{income}) in {better} of the simulated games with the better turn, "
        "in {played} with the played turn."
    ),
    "turn-holds": _HOLDS,
    "turn-takes": _HOLDS,
    "turn-saves": "{who} has {armies} more armies on average with the better turn.",
    "turn-kills": "{opponents} {have} {armies} fewer armies on average with the better turn.",
}
#: English sentences of the reasons, by code; "dice-battle" and "others-better" have more forms, see `_form`.
SENTENCES: Final = {
    "turn-bonus": (
        "The better turn holds {bonus} (+{income}) after the round in {better} of cases, the played turn in {played}."
    ),
    "turn-breaks": (
        "{other} holds {bonus} (+{income}) after the better turn in {better} of cases, "
        "after the played turn in {played}."
    ),
    "turn-holds": "The better turn keeps {region} in {better} of cases, the played turn in {played}.",
    "turn-takes": "The better turn takes {region} in {better} of cases, the played turn in {played}.",
    "turn-saves": "After the better turn, {who} has {armies} more armies on average.",
    "turn-kills": "After the better turn, {opponents} {have} {armies} fewer armies on average.",
    "turn-guards": (
        "After the better turn, {armies} more armies are on {region} on average, next to armies of {other}."
    ),
    "turn-even": "Right after the round, no single difference is clear: small differences add up.",
    "dice-battle": (
        "The dice were bad for {who}: the battle from {source} to {target} cost {armies} armies more than expected."
    ),
    "dice-failed": (
        "The dice were bad for {who}: the attack from {source} to {target} had a chance of {chance} and failed. "
        "The battle cost {armies} armies more than expected."
    ),
    "dice-captured": (
        "The dice were bad for {who}: the attack from {source} to {target} had a chance of only {chance} "
        "and succeeded. The battle cost {armies} armies more than expected."
    ),
    "dice-order": (
        "No single battle was very unlucky for {who}, but the random order of all moves and the other dice were bad."
    ),
    "others-took": "{who} lost {regions} to {takers}{bonuses}.",
    "others-gained": "{who} lost no region, but {other} took {taken}{bonuses}{rise}.",
    "others-better": (
        "{who} lost no region, but the orders of {opponents} were better than those in the simulated games{rise}."
    ),
}


def cause_of(turn: TurnReport) -> Cause:
    """Return the main cause of a loss of win probability: the dice, the player's turn, or the other players."""
    own_loss = turn.lost if turn.better else 0.0
    parts: dict[Cause, float] = {
        "dice": turn.after - turn.worth, "turn": -own_loss, "others": turn.worth + own_loss - turn.before,
    }  # fmt: skip
    return min(parts, key=lambda cause: parts[cause])


def shown_points(turn: Mapping[str, Any]) -> dict[str, int]:
    """Return the change of win probability in a round and its parts, in points, as the command and the page show them.

    The parts are differences of the four percentages that are shown: before the round, with the best known turn, with
    the played turn, and after the round. So the shown parts have the shown sum. `pointsOf` in the page does the same.

    Args:
        turn: the result of `TurnReport.to_dict`.
    """
    value = turn["worth"]
    best = value + turn["gain"] if turn["better"] else value
    before, best, actual, after = (rounded_percent(share) for share in (turn["before"], best, value, turn["after"]))
    return {"change": after - before, "others": best - before, "turn": actual - best, "dice": after - actual}


def rounded_percent(share: float) -> int:
    """Return a share as a rounded percentage. Halves are rounded to even numbers, as by `roundedPercent` in the page.

    So the percentages of two shares with the sum 1 have the sum 100.
    """
    return round(round(100 * share, 9))  # 100 * 0.575 is a little less than 57.5


def main_cause(turn: TurnReport) -> Cause:
    """Return the cause that the report names: the player's turn if it has a mark for a loss, else the largest cause."""
    return "turn" if turn.mark in ("?!", "?", "??") else cause_of(turn)


def reason_of(
    turn: TurnReport, player: int, before: Game, step: Round, after: Game, changes: Sequence[float]
) -> Reason:
    """Return why a player lost win probability in a round, if the player's turn is not the main cause.

    `turn_difference` explains a loss by the player's turn.

    Args:
        before, after: the game before and after the round. step: the round.
        changes: the change of the win probability of each player in the round.
    """
    if main_cause(turn) == "dice":
        return _worst_battle(before, step, player)
    return _captures(before, after, player, changes)


def sentence_of(reason: Mapping[str, Any], names: Sequence[str], player: int) -> str:
    """Return a reason as an English sentence.

    Args:
        reason: the entry "reason" of the result of `TurnReport.to_dict`.
        names: the names of all players, by seat. player: the seat of the player who lost win probability.
    """
    names = distinct(names)
    values = dict(reason["values"])
    only, later_advantages = values.pop("only", None), values.pop("later", ())
    first_sentences = [_only(only)] if only else []
    last_sentences = [
        f"{counted(advantage['rounds'], 'round')} later, "
        f"{LATER_SENTENCES[advantage['code']].format(**_texts(advantage, names, player))}"
        for advantage in later_advantages
    ]
    sentence = SENTENCES[_form(reason)].format(**_texts(reason, names, player))
    return " ".join([*first_sentences, sentence, *last_sentences])


def _form(reason: Mapping[str, Any]) -> str:
    """Return the key of a reason in `SENTENCES`."""
    if "chance" in reason["values"]:
        return "dice-captured" if reason["values"]["captured"] else "dice-failed"
    return "others-gained" if reason["values"].get("taken") else str(reason["code"])


def distinct(names: Sequence[str]) -> list[str]:
    """Return the names of the players; players with the same name also get the numbers of their seats."""
    return [f"{name} (seat {seat})" if names.count(name) > 1 else name for seat, name in enumerate(names, 1)]


def _texts(reason: Mapping[str, Any], names: Sequence[str], player: int) -> dict[str, Any]:
    """Return the values of a reason for its sentence: names of players instead of seats, and lists as texts."""
    values, opponents = dict(reason["values"]), _opponents(names, player)
    texts = {
        "who": names[player],
        "opponents": opponents,
        "have": "has" if opponents in names else "have",
    }
    if "player" in values:
        texts["other"] = names[values["player"]]
    if "players" in values:
        texts["takers"] = _join_names([names[seat] for seat in values["players"]]) or "the other players"
    texts |= {name: _join_names(values[name]) for name in ("regions", "bonuses") if name in values}
    texts |= {name: f"{rounded_percent(values[name])} %" for name in ("better", "played", "chance") if name in values}
    if values.get("bonuses"):
        form = " and now holds all of" if "taken" in values else ", with the bonus of"
        texts["bonuses"] = f"{form} {texts['bonuses']}"
    if "taken" in values:
        texts["taken"] = counted(values["taken"], "region")
        rise = f": the win probability of {texts['other']} rose by {rounded_percent(values['gain'])} points"
        texts["rise"] = rise if len(names) > 2 else ""
    return {**values, **texts}


def _opponents(names: Sequence[str], player: int) -> str:
    opponents = [name for seat, name in enumerate(names) if seat != player]
    return opponents[0] if len(opponents) == 1 else "the other players"


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
    sent_turn = sent_armies(game, player, orders)
    parts = [f"{armies} on {name[region]}" for region, armies in sent_turn.deploys.items()]
    parts += [f"{name[source]} → {name[target]} with {armies}" for source, target, armies in sent_turn.moves]
    parts += [f"if armies are left: {name[source]} → {name[target]}" for source, target in sent_turn.reserves]
    return "; ".join(parts) or "no orders"


def weak_attacks(game: Game, step: Round, player: int, names: Sequence[str]) -> list[str]:
    """Return sentences on the attacks of a turn that were unlikely to capture; `weakAttacks` in the page does the same.

    An attack is left out if other armies may be there when it is executed: another attack of the turn has the same
    target, another player ordered a move to it, or its owner ordered a move away from it.

    Args:
        game: the game before the round. step: the round. names: the names of all players, by seat.
    """
    moves = sent_armies(game, player, step.legal_orders[player] or Orders()).moves
    targets = [target for _, target, _ in moves]
    sentences = []
    for _, target, armies in moves:
        owner, defenders = int(game.owner[target]), int(game.army[target])
        changed = any(
            target == destination or (seat == owner and target == source)
            for seat, turn in enumerate(step.legal_orders)
            if turn and seat != player
            for source, destination, _ in turn.attacks
        )
        if owner == player or changed or targets.count(target) > 1:
            continue
        deployed = sum(deploy.armies for deploy in step.deploys if (deploy.player, deploy.region) == (owner, target))
        if max(armies, defenders + deployed) > MAX_BATTLE:
            continue
        chance, defended = (battle_odds(armies, defenders + extra, game.rules).capture for extra in (0, deployed))
        if defended >= 0.5:
            continue
        attack = f"The attack on {game.map.regions[target].name} with {counted(armies, 'army', 'armies')} had"
        sentences.append(
            f"{attack} a chance of {rounded_percent(chance)} % "
            f"against the {counted(defenders, 'army', 'armies')} there. "
            f"{names[owner]} deployed {deployed} more: the chance was {rounded_percent(defended)} %."
            if deployed
            else f"{attack} only a chance of {rounded_percent(chance)} %."
        )
    return sentences


def describe_turning_points(report: Mapping[str, Any], log: GameLog) -> list[str]:
    """Return the turning points of a report as lines of text.

    The lines of a turning point contain the loss and its parts, the reason, the played turn, its illegal orders, and
    the better turn.
    """
    lines, names = [], distinct(log.names)
    for point in report["turning"]:
        number, player = point["round"], point["player"]
        turn = report["rounds"][number - 1][player]
        points = shown_points(turn)
        mark = f" ({turn['mark']})" if turn["mark"] else ""
        lines.append(
            f"round {number}: {names[player]}{mark} {points['change']:+d} points of win probability: "
            f"{points['turn']:+d} by the own turn, {points['others']:+d} by the turns of "
            f"{_opponents(names, player)}, {points['dice']:+d} by the dice"
        )
        lines.append(f"  {sentence_of(turn['reason'], log.names, player)}")
        game, step = game_at(log, number - 1), log.rounds[number - 1]
        lines.append(f"  played: {describe_orders(game, player, step.legal_orders[player] or Orders())}")
        lines += _dropped_orders(step, player, log.header.map)
        if turn["better"]:
            lines += [f"  {sentence}" for sentence in weak_attacks(game, step, player, names)]
        if better_turn := turn["better"]:
            orders = describe_orders(game, player, parse_orders(log.header.map, better_turn["orders"]))
            lines.append(f"  better by {-points['turn']} ± {100 * better_turn['error']:.0f} points: {orders}")
    return lines


def _dropped_orders(step: Round, player: int, map_: Map) -> list[str]:
    """Return lines that name a player's illegal orders in a round, at most three of them."""
    dropped = [order for order in step.dropped if order.player == player]
    lines = [f"  illegal, not executed: {order.describe(map_)}" for order in dropped[:3]]
    return [*lines, f"  and {counted(len(dropped) - 3, 'more illegal order')}"] if len(dropped) > 3 else lines


def _worst_battle(before: Game, step: Round, player: int) -> Reason:
    """Return the battle with the worst dice for a player: armies beyond expectation, and the region.

    The values have an entry "chance", the probability of capture, if the outcome was unlikely and bad for the player.
    """
    worst_score, worst_battle = -UNLUCKY, None
    for battle in battle_luck(before, step):
        gain = battle.luck.get(player, 0.0)
        outcome = battle.event.captured - battle.capture
        score = gain + REGION * (outcome if battle.event.player == player else -outcome)
        if gain <= -0.05 and score <= worst_score:  # the reason states the gain with one decimal
            worst_score, worst_battle = score, battle
    if worst_battle is None:
        return Reason("dice-order", {})
    event, chance = worst_battle.event, worst_battle.capture
    source, target = before.map.regions[event.source].name, before.map.regions[event.target].name
    values = {"source": source, "target": target, "armies": round(-worst_battle.luck[player], 1)}
    is_bad = event.captured != (event.player == player)
    if is_bad and (chance if event.captured else 1 - chance) < 0.5:
        values |= {"chance": round(chance, 3), "captured": event.captured}
    return Reason("dice-battle", values)


def _captures(before: Game, after: Game, player: int, changes: Sequence[float]) -> Reason:
    """Return the regions and the bonuses that a player lost in a round; if there are none, the gains of another."""
    map_, owner, later_owner = before.map, before.owner.tolist(), after.owner.tolist()
    lost = [r for r in range(map_.n_regions) if owner[r] == player != later_owner[r]]
    if lost:
        bonuses = _held_super_regions(map_, owner, player) - _held_super_regions(map_, later_owner, player)
        takers = sorted({later_owner[r] for r in lost if later_owner[r] >= 0})
        names = [map_.regions[r].name for r in lost]
        return Reason("others-took", {"regions": names, "bonuses": _bonus_names(map_, bonuses), "players": takers})
    winner = max((p for p in range(before.players) if p != player), key=lambda opponent: changes[opponent])
    bonuses = _held_super_regions(map_, later_owner, winner) - _held_super_regions(map_, owner, winner)
    values = {
        "player": winner,
        "taken": sum(owner[r] != winner == later_owner[r] for r in range(map_.n_regions)),
        "bonuses": _bonus_names(map_, bonuses),
        "gain": round(changes[winner], 3),
    }
    return Reason("others-better", values)


def _held_super_regions(map_: Map, owner: Sequence[int], player: int) -> set[int]:
    """Return the super regions that a player holds completely."""
    return {s for s, members in enumerate(map_.members) if members and all(owner[r] == player for r in members)}


def _bonus_names(map_: Map, bonuses: set[int]) -> list[str]:
    return [map_.super_regions[s].name for s in sorted(bonuses)]


def _join_names(names: list[str]) -> str:
    if not names:
        return ""
    listed = names if len(names) <= 4 else [*names[:3], f"{len(names) - 3} more"]
    return listed[0] if len(listed) == 1 else f"{', '.join(listed[:-1])} and {listed[-1]}"
